"""`toolgen import python`: functions, methods and tool objects of Python modules as a spec."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from toolgen.changes.tool_texts import Described
from toolgen.cli.commands.specs.checked import check_each, checked_import, exit_code, show_checked
from toolgen.cli.commands.specs.imported import imported_json, show_imported, show_variables
from toolgen.cli.commands.specs.spec_place import origins, spec_place
from toolgen.cli.executors import handler_modules, importable, raised, stdout_kept
from toolgen.cli.output import diagnostics_json, format_option, show_grouped, show_json
from toolgen.compiler.diagnostics import Diagnostics, Span
from toolgen.compiler.importers.openapi.files import Unreadable
from toolgen.compiler.importers.openapi.importing import Selection, import_openapi
from toolgen.compiler.importers.trial import try_name
from toolgen.compiler.project.config import load_config
from toolgen.compiler.source.nodes import Source
from toolgen.contract.extras import MissingExtra
from toolgen.execute.python.modules import ForeignModule, HandlerModules
from toolgen.execute.python.references import NotThere
from toolgen.execute.python.sources import Found, NoTools, app_of, description_of, text_of, tools_of
from toolgen.runtime.base.errors import CatalogError
from toolgen.spec.files import read_file
from toolgen.spec.lines import lines_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from toolgen.cli.commands.specs.checked import Checked
    from toolgen.cli.commands.specs.spec_place import SpecPlace
    from toolgen.compiler.importers.imported import Imported
    from toolgen.compiler.importers.python import PythonTool
    from toolgen.compiler.project.config import Config
    from toolgen.execute.python.sources import SourceLine

_NAME: Final = r"[^\W\d]\w*(\.[^\W\d]\w*)*"
_SOURCE: Final = re.compile(rf"{_NAME}(:{_NAME})?")
_LARGEST: Final = 10 * 1024 * 1024
"""Maximum size in bytes of a module whose lines are quoted."""


@click.command("python")
@click.argument("sources", nargs=-1, metavar="[MODULE[:NAME]...]")
@click.option(
    "--toolset", metavar="NAME", help="The toolset to import the tools into. Default: the name of the module."
)
@click.option(
    "--out", metavar="PATH", help="The spec to write. Default: the file that has the toolset, or specs/NAME.yaml."
)
@click.option("--check", is_flag=True, help="Only compare with the specs; exit with 1 for a change.")
@format_option
def python(*, sources: tuple[str, ...], toolset: str | None, out: str | None, check: bool, output_format: str) -> int:
    """Write a spec of functions, methods, classes, objects or whole modules in Python, or of an app of FastAPI.

    Each tool has a `handler`, so it runs at once. Args and results follow from annotations, descriptions from
    docstrings. Tool objects of pydantic-ai, LangChain, OpenAI Agents, FastMCP and smolagents are read and run by what
    they make public. An app becomes a toolset of kind `http` that is called in the same process.

    What cannot be a tool is reported and omitted. If the spec exists, it is updated: what the last import wrote follows
    the code, and what was edited by hand stays, as do the tools of other modules. The spec keeps its sources, so
    --toolset alone imports them again. With --check, nothing is written; without --toolset and sources, all toolsets of
    the project that were imported so are compared.
    """
    config = load_config(Path.cwd())
    if check:
        kept = origins(config, "python")
        names = [_named(sources, toolset)] if sources or toolset is not None else list(kept)
        if not names:
            raise click.UsageError("No toolset of this project was imported from Python: give --toolset.")

        def check_one(name: str) -> Checked:
            place, reading, imported = _imported(config, sources or _kept(kept.get(name, {}), name), name, out)
            return checked_import(place, name, imported, reading.sink)

        is_one = bool(sources) or toolset is not None
        checked = list(map(check_one, names)) if is_one else check_each(names, check_one)
        if output_format == "json":
            show_json({"toolsets": [each.to_json() for each in checked]})
            return exit_code(checked)
        return show_checked(checked)
    if not sources:
        if toolset is None:
            raise click.UsageError("There is nothing to import: give MODULE, or --toolset of one that was imported.")
        sources = _kept(spec_place(config, toolset, out, stem=toolset).origin, toolset)
    place, reading, imported = _imported(config, sources, _named(sources, toolset), out)
    if imported is not None:
        place.write(place.text_of(imported))
    if output_format == "json":
        written = {"file": place.path, **imported_json(imported)} if imported else {"file": None}
        show_json(written | {"diagnostics": diagnostics_json(reading.sink)})
    else:
        present = {place.path: place.present.text} if place.present else {}
        show_grouped(reading.sink, {**reading.texts, **present}, everything="--format json")
        show_imported(place.path, imported, left_out=sum(found.code in ("TG831", "TG841") for found in reading.sink))
        if imported is not None:
            show_variables(imported.data)
    return 1 if reading.sink.has_errors or imported is None or imported.is_incomplete else 0


def _imported(
    config: Config, sources: Sequence[str], toolset: str, out: str | None
) -> tuple[SpecPlace, _Reading, Imported | None]:
    """Read the sources, and return what becomes of the spec. Raises click.UsageError."""
    _named(sources, toolset)
    reading = _Reading(config.root, handler_modules(config))
    with stdout_kept():
        importable(config.root)
        for source in dict.fromkeys(sources):
            reading.read(source)
    if reading.apps and len(sources) > 1:
        raise click.UsageError(
            f"`{next(iter(reading.apps))}` is an app, which is a toolset of its own: import it alone."
        )
    if problems := try_name(toolset, "http" if reading.apps else "service"):
        raise click.UsageError(f"`{toolset}` is not a valid toolset name: {problems[0]}. Choose one with --toolset.")
    place = spec_place(config, toolset, out, stem=toolset)
    return place, reading, reading.write_app(place, toolset) if reading.apps else reading.write(place, toolset)


def _kept(origin: Mapping[str, Any], toolset: str) -> tuple[str, ...]:
    """Return the sources that a spec keeps. Raises click.UsageError if it has none."""
    if not origin.get("python"):
        raise click.UsageError(f"There is nothing to import into {toolset}: give MODULE.")
    return tuple(origin["python"])


def _named(sources: Sequence[str], toolset: str | None) -> str:
    """Return the name of the toolset. Raises click.UsageError for what names no module, and for several modules."""
    for source in sources:
        if not _SOURCE.fullmatch(source):
            raise click.UsageError(f"`{source}` is no `module` and no `module:name`, such as app.tools:search.")
    modules = {source.partition(":")[0] for source in sources}
    if toolset is None and len(modules) > 1:
        raise click.UsageError("The sources are of several modules: name the toolset with --toolset.")
    return toolset if toolset is not None else modules.pop()


@dataclass
class _Reading:
    """What the sources of one import have. Modules are imported, and may raise anything."""

    root: Path
    modules: HandlerModules
    sink: Diagnostics = field(default_factory=Diagnostics)
    texts: dict[str, str] = field(default_factory=dict[str, str])
    apps: dict[str, str] = field(default_factory=dict[str, str])
    _found: dict[str, Found] = field(default_factory=dict[str, Found])
    _read: dict[str, str] = field(default_factory=dict[str, str])

    def read(self, source: str) -> None:
        """Take the tools of a source, or report why not."""
        try:
            app = app_of(source, self.modules)
            if app is not None:
                self.apps[source] = json.dumps(description_of(app), ensure_ascii=False, indent=1)
            else:
                self._found.update({found.reference: found for found in tools_of(source, self.modules)})
                self._read[source] = text_of(source, self.modules)
        except (NotThere, NoTools, ForeignModule) as error:
            self.sink.report("TG840", Span(source), f"{error.args[0]}")
        except (Exception, SystemExit) as error:  # noqa: BLE001  # the project's own code may raise anything
            self.sink.report("TG840", Span(source), f"`{source}` cannot be imported: {raised(error, self.root)}")

    def write(self, place: SpecPlace, toolset: str) -> Imported | None:
        """Return the spec of all tools that were found; None where no source could be read, so nothing is known."""
        if not self._read:
            return None
        try:
            from toolgen.compiler.importers.python import PythonTool, import_python
        except ModuleNotFoundError as error:
            raise click.UsageError(str(MissingExtra(f"imports from Python need {error.name}", "compiler"))) from error
        tools: list[PythonTool] = []
        broken: list[str] = []
        for found in self._found.values():
            span = self._span(found.place, found.reference)
            if isinstance(found.described, Described):
                tools.append(PythonTool(found.reference, found.described, span))
                continue
            problem = found.described
            reason = str(problem) if isinstance(problem, (CatalogError, ForeignModule)) else raised(problem, self.root)
            self.sink.report("TG841", span, f"`{found.reference}` is left out: {reason}")
            broken.append(found.reference)
        return import_python(
            tools,
            self._read,
            place.present or place.path,
            toolset,
            next(iter(self._read.values())) if len(self._read) == 1 else "",
            self.sink,
            profile=place.target.profile,
            broken=broken,
        )

    def write_app(self, place: SpecPlace, toolset: str) -> Imported | None:
        """Return the spec of an app, by its description in OpenAPI."""
        [(reference, text)] = self.apps.items()
        source = Source(f"{reference}.openapi", text)
        self.texts[source.path] = text
        return import_openapi(
            source,
            "",
            _no_file,
            place.present or place.path,
            toolset,
            Selection.of((), ()),
            self.sink,
            profile=place.target.profile,
            app=reference,
            origin={"python": [reference]},
        )

    def _span(self, place: SourceLine, reference: str) -> Span:
        """Return where an object is written; the reference itself for one outside the project."""
        path = Path(place.file)
        if not place.file or not path.is_relative_to(self.root):
            return Span(reference)
        shown = path.relative_to(self.root).as_posix()
        try:
            self.texts.setdefault(shown, read_file(path, _LARGEST).decode("utf-8", "replace"))
        except OSError:  # it was moved, or never was a file
            return Span(shown, place.line, 1, place.line, 1)
        lines = lines_of(self.texts[shown])
        text = lines[place.line - 1] if place.line <= len(lines) else ""
        indent = len(text) - len(text.lstrip())
        return Span(shown, place.line, indent + 1, place.line, len(text) + 1)


def _no_file(_file: str, _reference: str) -> Source:
    raise Unreadable("the description of an app is one document")
