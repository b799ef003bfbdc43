"""Build: every stage in order, from spec text to a published package.

Imports of the stages wait until they are needed: a build in which nothing changed reads digests and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.listing import list_builtin, list_specs
from toolgen.compiler.publish.drift import Cause, Change, drift, fast_check
from toolgen.compiler.publish.inputs import current_inputs
from toolgen.compiler.publish.lock import read_lock
from toolgen.compiler.publish.publish import Published, publish, quiet, recover
from toolgen.compiler.publish.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from toolgen.compiler.config import Config, Target
    from toolgen.compiler.ir.catalog import Catalog


NAMES_OTHERS: Final = frozenset(
    {"TG201", "TG204", "TG403", "TG405", "TG501", "TG502", "TG504", "TG507", "TG509", "TG511"}
)
"""Findings about names that are not there. They say nothing where a file had to be left out: it may define them."""


MAKERS: Final = frozenset({Cause.GENERATOR, Cause.FORMATTER, Cause.STRAY})
"""Causes of drift that leave a package usable: what made it has changed, not what it was made from."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """What the specs of a target compile to: the IR, and the text of every spec file by path."""

    catalog: Catalog
    sources: Mapping[str, str]


def compile_specs(root: Path, target: Target, sink: Diagnostics, progress: Callable[[str], None] = quiet) -> Compiled:
    """Read and resolve the specs of a target, and those of the built-in toolsets that it names.

    The result is whole only where the sink holds no error.
    """
    from toolgen.compiler.documents import read_documents
    from toolgen.compiler.resolve import resolve
    from toolgen.compiler.source.read import read_builtin, read_specs

    progress("reading specs")
    # The built-in ones first: of two that are called the same, the later is reported, and can be renamed.
    files = [*read_builtin(target.builtin, sink), *read_specs(root / target.specs, root, sink)]
    documents = read_documents(files, sink)
    progress("resolving")
    found = Diagnostics()
    catalog = resolve(documents, found, profile=target.profile, assert_formats=target.formats == "assert")
    complete = len(documents) == len(list_builtin(target.builtin)) + len(list_specs(root / target.specs, root))
    for diagnostic in found:
        if complete or diagnostic.code not in NAMES_OTHERS:
            sink.add(diagnostic)
    if target.export and not sink.has_errors:
        from toolgen.compiler.emit.providers import check_exports

        check_exports(catalog, target.export, sink)
    return Compiled(catalog, sink.sources)


def generate(
    catalog: Catalog, progress: Callable[[str], None] = quiet, *, export: Sequence[str] = ()
) -> dict[str, bytes]:
    """The files of the package that a catalog compiles to, by path below its root; `export` are names of providers."""
    from toolgen.compiler.emit import emit
    from toolgen.compiler.publish.format import format_python

    progress("generating")
    files = emit(catalog, export)
    progress("formatting")
    return {path: text.encode("utf-8") for path, text in format_python(files).items()}


@dataclass(frozen=True, slots=True)
class Built:
    """The outcome of a build: what was published, or None where errors kept it from that."""

    published: Published | None
    sources: Mapping[str, str]


def build(
    config: Config,
    target: Target,
    sink: Diagnostics,
    *,
    force: bool = False,
    warnings_as_errors: bool = False,
    progress: Callable[[str], None] = quiet,
) -> Built:
    """Build one target: all of it, or nothing where a spec has an error or a file was edited by hand.

    With `warnings_as_errors` a warning counts as an error, and specs are compiled for it where nothing changed too.
    """
    tree = Tree(config.root, target.out)
    if not recover(tree, force=force, sink=sink, waiting=progress):
        return Built(None, {})
    changes = fast_check(tree, target)
    is_current = changes is not None and all(change.causes == (Cause.STRAY,) for change in changes)
    if is_current and not warnings_as_errors:
        return Built(Published((), (), ()), {})
    inputs = current_inputs(config.root, target)
    compiled = compile_specs(config.root, target, sink, progress)
    if sink.refuses(warnings_as_errors=warnings_as_errors):
        return Built(None, compiled.sources)
    if is_current:
        return Built(Published((), (), ()), compiled.sources)
    files = generate(compiled.catalog, progress, export=target.export)
    progress("publishing")
    return Built(publish(tree, files, inputs, force=force, sink=sink, waiting=progress), compiled.sources)


def is_current(config: Config, target: Target, sink: Diagnostics) -> bool:
    """Whether the package of a target says what its specs say, by the lock alone; another toolgen may have made it."""
    tree = Tree(config.root, target.out)
    if not recover(tree, sink=sink):
        return False
    changes = fast_check(tree, target)
    return changes is not None and all(MAKERS.issuperset(change.causes) for change in changes)


@dataclass(frozen=True, slots=True)
class Checked:
    """The outcome of a check: what a build would change, or None where errors kept it from telling."""

    changes: tuple[Change, ...] | None
    sources: Mapping[str, str]

    @property
    def advice(self) -> str:
        """What to do to make the package what its specs give; empty where there is nothing to do."""
        changes, advice = self.changes or (), list[str]()
        if any(change.is_guarded for change in changes):
            advice.append("move edits elsewhere, and run `toolgen build --force`, which overwrites them")
        elif not all(change.is_left_alone for change in changes):
            advice.append("run `toolgen build`")
        if any(change.is_left_alone for change in changes):
            advice.append("delete strays, or move them elsewhere")
        return "; ".join(advice)


def check(
    config: Config,
    target: Target,
    sink: Diagnostics,
    *,
    warnings_as_errors: bool = False,
    progress: Callable[[str], None] = quiet,
) -> Checked:
    """Compare the committed package with what the specs give. Only an interrupted build is completed or undone."""
    tree = Tree(config.root, target.out)
    if not recover(tree, sink=sink, waiting=progress):
        return Checked(None, {})
    changes = fast_check(tree, target)
    if changes == () and not warnings_as_errors:
        return Checked((), {})
    inputs = current_inputs(config.root, target)
    lock = read_lock(tree, sink)
    compiled = compile_specs(config.root, target, sink, progress)
    if sink.refuses(warnings_as_errors=warnings_as_errors):
        return Checked(None, compiled.sources)
    if changes == ():
        return Checked((), compiled.sources)
    return Checked(
        drift(tree, lock, inputs, generate(compiled.catalog, progress, export=target.export)), compiled.sources
    )
