"""Build: every stage in order, from spec text to a published package.

Imports of the stages wait until they are needed: a build in which nothing changed reads digests and nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from toolgen import __version__
from toolgen.compiler.compile import check_settings, compile_specs, emit_files, format_files, generate, outputs_of
from toolgen.compiler.project.cache import Cache, Recorder, open_cache
from toolgen.compiler.publish.drift import MAKERS, Cause, Change, drift, fast_check, own_files, strays
from toolgen.compiler.publish.inputs import (
    current_inputs,
    digest,
    generator_digest,
    settings_digest,
    spec_digests,
)
from toolgen.compiler.publish.lock import UPGRADE, note_state, read_lock
from toolgen.compiler.publish.publish import Package, Published, alone, publish, quiet, recover
from toolgen.compiler.publish.tree import IN_THE_WAY, LOCK, Tree, obstacle
from toolgen.spec.derived import DERIVED, INDEX_FILE, STUBS_FILE, catalog_mark, is_derived_from, write_derived

if TYPE_CHECKING:
    from toolgen.compiler.compile import Compiled
    from toolgen.compiler.diagnostics import Diagnostics
    from toolgen.compiler.ir.catalog import Catalog
    from toolgen.compiler.project.config import Config, Target


UNWRITABLE: Final = frozenset({"TG607", "TG608"})
"""Codes of what keeps a package from being written, whatever its specs say."""

STRAY: Final = Cause.STRAY.value
DELETE_STRAYS: Final = "delete strays, or move them elsewhere"
"""What a build and a check say of a file that toolgen did not write, and what to do about it."""


@dataclass(frozen=True, slots=True)
class BuiltTarget:
    """The outcome of a build: what was published, or None where errors kept it from that.

    `strays` are files in the package that toolgen did not write, and a build passes over. `cache` has counts of what
    was found in it; None if it was not asked.
    """

    published: Published | None
    sources: Mapping[str, str]
    strays: tuple[str, ...] = ()
    cache: Cache | None = None


def build_target(
    config: Config,
    target: Target,
    sink: Diagnostics,
    *,
    force: bool = False,
    warnings_as_errors: bool = False,
    all_warnings: bool = False,
    processes: int = 1,
    progress: Callable[[str], None] = quiet,
) -> BuiltTarget:
    """Build one target: all of it, or nothing where a spec has an error or a file was edited by hand.

    With `warnings_as_errors` a warning counts as an error. With it or `all_warnings`, specs are compiled for their
    warnings where nothing changed too. At most `processes` processes are forked for large specs.
    """
    tree = Tree(config.root, target.out)
    seen = _settled(tree, sink, lambda: CheckedTarget(fast_check(tree, target), {}), force=force, progress=progress)
    if seen is None:
        return BuiltTarget(None, {})
    changes = seen.changes
    left = tuple(change.path for change in changes or () if change.causes == (Cause.STRAY,))
    is_current = changes is not None and len(left) == len(changes)
    current = Published((), (), tuple(path for path in own_files(tree) if path not in left) if is_current else ())
    if is_current and not (warnings_as_errors or all_warnings):
        derive(tree, open_cache(config.root), settings_digest(target))
        return BuiltTarget(current, {}, left)
    cache = open_cache(config.root)
    making = _Making(config, target, sink, cache, progress, warnings_as_errors, len(sink), processes)
    if is_current:
        published = None if making.compile() is None else current
        return BuiltTarget(published, making.sources, left, making.cache)
    package = making.make()
    if package is None:
        return BuiltTarget(None, making.sources, cache=making.cache)
    settings = settings_digest(target)
    with _derived_beside(package.files["catalog.json"], cache, settings, making.groups, processes) as derived:
        progress("publishing")
        published = publish(tree, package, force=force, sink=sink, renew=making.renew, waiting=progress)
        del package
        if published is not None:
            progress("writing derived data")
            derive(tree, cache, settings, making.groups, derived)
    cache.prune()
    return BuiltTarget(published, making.sources, strays(tree), cache)


@dataclass(slots=True)
class _Making:
    """Makes the package of a target from its specs; again if they change meanwhile.

    `reported` is the number of findings that were in the sink before. `sources` are the texts of the specs, and
    `groups` the idents of tools that were compiled together.
    """

    config: Config
    target: Target
    sink: Diagnostics
    cache: Cache
    progress: Callable[[str], None]
    warnings_as_errors: bool
    reported: int
    processes: int
    sources: Mapping[str, str] = field(default_factory=dict[str, str])
    groups: Sequence[frozenset[str]] = ()

    def compile(self) -> Compiled | None:
        """Compile the specs; None where findings keep them from being published."""
        compiled = compile_specs(
            self.config.root, self.target, self.sink, self.progress, self.cache, processes=self.processes
        )
        self.sources = compiled.sources
        check_settings(self.config, self.target, compiled, self.sink)
        return None if self.sink.refuses(warnings_as_errors=self.warnings_as_errors) else compiled

    def make(self) -> Package | None:
        """Make the package; None where findings keep it from being published."""
        inputs = current_inputs(self.config.root, self.target)
        compiled = self.compile()
        if compiled is None:
            return None
        parts = outputs_of(compiled, self.target, self.cache)
        emitted = emit_files(compiled.catalog, self.progress, export=self.target.export, parts=parts)
        owners = owners_of(compiled.catalog)
        self.groups = [unit.idents for units in compiled.units.values() for unit in units]
        del compiled  # half of the memory
        return Package(format_files(emitted, self.progress, parts), inputs, owners)

    def renew(self, package: Package) -> Package | None:
        """Make a package again if its specs have changed since: another build may have published what they are now.

        Only once: no other build can publish meanwhile, so the package is not older than what others have published,
        even if the specs go on to change.
        """
        if current_inputs(self.config.root, self.target) == package.inputs:
            return package
        self.sink.keep(self.reported)
        return self.make()


def owners_of(catalog: Catalog) -> dict[str, str]:
    """The tool that each part of a package belongs to, as its lock says it."""
    from toolgen.compiler.emit import owners

    return owners(catalog)


_DERIVED_FILES: Final = (INDEX_FILE, STUBS_FILE)
_KIND: Final = "derived-files"


def _not_derived(_catalog: bytes) -> None:
    """Have nothing of what is derived from a catalog."""


def derive(
    tree: Tree,
    cache: Cache,
    settings: str,
    groups: Iterable[Collection[str]] = (),
    derived: Callable[[bytes], Mapping[str, bytes] | None] = _not_derived,
) -> None:
    """Generate the derived data of a package if it is missing, of another catalog, or none that this user has made.

    If it cannot be written, it is regenerated on use. `settings` is the digest of those with which `cache` keeps parts,
    and `groups` are the idents of tools that share one. `derived` returns what another process derived of a catalog.
    """
    catalog = tree.read("catalog.json")
    if _derived_of(tree, catalog_mark(catalog)) == cache.look(_KIND, digest(catalog)):
        return
    made = derived(catalog) or _derived_texts(catalog, cache, settings, groups)
    for name, text in made.items():
        write_derived(Path(tree.folder), name, text)
    cache.put(_KIND, digest(catalog), {name: digest(text) for name, text in made.items()})


_LARGE: Final = 300_000
"""Minimum bytes of a catalog, those of about 200 tools, of which data is derived while the package is written."""


@contextmanager
def _derived_beside(
    catalog: bytes, cache: Cache, settings: str, groups: Iterable[Collection[str]], processes: int
) -> Generator[Callable[[bytes], Mapping[str, bytes] | None]]:
    """Derive data from a catalog in another process, beside the context, for `derive`; nothing where that is slower."""
    if processes == 1 or len(catalog) < _LARGE:
        yield _not_derived
        return
    from toolgen.compiler.project.forks import forked

    def derive_it() -> tuple[Mapping[str, bytes], Recorder]:
        recorder = cache.recorder()
        return _derived_texts(catalog, recorder, settings, groups), recorder.emptied()

    with forked([derive_it]) as results:

        def derived(wanted: bytes) -> Mapping[str, bytes] | None:
            [made] = results() if wanted == catalog else [None]  # the specs may have changed meanwhile
            if made is None:
                return None
            texts, recorder = made
            cache.join(recorder)
            return texts

        yield derived


def _derived_texts(
    catalog: bytes, cache: Cache, settings: str, groups: Iterable[Collection[str]] = ()
) -> dict[str, bytes]:
    """Return the derived data of a catalog, by the name of its file."""
    from toolgen.compiler.cache.derived import derived_parts
    from toolgen.providers.stubs import write_typed
    from toolgen.search.documents import write_counted

    document, mark = json.loads(catalog), catalog_mark(catalog)
    words, types = derived_parts(document["tools"], groups, cache, settings)
    texts = {INDEX_FILE: write_counted(words, mark), STUBS_FILE: write_typed(types, document["wire_names"], mark)}
    return {name: text.encode() for name, text in texts.items()}


def _wrong_derived(tree: Tree, target: Target) -> tuple[Change, ...]:
    """Return the derived data of a package that says something else than its catalog, such as some of a repository.

    What is not there, or of another catalog, is generated on use.
    """
    catalog, cache = tree.read("catalog.json"), open_cache(tree.root, is_kept=False)
    found = _derived_of(tree, catalog_mark(catalog))
    if not found:
        return ()
    right = cache.look(_KIND, digest(catalog))
    if right is None:
        texts = _derived_texts(catalog, cache, settings_digest(target))
        right = {name: digest(text) for name, text in texts.items()}
    wrong = [name for name, there in found.items() if there != right.get(name)]
    return tuple(Change(f"{DERIVED}/{name}", (Cause.DERIVED,)) for name in sorted(wrong))


def state_of(config: Config, folder: str) -> str:
    """Return a digest of the built packages of a project, of the specs in a folder, and of this toolgen."""
    locks = [Tree(config.root, target.out).digest(LOCK) for target in config.targets]
    return digest(json.dumps([__version__, generator_digest(), locks, spec_digests(config.root, folder)]).encode())


def blocked(config: Config, target: Target, path: str) -> str:
    """Return why no build can replace what is at a path of a package, and what to do; empty where one can."""
    problem = obstacle(path, Tree(config.root, target.out).scan())
    return f"{problem}: {IN_THE_WAY}" if problem else ""


@dataclass(frozen=True, slots=True)
class Likeness:
    """Where a package does not say what its specs say, and the files in its folder that are of it: no strays."""

    changes: tuple[Change, ...]
    files: frozenset[str]


def unlike_specs(config: Config, target: Target, sink: Diagnostics) -> Likeness | None:
    """Return where the package of a target does not say what its specs say.

    Another toolgen may have made it if that was noted here: else only its lock, which comes with it, says so. None
    where errors, or the lack of a package, keep it from telling; `sink` has the errors in both cases. Where no build
    was noted here, as in a new checkout, the specs are compiled once to see it, and that is noted.
    """
    tree = Tree(config.root, target.out)
    seen = _settled(tree, sink, lambda: CheckedTarget(fast_check(tree, target), {}))
    if seen is None:
        return None
    if tree.digest(LOCK) is None:  # there is no package, and errors may be why
        check_settings(config, target, compile_specs(config.root, target, sink, cache=open_cache(config.root)), sink)
        return None
    changes = seen.changes
    inputs_differ = changes is None or any(each.path == LOCK and not MAKERS.issuperset(each.causes) for each in changes)
    if inputs_differ:  # such as by a comment in a spec, which changes no package
        version, inputs = tree.version(), current_inputs(config.root, target)
        changes = check_target(config, target, sink).changes
        if changes is not None:
            changes = tuple(change for change in changes if not change.path.startswith(f"{DERIVED}/"))
        if changes == () and not tree.is_written_since(version):
            note_state(tree, inputs)
    if changes is None:
        return None
    left = {change.path for change in changes if change.is_left_alone}
    usable = {change.path for change in changes if MAKERS.issuperset(change.causes)}
    if inputs_differ:  # so each file was compared with what its specs give
        usable &= {LOCK}
    unlike = tuple(change for change in changes if change.path not in left | usable)
    return Likeness(unlike, frozenset(own_files(tree)) - left)


def _derived_of(tree: Tree, mark: str) -> dict[str, str]:
    """Return the digests of the derived data that a package would use, by the name of the file."""
    found: dict[str, str] = {}
    for name in _DERIVED_FILES:
        with suppress(OSError):
            text = tree.read(f"{DERIVED}/{name}")
            if is_derived_from(text, mark):
                found[name] = digest(text)
    return found


@dataclass(frozen=True, slots=True)
class CheckedTarget:
    """The outcome of a check: what a build would change, or None where errors kept it from telling.

    `cache` has the counts of what was found in the cache; None if it was not asked.
    """

    changes: tuple[Change, ...] | None
    sources: Mapping[str, str]
    cache: Cache | None = None

    @property
    def advice(self) -> str:
        """What to do to make the package what its specs give; empty where there is nothing to do."""
        changes, advice = self.changes or (), list[str]()
        if any(Cause.NEWER in change.causes for change in changes):
            advice.append(UPGRADE)
        elif any(change.is_guarded for change in changes):
            advice.append("move edits elsewhere, and run `toolgen build --force`, which overwrites them")
        elif not all(change.is_left_alone for change in changes):
            advice.append("run `toolgen build`")
        if any(change.is_left_alone for change in changes):
            advice.append(DELETE_STRAYS)
        return "; ".join(advice)


def check_target(
    config: Config,
    target: Target,
    sink: Diagnostics,
    *,
    warnings_as_errors: bool = False,
    all_warnings: bool = False,
    processes: int = 1,
    progress: Callable[[str], None] = quiet,
) -> CheckedTarget:
    """Compare the committed package with what the specs give, and report as `build_target` does.

    Only an interrupted build is completed or undone.
    """
    tree = Tree(config.root, target.out)

    def check() -> CheckedTarget:
        return _checked(
            config,
            target,
            sink,
            warnings_as_errors=warnings_as_errors,
            all_warnings=all_warnings,
            processes=processes,
            progress=progress,
        )

    return _settled(tree, sink, check, progress=progress) or CheckedTarget(None, {})


def _checked(
    config: Config,
    target: Target,
    sink: Diagnostics,
    *,
    warnings_as_errors: bool,
    all_warnings: bool,
    processes: int,
    progress: Callable[[str], None],
) -> CheckedTarget:
    tree = Tree(config.root, target.out)
    changes = fast_check(tree, target)
    if changes == () and not (warnings_as_errors or all_warnings):
        return CheckedTarget(_wrong_derived(tree, target), {})
    inputs = current_inputs(config.root, target)
    lock = read_lock(tree, sink)
    cache = open_cache(config.root, is_kept=False)
    compiled = compile_specs(config.root, target, sink, progress, cache, processes=processes)
    check_settings(config, target, compiled, sink)
    if sink.refuses(warnings_as_errors=warnings_as_errors):
        return CheckedTarget(None, compiled.sources, cache)
    if changes != ():
        parts = outputs_of(compiled, target, cache)
        files = generate(compiled.catalog, progress, export=target.export, parts=parts)
        changes = drift(tree, lock, inputs, files, owners_of(compiled.catalog))
    if changes == ():
        changes = _wrong_derived(tree, target)
    return CheckedTarget(changes, compiled.sources, cache)


def _settled(
    tree: Tree,
    sink: Diagnostics,
    look: Callable[[], CheckedTarget],
    *,
    force: bool = False,
    progress: Callable[[str], None] = quiet,
) -> CheckedTarget | None:
    """Complete or undo an interrupted build, and look at a package; again if it has changes and a build wrote it.

    A file of that build and the lock of the one before look like a file that was edited by hand. The second time no
    other command can write the package. Returns None for obstacles, which are reported.
    """
    reported = len(sink)
    progress("comparing inputs")
    if not recover(tree, force=force, sink=sink, waiting=progress):
        return None
    version = tree.version()
    seen = look()
    if not seen.changes or not tree.is_written_since(version):
        return seen
    sink.keep(reported)
    return alone(tree, look, force=force, sink=sink, waiting=progress)
