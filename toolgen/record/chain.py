"""The keyed hash chain of a run: each event's digest is over the event and the digest before it, under the host's key.

Whoever has the data without the key cannot change an event, take one away, move one, or add one without breaking the
chain. That its end was cut off only shows against a head that was exported before, and kept elsewhere.
"""

from __future__ import annotations

import hmac
import json
import os
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from toolgen.runtime.events.encoding import COUNTED_AS, result_digest
from toolgen.schema.json_values import is_object
from toolgen.spec.files import read_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

_SHORTEST_KEY: Final = 32
_LARGEST_KEY: Final = 65_536
_HEAD: Final = re.compile(r"([1-9][0-9]{0,17}):([0-9a-f]{64})")

_NO_CHAIN: Final = "no event has a digest: the run was recorded without a key, or its digests were removed"
_OTHER_KEY: Final = "no event follows under this key: the run was recorded with another key, or all of it was replaced"


class ChainError(ValueError):
    """A key or a head cannot be used. The text says why, and quotes nothing of a key."""


class ChainKey:
    """The key of a host's chains: at least 32 bytes, kept where the data is not. It never shows itself.

    Raises `ChainError` for a shorter one.
    """

    __slots__ = ("_key",)

    def __init__(self, key: bytes) -> None:
        if len(key) < _SHORTEST_KEY:
            raise ChainError(f"the key has {len(key)} bytes, and must have at least {_SHORTEST_KEY}")
        self._key = key

    @classmethod
    def from_file(cls, path: str | Path) -> ChainKey:
        """Read the key in a file, without the white space around it. Raises `ChainError`."""
        try:
            data = read_file(path, _LARGEST_KEY)
        except OSError as error:
            raise ChainError(f"the key file cannot be read: {error.strerror}") from None
        return cls(data.strip())

    @classmethod
    def from_environment(cls, name: str) -> ChainKey:
        """Read the key in a variable of the environment, without the white space around it. Raises `ChainError`."""
        text = os.environ.get(name)
        if text is None:
            raise ChainError(f"the environment has no variable {name}")
        return cls(os.fsencode(text).strip())

    def first(self, run_id: str) -> bytes:
        """Return the digest that the chain of a run begins with."""
        return hmac.digest(self._key, b"toolgen run\0" + run_id.encode(), "sha256")

    def next(self, before: bytes, body: bytes) -> bytes:
        """Return the digest of an event, after that of the event before it."""
        return hmac.digest(self._key, before + body, "sha256")


@dataclass(frozen=True, slots=True)
class Head:
    """Where a chain was when it was looked at: how many events it had, and the digest of the last, in hex.

    As text it is `LENGTH:DIGEST`.
    """

    length: int
    digest: str

    def __str__(self) -> str:
        return f"{self.length}:{self.digest}"

    @classmethod
    def parse(cls, text: str) -> Head:
        """Read a head back. Raises `ChainError`."""
        found = _HEAD.fullmatch(text.strip())
        if found is None:
            raise ChainError("a head reads LENGTH:DIGEST, a number and 64 hexadecimal digits")
        return cls(int(found[1]), found[2])


@dataclass(frozen=True, slots=True)
class Link:
    """One event as it lies in a store: its number, its text, its digest, which is None without a chain."""

    sequence: int
    body: bytes
    digest: bytes | None


class Listed(NamedTuple):
    """A run as the list of runs has it, or as its events say it should be listed."""

    began: str
    last: str
    events: int
    completed: int
    failed: int
    denied: int


@dataclass(frozen=True, slots=True)
class Chain:
    """A run as it lies in a store, trusted in nothing: its links by number, and the texts of results by number.

    `listed` is its row in the list of runs, None where it has none. `forged` names rows that no store writes, because a
    column holds a value of another type: `an event numbered 1.5`. With `has_other_parts` its file has tables, views,
    indexes or triggers that no store makes: then other readers may be given other rows than these.
    """

    run_id: str
    links: Sequence[Link]
    results: Mapping[int, bytes]
    listed: Sequence[Any] | None
    forged: Sequence[str] = ()
    has_other_parts: bool = False


