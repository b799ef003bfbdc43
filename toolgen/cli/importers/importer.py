"""Importers: what reads tools somewhere else and writes them as specs, and what all of them have in common.

An importer reads a source, and makes tools of a spec of it. All else is the same for each of them, and done here: which
toolset and spec is meant, consent, updates in which nothing is lost that a person wrote, `--check`, and the report.
"""

from __future__ import annotations

import json
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from inspect import getdoc
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, TypeVar, cast

import click

from toolgen.changes.catalogs import Version, compare_versions
from toolgen.cli.consent import Consent
from toolgen.cli.importers.spec_place import origins, spec_place
from toolgen.cli.names import STDIN, read_named
from toolgen.cli.output import diagnostics_json, echo, format_option, show_diagnostics, show_grouped, show_json
from toolgen.compiler.compile import compile_files, read_files
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.diagnostics.codes import CODES
from toolgen.compiler.emit.catalog_json import emit_catalog_json
from toolgen.compiler.importers.offer import try_name
from toolgen.compiler.project.config import load_config
from toolgen.compiler.source.nodes import MappingNode, Source
from toolgen.compiler.source.read import SpecFile, parse
from toolgen.runtime.issues.issue_text import counted
from toolgen.schema.references import pointer_of
from toolgen.spec.templates import VARIABLE
from toolgen.spec.text import visible

if TYPE_CHECKING:
    from toolgen.changes.rules import Change
    from toolgen.changes.suspicions import Suspicion
    from toolgen.cli.importers.spec_place import SpecPlace
    from toolgen.compiler.importers.imported import Imported
    from toolgen.compiler.project.config import Config
    from toolgen.execute.reach import Reached

LARGEST: Final = 64 * 1024 * 1024
"""Maximum size in bytes of each file that is read. The spec that is written may have 10 MB."""

_INCOMPLETE: Final = 1
_UNREADABLE: Final = 2
"""Exit codes: something was left out, or a source could not be imported at all."""

_KINDS: Final = {"resources": "resources", "resourceTemplates": "templates of resources", "prompts": "prompts"}
_NAMED: Final = 3
"""How many resources and prompts are named; the others are counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What the command line says. `options` are the importer's own arguments and options, by name."""

    config: Config
    toolset: str | None
    out: str | None
    check: bool
    options: Mapping[str, Any]


@dataclass(kw_only=True)
class Request:
    """An import into one toolset. `texts` are those that were read, for diagnostics."""

    given: Given
    toolset: str
    kind: str
    invalid_name: str
    sink: Diagnostics = field(default_factory=Diagnostics)
    texts: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def config(self) -> Config:
        """The configuration of the project."""
        return self.given.config

    @property
    def options(self) -> Mapping[str, Any]:
        """The importer's own arguments and options."""
        return self.given.options

    @property
    def label(self) -> str:
        """What messages call the source, if there are several."""
        return self.toolset

    @cached_property
    def place(self) -> SpecPlace:
        """The spec of the toolset. Raises click.UsageError for a name or a place that it cannot have."""
        if problems := try_name(self.toolset, self.kind):
            raise click.UsageError(self.invalid_name.format(self.toolset, problems[0]))
        return spec_place(self.config, self.toolset, self.given.out)

    @property
    def spec(self) -> str | SpecFile:
        """The spec of the toolset, or the path of a new one."""
        return self.place.present or self.place.path


R = TypeVar("R", bound=Request)
F = TypeVar("F")


