"""Compile: from the texts of specs to the IR, and from the IR to the files of a package, without publishing it.

Imports of the stages wait until they are needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.project.cache import Cache, open_cache
from toolgen.compiler.project.listing import list_builtin, list_specs
from toolgen.compiler.publish.inputs import current_inputs, generator_digest, settings_digest
from toolgen.compiler.publish.publish import quiet

if TYPE_CHECKING:
    from pathlib import Path

    from toolgen.compiler.cache.derived import OutputCache
    from toolgen.compiler.cache.summary import PieceKey, Summary
    from toolgen.compiler.documents import Document
    from toolgen.compiler.documents.base import SpecFileHead
    from toolgen.compiler.emit import Output, Unit
    from toolgen.compiler.ir.catalog import Catalog, Toolset
    from toolgen.compiler.project.config import Config, Target
    from toolgen.compiler.source.read import SpecFile


NAMES_OTHERS: Final = frozenset(
    {"TG201", "TG204", "TG403", "TG405", "TG501", "TG502", "TG504", "TG507", "TG509", "TG511"}
)
"""Findings about names that are not there. They say nothing where a file had to be left out: it may define them."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """What the specs of a target compile to: the IR, and the text of every spec file by path.

    `keys` are those of each toolset in the cache, and `units` are what is emitted of it for itself. `documents` are the
    checked files, where they were compiled without a cache.
    """

    catalog: Catalog
    sources: Mapping[str, str]
    keys: Mapping[str, tuple[PieceKey, ...]] = field(default_factory=dict[str, "tuple[PieceKey, ...]"])
    units: Mapping[str, Sequence[Unit]] = field(default_factory=dict[str, "Sequence[Unit]"])
    documents: Sequence[Document[SpecFileHead]] = ()


def compile_specs(
    root: Path,
    target: Target,
    sink: Diagnostics,
    progress: Callable[[str], None] = quiet,
    cache: Cache | None = None,
    *,
    processes: int = 1,
) -> Compiled:
    """Read and resolve the specs of a target, and those of the built-in toolsets that it names.

    The result is whole only where the sink holds no error. Toolsets that `cache` has are not compiled again. At
    most `processes` processes compile what it does not have.
    """
    progress("reading specs")
    from toolgen.compiler.cache.toolsets import Pieces, ToolsetCache
    from toolgen.compiler.documents.library import Documents
    from toolgen.compiler.resolve import resolve_by_path

    texts = _read_texts(root, target, sink)
    found = Diagnostics()
    settings = settings_digest(target) if cache else ""
    pieces = Pieces(texts, settings)
    memory = ToolsetCache(cache, pieces) if cache else None
    documents = Documents(texts, sink)
    if cache and memory and processes > 1:
        from toolgen.compiler.ahead import compile_ahead

        compile_ahead(pieces, memory, cache, target, processes, progress)
    progress("resolving")
    catalog = resolve_by_path(documents, found, profile=target.profile, formats=target.formats, memory=memory)
    listed = len(list_builtin(target.builtin)) + len(list_specs(root / target.specs, root))
    _report(catalog, target, found, sink, is_complete=listed == len(texts) and not documents.has_errors)
    if cache and memory and not sink.has_errors:
        from toolgen.compiler.cache.summary import keep_summary, summary_key, summary_of

        keep_summary(cache, summary_key(target, settings, pieces.digests), summary_of(catalog, memory.keys))
    return Compiled(catalog, sink.sources, memory.keys, memory.units()) if memory else Compiled(catalog, sink.sources)


def code_digest(*folders: str) -> str:
    """Return a digest of the code that compiles, and of more folders of toolgen, for what is kept of their findings."""
    return generator_digest(*folders)


def read_files(root: Path, target: Target, sink: Diagnostics) -> list[SpecFile]:
    """Read and parse the specs of a target, and those of the built-in toolsets that it names."""
    from toolgen.compiler.source.read import parse_spec

    texts = _read_texts(root, target, sink)
    return [spec for path, text in texts.items() if (spec := parse_spec(path, text, sink))]


def compile_files(
    files: Sequence[SpecFile],
    target: Target,
    sink: Diagnostics,
    *,
    is_complete: bool = True,
    cache: Cache | None = None,
) -> Compiled:
    """Resolve files that were read. `is_complete` is whether they are all of the target's: none was unreadable.

    What `cache` has is checked, and not resolved again.
    """
    from toolgen.compiler.documents import read_documents

    documents = read_documents(files, sink)
    return compile_documents(
        documents, target, sink, is_complete=is_complete and len(documents) == len(files), cache=cache
    )


def compile_documents(
    documents: Sequence[Document[SpecFileHead]],
    target: Target,
    sink: Diagnostics,
    *,
    is_complete: bool,
    cache: Cache | None,
) -> Compiled:
    """Resolve documents, as `compile_files` does after it has read files to them."""
    from toolgen.compiler.cache.toolsets import Pieces, ToolsetCache
    from toolgen.compiler.documents.library import Documents
    from toolgen.compiler.resolve import resolve_by_path

    found = Diagnostics()
    texts = {each.path: each.root.source.text for each in documents}
    memory = ToolsetCache(cache, Pieces(texts, settings_digest(target))) if cache else None
    catalog = resolve_by_path(
        Documents.of(documents), found, profile=target.profile, formats=target.formats, memory=memory
    )
    _report(catalog, target, found, sink, is_complete=is_complete)
    return Compiled(catalog, sink.sources, documents=documents)


def _read_texts(root: Path, target: Target, sink: Diagnostics) -> dict[str, str]:
    """Read the specs of a target. The built-in ones come first: of two with one name, the later is reported."""
    from toolgen.compiler.source.read import read_builtin, read_texts

    return {**read_builtin(target.builtin, sink), **read_texts(root / target.specs, root, sink)}


def _report(catalog: Catalog, target: Target, found: Diagnostics, sink: Diagnostics, *, is_complete: bool) -> None:
    """Report what `resolve` found, and tools that a provider of the target's exports cannot represent."""
    for diagnostic in found:
        if is_complete or diagnostic.code not in NAMES_OTHERS:
            sink.add(diagnostic)
    if target.export and not sink.has_errors:
        from toolgen.compiler.emit.providers import check_exports

        check_exports(catalog, target.export, sink)


