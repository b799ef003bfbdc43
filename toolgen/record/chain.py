"""The keyed hash chain of a run: each event's digest covers the event and the previous digest, with the host's key.

Without the key, an event cannot be changed, removed, moved or added without breaking the chain. A truncated end can
only be detected with a head that was exported before, and stored elsewhere.
"""

from __future__ import annotations

import hmac
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from toolgen.runtime.events.encoding import COUNTED_AS, result_digest
from toolgen.schema.json_values import is_object
from toolgen.spec.files import read_file

if TYPE_CHECKING:
    from pathlib import Path

_SHORTEST_KEY: Final = 32
_LARGEST_KEY: Final = 65_536
_HEAD: Final = re.compile(r"([1-9][0-9]{0,17}):([0-9a-f]{64})")

_NO_CHAIN: Final = "no event has a digest: the run was recorded without a key, or its digests were removed"
_OTHER_KEY: Final = "no event follows under this key: the run was recorded with another key, or all of it was replaced"


class ChainError(ValueError):
    """A key or a head cannot be used. The message gives the reason, and quotes nothing of a key."""


class ChainKey:
    """The key of a host's chains: at least 32 bytes, stored apart from the data. Its `repr` does not show it.

    Raises `ChainError` for a shorter one.
    """

    __slots__ = ("_key",)

    def __init__(self, key: bytes) -> None:
        if len(key) < _SHORTEST_KEY:
            raise ChainError(f"the key has {len(key)} bytes, but needs at least {_SHORTEST_KEY}")
        self._key = key

    @classmethod
    def from_file(cls, path: str | Path) -> ChainKey:
        """Read the key from a file, stripped of whitespace. Raises `ChainError`."""
        try:
            data = read_file(path, _LARGEST_KEY)
        except OSError as error:
            raise ChainError(f"the key file cannot be read: {error.strerror}") from None
        return cls(data.strip())

    @classmethod
    def from_environment(cls, name: str) -> ChainKey:
        """Read the key from an environment variable, stripped of whitespace. Raises `ChainError`."""
        text = os.environ.get(name)
        if text is None:
            raise ChainError(f"the environment has no variable {name}")
        return cls(os.fsencode(text).strip())

    def first(self, run_id: str) -> bytes:
        """Return the initial digest of a run's chain."""
        return hmac.digest(self._key, b"toolgen run\0" + run_id.encode(), "sha256")

    def next(self, before: bytes, body: bytes) -> bytes:
        """Return the digest of an event, given the previous digest."""
        return hmac.digest(self._key, before + body, "sha256")


@dataclass(frozen=True, slots=True)
class ChainHead:
    """The state of a chain: its number of events, and the digest of the last, in hex.

    As text it is `LENGTH:DIGEST`.
    """

    length: int
    digest: str

    def __str__(self) -> str:
        return f"{self.length}:{self.digest}"

    @classmethod
    def parse(cls, text: str) -> ChainHead:
        """Parse a head. Raises `ChainError`."""
        found = _HEAD.fullmatch(text.strip())
        if found is None:
            raise ChainError("a head has the form LENGTH:DIGEST, a number and 64 hexadecimal digits")
        return cls(int(found[1]), found[2])


@dataclass(frozen=True, slots=True)
class ChainLink:
    """One event as stored: its number, its text, and its digest, which is None without a chain."""

    sequence: int
    body: bytes
    digest: bytes | None


class Listed(NamedTuple):
    """A run in the list of runs, or as it should be listed according to its events."""

    began: str
    last: str
    events: int
    completed: int
    failed: int
    denied: int


@dataclass(frozen=True, slots=True)
class Chain:
    """A run as stored, untrusted: its links by number, and the texts of results by number.

    `listed` is its row in the list of runs, None if it has none. `forged` describes rows that stores do not write,
    because a column has a value of another type: `an event numbered 1.5`. With `has_other_parts` its file has tables,
    views, indexes or triggers that stores do not create: other readers may then see other rows.
    """

    run_id: str
    links: Sequence[ChainLink]
    results: Mapping[int, bytes]
    listed: Sequence[Any] | None
    forged: Sequence[str] = ()
    has_other_parts: bool = False


class ChainVerdict(StrEnum):
    """The meaning of a finding: the record was changed, or cannot be verified with this key, or not at all."""

    TAMPERED = "tampered"
    OTHER_KEY = "other_key"
    NO_CHAIN = "no_chain"


@dataclass(frozen=True, slots=True)
class ChainFinding:
    """One error in a record: in the event with that number, or (None) in the run as a whole."""

    sequence: int | None
    message: str
    verdict: ChainVerdict = ChainVerdict.TAMPERED


def verify_chain(chain: Chain, head: ChainHead, key: ChainKey) -> list[ChainFinding]:
    """List the changes to a run since it was written; an empty list proves that there are none, up to the head.

    Events after the head are checked too, except that their end may be missing. If no event has a digest, or none is
    valid with this key, one finding has the verdict `NO_CHAIN` or `OTHER_KEY`, and only what needs no key is checked.
    Replacing every digest has the same effect, so neither verdict proves anything.
    """
    found = [*_forged_rows(chain), *_broken_links(chain, key), *_wrong_results(chain), *_missing_end(chain, head)]
    if all(finding.verdict is not ChainVerdict.TAMPERED for finding in found):
        found += _wrong_listing(chain)
    return sorted(found, key=lambda finding: len(chain.links) if finding.sequence is None else finding.sequence)