class Importer(ABC, Generic[R, F]):
    """One kind of source. Its docstring is the help of `toolgen import NAME`.

    `kind` is that of the toolsets that it writes, and `arguments` and `options` are its own. `left_out` are the codes
    of diagnostics that report an omitted tool, each once. The rest are words: `origin` for where tools come from, in
    the message that none of the project do, and the help of options that all importers have.
    """

    name: ClassVar[str]
    kind: ClassVar[str]
    origin: ClassVar[str]
    arguments: ClassVar[Sequence[click.Parameter]]
    options: ClassVar[Sequence[click.Parameter]] = ()
    left_out: ClassVar[frozenset[str]] = frozenset()
    invalid_name: ClassVar[str] = "`{}` is not a valid toolset name: {}."
    toolset_name: ClassVar[str] = "NAME"
    toolset_help: ClassVar[str] = "The toolset to import the tools into."
    check_help: ClassVar[str] = "Only compare with the specs; exit with 1 for a change."

    @abstractmethod
    def read(self, request: R) -> F:
        """Read the source that the command line names, or else the one that the spec keeps under `import`.

        Raises click.UsageError for a source that cannot be read, and where there is none.
        """

    @abstractmethod
    def tools(self, found: F, request: R) -> Imported | None:
        """Make tools of what was read, and return the new spec, or the update of the one that is there.

        What is left out, and why, is reported to `request.sink`. None if there is nothing to write.
        """

    def check(self, found: F, request: R) -> Checked:
        """Compare what an import would write with the spec. Raises click.UsageError where it cannot be compared."""
        return _checked_import(request.place, request.toolset, self.tools(found, request), request.sink)

    def requests(self, given: Given) -> Sequence[R]:
        """Return what is imported: one request for each toolset. Raises click.UsageError."""
        if self.is_one(given):
            return [self.request(given, self.toolset_of(given))]
        names = origins(given.config, self.name)
        if not names:
            raise click.UsageError(f"No toolset of this project was imported from {self.origin}: give --toolset.")
        return [self.request(given, name) for name in names]

    def request(self, given: Given, toolset: str) -> R:
        """Return an import into one toolset. An importer with requests of its own returns one of them."""
        return cast("R", Request(given=given, toolset=toolset, kind=self.kind, invalid_name=self.invalid_name))

    def is_one(self, given: Given) -> bool:
        """Whether one import is meant, not all toolsets of the project, nor all entries of a file."""
        is_named = any(given.options.get(str(each.name)) for each in self.arguments)
        return not given.check or given.toolset is not None or is_named

    def toolset_of(self, given: Given) -> str:
        """Return the toolset that is meant. Raises click.UsageError."""
        if given.toolset is None:
            raise click.MissingParameter(param_hint="'--toolset'", param_type="option")
        return given.toolset

    def reached(self, _request: R, /) -> Iterable[Reached]:
        """Return what `read` starts and where it sends variables, other than what the command line names itself.

        A person is asked first. Its option is `--yes`.
        """
        return ()

    def variables(self, _request: R, imported: Imported | None, /) -> Mapping[str, str]:
        """Return the environment variables that the tools need, and what each is."""
        api: dict[str, Any] = (imported.data.get("api") if imported is not None else None) or {}
        auth: dict[str, dict[str, Any]] = api.get("auth") or {}
        return {
            variable: f"{key} of {name}"
            for name, scheme in auth.items()
            for key, value in scheme.items()
            for variable in (VARIABLE.findall(value) if isinstance(value, str) else ())
        }

    def to_json(self, outcomes: Sequence[Outcome]) -> dict[str, Any]:
        """Return what became of the imports, for programs."""
        (outcome,) = outcomes
        return outcome.to_json()

    def run(self, given: Given, output_format: str) -> int:
        """Import or check, print what became of it, and return the exit code. Raises click.UsageError."""
        requests = self.requests(given)
        consent = Consent(given.config.root, yes=bool(given.options.get("yes")))
        consent.ask(reached for request in requests for reached in self.reached(request))
        is_one = self.is_one(given)
        if given.check:

            def check_one(request: R) -> Checked:
                return self.check(self.read(request), request)

            checked = [check_one(requests[0])] if is_one else _check_each(requests, check_one)
            return _show_checked(checked, output_format)
        outcomes = [self._import(request) if is_one else self._import_or_error(request) for request in requests]
        if output_format == "json":
            show_json(self.to_json(outcomes))
        else:
            for outcome in outcomes:
                outcome.show()
        return max(outcome.code for outcome in outcomes)

    def _import(self, request: R) -> Outcome:
        place = request.place  # what is wrong with it is known before a source is read
        imported = self.tools(self.read(request), request)
        if imported is not None:
            place.write(place.text_of(imported))
        return Outcome(self, request, imported)

    def _import_or_error(self, request: R) -> Outcome:
        try:
            return self._import(request)
        except click.UsageError as error:  # the others come through
            return Outcome(self, request, error=error.message)


def command_of(importer: Importer[Any, Any]) -> click.Command:
    """Return the command of an importer."""
    toolset = click.Option(["--toolset"], metavar=importer.toolset_name, help=importer.toolset_help)
    place = "The spec to write. Default: the file that has the toolset, or specs/NAME.yaml."
    out = click.Option(["--out"], metavar="PATH", help=place)
    check = click.Option(["--check"], is_flag=True, help=importer.check_help)

    @format_option
    def run(*, toolset: str | None, out: str | None, check: bool, output_format: str, **options: Any) -> int:
        given = Given(config=load_config(Path.cwd()), toolset=toolset, out=out, check=check, options=options)
        return importer.run(given, output_format)

    params = [*importer.arguments, toolset, *importer.options, out, check]
    return click.command(importer.name, params=params, help=getdoc(importer))(run)