def outputs_of(compiled: Compiled, target: Target, cache: Cache) -> OutputCache:
    """Return what the toolsets of a compiled target were emitted to before."""
    from toolgen.compiler.cache.derived import OutputCache

    return OutputCache(cache, compiled.units, settings_digest(target))


def check_settings(config: Config, target: Target, compiled: Compiled, sink: Diagnostics) -> None:
    """Report settings that name what no target has. Other targets are compiled only for names that this one lacks."""
    from toolgen.compiler.resolve.selectors import Names, report_unknown, unknown_names

    if sink.has_errors:
        return
    missing = unknown_names(config, Names.of(compiled.catalog))
    for other in config.targets:
        if missing and other != target:
            found = Diagnostics()
            catalog = compile_specs(config.root, other, found).catalog
            if found.has_errors:
                return  # it may define them, and its own build reports the errors
            missing = [each for each in missing if each in unknown_names(config, Names.of(catalog))]
    report_unknown(config, missing, sink)


def generate(
    catalog: Catalog,
    progress: Callable[[str], None] = quiet,
    *,
    export: Sequence[str] = (),
    parts: OutputCache | None = None,
) -> dict[str, bytes]:
    """The files of the package that a catalog compiles to, by path below its root; `export` are names of providers.

    What `parts` has is not generated again.
    """
    return format_files(emit_files(catalog, progress, export=export, parts=parts), progress, parts)


@dataclass(frozen=True, slots=True)
class Emitted:
    """The files of a package, unformatted, without the modules of outputs that are `known`; `made` are the others.

    `patterns` are those of models.
    """

    files: dict[str, str]
    made: Mapping[str, Output]
    known: Mapping[str, Output]
    patterns: Mapping[str, str]


def emit_files(
    catalog: Catalog, progress: Callable[[str], None], *, export: Sequence[str], parts: OutputCache | None
) -> Emitted:
    """Return the files of a package before they are formatted, which needs the catalog no more."""
    progress("generating")
    from toolgen.compiler.emit import emit_new

    known = parts.known() if parts else {}
    patterns = parts.patterns() if parts else {}
    files, made = emit_new(catalog, export, units=parts.units if parts else {}, known=known, patterns=patterns)
    return Emitted(files, made, known, patterns)


def format_files(emitted: Emitted, progress: Callable[[str], None], parts: OutputCache | None) -> dict[str, bytes]:
    """Return the files of a package, which are taken out of `emitted`, and keep what is new in `parts`."""
    progress("formatting")
    from toolgen.compiler.publish.format import format_python

    formatted = format_python(emitted.files)
    if parts:
        parts.keep_patterns(emitted.patterns)
        parts.keep({name: part.formatted(formatted) for name, part in emitted.made.items()})
    for part in emitted.known.values():
        formatted.update(part.files)
    return {path: formatted.pop(path).encode("utf-8") for path in sorted(formatted)}


def summarize(config: Config, target: Target, sink: Diagnostics) -> Summary | None:
    """Return the summary of a target, which is compiled if it has changed since it was last; None if it has errors."""
    from toolgen.compiler.cache.summary import recall_summary, summary_key, summary_of

    cache = open_cache(config.root)
    inputs = current_inputs(config.root, target)
    found = recall_summary(cache, summary_key(target, settings_digest(target), inputs.specs))
    if found is None:
        compiled = compile_specs(config.root, target, sink, cache=cache)
        found = None if sink.has_errors else summary_of(compiled.catalog, compiled.keys)
    return found


def find_toolset(config: Config, target: Target, summary: Summary, name: str) -> Toolset:
    """Return the toolset of a summary with a name; the target is compiled if the cache does not have it any more."""
    from toolgen.compiler.cache.summary import recall_toolset

    cache = open_cache(config.root)
    found = recall_toolset(cache, summary.keys[name])
    if found is None:
        catalog = compile_specs(config.root, target, Diagnostics(), cache=cache).catalog
        found = next(toolset for toolset in catalog.toolsets if toolset.name == name)
    return found