def _forged_rows(chain: Chain) -> Iterator[ChainFinding]:
    if chain.has_other_parts:
        yield ChainFinding(
            None, "the store was changed: it has tables, views, indexes or triggers that stores do not create"
        )
    for row in chain.forged:
        yield ChainFinding(None, f"a row was added that stores do not write: {row}")


def _broken_links(chain: Chain, key: ChainKey) -> Iterator[ChainFinding]:
    yield from _wrong_numbers(chain)
    if not chain.links:
        return
    if all(link.digest is None for link in chain.links):
        yield ChainFinding(None, _NO_CHAIN, ChainVerdict.NO_CHAIN)
        return
    broken = list(_not_following(chain, key))
    if len(broken) == len(chain.links):
        yield ChainFinding(None, _OTHER_KEY, ChainVerdict.OTHER_KEY)
    else:
        yield from broken


def _wrong_numbers(chain: Chain) -> Iterator[ChainFinding]:
    due = 0
    for link in chain.links:
        if link.sequence > due:
            last = link.sequence - 1
            which = f"event {due} is" if due == last else f"events {due} to {last} are"
            yield ChainFinding(due, f"{which} missing")
        elif link.sequence < due:
            yield ChainFinding(link.sequence, f"event {link.sequence} is not at the position of its number")
        due = link.sequence + 1


def _not_following(chain: Chain, key: ChainKey) -> Iterator[ChainFinding]:
    """Check each link against the stored digest before it, so that one changed event does not invalidate the rest."""
    before = key.first(chain.run_id)
    for link in chain.links:
        digest = link.digest or b""
        if not hmac.compare_digest(key.next(before, link.body), digest):
            yield ChainFinding(link.sequence, _broken(link))
        before = digest


def _broken(link: ChainLink) -> str:
    if link.sequence == 0:
        return "event 0 is not the first event of this run: it was edited, or an event before it was removed"
    return (
        f"event {link.sequence} does not follow from the one before it: "
        "one of them was edited or moved, or an event between them was removed"
    )


def _wrong_results(chain: Chain) -> Iterator[ChainFinding]:
    covered: set[int] = set()
    for link in chain.links:
        expected = _expected_result(link)
        if expected is None:
            continue
        covered.add(link.sequence)
        result = chain.results.get(link.sequence)
        if result is None:
            yield ChainFinding(link.sequence, f"the result of event {link.sequence} is missing")
        elif not hmac.compare_digest(result_digest(result), expected):
            yield ChainFinding(link.sequence, f"the result of event {link.sequence} was edited")
    for sequence in chain.results:
        if sequence not in covered:
            yield ChainFinding(sequence, f"a result was added: event {sequence} has none")


def _expected_result(link: ChainLink) -> str | None:
    expected = _read(link).get("result")
    return expected if isinstance(expected, str) and expected.isascii() else None


def _wrong_listing(chain: Chain) -> Iterator[ChainFinding]:
    """Check the list of runs, which is not chained but can be computed from the events."""
    if not chain.links:
        if chain.listed is not None:
            yield ChainFinding(None, "the list of runs has this run, which has no events")
        return
    if chain.listed is None:
        yield ChainFinding(None, "the run is missing from the list of runs")
        return
    expected = _listing(chain.links)
    for name, is_, should_be in zip(Listed._fields, chain.listed, expected, strict=True):
        if type(is_) is not type(should_be) or is_ != should_be:
            yield ChainFinding(None, f"the list of runs was edited: `{name}` is not what the events say ({should_be})")


def _listing(links: Sequence[ChainLink]) -> Listed:
    bodies = [_read(link) for link in links]
    at = [str(body.get("at", "")) for body in bodies]
    ends = [COUNTED_AS.get(str(body.get("kind")), "failed") for body in bodies if "result" in body]
    counts = (ends.count("completed"), ends.count("failed"), ends.count("denied"))
    return Listed(at[0], max(at), len(links), *counts)


def _read(link: ChainLink) -> dict[str, Any]:
    """Return the content of an event; empty if its text is damaged, because then its broken link is reported."""
    try:
        body = json.loads(link.body)
    except (ValueError, RecursionError):
        return {}
    return body if is_object(body) else {}


def _missing_end(chain: Chain, head: ChainHead) -> Iterator[ChainFinding]:
    last = next((link for link in chain.links if link.sequence == head.length - 1), None)
    if last is None:
        length = chain.links[-1].sequence + 1 if chain.links else 0
        if length < head.length:
            yield ChainFinding(
                None, f"the end was truncated: the record has {length} events, and the head {head.length}"
            )
    elif last.digest is not None and not hmac.compare_digest(last.digest.hex(), head.digest):
        yield ChainFinding(last.sequence, f"event {last.sequence} is not the one of the head")