def named_text(name: str, root: Path) -> Source:
    """Read a file that the command line names, or stdin for `-`. Raises click.UsageError."""
    shown = shown_path(name, root)
    data = read_named(name, LARGEST)
    try:
        return Source(shown, data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise click.UsageError(f"{shown} is not UTF-8 text: {error.reason} at byte {error.start}.") from error


def shown_path(name: str, root: Path) -> str:
    """Return the path shown in messages: relative to the project if the file is inside it."""
    if name == STDIN:
        return "<stdin>"
    path = Path(name).absolute()
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else name


# Outcomes: what became of the tools, as text or JSON.


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one import. `imported` is None if nothing was written, `error` is why a source was not read."""

    importer: Importer[Any, Any]
    request: Request
    imported: Imported | None = None
    error: str = ""

    @property
    def code(self) -> int:
        """The exit code."""
        if self.error:
            return _UNREADABLE
        imported = self.imported
        return _INCOMPLETE if self.request.sink.has_errors or imported is None or imported.is_incomplete else 0

    @property
    def variables(self) -> Mapping[str, str]:
        """The environment variables that the tools need, and what each is."""
        return self.importer.variables(self.request, self.imported)

    def to_json(self) -> dict[str, Any]:
        """Return the outcome for programs."""
        if self.error:
            return {"error": self.error}
        imported = self.imported
        written = {"file": self.request.place.path, **imported_json(imported)} if imported else {"file": None}
        return written | {"diagnostics": diagnostics_json(self.request.sink)}

    def show(self) -> None:
        """Print the outcome for people."""
        if self.error:
            echo(visible(f"{self.request.label}: {self.error}"), err=True)
            return
        place, sink = self.request.place, self.request.sink
        present = {place.path: place.present.text} if place.present else {}
        show_grouped(sink, {**self.request.texts, **present}, everything="--format json")
        show_imported(place.path, self.imported, left_out=sum(each.code in self.importer.left_out for each in sink))
        variables = self.variables
        if variables:
            echo("  to run the tools, set these environment variables:")
        for name, meaning in variables.items():
            echo(visible(f"  {name}{' (set)' if name in os.environ else ''}: {meaning}"))


def imported_json(imported: Imported) -> dict[str, Any]:
    """Return what became of the tools as JSON."""
    update = imported.update
    return {
        "tools": len(imported.data["tools"]),
        "added": list(update.added),
        "changed": list(update.changed),
        "renamed": [{"tool": key, "from": former, "to": name} for key, former, name in update.renamed],
        "disabled": list(update.gone),
        "removed": list(update.removed),
        "skipped": list(update.skipped),
        "conflicts": list(update.conflicts),
        "kept": list(update.kept),
        "changed_keys": list(imported.changed_keys),
        "left_out": list(imported.left_out),
        "warnings": dict(imported.warnings),
        "not_offered": {kind: list(names) for kind, names in imported.others.items()},
    }


def show_imported(path: str, imported: Imported | None, *, left_out: int) -> None:
    """Print the counts; what is missing goes to stderr."""
    if imported is None:
        echo(f"{path}: not written", err=True)
        return
    update, total = imported.update, len(imported.data["tools"])
    counts = {
        "new": update.added,
        "changed": update.changed,
        "renamed": update.renamed,
        "disabled": update.gone,
        "removed": update.removed,
    }
    changes = [f"{len(keys)} {what}" for what, keys in counts.items() if keys]
    changes += [f"`{key}` changed" for key in imported.changed_keys]
    echo(f"{path}: {total} tool{'s' * (total != 1)}, {', '.join(changes) or 'up to date'}")
    if update.skipped:
        listed = ", ".join(f"`{name}`" for name in update.skipped)
        message = f"not imported, because they were removed from the spec: {listed}; to import them, remove their lines"
        echo(visible(f"{message} under `imported`"), err=True)
    if left_out:
        echo(f"{left_out} omitted", err=True)
    if imported.others:
        kinds = [f"{_KINDS[kind]}: {_some(names)}" for kind, names in imported.others.items()]
        echo(visible(f"toolgen offers models tools only, so these are not offered: {'; '.join(kinds)}"), err=True)
    if imported.warnings:
        named = ", ".join(f"{CODES[code].name} {count}" for code, count in sorted(imported.warnings.items()))
        echo(f"`toolgen build` reports warnings on their schemas: {named}", err=True)


def _some(names: Sequence[str]) -> str:
    """Return the first names, and how many more there are."""
    rest = len(names) - _NAMED
    return ", ".join(f"`{name}`" for name in names[:_NAMED]) + (f" and {rest:,} more" if rest > 0 else "")


def _check_each(requests: Iterable[R], check: Callable[[R], Checked]) -> list[Checked]:
    """Compare each toolset, also after one whose source cannot be read: that has an error."""

    def checked(request: R) -> Checked:
        try:
            return check(request)
        except click.UsageError as error:
            return Checked(request.toolset, 0, (), error=error.message)

    return list(map(checked, requests))


# What another import of a toolset would change, as the changes of its package.

_SELECTING: Final = ("agent", "catalog", "policy")
"""The heads of files that only select tools: they play no part in what a source changes."""

_OF_PEOPLE: Final = frozenset({"TG807", "TG808", "TG809", "TG822", "TG848"})
"""Codes of what a person has to look at."""


@dataclass(frozen=True, slots=True)
class Checked:
    """One toolset, and how the tools that its source offers differ."""

    toolset: str
    tools: int
    changes: tuple[Change, ...]
    suspicions: tuple[Suspicion, ...] = ()
    left_out: tuple[str, ...] = ()
    """Offered tools that an import would not add: a person removed or disabled them in the spec, or they are broken."""

    error: str = ""
    """Why it could not be compared."""

    def to_json(self) -> dict[str, Any]:
        """Return the outcome for programs."""
        if self.error:
            return {"toolset": self.toolset, "error": self.error}
        changes = [
            {
                "tool": each.subject,
                "code": each.code,
                "level": each.level.value,
                "summary": each.summary(),
                "diff": each.diff(),
            }
            for each in self.changes
        ]
        suspicions = [
            {"tool": each.tool, "code": each.code, "pointer": pointer_of(each.pointer), "message": each.message}
            for each in self.suspicions
        ]
        return {
            "toolset": self.toolset,
            "tools": self.tools,
            "changes": changes,
            "suspicions": suspicions,
            "left_out": list(self.left_out),
        }

    def show(self) -> None:
        """Print the outcome for people."""
        if self.error:
            echo(visible(f"{self.toolset}: {self.error}"), err=True)
            return
        for change in self.changes:
            for line in change.diff().split("\n"):
                echo(visible(line))
        for each in self.suspicions:
            echo(visible(f"{each.tool}{pointer_of(each.pointer)}: {each.code}: {each.message}"), err=True)
        changes = counted(len(self.changes), "change") if self.changes else "unchanged"
        left_out = f" ({len(self.left_out):,} left out)" if self.left_out else ""
        echo(f"{self.toolset}: {counted(self.tools, 'tool')}{left_out}, {changes}")


def _checked_import(place: SpecPlace, toolset: str, imported: Imported | None, sink: Diagnostics) -> Checked:
    """Compare the spec of a toolset with what an import would make of it. Nothing is written.

    Raises click.UsageError for a source without tools or that cannot be read, and for a spec that does not compile.
    """
    if place.present is None:
        raise click.UsageError(f"There is no spec of {toolset}: import its tools first.")
    is_unread = any(found.code == "TG840" for found in sink)
    if imported is None or is_unread:
        show_diagnostics(sink, {**sink.sources, place.path: place.present.text})
        problem = f"A source of {toolset} cannot be read." if is_unread else f"The source of {toolset} offers no tool."
        if any(found.code == "TG849" for found in sink):
            problem = f"{toolset} is not compared with another source."
        raise click.UsageError(problem)
    show_diagnostics(
        [found for found in sink if found.code in _OF_PEOPLE], {**sink.sources, place.path: place.present.text}
    )
    text = place.text_of(imported)
    root = parse(text, place.path, Diagnostics())
    assert root is not None, "the text was parsed when it was written"
    before, after = _version(place, place.present), _version(place, SpecFile(place.path, text, root))
    prefix = f"{toolset}."
    changes = tuple(
        change
        for change in compare_versions(before, after)
        if change.subject.startswith(prefix) or change.subject == toolset
    )
    offered = [tool for tool in imported.data["tools"].values() if not tool.get("disabled")]
    return Checked(toolset, len(offered), changes)


def _show_checked(checked: Sequence[Checked], output_format: str) -> int:
    """Print the outcomes, and return the exit code: 2 if a toolset could not be compared, and 1 if anything changed."""
    if output_format == "json":
        show_json({"toolsets": [each.to_json() for each in checked]})
    else:
        for each in checked:
            each.show()
    return max((2 if each.error else bool(each.changes) for each in checked), default=0)


def _version(place: SpecPlace, spec: SpecFile) -> Version:
    sink = Diagnostics()
    files = [file for file in read_files(place.root, place.target, Diagnostics()) if file.path != place.path]
    chosen = [file for file in files if not _selects(file)]
    compiled = compile_files([*chosen, spec], place.target, sink, is_complete=False)
    if sink.has_errors:
        show_diagnostics(sink, sink.sources)
        raise click.UsageError(f"{place.path} does not compile. Run `toolgen build` to see why.")
    return Version(json.loads(emit_catalog_json(compiled.catalog)))


def _selects(file: SpecFile) -> bool:
    return isinstance(file.root, MappingNode) and any(key in file.root.keys() for key in _SELECTING)