class Verdict(StrEnum):
    """What a finding means: the record was changed, or cannot be verified with this key, or at all."""

    TAMPERED = "tampered"
    OTHER_KEY = "other_key"
    NO_CHAIN = "no_chain"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong with a record: with the event of that number, or (None) with the run as a whole."""

    sequence: int | None
    message: str
    verdict: Verdict = Verdict.TAMPERED


def verify(chain: Chain, head: Head, key: ChainKey) -> list[Finding]:
    """List what was changed in a run since it was written; an empty list proves that nothing was, up to the head.

    Events after the head are checked as well, except that their end may be missing. Where no event has a digest, or
    none follows under this key, one finding has the verdict `NO_CHAIN` or `OTHER_KEY`; what can be checked without a
    key is checked even so. Somebody who replaces every digest makes a record look like that: neither is a proof.
    """
    found = [*_forged_rows(chain), *_broken_links(chain, key), *_wrong_results(chain), *_missing_end(chain, head)]
    if all(finding.verdict is not Verdict.TAMPERED for finding in found):
        found += _wrong_listing(chain)
    return sorted(found, key=lambda finding: len(chain.links) if finding.sequence is None else finding.sequence)


def _forged_rows(chain: Chain) -> Iterator[Finding]:
    if chain.has_other_parts:
        yield Finding(None, "the file was changed: it has tables, views, indexes or triggers that no store makes")
    for row in chain.forged:
        yield Finding(None, f"a row was added that no store writes: {row}")


def _broken_links(chain: Chain, key: ChainKey) -> Iterator[Finding]:
    yield from _wrong_numbers(chain)
    if not chain.links:
        return
    if all(link.digest is None for link in chain.links):
        yield Finding(None, _NO_CHAIN, Verdict.NO_CHAIN)
        return
    broken = list(_not_following(chain, key))
    if len(broken) == len(chain.links):
        yield Finding(None, _OTHER_KEY, Verdict.OTHER_KEY)
    else:
        yield from broken


def _wrong_numbers(chain: Chain) -> Iterator[Finding]:
    due = 0
    for link in chain.links:
        if link.sequence > due:
            last = link.sequence - 1
            which = f"event {due} is" if due == last else f"events {due} to {last} are"
            yield Finding(due, f"{which} missing")
        elif link.sequence < due:
            yield Finding(link.sequence, f"event {link.sequence} is not where its number says")
        due = link.sequence + 1


def _not_following(chain: Chain, key: ChainKey) -> Iterator[Finding]:
    """Each link is compared after the digest that lies before it: one that was changed does not discredit the rest."""
    before = key.first(chain.run_id)
    for link in chain.links:
        digest = link.digest or b""
        if not hmac.compare_digest(key.next(before, link.body), digest):
            yield Finding(link.sequence, _broken(link))
        before = digest


def _broken(link: Link) -> str:
    if link.sequence == 0:
        return "event 0 is not what this run began with: it was edited, or what was before it was removed"
    return (
        f"event {link.sequence} does not follow from the one before it: "
        "one of them was edited or moved, or what was between them was removed"
    )


def _wrong_results(chain: Chain) -> Iterator[Finding]:
    covered: set[int] = set()
    for link in chain.links:
        expected = _expected_result(link)
        if expected is None:
            continue
        covered.add(link.sequence)
        result = chain.results.get(link.sequence)
        if result is None:
            yield Finding(link.sequence, f"the result of event {link.sequence} is missing")
        elif not hmac.compare_digest(result_digest(result), expected):
            yield Finding(link.sequence, f"the result of event {link.sequence} was edited")
    for sequence in chain.results:
        if sequence not in covered:
            yield Finding(sequence, f"a result was added: event {sequence} came with none")


def _expected_result(link: Link) -> str | None:
    expected = _read(link).get("result")
    return expected if isinstance(expected, str) and expected.isascii() else None


def _wrong_listing(chain: Chain) -> Iterator[Finding]:
    """The list of runs is not chained: it follows from the events, so that a change of it alone shows against them."""
    if not chain.links:
        if chain.listed is not None:
            yield Finding(None, "the list of runs has this run, which has no events")
        return
    if chain.listed is None:
        yield Finding(None, "the run is missing from the list of runs")
        return
    expected = _listing(chain.links)
    for name, is_, should_be in zip(Listed._fields, chain.listed, expected, strict=True):
        if type(is_) is not type(should_be) or is_ != should_be:
            yield Finding(None, f"the list of runs was edited: `{name}` is not what the events say ({should_be})")


def _listing(links: Sequence[Link]) -> Listed:
    bodies = [_read(link) for link in links]
    at = [str(body.get("at", "")) for body in bodies]
    ends = [COUNTED_AS.get(str(body.get("kind")), "failed") for body in bodies if "result" in body]
    counts = (ends.count("completed"), ends.count("failed"), ends.count("denied"))
    return Listed(at[0], max(at), len(links), *counts)


def _read(link: Link) -> dict[str, Any]:
    """What an event says; nothing where its text was damaged: then its link is broken, which is reported."""
    try:
        body = json.loads(link.body)
    except (ValueError, RecursionError):
        return {}
    return body if is_object(body) else {}


def _missing_end(chain: Chain, head: Head) -> Iterator[Finding]:
    last = next((link for link in chain.links if link.sequence == head.length - 1), None)
    if last is None:
        length = chain.links[-1].sequence + 1 if chain.links else 0
        if length < head.length:
            yield Finding(None, f"the end was cut off: the record has {length} events, and the head {head.length}")
    elif last.digest is not None and not hmac.compare_digest(last.digest.hex(), head.digest):
        yield Finding(last.sequence, f"event {last.sequence} is not the one that the head was taken of")
