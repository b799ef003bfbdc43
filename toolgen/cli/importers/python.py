"""Python: functions, methods and tool objects of Python modules as a spec."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from toolgen.changes.tool_texts import Described
from toolgen.cli.executors import handler_modules, raised, stdout_kept
from toolgen.cli.folders import importable
from toolgen.cli.importers.importer import Importer, Request
from toolgen.compiler.diagnostics import Span
from toolgen.compiler.importers.openapi.files import Unreadable
from toolgen.compiler.importers.openapi.importing import Selection, import_openapi
from toolgen.compiler.source.nodes import Source
from toolgen.contract.extras import MissingExtra
from toolgen.execute.python.modules import ForeignModule, HandlerModules
from toolgen.execute.python.references import NotThere
from toolgen.execute.python.sources import Found, NoTools, app_of, description_of, text_of, tools_of
from toolgen.runtime.base.errors import CatalogError
from toolgen.runtime.redact.spec_credentials import credential_in_url
from toolgen.spec.files import read_file
from toolgen.spec.text import lines_of

if TYPE_CHECKING:
    from toolgen.cli.importers.importer import Given
    from toolgen.compiler.importers.imported import Imported
    from toolgen.compiler.importers.python import PythonTool
    from toolgen.execute.python.sources import SourceLine

_NAME: Final = r"[^\W\d]\w*(\.[^\W\d]\w*)*"
_SOURCE: Final = re.compile(rf"{_NAME}(:{_NAME})?")
_LARGEST: Final = 10 * 1024 * 1024
"""Maximum size in bytes of a module whose lines are quoted."""


class PythonImporter(Importer[Request, "Modules"]):
    """Write a spec of functions, methods, classes, objects or whole modules in Python, or of an app of FastAPI.

    Each tool has a `handler`, so it runs at once. Args and results follow from annotations, descriptions from
    docstrings. Tool objects of pydantic-ai, LangChain, OpenAI Agents, FastMCP and smolagents are read and run by what
    they make public. An app becomes a toolset of kind `http` that is called in the same process.

    What cannot be a tool is reported and omitted. If the spec exists, it is updated: what the last import wrote follows
    the code, and what was edited by hand stays, as do the tools of other modules. The spec keeps its sources, so
    --toolset alone imports them again. With --check, nothing is written; without --toolset and sources, all toolsets of
    the project that were imported so are compared.
    """

    name = "python"
    kind = "service"
    origin = "Python"
    arguments = (click.Argument(["sources"], nargs=-1, metavar="[MODULE[:NAME]...]"),)
    left_out = frozenset({"TG831", "TG841"})
    invalid_name = "`{}` is not a valid toolset name: {}. Choose one with --toolset."
    toolset_help = "The toolset to import the tools into. Default: the name of the module."

    def toolset_of(self, given: Given) -> str:
        """Return the toolset that is named, or the module."""
        if not given.options["sources"] and given.toolset is None:
            raise click.UsageError("There is nothing to import: give MODULE, or --toolset of one that was imported.")
        return _toolset_of(given.options["sources"], given.toolset)

    def read(self, request: Request) -> Modules:
        """Import the modules that are named, or those that the spec keeps."""
        sources: Sequence[str] = request.options["sources"] or request.place.origin.get("python") or ()
        if not sources:
            raise click.UsageError(f"There is nothing to import into {request.toolset}: give MODULE.")
        _toolset_of(sources, request.toolset)
        modules = Modules(request, handler_modules(request.config))
        with stdout_kept():
            importable(request.config)
            for source in dict.fromkeys(sources):
                modules.read(source)
        if modules.apps and len(sources) > 1:
            raise click.UsageError(
                f"`{next(iter(modules.apps))}` is an app, which is a toolset of its own: import it alone."
            )
        return modules

    def tools(self, found: Modules, request: Request) -> Imported | None:
        """Make a tool of each function and tool object, or of each operation of an app."""
        return found.tools_of_app() if found.apps else found.tools()


def _toolset_of(sources: Sequence[str], toolset: str | None) -> str:
    """Return the name of the toolset. Raises click.UsageError for what names no module, and for several modules."""
    for source in sources:
        if not _SOURCE.fullmatch(source):
            raise click.UsageError(f"`{source}` is no `module` and no `module:name`, such as app.tools:search.")
    modules = {source.partition(":")[0] for source in sources}
    if toolset is None and len(modules) > 1:
        raise click.UsageError("The sources are of several modules: name the toolset with --toolset.")
    return toolset if toolset is not None else modules.pop()


@dataclass
class Modules:
    """What the sources of one import have. Modules are imported, and may raise anything."""

    request: Request
    modules: HandlerModules
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
            self.request.sink.report("TG840", Span(source), f"{error.args[0]}")
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001  # the project's own code may raise anything, also SystemExit
            self.request.sink.report(
                "TG840", Span(source), f"`{source}` cannot be imported: {raised(error, self.request.config.root)}"
            )

    def tools(self) -> Imported | None:
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
            reason = (
                str(problem)
                if isinstance(problem, (CatalogError, ForeignModule))
                else raised(problem, self.request.config.root)
            )
            self.request.sink.report("TG841", span, f"`{found.reference}` is left out: {reason}")
            broken.append(found.reference)
        return import_python(
            tools,
            self._read,
            self.request.spec,
            self.request.toolset,
            next(iter(self._read.values())) if len(self._read) == 1 else "",
            self.request.sink,
            profile=self.request.place.target.profile,
            broken=broken,
        )

    def tools_of_app(self) -> Imported | None:
        """Return the spec of an app, by its description in OpenAPI."""
        [(reference, text)] = self.apps.items()
        source = Source(f"{reference}.openapi", text)
        self.request.texts[source.path] = text
        return import_openapi(
            source,
            "",
            _no_file,
            self.request.spec,
            self.request.toolset,
            Selection.of((), ()),
            self.request.sink,
            profile=self.request.place.target.profile,
            credential_in=credential_in_url,
            app=reference,
            origin={"python": [reference]},
        )

    def _span(self, place: SourceLine, reference: str) -> Span:
        """Return where an object is written; the reference itself for one outside the project."""
        path = Path(place.file)
        if not place.file or not path.is_relative_to(self.request.config.root):
            return Span(reference)
        shown = path.relative_to(self.request.config.root).as_posix()
        try:
            self.request.texts.setdefault(shown, read_file(path, _LARGEST).decode("utf-8", "replace"))
        except OSError:  # it was moved, or never was a file
            return Span(shown, place.line, 1, place.line, 1)
        lines = lines_of(self.request.texts[shown])
        text = lines[place.line - 1] if place.line <= len(lines) else ""
        indent = len(text) - len(text.lstrip())
        return Span(shown, place.line, indent + 1, place.line, len(text) + 1)


def _no_file(_file: str, _reference: str) -> Source:
    raise Unreadable("the description of an app is one document")
