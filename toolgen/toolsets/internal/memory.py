"""Long-term memories: text files in a folder, searched by words and written by a job of the host."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Final
from unicodedata import normalize

from toolgen.execute.paths import open_folder
from toolgen.runtime.policy.paths import FileKind
from toolgen.search.ranking import SATURATION, damping, rarity
from toolgen.toolsets.entries import entries_below, read_below

if TYPE_CHECKING:
    import os

    from toolgen.execute.paths import Folder
    from toolgen.toolsets.entries import Names


# Ranking of texts: BM25 over words, with pairs of characters for scripts without spaces.
#
# It has no synonyms. Measured on 390 docstrings of Python's library, each searched by its first line, which was
# removed: among the first five for 67 of 100, where counting common words finds 40.

_FAINT: Final = 1 / 3
"""Texts with less than this share of the best score are dropped: they share only common words. In the measurement this
has no cost."""

_UNPARTED: Final = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_RUNS: Final = re.compile(rf"(?P<unparted>[{_UNPARTED}]+)|[^\W_{_UNPARTED}]+")


def best(query: str, texts: Sequence[str], count: int) -> list[int]:
    """Return the indexes of up to `count` texts that match a query, best first, ties by index."""
    asked = set(_words(query))
    counted = [Counter(_words(text)) for text in texts]
    shared = [asked & counts.keys() for counts in counted]
    held_by = Counter(word for words in shared for word in words)
    weights = {word: rarity(held, len(texts)) for word, held in held_by.items()}
    lengths = [counts.total() for counts in counted]
    average = sum(lengths) / max(len(lengths), 1) or 1

    def score(place: int) -> float:
        added = damping(lengths[place], average)
        found = ((weights[word], counted[place][word]) for word in sorted(shared[place]))
        return sum(weight * often * (SATURATION + 1) / (often + added) for weight, often in found)

    scores = list(map(score, range(len(texts))))
    enough = max(scores, default=0) * _FAINT
    fitting = [place for place, each in enumerate(scores) if each > 0 and each >= enough]
    return sorted(fitting, key=lambda place: -scores[place])[:count]


def _words(text: str) -> Iterator[str]:
    for run in _RUNS.finditer(normalize("NFKC", text).casefold()):
        word = run[0]
        if run["unparted"] and len(word) > 1:
            yield from (first + second for first, second in pairwise(word))
        else:
            yield _singular(word)


def _singular(word: str) -> str:
    """Return the singular of an English word; other words are unchanged."""
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[:-2] if word.endswith(("ses", "xes", "zes", "ches", "shes")) else word[:-1]


LONGEST: Final = 65_536
"""Maximum bytes of a note. The rest of a longer one is ignored."""

DEEPEST: Final = 8
"""Maximum depth of a note below the folder of memories."""

SHOWN: Final = 3_000
"""Maximum characters of a recalled note."""

SUFFIXES: Final = (".md", ".txt")


class NoteRefused(ValueError):
    """A note cannot be written with that name, or is too long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """A note that was recalled. `name` is its path below the folder; `text` is its beginning if it is `truncated`."""

    name: str
    text: str
    truncated: bool


class Memories:
    """The notes in a folder, which need not exist, and below it. Links, hidden and unreadable files are skipped.

    All notes are read for every query: 300 of 1 kB take some 50 ms.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._folder: Final = str(Path(folder).resolve())

    def recall(self, query: str, limit: int) -> tuple[Memory, ...]:
        """Return up to `limit` notes with words of a query in their text or name, best first."""
        notes = self._read()
        places = best(query, [f"{name}\n{text}" for name, text in notes], limit)
        return tuple(_memory(*notes[place]) for place in places)

    def _read(self) -> list[tuple[str, str]]:
        try:
            folder = open_folder(self._folder)
        except FileNotFoundError:
            return []
        with folder:
            return list(_notes(folder))


class MemoryWriter:
    """Writes notes below one folder, for the host's extraction job. It is not available to agents."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._folder: Final = str(Path(folder).resolve())

    def write(self, name: str, text: str) -> None:
        """Write a note, or replace the one with that name atomically.

        `name` is a path below the folder, such as `people/ann.md`; folders are created. Raises `NoteRefused`, and
        OSError if a part of the path is a link or not a folder: links are not followed, so nothing outside is written.
        """
        *folders, file = _parts(name)
        content = _encoded(text)
        with open_folder(self._folder, create=True) as top, top.open_below(folders, create=True) as folder:
            try:
                folder.create_file(file, content)
            except FileExistsError:
                folder.replace_file(file, content)


def _parts(name: str) -> list[str]:
    parts = name.split("/")
    if any(not part or part.startswith(".") for part in parts):
        raise NoteRefused(f"{name!r} is not a path in the memory folder, or has a hidden part")
    if not name.isprintable() or max(len(part.encode()) for part in parts) > 255:
        raise NoteRefused("the name of a note must be printable, with parts of at most 255 bytes")
    if not name.endswith(SUFFIXES):
        raise NoteRefused(f"{name!r} is not a note name: it must end in {' or '.join(SUFFIXES)}")
    if len(parts) > DEEPEST + 1:
        raise NoteRefused(f"{name!r} is more than {DEEPEST} folders deep")
    return parts


def _encoded(text: str) -> bytes:
    try:
        content = text.encode()
    except UnicodeEncodeError as error:
        raise NoteRefused("the note contains a lone surrogate") from error
    if len(content) > LONGEST:
        raise NoteRefused(f"the note is longer than {LONGEST} bytes")
    return content


def _notes(top: Folder) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each note."""

    def enters(names: Names) -> bool:
        return len(names) <= DEEPEST and not names[-1].startswith(".")

    for names, entry in entries_below(top, enters):
        if entry.kind is FileKind.FILE and entry.name.endswith(SUFFIXES) and not entry.name.startswith("."):
            text = (read_below(top, names, LONGEST) or b"").decode("utf-8-sig", errors="replace").strip()
            if text:
                yield "/".join(names).encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace"), text


def _memory(name: str, text: str) -> Memory:
    return Memory(name=name, text=text[:SHOWN], truncated=len(text) > SHOWN)
