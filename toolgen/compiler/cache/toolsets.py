"""Toolsets of earlier builds, by the content of their files and of everything else that they depend on.

The unit is a piece of a toolset file: the file, or, where it has many tools and can be split, its head, and some tools
that follow each other. An entry is found by the text of the piece and of the head, the path of the file, the settings,
and the names of other tools that could take those of its classes. It holds the digests of the rest: other files whose
types or methods the piece uses, shared types, and the names of tags. Only pieces without errors are kept. Lines of the
file are kept as they were, and moved when the piece has moved.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Final
from zlib import crc32

from toolgen.compiler.cache.records import from_json, to_json
from toolgen.compiler.cache.summary import TOOLSETS, PieceKey, moved, part_of
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.diagnostics.diagnostic import Diagnostic
from toolgen.compiler.emit import Unit
from toolgen.compiler.resolve import Made, Piece
from toolgen.compiler.resolve.toolsets.tools import tool_names
from toolgen.compiler.source.split import split_tools

if TYPE_CHECKING:
    from toolgen.compiler.ir.catalog import Part
    from toolgen.compiler.project.cache import Cache
    from toolgen.compiler.resolve import Context
    from toolgen.compiler.source.split import SplitText

_TOGETHER: Final = 32
"""About how many tools share a piece. To read an entry takes as long as to resolve one or two tools."""

_SMALL: Final = 64
"""Up to so many tools a file is one piece."""

_METHODS: Final = re.compile(r"^methods:", re.MULTILINE)


class ToolsetCache:
    """The toolsets of one target, as `resolve` asks for them. `texts` are its files, `settings` all else.

    `keys` maps each toolset that was recalled or kept to its pieces, by which `recall_toolset` finds it. `digests` are
    those of the files, by path.
    """

    def __init__(self, cache: Cache, texts: Mapping[str, str], settings: str) -> None:
        self._cache = cache
        self._texts = texts
        self._settings = settings
        self.digests = {path: _digest(text) for path, text in texts.items()}
        self._pieces: dict[str, Sequence[Piece]] = {}
        self._places: dict[Piece, str] = {}
        self._entries: dict[str, dict[str, Any] | None] = {}
        self._found: dict[Piece, PieceKey] = {}
        self.keys: dict[str, tuple[PieceKey, ...]] = {}
        self._idents: dict[PieceKey, frozenset[str]] = {}

    def tags(self, path: str) -> Mapping[str, str] | None:
        """Return the tags that the toolset of a file declares; None if that is not known of this text."""
        entry = self._entry(self._place(Piece(path))) or next(
            map(self._entry, map(self._place, self.pieces(path)[:1])), None
        )
        return None if entry is None else entry["tags"]

    def pieces(self, path: str) -> Sequence[Piece]:
        """Return the pieces that a file is divided into, its head first; empty if it is one."""
        if path not in self._pieces:
            split = split_tools(path, self._texts[path])
            is_one = split is None or len(split.tools) <= _SMALL or bool(_METHODS.search(split.head.text))
            self._pieces[path] = () if is_one or split is None else self._divide(split)
        return self._pieces[path]

    def _divide(self, split: SplitText) -> Sequence[Piece]:
        pieces = [Piece(split.path, (), split)]
        pieces += (Piece(split.path, keys, split) for keys in _groups(split.tools))
        classes = sorted(name for key in split.tools for name in tool_names(key).classes)
        common = [self._settings, split.path, split.head.text]
        for piece in pieces:
            keys = piece.keys or ()
            own = "".join(split.tools[key].text for key in keys) if keys else split.tail.text
            near = [name for key in keys for each in tool_names(key).classes for name in _longer(each, classes)]
            self._places[piece] = _digest(json.dumps([*common, bool(keys), near, own]))
        return pieces

    def recall(self, piece: Piece, context: Context) -> Made | None:
        """Return what a piece was resolved to in an equal context."""
        place = self._place(piece)
        entry = self._entry(place)
        is_equal = entry is not None and entry["depends"] == self._depends(context, entry["read"])
        if is_equal or piece.split or not self.pieces(piece.path):  # a file that is divided is not asked for as a whole
            self._cache.count(TOOLSETS, is_found=is_equal)
        if entry is None or not is_equal:
            return None
        made = _made(entry, _first(piece))
        self._note(piece, place, entry["depends"], made.part)
        return made

    def keep(self, piece: Piece, context: Context, made: Made) -> None:
        """Keep what a piece was resolved to."""
        read = sorted(made.read)
        depends = self._depends(context, read)
        entry = {
            "tags": dict(made.tags),
            "read": read,
            "depends": depends,
            "findings": [to_json(found) for found in made.findings],
            "first": _first(piece),
            "behind": piece.split.head.end if piece.split else 0,
            "part": to_json(made.part),
        }
        place = self._place(piece)
        self._cache.put(TOOLSETS, place, entry)
        self._note(piece, place, depends, made.part)

    def use(self, toolset: str, pieces: Sequence[Piece]) -> None:
        """Note the pieces that a toolset is made of; none if one of them is not kept."""
        if all(piece in self._found for piece in pieces):
            self.keys[toolset] = tuple(self._found[piece] for piece in pieces)

    def units(self) -> dict[str, Sequence[Unit]]:
        """Return the units in which toolsets are emitted: their pieces, and what they have beside their tools."""
        return {name: self._units(keys) for name, keys in self.keys.items()}

    def _units(self, keys: Sequence[PieceKey]) -> list[Unit]:
        digests = [key.digest for key in keys]
        head, *pieces = keys
        rest = Unit(_digest("".join(digests)), self._idents[head], has_rest=True)
        return [rest, *(Unit(_digest(key.digest), self._idents[key], has_rest=False) for key in pieces)]

    def _note(self, piece: Piece, place: str, depends: str, part: Part) -> None:
        key = self._found[piece] = PieceKey(place, depends, _first(piece))
        self._idents[key] = frozenset(tool.ident for tool in part.toolset.tools)

    def _place(self, piece: Piece) -> str:
        if piece not in self._places:
            self._places[piece] = _digest(json.dumps([self._settings, piece.path, self.digests[piece.path]]))
        return self._places[piece]

    def _entry(self, place: str) -> dict[str, Any] | None:
        if place not in self._entries:
            self._entries[place] = self._cache.look(TOOLSETS, place)
        return self._entries[place]

    def _depends(self, context: Context, read: Collection[str]) -> str:
        files = sorted({*context.shared, *read})
        return _digest(json.dumps([sorted(context.tags), sorted(context.shared), [self._of(path) for path in files]]))

    def _of(self, path: str) -> tuple[str, str]:
        return path, self.digests.get(path, "")


def _made(entry: dict[str, Any], first: int) -> Made:
    """Return what an entry has, which is changed. `first` is the line where the piece begins now."""
    findings = Diagnostics()
    for found in entry["findings"]:
        findings.add(moved(from_json(Diagnostic, found), entry, first))
    return Made(part_of(entry, first), entry["tags"], findings, entry["read"])


def _first(piece: Piece) -> int:
    """Return the line where a piece begins that can move, from 1."""
    if piece.split is None:
        return 1
    return piece.split.tools[piece.keys[0]].first if piece.keys else piece.split.tail.first


def _groups(keys: Collection[str]) -> Iterator[tuple[str, ...]]:
    """Divide keys, so that another key leaves all groups but one as they were."""
    group: list[str] = []
    for key in keys:
        if group and crc32(key.encode()) % _TOGETHER == 0:
            yield tuple(group)
            group = []
        group.append(key)
    yield tuple(group)


def _longer(name: str, names: Sequence[str]) -> Iterator[str]:
    """Return those of some sorted names that begin with a name and are longer."""
    return takewhile(lambda each: each.startswith(name), names[bisect_right(names, name) :])


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()  # an editor may have halves of characters
