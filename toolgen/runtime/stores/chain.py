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
from typing import TYPE_CHECKING, Final

from toolgen.contract.files import read_file
from toolgen.contract.json_types import is_object
from toolgen.runtime.stores.encoding import result_digest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

_SHORTEST_KEY: Final = 32
_LARGEST_KEY: Final = 65_536
_HEAD: Final = re.compile(r"([1-9][0-9]{0,17}):([0-9a-f]{64})")


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
        """Give the digest that the chain of a run begins with."""
        return hmac.digest(self._key, b"toolgen run\0" + run_id.encode(), "sha256")

    def next(self, before: bytes, body: bytes) -> bytes:
        """Give the digest of an event, after that of the event before it."""
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
    """One event as it lies in a store: its number, its text, its digest."""

    sequence: int
    body: bytes
    digest: bytes


@dataclass(frozen=True, slots=True)
class Chain:
    """A run as it lies in a store, trusted in nothing: its links by number, and the texts of results by number."""

    run_id: str
    links: Sequence[Link]
    results: Mapping[int, bytes]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong with a record: with the event of that number, or (None) with its end."""

    sequence: int | None
    message: str


def verify(chain: Chain, head: Head, key: ChainKey) -> list[Finding]:
    """Say what was done to a run since it was written; an empty list is a proof that nothing was, up to the head.

    Events after the head are checked as well, except that their end may be missing.
    """
    found = [*_broken_links(chain, key), *_wrong_results(chain), *_missing_end(chain, head)]
    return sorted(found, key=lambda finding: len(chain.links) if finding.sequence is None else finding.sequence)


def _broken_links(chain: Chain, key: ChainKey) -> Iterator[Finding]:
    """Each link is compared after the digest that lies before it: one that was changed does not discredit the rest."""
    before, due = key.first(chain.run_id), 0
    for link in chain.links:
        if link.sequence > due:
            last = link.sequence - 1
            which = f"event {due} is" if due == last else f"events {due} to {last} are"
            yield Finding(due, f"{which} missing")
        elif link.sequence < due:
            yield Finding(link.sequence, f"event {link.sequence} is not where its number says")
        if not hmac.compare_digest(key.next(before, link.body), link.digest):
            yield Finding(link.sequence, _broken(link))
        before, due = link.digest, link.sequence + 1


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
    try:
        body = json.loads(link.body)
    except (ValueError, RecursionError):
        return None  # its link is broken, which is reported
    expected = body.get("result") if is_object(body) else None
    return expected if isinstance(expected, str) and expected.isascii() else None


def _missing_end(chain: Chain, head: Head) -> Iterator[Finding]:
    last = next((link for link in chain.links if link.sequence == head.length - 1), None)
    if last is None:
        length = chain.links[-1].sequence + 1 if chain.links else 0
        if length < head.length:
            yield Finding(None, f"the end was cut off: the record has {length} events, and the head {head.length}")
    elif not hmac.compare_digest(last.digest.hex(), head.digest):
        yield Finding(last.sequence, f"event {last.sequence} is not the one that the head was taken of")
