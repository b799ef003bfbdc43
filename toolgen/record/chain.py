"""The keyed hash chain of a run: each event's digest covers the event and the previous digest, with the host's key.

Without the key, an event cannot be changed, removed, moved or added without breaking the chain. A truncated end can
only be detected with a head that was exported before, and stored elsewhere.
"""

from __future__ import annotations

import hmac
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

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
    check = ChainCheck(chain.run_id, head, key)
    check.add(chain)
    return check.end()


class ReadsChains(Protocol):
    """What reads the rows of a run in pages, as they are stored."""

    def chain_page(self, run_id: str, /, first: int, most: int) -> Chain:
        """Read at most that many events of a run from a number on, with their results, as stored.

        Results without an event belong to the page that begins before them; rows that stores do not write, and what
        their tables have beside rows, to the first page.
        """
        ...


FIRST_ROW: Final = -(2**63)
LAST_ROW: Final = 2**63 - 1
"""The least and the greatest number that a row can have, written by whomever."""


def chain_pages(reader: ReadsChains, run_id: str, most: int) -> Iterator[Chain]:
    """Read a run in pages of so many events, as stored, for `ChainCheck`. Raises what the reader raises."""
    first = FIRST_ROW
    while first <= LAST_ROW:
        page = reader.chain_page(run_id, first, most)
        yield page
        first = page.links[-1].sequence + 1 if len(page.links) == most else LAST_ROW + 1


