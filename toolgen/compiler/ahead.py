"""Ahead: what was not compiled before of large specs is compiled by several processes at once, into the cache.

They only fill the cache: the build that follows finds there what they made, and makes the rest itself. So a package
does not depend on how many they were, or whether one of them failed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from toolgen.compiler.cache.derived import OutputCache, derived_parts
from toolgen.compiler.cache.toolsets import ToolsetCache
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.documents.library import Documents
from toolgen.compiler.emit import emit_units
from toolgen.compiler.project.forks import run_forked
from toolgen.compiler.publish.format import format_python
from toolgen.compiler.resolve import resolve_pieces

if TYPE_CHECKING:
    from toolgen.compiler.cache.toolsets import Pieces
    from toolgen.compiler.project.cache import Cache
    from toolgen.compiler.project.config import Target
    from toolgen.compiler.resolve import Piece

SHARE: Final = 150_000
"""Minimum characters of specs per process, those of about 110 tools. Up to 200,000 in all, one process is faster."""

_TOOLSET: Final = re.compile(r"""^["']?toolset["']?[ \t]*:|\A\s*\{[^{}\[\]]*["']toolset["']\s*:""", re.MULTILINE)
"""The outermost key of a toolset file, as YAML and as JSON. Where a file is taken for another, less is done ahead."""


def compile_ahead(
    pieces: Pieces,
    memory: ToolsetCache,
    cache: Cache,
    target: Target,
    processes: int,
    progress: Callable[[str], None],
) -> None:
    """Compile the pieces that `memory` does not have, with at most `processes` processes; nothing if one would do."""
    toolsets = [path for path, text in pieces.texts.items() if _TOOLSET.search(text)]
    missing = [piece for path in toolsets for piece in memory.missing(path)]
    shares = _shares(missing, pieces.texts, processes)
    if len(shares) > 1:
        progress(f"compiling in {len(shares)} processes")
        for made in run_forked([partial(make_share, share, pieces, cache, target) for share in shares]):
            cache.receive(made or {})
        memory.look_again(missing)


def _shares(pieces: Sequence[Piece], texts: Mapping[str, str], processes: int) -> list[list[Piece]]:
    """Divide pieces into shares of about the same length, of pieces that follow each other."""
    lengths = [_length(piece, texts) for piece in pieces]
    total = sum(lengths)
    number = max(1, min(processes, total // SHARE))
    shares: list[list[Piece]] = [[] for _ in range(number)]
    before = 0
    for piece, length in zip(pieces, lengths, strict=True):
        shares[(before + length // 2) * number // (total + 1)].append(piece)
        before += length
    return [share for share in shares if share]


def _length(piece: Piece, texts: Mapping[str, str]) -> int:
    if piece.split is None:
        return len(texts[piece.path])
    return sum(len(piece.split.tools[key].text) for key in piece.keys or ())


def make_share(share: Sequence[Piece], pieces: Pieces, cache: Cache, target: Target) -> dict[str, bytes]:
    """Resolve some pieces of toolset files, and emit and derive what their tools are; returns entries of the cache.

    What has errors, or cannot be made of these pieces alone, is left out.
    """
    recorder = cache.recorder()
    memory = ToolsetCache(recorder, pieces)
    resolved = resolve_pieces(
        Documents(pieces.texts, Diagnostics()),
        share,
        [path for path, text in pieces.texts.items() if not _TOOLSET.search(text)],
        profile=target.profile,
        formats=target.formats,
        memory=memory,
    )
    units = {own[0].path: memory.units_of(own) for _, own in resolved}  # by path: two files may have one name
    outputs = OutputCache(recorder, units, pieces.settings)
    patterns = outputs.patterns()
    made = {
        key: output for toolset, own in resolved for key, output in emit_units(toolset, units[own[0].path], patterns)
    }
    files = format_python({path: text for output in made.values() for path, text in output.files.items()})
    outputs.keep_patterns(patterns)
    outputs.keep({key: output.formatted(files) for key, output in made.items()})
    tools = {ident: json.loads(line) for output in made.values() for ident, line in output.lines.items()}
    derived_parts(tools, [output.lines.keys() for output in made.values()], recorder, pieces.settings)
    return recorder.made
