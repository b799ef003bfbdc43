"""Signals: what a program or a person outside tells a run by a name, and how a handler waits for it.

A handler that waits ends its call for now, and is called again with the signal. So nothing is held meanwhile, in no
process, and the wait goes on across restarts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.picklable import Picklable
from toolgen.contract.records import FailureKind
from toolgen.engine.requests import text_problem
from toolgen.runtime.base.errors import CallFailed
from toolgen.runtime.base.field_types import TEXT, TIME, check_fields, record_of
from toolgen.runtime.base.json_text import parse
from toolgen.schema.json_values import canonical

if TYPE_CHECKING:
    from toolgen.engine.requests import Json

MOST_SIGNALS: Final = 1000
"""How many signals a run is sent at most."""

WAITS: Final = "waits_for_signal"
"""The code of a call that was ended until a signal comes."""

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}")
_TYPES: Final = {"name": TEXT, "by": TEXT, "at": TIME, "key": TEXT}
_VALUE_BYTES: Final = 100_000
_LONGEST: Final = 10 * 365 * 24 * 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSignal:
    """A signal that a run was sent: `value` is JSON, `by` says who sent it, `at` when, in seconds since 1970.

    Of those with the same `key`, a run is sent one. Raises ValueError for a name with other characters than letters,
    digits and `_.:-`, or more than 100, for a value that is no JSON, is nested more than 200 levels deep or has
    more than 100,000 bytes, and for texts that databases cannot have.
    """

    name: str
    value: Any = None
    by: str
    at: float
    key: str = ""

    def __post_init__(self) -> None:
        check_fields(self, _TYPES)
        check_name(self.name)
        for what, text in (("by", self.by), ("key", self.key)):
            if problem := text_problem(text):
                raise ValueError(f"{what} {problem}")
        try:
            text = json.dumps(self.value, allow_nan=False)
            parse(text)
        except (TypeError, ValueError, RecursionError) as error:
            raise ValueError(f"the value of a signal must be JSON: {error}") from error
        size = len(text)
        if size > _VALUE_BYTES:
            raise ValueError(f"the value of a signal has {size} bytes; there may be {_VALUE_BYTES}")

    def as_json(self) -> Json:
        """Return it as a JSON object."""
        return asdict(self)

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> RunSignal:
        """Return what `as_json` wrote. Raises ValueError for anything else."""
        return record_of(cls, fields, "the signal")

    def says_as(self, other: RunSignal) -> bool:
        """Whether it says the same JSON as another, of which it may be a repetition; to Python, 1, 1.0 and true are."""
        return (self.name, self._text, self.key) == (other.name, other._text, other.key)

    @property
    def _text(self) -> bytes:
        return canonical(parse(json.dumps(self.value)))

    def __str__(self) -> str:
        when = datetime.fromtimestamp(self.at, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
        return f"{self.name}, by {self.by or 'nobody'}, at {when}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSignals:
    """The names of the signals that a run waits for, and those that it was sent, in order, read or not."""

    awaited: tuple[str, ...] = ()
    received: tuple[RunSignal, ...] = ()


class NotSignalled(Picklable):
    """A run does not take a signal: it has ended, has too many, or was sent another one with the same key."""

    def __init__(self, run_id: str, name: str, why: str) -> None:
        self.run_id = run_id
        self.name = name
        self.why = why
        super().__init__(f"{run_id} was not sent the signal {name}: {why}")


def kept(run_id: str, sent: RunSignal, received: Iterable[RunSignal]) -> RunSignal | None:
    """Return the signal that a repetition repeats, None for a new one. Raises `NotSignalled`."""
    so_far = list(received)
    before = next((each for each in so_far if sent.key and each.key == sent.key), None)
    if before is not None and not before.says_as(sent):
        raise NotSignalled(run_id, sent.name, f"the key {sent.key!r} is that of another one: {before}")
    if before is None and len(so_far) >= MOST_SIGNALS:
        raise NotSignalled(run_id, sent.name, f"it was sent {MOST_SIGNALS} signals, and takes no more")
    return before


def check_name(name: str) -> None:
    """Raises ValueError for what is no name of a signal."""
    if not _NAME.fullmatch(name):
        raise ValueError(
            f"{name[:100]!a} is no name of a signal: it must begin with a letter or digit, and have at most 100 "
            "letters, digits, and _ . : -"
        )


@dataclass(slots=True)
class CallSignals:
    """What the waits of a call were given so far, None where the time was up, and the wait that ended it."""

    given: list[tuple[str, RunSignal | None]]
    wanted: Json | None = field(default=None)


_call: Final[ContextVar[CallSignals | None]] = ContextVar("toolgen_signals", default=None)


@contextmanager
def call_with(given: Iterable[Mapping[str, Any]]) -> Generator[CallSignals]:
    """Make a call that was given signals so far, as `{"name": ..., "signal": ...}`, as a context."""
    signals = CallSignals([(each["name"], _signal(each["signal"])) for each in given])
    token = _call.set(signals)
    try:
        yield signals
    finally:
        _call.reset(token)


def _signal(fields: Mapping[str, Any] | None) -> RunSignal | None:
    return None if fields is None else RunSignal.from_json(fields)


def wait_for_signal(name: str, seconds: float) -> RunSignal | None:
    """Wait for a signal to the run, in the handler of a call; None if nobody sends it in so many seconds.

    Each wait takes one signal, the first that no other took, also one that came before. A handler waits before it does
    anything else: the wait raises, and the handler is called again, with the same idempotency key, when the signal is
    there. Raises ValueError for what is no name and no time up to ten years, and `CallFailed` outside of an engine.
    """
    check_name(name)
    if not 0 < seconds <= _LONGEST:
        raise ValueError(f"seconds is {seconds}; it must be more than 0, and at most ten years")
    signals = _call.get()
    if signals is None:
        raise CallFailed(FailureKind.UNAVAILABLE, "no_engine", "only calls of runs of an engine can wait for signals")
    for place, (given, signal) in enumerate(signals.given):
        if given == name:
            del signals.given[place]
            return signal
    signals.wanted = {"name": name, "seconds": seconds}
    raise CallFailed(FailureKind.SKIPPED, WAITS, f"the call waits for the signal {name}, and is made again then")
