"""Toolsets of earlier builds, by the content of their files and of everything else that they depend on.

The unit is a piece of a toolset file: the file, or, where it has many tools and can be split, its head, and some tools
that follow each other. An entry is found by the text of the piece and of the head, the path of the file, and the
settings. It holds the rest: the digests of other files whose types or methods the piece uses and of shared types, which
of the names that its classes could have are those of tools, and the tags that must be declared. Only pieces without
errors are kept. Lines of the file are kept as they were, and moved when the piece has moved.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final
from zlib import crc32

from toolgen.compiler.cache.records import from_json, to_json
from toolgen.compiler.cache.summary import TOOLSETS, PieceKey, moved, part_of
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.diagnostics.diagnostic import Diagnostic
from toolgen.compiler.emit import Unit
from toolgen.compiler.resolve import Made, Piece
from toolgen.compiler.resolve.toolsets.tags import BUILTIN
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


class Pieces:
    """The pieces that the files of a target are divided into. `texts` are the files by path, `settings` all else.

    `digests` are those of the files.
    """

    def __init__(self, texts: Mapping[str, str], settings: str) -> None:
        self.texts = texts
        self.settings = settings
        self.digests = {path: _digest(text) for path, text in texts.items()}
        self._of_file: dict[str, Sequence[Piece]] = {}
        self._places: dict[Piece, str] = {}
        self._classes: dict[str, set[str]] = {}

    def of_file(self, path: str) -> Sequence[Piece]:
        """Return the pieces that a file is divided into, its head first; empty if it is one."""
        if path not in self._of_file:
            split = split_tools(path, self.texts[path])
            is_one = split is None or len(split.tools) <= _SMALL or "methods" in split.head_keys
            self._of_file[path] = () if is_one or split is None else self._divide(split)
        return self._of_file[path]

    def place(self, piece: Piece) -> str:
        """Return where a piece is in a cache: a digest of its text and what it is resolved with."""
        if piece not in self._places:
            self._places[piece] = _digest(json.dumps([self.settings, piece.path, self.digests[piece.path]]))
        return self._places[piece]

    def taken(self, piece: Piece, names: Iterable[str]) -> list[str]:
        """Return those of some names that classes of tools have in the file of a piece; none if that is the piece."""
        if piece.split is None:
            return []
        if piece.path not in self._classes:
            self._classes[piece.path] = {name for key in piece.split.tools for name in tool_names(key).classes}
        return sorted(self._classes[piece.path].intersection(names))

    def _divide(self, split: SplitText) -> Sequence[Piece]:
        pieces = [Piece(split.path, (), split)]
        pieces += (Piece(split.path, keys, split) for keys in _groups(split.tools))
        common = [self.settings, split.path, split.head.text]
        for piece in pieces:
            keys = piece.keys or ()
            own = "".join(split.tools[key].text for key in keys) if keys else split.tail.text
            self._places[piece] = _digest(json.dumps([*common, bool(keys), own]))
        return pieces


class ToolsetCache:
    """The toolsets of one target, as `resolve` asks for them, by the pieces of its files.

    `keys` maps each toolset that was recalled or kept to its pieces, by which `recall_toolset` finds it.
    """

    def __init__(self, cache: Cache, pieces: Pieces) -> None:
        self._cache = cache
        self._pieces = pieces
        self._entries: dict[str, dict[str, Any] | None] = {}
        self._found: dict[Piece, PieceKey] = {}
        self.keys: dict[str, tuple[PieceKey, ...]] = {}
        self._idents: dict[PieceKey, frozenset[str]] = {}

    def missing(self, path: str) -> Sequence[Piece]:
        """Return the pieces of a toolset file that no build has kept; the file itself if it is not divided."""
        whole = Piece(path)
        if self._entry(self._pieces.place(whole)) is not None:
            return ()
        return [piece for piece in self.pieces(path) or [whole] if self._entry(self._pieces.place(piece)) is None]

    def look_again(self, pieces: Iterable[Piece]) -> None:
        """Look for pieces again that were missing: other processes have made them."""
        for piece in pieces:
            self._entries.pop(self._pieces.place(piece), None)

    def tags(self, path: str) -> Mapping[str, str] | None:
        """Return the tags that the toolset of a file declares; None if that is not known of this text."""
        entry = self._entry(self._pieces.place(Piece(path))) or next(
            map(self._entry, map(self._pieces.place, self.pieces(path)[:1])), None
        )
        return None if entry is None else entry["tags"]

    def pieces(self, path: str) -> Sequence[Piece]:
        """Return the pieces that a file is divided into, its head first; empty if it is one."""
        return self._pieces.of_file(path)

    def recall(self, piece: Piece, context: Context) -> Made | None:
        """Return what a piece was resolved to in an equal context."""
        place = self._pieces.place(piece)
        entry = self._entry(place)
        is_equal = (
            entry is not None
            and entry["depends"] == self._depends(piece, context, entry["read"], entry["asked"])
            and context.tags.issuperset(entry["uses"])
        )
        if is_equal or piece.split or not self.pieces(piece.path):  # a file that is divided is not asked for as a whole
            self._cache.count(TOOLSETS, is_found=is_equal and not self._cache.is_new(TOOLSETS, place))
        if entry is None or not is_equal:
            return None
        made = _made(entry, _first(piece))
        self._note(piece, place, entry["depends"], made.part)
        return made

    def keep(self, piece: Piece, context: Context, made: Made) -> None:
        """Keep what a piece was resolved to."""
        read = sorted(made.read)
        depends = self._depends(piece, context, read, made.asked)
        entry = {
            "tags": dict(made.tags),
            "uses": sorted({tag for tool in made.part.toolset.tools for tag in tool.tags} - BUILTIN.keys()),
            "read": read,
            "asked": sorted(made.asked) if piece.split else [],
            "depends": depends,
            "findings": [to_json(found) for found in made.findings],
            "first": _first(piece),
            "behind": piece.split.head.end if piece.split else 0,
            "part": to_json(made.part),
        }
        place = self._pieces.place(piece)
        self._cache.put(TOOLSETS, place, entry)
        self._note(piece, place, depends, made.part)

    def use(self, toolset: str, pieces: Sequence[Piece]) -> None:
        """Note the pieces that a toolset is made of; none if one of them is not kept."""
        if all(piece in self._found for piece in pieces):
            self.keys[toolset] = tuple(self._found[piece] for piece in pieces)

    def units(self) -> dict[str, Sequence[Unit]]:
        """Return the units in which toolsets are emitted: their pieces, and what they have beside their tools."""
        return {name: self._units(keys) for name, keys in self.keys.items()}

    def units_of(self, pieces: Iterable[Piece]) -> list[Unit]:
        """Return the units of pieces that were kept, which are all of a toolset if it is one piece; none of a head."""
        kept = ((piece, self._found[piece]) for piece in pieces if piece in self._found)
        return [self._unit([key], has_rest=piece.split is None) for piece, key in kept if piece.keys != ()]

    def _units(self, keys: Sequence[PieceKey]) -> list[Unit]:
        return [self._unit(keys, has_rest=True), *(self._unit([key], has_rest=False) for key in keys[1:])]

    def _unit(self, keys: Sequence[PieceKey], *, has_rest: bool) -> Unit:
        """Return the unit of the tools of the first key, which also depends on the others."""
        return Unit(_digest("".join(key.digest for key in keys)), self._idents[keys[0]], has_rest)

    def _note(self, piece: Piece, place: str, depends: str, part: Part) -> None:
        key = self._found[piece] = PieceKey(place, depends, _first(piece))
        self._idents[key] = frozenset(tool.ident for tool in part.toolset.tools)

    def _entry(self, place: str) -> dict[str, Any] | None:
        if place not in self._entries:
            self._entries[place] = self._cache.look(TOOLSETS, place)
        return self._entries[place]

    def _depends(self, piece: Piece, context: Context, read: Collection[str], asked: Iterable[str]) -> str:
        files = [self._of(path) for path in sorted({*context.shared, *read})]
        return _digest(json.dumps([sorted(context.shared), files, self._pieces.taken(piece, asked)]))

    def _of(self, path: str) -> tuple[str, str]:
        return path, self._pieces.digests.get(path, "")


def _made(entry: dict[str, Any], first: int) -> Made:
    """Return what an entry has, which is changed. `first` is the line where the piece begins now."""
    findings = Diagnostics()
    for found in entry["findings"]:
        findings.add(moved(from_json(Diagnostic, found), entry, first))
    return Made(part_of(entry, first), entry["tags"], findings, entry["read"], entry["asked"])


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


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()  # an editor may have halves of characters