class ChainCheck:
    """The check of a run page by page, which keeps no rows: see `verify_chain`, which does all of it at once.

    `rows` is the number of events so far. Of its findings the first `most` of each kind are kept.
    """

    def __init__(self, run_id: str, head: ChainHead, key: ChainKey, *, most: int = sys.maxsize) -> None:
        self.rows = 0
        self._head = head
        self._key = key
        self._before = key.first(run_id)
        self._due = 0
        self._length = 0
        self._has_digests = False
        self._at_head: ChainLink | None = None
        self._listed: Sequence[Any] | None = None
        self._began = self._last = ""
        self._ends = Counter[str]()
        self._of_tables, self._of_numbers, self._unlinked, self._of_results = (_Findings(most) for _ in range(4))

    def add(self, page: Chain) -> None:
        """Check the next rows."""
        if page.has_other_parts:
            self._of_tables.add(
                None, "the store was changed: it has tables, views, indexes or triggers that stores do not create"
            )
        for row in page.forged:
            self._of_tables.add(None, f"a row was added that stores do not write: {row}")
        covered = set[int]()
        for link in page.links:
            body = _read(link)
            self._number(link)
            self._follow(link)
            self._count(link, body)
            expected = body.get("result")
            if isinstance(expected, str) and expected.isascii():
                covered.add(link.sequence)
                self._result(link, page.results.get(link.sequence), expected)
        for sequence in page.results:
            if sequence not in covered:
                self._of_results.add(sequence, f"a result was added: event {sequence} has none")
        self._listed = page.listed

    def end(self) -> list[ChainFinding]:
        """Return what was found, in the order of the rows."""
        found = [
            *self._of_tables.kept,
            *self._of_numbers.kept,
            *self._broken_links(),
            *self._of_results.kept,
            *self._missing_end(),
        ]
        if all(finding.verdict is not ChainVerdict.TAMPERED for finding in found):
            found += self._wrong_listing()
        return sorted(found, key=lambda finding: self.rows if finding.sequence is None else finding.sequence)

    @property
    def left_out(self) -> int:
        """How many findings were not kept."""
        kinds = [self._of_tables, self._of_numbers, self._of_results]
        if self._broken_links() is self._unlinked.kept:
            kinds.append(self._unlinked)
        return sum(each.count - len(each.kept) for each in kinds)

    def _number(self, link: ChainLink) -> None:
        if link.sequence > self._due:
            last = link.sequence - 1
            which = f"event {self._due} is" if self._due == last else f"events {self._due} to {last} are"
            self._of_numbers.add(self._due, f"{which} missing")
        elif link.sequence < self._due:
            self._of_numbers.add(link.sequence, f"event {link.sequence} is not at the position of its number")
        self._due = link.sequence + 1

    def _follow(self, link: ChainLink) -> None:
        """Check a link against the stored digest before it, so that one changed event does not invalidate the rest."""
        digest = link.digest or b""
        if not hmac.compare_digest(self._key.next(self._before, link.body), digest):
            self._unlinked.add(link.sequence, _broken(link))
        self._before = digest
        self._has_digests = self._has_digests or link.digest is not None

    def _result(self, link: ChainLink, result: bytes | None, expected: str) -> None:
        if result is None:
            self._of_results.add(link.sequence, f"the result of event {link.sequence} is missing")
        elif not hmac.compare_digest(result_digest(result), expected):
            self._of_results.add(link.sequence, f"the result of event {link.sequence} was edited")

    def _count(self, link: ChainLink, body: Mapping[str, Any]) -> None:
        at = str(body.get("at", ""))
        self._began = self._began if self.rows else at
        self._last = max(self._last, at)
        if "result" in body:
            self._ends[COUNTED_AS.get(str(body.get("kind")), "failed")] += 1
        if self._at_head is None and link.sequence == self._head.length - 1:
            self._at_head = link
        self._length = link.sequence + 1
        self.rows += 1

    def _broken_links(self) -> list[ChainFinding]:
        if self.rows and not self._has_digests:
            return [ChainFinding(None, _NO_CHAIN, ChainVerdict.NO_CHAIN)]
        if self.rows and self._unlinked.count == self.rows:
            return [ChainFinding(None, _OTHER_KEY, ChainVerdict.OTHER_KEY)]
        return self._unlinked.kept

    def _missing_end(self) -> Iterator[ChainFinding]:
        head, last = self._head, self._at_head
        if last is None:
            if self._length < head.length:
                yield ChainFinding(
                    None, f"the end was truncated: the record has {self._length} events, and the head {head.length}"
                )
        elif last.digest is not None and not hmac.compare_digest(last.digest.hex(), head.digest):
            yield ChainFinding(last.sequence, f"event {last.sequence} is not the one of the head")

    def _wrong_listing(self) -> Iterator[ChainFinding]:
        """Check the list of runs, which is not chained but can be computed from the events."""
        if not self.rows:
            if self._listed is not None:
                yield ChainFinding(None, "the list of runs has this run, which has no events")
            return
        if self._listed is None:
            yield ChainFinding(None, "the run is missing from the list of runs")
            return
        counts = (self._ends[name] for name in ("completed", "failed", "denied"))
        expected = Listed(self._began, self._last, self.rows, *counts)
        for name, is_, should_be in zip(Listed._fields, self._listed, expected, strict=True):
            if type(is_) is not type(should_be) or is_ != should_be:
                yield ChainFinding(
                    None, f"the list of runs was edited: `{name}` is not what the events say ({should_be})"
                )


class _Findings:
    """Findings of one kind, the first `most` of which are kept; `count` is the number of all."""

    def __init__(self, most: int) -> None:
        self.kept: list[ChainFinding] = []
        self.count = 0
        self._most = most

    def add(self, sequence: int | None, message: str) -> None:
        self.count += 1
        if len(self.kept) < self._most:
            self.kept.append(ChainFinding(sequence, message))


def _broken(link: ChainLink) -> str:
    if link.sequence == 0:
        return "event 0 is not the first event of this run: it was edited, or an event before it was removed"
    return (
        f"event {link.sequence} does not follow from the one before it: "
        "one of them was edited or moved, or an event between them was removed"
    )


def _read(link: ChainLink) -> dict[str, Any]:
    """Return the content of an event; empty if its text is damaged, because then its broken link is reported."""
    try:
        body = json.loads(link.body)
    except (ValueError, RecursionError):
        return {}
    return body if is_object(body) else {}
