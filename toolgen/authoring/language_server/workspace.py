"""Workspace: the projects that an editor works on, with the texts of files that it has not saved."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from toolgen.authoring.language_server.symbols import Kind, Symbol, Symbols, symbols_of
from toolgen.authoring.lint.lint import lint
from toolgen.compiler.compile import NAMES_OTHERS, compile_documents
from toolgen.compiler.diagnostics import Diagnostics, Severity
from toolgen.compiler.documents import read_documents
from toolgen.compiler.documents.evaluation import EvalFile
from toolgen.compiler.documents.read import read_document
from toolgen.compiler.emit.catalog_json import emit_catalog_json
from toolgen.compiler.project.cache import open_in_memory
from toolgen.compiler.project.collector import paused
from toolgen.compiler.project.config import OWN_FILE, PROJECT_FILE, Config, ConfigError, Target, load_config
from toolgen.compiler.project.listing import (
    SUFFIXES,
    Listed,
    is_evaluation,
    list_builtin,
    list_evaluations,
    list_specs,
)
from toolgen.compiler.resolve import resolve
from toolgen.compiler.source.limits import MAX_BYTES
from toolgen.compiler.source.origins import reporting
from toolgen.compiler.source.read import SpecFile, parse, parse_spec, read_listed
from toolgen.evaluate.cases import cases_of
from toolgen.runtime.catalog.catalog import Catalog
from toolgen.spec.files import read_file, read_file_inside

if TYPE_CHECKING:
    from toolgen.authoring.lint.baseline import BaselineEntry
    from toolgen.authoring.text import Fix
    from toolgen.compiler.diagnostics.diagnostic import Diagnostic
    from toolgen.compiler.documents.base import SpecFileHead
    from toolgen.compiler.documents.read import Document
    from toolgen.compiler.ir.catalog import Catalog as CompiledCatalog
    from toolgen.compiler.project.cache import Cache
    from toolgen.compiler.source.nodes import Node

_NOTHING: Final = Symbols((), ())

_NAMES_TOOLS: Final = NAMES_OTHERS - {"TG201", "TG204", "TG403"}
"""Findings about names of tools and tags, which any file may define. Types and methods are in the files referred to."""


@dataclass(frozen=True)
class File:
    """One spec file or evaluation as it is now, on disk or in the editor.

    `path` is as shown in messages: relative to the project. `spec` is None if it cannot be parsed, `document` if it
    has not the form of a spec file. `found` are the diagnostics of both.
    """

    path: str
    text: str
    spec: SpecFile | None
    document: Document[SpecFileHead] | None
    found: tuple[Diagnostic, ...]

    @property
    def has_errors(self) -> bool:
        """Whether its form has errors."""
        return any(each.severity is Severity.ERROR for each in self.found)

    @cached_property
    def symbols(self) -> Symbols:
        """What it defines and uses; nothing if it cannot be parsed."""
        return symbols_of(self.path, self.spec.root) if self.spec else _NOTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedFiles:
    """The diagnostics of files that were checked together, with the fix of some, and the texts that were checked."""

    found: Mapping[str, Sequence[Diagnostic]]
    texts: Mapping[str, str]
    fixes: Mapping[Diagnostic, Fix]


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked(CheckedFiles):
    """A check of a whole target: the diagnostics of each of its files, and its tools if there are no errors.

    Without errors, the findings of lint that `toolgen lint` lists are among the diagnostics: no notes.
    """

    target: Target
    tools: tuple[_GeneratedTool, ...] | None


@dataclass
class Project:
    """A project: its configuration, and its files with the texts that the editor has.

    A check of a file may run in another thread than the editor's requests. `unsaved` maps paths to texts.
    """

    root: Path
    unsaved: dict[str, str] = field(default_factory=dict[str, str])
    _files: dict[str, tuple[object, File]] = field(default_factory=dict[str, tuple[object, File]])
    _parsed: dict[str, File] = field(default_factory=dict[str, File])
    """The last version of each file that could be parsed."""
    _catalogs: dict[str, Catalog] = field(default_factory=dict[str, Catalog])
    """The last catalog without errors of each target, by its output folder."""
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _checking: threading.Lock = field(default_factory=threading.Lock)

    @cached_property
    def _cache(self) -> Cache:
        """What checks of the whole project found out. Not written: what a person types changes with each pause."""
        return open_in_memory(self.root)

    def config(self) -> Config:
        """Read the configuration. Raises ConfigError."""
        return load_config(self.root)

    def target_of(self, path: str) -> Target | None:
        """Return the target that a file is a spec of; None if it is not one, or the configuration has errors.

        That of an evaluation is the first that has all its tools, or else the first.
        """
        if not path.lower().endswith(SUFFIXES):
            return None
        try:
            targets = self.config().targets
        except ConfigError:
            return None
        if is_evaluation(path):
            return self._evaluated(path, targets)
        return next((target for target in targets if path.startswith(f"{target.specs}/")), None)

    def _evaluated(self, path: str, targets: Sequence[Target]) -> Target:
        if len(targets) > 1:
            used = [each.names for each in self.file(path).symbols.used if each.kind is Kind.TOOL]
            for target in targets:
                index = Index.of(self.files(target))
                if all(index.find(Kind.TOOL, names) for names in used):
                    return target
        return targets[0]

    def index(self, target: Target) -> Index:
        """Return the symbols of a target, and where its files and evaluations use them."""
        return Index.of([*self.files(target), *self.evaluations()])

    def evaluations(self) -> list[File]:
        """Return the evaluations of the project, as they are now."""
        listed = list_evaluations(self.root)
        new = [path for path in self.unsaved if path not in listed and is_evaluation(path)]
        return [self.file(path, each) for path, each in listed.items()] + [self.file(path) for path in new]

    def files(self, target: Target) -> list[File]:
        """Return all files of a target, as they are now; those of built-in toolsets first."""
        return [self.file(path, each) for each, path in self._listed(target)]

    def _listed(self, target: Target) -> list[tuple[Listed, str]]:
        listed = [(each, each.path) for each in list_builtin(target.builtin)]
        specs = self.root / target.specs
        listed += [(each, f"{target.specs}/{each.path}") for each in list_specs(specs, self.root)]
        known = {path for _, path in listed}
        new = [path for path in self.unsaved if path.startswith(f"{target.specs}/") and path not in known]
        return [*listed, *((Listed(path, str(self.root / path)), path) for path in new)]

    def file(self, path: str, listed: Listed | None = None) -> File:
        """Return one file of a target as it is now; parsed only if it has changed."""
        at = Listed(path, os.path.realpath(self.root / path)) if listed is None else listed
        text = self.unsaved.get(path)
        stamp: object = _stamp(at.real) if text is None else text
        with self._lock:
            kept = self._files.get(path)
            if kept is None or kept[0] != stamp:
                kept = self._files[path] = (stamp, _read(path, text, at))
                if kept[1].spec is not None:
                    self._parsed[path] = kept[1]
        return kept[1]

    def text(self, path: str) -> str:
        """Return the text of a file of a target as it is now, without parsing what the editor has."""
        found = self.unsaved.get(path)
        return self.file(path).text if found is None else found

    def known(self, target: Target, path: str, root: Node) -> Index:
        """Return the symbols of a target while a person writes in a file, of which `root` has been parsed.

        Those of the rest of the file are of its last version that could be parsed.
        """
        others = [each for each in self._listed(target) if each[1] != path]
        last = self._parsed.get(path)
        symbols = [symbols_of(path, root), *([last.symbols] if last else [])]
        return Index.of([], [*symbols, *(self.file(other, each).symbols for each, other in others)])

    def check_file(self, path: str, target: Target) -> Sequence[Diagnostic]:
        """Check one file, with the files whose types and methods it uses; not the names that others may define.

        It takes about a millisecond per tool of the file, however many other files there are. One check runs at a time.
        """
        with self._checking, paused():
            return self._check_file(path, target)

    def _check_file(self, path: str, target: Target) -> Sequence[Diagnostic]:
        file = self.file(path)
        if file.document is None or is_evaluation(path):
            return file.found
        needed = {path: file}
        open_paths = [path]
        while open_paths:
            for used in needed[open_paths.pop()].symbols.used:
                for other in (name.partition("#")[0] for name in used.names if "#" in name):
                    if other not in needed and (self.root / other).is_file():
                        needed[other] = self.file(other)
                        open_paths.append(other)
        sink = self._sink(needed.values())
        documents = [each.document for each in needed.values() if each.document]
        resolve(documents, sink, profile=target.profile, formats=target.formats)
        unknown = _NAMES_TOOLS if len(documents) == len(needed) else NAMES_OTHERS
        found = [each for each in sink if each.span.file == path and each.code not in unknown]
        return [*(each for each in file.found if not sink.hides(each)), *found]

    def _sink(self, files: Iterable[File]) -> Diagnostics:
        """Return a sink that leaves out what the configuration silences."""
        sink = reporting(self.config().silence)
        sink.sources |= {each.path: each.text for each in files}
        return sink

    def check(self, target: Target, baseline: Mapping[BaselineEntry, int]) -> Checked:
        """Check a whole target, as `build` and then `lint` do, with a baseline of lint. Raises ConfigError."""
        with paused():
            return self._check(target, baseline)

    def _check(self, target: Target, baseline: Mapping[BaselineEntry, int]) -> Checked:
        files = self.files(target)
        sink = self._sink(files)
        documents = [each.document for each in files if each.document]
        complete = len(documents) == len(files)
        compiled = compile_documents(documents, target, sink, is_complete=complete, cache=self._cache)
        found: dict[str, list[Diagnostic]] = {
            file.path: [each for each in file.found if not sink.hides(each)] for file in files
        }
        for diagnostic in sink:
            found.setdefault(diagnostic.span.file, []).append(diagnostic)
        texts = {each.path: each.text for each in files}
        if sink.has_errors or not complete:
            return Checked(target=target, found=found, tools=None, texts=texts, fixes={})
        if self.evaluations():
            self._catalogs[target.out] = Catalog(text=emit_catalog_json(compiled.catalog).encode())
        linted = lint(
            self.config(),
            {target: [each.spec for each in files if each.spec]},
            baseline,
            {target: compiled},
            self._cache,
        )
        listed = [each for each in linted.findings if each.severity is not Severity.NOTE]
        for diagnostic in listed:
            found.setdefault(diagnostic.span.file, []).append(diagnostic)
        fixes = {each: linted.fixes[each] for each in listed if each in linted.fixes}
        return Checked(target=target, found=found, tools=_generated_tools(compiled.catalog), texts=texts, fixes=fixes)

    def check_evaluations(self) -> CheckedFiles:
        """Check the evaluations against the last version of each target that had no errors."""
        files = self.evaluations()
        found = {each.path: [*each.found] for each in files}
        checked = CheckedFiles(found=found, texts={each.path: each.text for each in files}, fixes={})
        outs = [target.out for target in self.config().targets]
        if not self._catalogs.keys() >= {*outs}:
            return checked
        sink = Diagnostics()
        documents = [
            cast("Document[EvalFile]", each.document) for each in files if each.document and not each.has_errors
        ]
        cases_of(documents, [self._catalogs[out] for out in outs], sink)
        for diagnostic in sink:
            found[diagnostic.span.file].append(diagnostic)
        return checked


@dataclass(frozen=True, slots=True)
class Index:
    """The symbols of the files of a target, by kind and name, and all references."""

    files: Sequence[File]
    symbols: Mapping[tuple[Kind, str], Symbol]

    @classmethod
    def of(cls, files: Sequence[File], symbols: Iterable[Symbols] = ()) -> Index:
        """Index files, and symbols of others; of two symbols with one name, the first counts."""
        found: dict[tuple[Kind, str], Symbol] = {}
        for each in (*(file.symbols for file in files), *symbols):
            for symbol in each.defined:
                found.setdefault((symbol.kind, symbol.name), symbol)
        return cls(files, found)

    def find(self, kind: Kind, names: Iterable[str]) -> Symbol | None:
        """Return the symbol with the first of the names that exists; a name of a tool may be that of a toolset."""
        kinds = (Kind.TOOL, Kind.TOOLSET) if kind is Kind.TOOL else (kind,)
        return next(
            (self.symbols[each, name] for name in names for each in kinds if (each, name) in self.symbols), None
        )

    def names(self, kind: Kind) -> list[str]:
        """Return the names of all symbols of a kind."""
        return [name for each, name in self.symbols if each is kind]


def project_folder(path: Path) -> Path | None:
    """Return the nearest folder above a file that has a configuration of toolgen, else one that was built without."""
    return next(filter(_has_configuration, path.parents), None) or next(filter(_is_built, path.parents), None)


def _has_configuration(folder: Path) -> bool:
    if (folder / OWN_FILE).is_file():
        return True
    shared = folder / PROJECT_FILE
    return "[tool.toolgen" in read_text(shared, folder)


def read_text(path: Path, folder: Path | None = None) -> str:
    """Return the text of a file that is no spec; empty if it is no regular file, or over 10 MiB.

    With a `folder`, no link leads out of that either. All that the server reads for an editor is read here, or by the
    compiler: the server would wait for a pipe and for a device, and with it each request.
    """
    try:
        data = read_file(path, MAX_BYTES) if folder is None else read_file_inside(path, folder, MAX_BYTES)
    except OSError:
        return ""
    return data.decode("utf-8", "replace")


def _is_built(folder: Path) -> bool:
    default = Target()
    return (folder / default.out / "catalog.json").is_file() and (folder / default.specs).is_dir()


def _stamp(real: str) -> object:
    try:
        stat = Path(real).stat()
    except OSError:
        return None
    return (stat.st_mtime_ns, stat.st_size, stat.st_ino)


def _read(path: str, unsaved: str | None, listed: Listed) -> File:
    with paused():
        return _parse(path, unsaved, listed)


def _parse(path: str, unsaved: str | None, listed: Listed) -> File:
    sink = Diagnostics()
    if unsaved is None:
        text = read_listed({path: listed}, sink).get(path, "")
        spec = None if sink.has_errors else parse_spec(path, text, sink)
    else:
        text, root = unsaved, parse(unsaved, path, sink)
        spec = None if root is None else SpecFile(path, text, root)
    return File(path, text, spec, _document(spec, sink), tuple(sink))


def _document(spec: SpecFile | None, sink: Diagnostics) -> Document[SpecFileHead] | None:
    if spec is None:
        return None
    if is_evaluation(spec.path):
        return read_document(spec, EvalFile, sink)
    return next(iter(read_documents([spec], sink)), None)


# Links to Python: from the names of generated code to the specs that they come from, and back.

_NAME_BEFORE: Final = re.compile(r"(?<![\w.])[\w.]*\Z")
_NAME_AFTER: Final = re.compile(r"(\w*)([\w.]*)")
_LARGEST: Final = 2_000_000
"""Maximum size in characters of a Python file that is searched."""


@dataclass(frozen=True, slots=True)
class _GeneratedTool:
    """What generated code calls a tool: its package, the constant of its ident, and all names that are only its own."""

    ident: str
    package: tuple[str, ...]
    constant: str
    names: frozenset[str]


def _generated_tools(catalog: CompiledCatalog) -> tuple[_GeneratedTool, ...]:
    """Return what generated code calls each tool of a catalog."""
    return tuple(
        _GeneratedTool(tool.ident, tuple(toolset.package), tool.names.constant, frozenset(tool.names.claimed))
        for toolset in catalog.toolsets
        for tool in toolset.tools
    )


def idents_at(text: str, offset: int, tools: Iterable[_GeneratedTool], module: str = "") -> list[str]:
    """Return the idents of the tools that a name or text at an offset of Python code means.

    Such a name is the constant, class, builder or method of a tool. Of several tools with that name, those count whose
    package is named before the dot, or is imported in the file; `module` is the file's own module, if it is generated.
    """
    if len(text) > _LARGEST:
        return []
    before, after = _NAME_BEFORE.search(text, 0, offset), _NAME_AFTER.match(text[offset:])
    assert before is not None
    assert after is not None
    written = (before[0] + after[0]).strip(".")
    tools = list(tools)
    by_ident = [tool.ident for tool in tools if tool.ident == written]
    if by_ident:
        return by_ident
    qualifier, _, name = (before[0] + after[1]).rpartition(".")
    found = [tool for tool in tools if name in tool.names]
    if len(found) > 1:
        found = [tool for tool in found if _is_meant(tool.package, qualifier, text, module)] or found
    return [tool.ident for tool in found]


def generated_places(
    root: Path, target: Target, tools: Iterable[_GeneratedTool], ident: str
) -> Iterator[tuple[Path, str, int, int]]:
    """Yield where generated code defines the constant of a tool: the file, its text, the start and end of the name."""
    for tool in tools:
        if tool.ident == ident:
            path = root.joinpath(target.out, *tool.package, "__init__.py")
            text = read_text(path, root)
            found = re.search(rf"^{tool.constant}\b", text, re.MULTILINE)
            if found:
                yield path, text, found.start(), found.end()


def _is_meant(package: tuple[str, ...], qualifier: str, text: str, module: str) -> bool:
    name, parent, last = ".".join(package), ".".join(package[:-1]), package[-1]
    if module:
        return f"{module}.".startswith(f"{name}.")
    if qualifier:
        alias = re.search(rf"\b{re.escape(last)} as {re.escape(qualifier)}\b", text)
        return qualifier.rpartition(".")[2] == last or alias is not None
    imported = rf"\bfrom \S*{re.escape(name)}\b|\bfrom \S*{re.escape(parent)} import .*\b{last}\b"
    return re.search(imported, text) is not None
