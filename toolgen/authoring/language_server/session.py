"""Session: the state of the server for one editor, its projects and the last check of each of their targets."""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import os
import re
import threading
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from lsprotocol import types
from pygls import uris
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams, JsonRpcInvalidRequest, PyglsError
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol
from pygls.protocol.language_server import lsp_method
from pygls.workspace import TextDocument, Workspace

from toolgen import __version__
from toolgen.authoring.language_server.navigation import Found, symbol_at
from toolgen.authoring.language_server.workspace import (
    Checked,
    CheckedFiles,
    Index,
    Project,
    generated_places,
    project_folder,
    read_text,
)
from toolgen.authoring.language_server.written import TextRange
from toolgen.authoring.lint.baseline import BaselineBroken, load_baseline
from toolgen.compiler.diagnostics import Severity
from toolgen.compiler.project.config import OWN_FILE, PROJECT_FILE, ConfigError
from toolgen.compiler.project.listing import is_evaluation
from toolgen.spec.text import line_starts, whole_lines

if TYPE_CHECKING:
    from concurrent.futures import Future

    from toolgen.authoring.lint.baseline import BaselineEntry
    from toolgen.authoring.text import TextEdit
    from toolgen.compiler.diagnostics import Span
    from toolgen.compiler.diagnostics.diagnostic import Diagnostic
    from toolgen.compiler.project.config import Target

# Documents: the texts that the editor has open. pygls counts lines as Python does, which ends them at 11 characters.
#
# So an edit below a line with U+2028 would change another line than the editor's. Here lines end as the protocol
# says.


class Document(TextDocument):
    """A text, edited as the editor edits its own; one that is not open is that of its file."""

    @property
    def source(self) -> str:
        """The whole text."""
        return read_text(Path(self.path)) if self._source is None else self._source

    def apply_change(self, change: types.TextDocumentContentChangeEvent) -> None:
        """Replace a range, or the whole text."""
        if isinstance(change, types.TextDocumentContentChangePartial):
            text = indexed(self.source, self.position_codec.encoding)
            self._source = text.edited(change.range, change.text)
        else:
            self._source = change.text

    @property
    def lines(self) -> Sequence[str]:
        """The lines, with their ends."""
        return whole_lines(self.source)


class Documents(Workspace):
    """The texts that are open, and the folders."""

    def _create_text_document(
        self, doc_uri: str, source: str | None = None, version: int | None = None, language_id: str | None = None
    ) -> Document:
        return Document(doc_uri, source, version, language_id, position_codec=self.position_codec)


class Protocol(LanguageServerProtocol):
    """The protocol, with documents of this module, and an answer to every request."""

    def _send_handler_result(self, future: Future[Any], *, msg_id: str | int) -> None:
        """Answer as pygls does, but log no traceback of a request that is refused with a reason."""
        refused = None if future.cancelled() else future.exception()
        if isinstance(refused, JsonRpcInvalidParams):
            self._request_futures.pop(msg_id, None)
            self._send_response(msg_id, error=refused.to_response_error())
        else:
            super()._send_handler_result(future, msg_id=msg_id)

    def structure_message(self, data: dict[str, Any]) -> dict[str, Any]:
        """Leave a message as it is: pygls reads each object within it too, and drops what it cannot read."""
        return data

    def handle_message(self, message: Any) -> None:
        """Handle a message as pygls does; a request that it would drop is answered with an error."""
        try:
            read: Any = super().structure_message(message)
            if self._shutdown and message["method"] != types.EXIT:
                raise JsonRpcInvalidRequest("the server is shutting down")
            if message.get("jsonrpc") != self.VERSION:
                raise JsonRpcInvalidRequest(f"`jsonrpc` must be {self.VERSION}")
        except JsonRpcException as error:
            if not isinstance(message.get("id"), int | str) or "method" not in message:
                raise
            self._send_response(message["id"], error=error.to_response_error())
        else:
            super().handle_message(read)

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Generator[Any, Any, types.InitializeResult]:
        """Answer as pygls does."""
        result = yield from super().lsp_initialize(params)
        made = self.workspace
        self._workspace = Documents(
            made.root_uri,
            types.TextDocumentSyncKind.Incremental,
            list(made.folders.values()),
            made.position_encoding,
        )
        return result


# Checker: checks whole projects in a process of its own, so that no request of the editor waits for a check.

ResultT = TypeVar("ResultT")

_PROJECTS: Final[dict[Path, Project]] = {}
"""The projects of the process, whose files are parsed again only if they have changed."""


class CheckerEnded(Exception):
    """The process that checks was killed, such as by a system without memory."""


class Checker:
    """A process that is started by the first check, and again by the first one after it was killed."""

    def __init__(self) -> None:
        self._pool: ProcessPoolExecutor | None = None

    async def check(self, project: Project, target: Target, baseline: Mapping[BaselineEntry, int]) -> Checked:
        """Check a whole target, as `build` and then `lint` do, with a baseline of lint. Checks run one after the other.

        Raises ConfigError if the configuration has errors by now, and CheckerEnded if the process was killed.
        """
        return await self._run(project, _check, target, baseline)

    async def check_evaluations(self, project: Project) -> CheckedFiles:
        """Check the evaluations of a project whose targets have been checked.

        Raises CheckerEnded if the process was killed.
        """
        return await self._run(project, _check_evaluations)

    async def _run(self, project: Project, check: Callable[..., ResultT], *arguments: Any) -> ResultT:
        pool = None
        try:
            with _safe_path():  # the pool and its first call start processes
                if self._pool is None:  # other ways than "spawn" copy the threads and the streams of the server
                    self._pool = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), _begin)
                pool = self._pool
                found = asyncio.get_running_loop().run_in_executor(
                    pool, check, project.root, dict(project.unsaved), *arguments
                )
            return await found
        except BrokenProcessPool as error:
            if self._pool is pool:
                self._pool = None
            message = f"the process that checks {project.root} has ended; the next change starts it again"
            raise CheckerEnded(message) from error

    def close(self) -> None:
        """End the process, and a check that is running."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None
        for process in multiprocessing.active_children():
            process.terminate()
            process.join()


@contextmanager
def _safe_path() -> Iterator[None]:
    """Let processes that start take no modules from the working directory: a project may have `multiprocessing.py`."""
    before = os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYTHONSAFEPATH"]
        else:
            os.environ["PYTHONSAFEPATH"] = before


def _begin() -> None:
    """Leave the streams, which are the editor's, and the processor to the server; end when the server is killed."""
    os.dup2(2, 1)
    if hasattr(os, "nice"):
        os.nice(5)
    threading.Thread(target=_end_with_server, daemon=True).start()


def _end_with_server() -> None:
    server = multiprocessing.parent_process()
    if server is not None:
        server.join()
        os._exit(1)


def _check(root: Path, unsaved: dict[str, str], target: Target, baseline: Mapping[BaselineEntry, int]) -> Checked:
    project = _PROJECTS.setdefault(root, Project(root))
    project.unsaved = unsaved
    return project.check(target, baseline)


def _check_evaluations(root: Path, unsaved: dict[str, str]) -> CheckedFiles:
    project = _PROJECTS.setdefault(root, Project(root))
    project.unsaved = unsaved
    return project.check_evaluations()


_LOG: Final = logging.getLogger(__name__)

MOMENT: Final = 0.02
"""Seconds before a file that changed is checked, in which requests about it are answered, such as a completion."""

PAUSE: Final = 0.4
"""Seconds without a change before the whole project is checked: the pause of a person who writes."""


class SpecLanguageServer(LanguageServer):
    """A language server with the projects of the files that are open."""

    def __init__(self) -> None:
        super().__init__("toolgen", __version__, protocol_cls=Protocol)
        self.projects: dict[Path, Project] = {}
        self.checker = Checker()
        self._checked: dict[tuple[Path, str], Checked] = {}
        self._evaluations: dict[Path, CheckedFiles] = {}
        self._checks: dict[Path, asyncio.Task[None]] = {}

    def located(self, uri: str) -> tuple[Project, str] | None:
        """Return the project of a file, and its path there; None if it is in no project."""
        path = Path(path_of(uri))
        root = project_folder(path)
        return None if root is None else (self.project(root), path.relative_to(root).as_posix())

    def project(self, root: Path) -> Project:
        """Return the project of a folder."""
        return self.projects.setdefault(root, Project(root))

    def spec(self, uri: str) -> tuple[Project, str, Target] | None:
        """Return the project, path and target of a spec file; None for another file."""
        found = self.located(uri)
        if found is None or (target := found[0].target_of(found[1])) is None:
            return None
        return (*found, target)

    def symbol(self, uri: str, position: types.Position) -> tuple[Project, Target, Index, Found] | None:
        """Return the symbol at a position of a spec file, with all others of its target."""
        spec = self.spec(uri)
        if spec is None:
            return None
        project, path, target = spec
        index = project.index(target)
        found = symbol_at(index, path, self.text(project.file(path).text).offset(position))
        return None if found is None else (project, target, index, found)

    def text(self, text: str) -> IndexedText:
        """Return a text whose positions are converted as the editor counts them."""
        return indexed(text, self.workspace.position_encoding)

    def location(self, project: Project, place: TextRange) -> types.Location:
        """Return a place of a spec file for the editor."""
        text = self.text(project.file(place.path).text)
        return types.Location((project.root / place.path).as_uri(), text.range(place.start, place.end))

    def edit(self, project: Project, edits: Iterable[TextEdit]) -> types.WorkspaceEdit:
        """Return edits of spec files for the editor, with the versions of its texts if it compares them.

        Then it refuses those of a text that a person has changed meanwhile.
        """
        changes: dict[str, list[types.TextEdit]] = {}
        versions: dict[str, int | None] = {}
        for edit in edits:
            at = self.location(project, TextRange(edit.file, edit.start, edit.end))
            changes.setdefault(at.uri, []).append(types.TextEdit(at.range, edit.new_text))
            versions[at.uri] = self._version(project, edit.file)
        workspace = self.client_capabilities.workspace
        if workspace is None or workspace.workspace_edit is None or not workspace.workspace_edit.document_changes:
            return types.WorkspaceEdit(changes)
        return types.WorkspaceEdit(
            document_changes=[
                types.TextDocumentEdit(types.OptionalVersionedTextDocumentIdentifier(uri, versions[uri]), each)
                for uri, each in changes.items()
            ]
        )

    def _version(self, project: Project, path: str) -> int | None:
        """Return the version of the text that the editor has of a file; None for one that it has not open."""
        uri = (project.root / path).as_uri()
        return self.workspace.get_text_document(uri).version if path in project.unsaved else None

    def checked_files(self, project: Project, path: str, target: Target) -> CheckedFiles | None:
        """Return the last check of a file: that of its target, or of the evaluations."""
        if is_evaluation(path):
            return self._evaluations.get(project.root)
        return self._checked.get((project.root, target.out))

    def checked(self, project: Project) -> list[Checked]:
        """Return the last check of each target, with the tools of the last one without errors."""
        return [checked for (root, _), checked in self._checked.items() if root == project.root]

    def generated(self, project: Project, target: Target, ident: str) -> list[types.Location]:
        """Return where generated code defines a tool."""
        checked = self._checked.get((project.root, target.out))
        if checked is None or checked.tools is None:
            return []
        return [
            types.Location(path.as_uri(), self.text(text).range(start, end))
            for path, text, start, end in generated_places(project.root, target, checked.tools, ident)
        ]

    def changed(self, uri: str) -> None:
        """Check a file that changed, and its whole project after a pause."""
        if located := self.located(uri):
            self.check_later(*located)

    def check_later(self, project: Project, path: str = "") -> None:
        """Check a file, and after a pause in which nothing changes the whole project."""
        if task := self._checks.get(project.root):
            task.cancel()
        task = self._checks[project.root] = asyncio.get_running_loop().create_task(self._check(project, path))
        task.add_done_callback(self._checked_or_not)

    def _checked_or_not(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and isinstance(error := task.exception(), Exception):
            _LOG.error("a check failed", exc_info=error)
            self.report_server_error(error, PyglsError)

    async def _check(self, project: Project, path: str) -> None:
        await asyncio.sleep(MOMENT)
        if target := project.target_of(path):
            self._publish(project, path, await asyncio.to_thread(project.check_file, path, target))
        await asyncio.sleep(PAUSE)
        try:
            await self._check_project(project)
        except ConfigError as error:
            self._publish_configuration(project, error)

    async def _check_project(self, project: Project) -> None:
        config = project.config()
        self._publish_configuration(project, None)
        baseline = self._baseline(project)
        for target in config.targets:
            checked = await self.checker.check(project, target, baseline)
            before = self._checked.get((project.root, target.out))
            if checked.tools is None and before is not None:
                checked = replace(checked, tools=before.tools)
            self._checked[project.root, target.out] = checked
            for path in sorted({*checked.found, *(before.found if before else ())}):
                if "://" not in path:
                    self._publish(project, path, checked.found.get(path, ()))
        if project.evaluations() or project.root in self._evaluations:
            await self._check_evaluations(project)

    async def _check_evaluations(self, project: Project) -> None:
        checked = await self.checker.check_evaluations(project)
        before = self._evaluations.get(project.root)
        for path in sorted({*checked.found, *(before.found if before else ())}):
            self._publish(project, path, checked.found.get(path, ()))
        self._evaluations[project.root] = checked

    def _baseline(self, project: Project) -> Mapping[BaselineEntry, int]:
        try:
            return load_baseline(project.root)
        except BaselineBroken as error:
            self.window_log_message(types.LogMessageParams(types.MessageType.Warning, str(error)))
            return {}

    def _publish(self, project: Project, path: str, found: Iterable[Diagnostic]) -> None:
        uri, version = (project.root / path).as_uri(), self._version(project, path)
        shown = [*self._shown(found, project, project.file(path).text)]
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, shown, version))

    def _publish_configuration(self, project: Project, error: ConfigError | None) -> None:
        for file in (OWN_FILE, PROJECT_FILE):
            found = [each for each in error.diagnostics if each.span.file == file] if error else []
            if found or (project.root / file).is_file():
                text = error.sources.get(file, "") if error else ""
                params = types.PublishDiagnosticsParams(
                    (project.root / file).as_uri(), [*self._shown(found, project, text)]
                )
                self.text_document_publish_diagnostics(params)

    def _shown(self, found: Iterable[Diagnostic], project: Project, text: str) -> Iterator[types.Diagnostic]:
        own = self.text(text)
        for each in found:
            related = [
                types.DiagnosticRelatedInformation(
                    types.Location(
                        (project.root / one.span.file).as_uri(),
                        self.text(project.file(one.span.file).text).range_of(one.span),
                    ),
                    one.message,
                )
                for one in each.related
                if "://" not in one.span.file
            ]
            yield diagnostic_of(each, own, related)


# Conversion of positions, paths and diagnostics to those of the protocol.

_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.NOTE: types.DiagnosticSeverity.Information,
}

_UTF_8: Final = (re.compile("[^\0-\x7f]"), re.compile("[^\0-\u07ff]"), re.compile("[^\0-\uffff]"))
_WIDE: Final[Mapping[str | None, tuple[re.Pattern[str], ...]]] = {
    types.PositionEncodingKind.Utf8: _UTF_8,
    types.PositionEncodingKind.Utf16: (re.compile("[^\0-\uffff]"),),
    types.PositionEncodingKind.Utf32: (),
}
"""Which characters take more than one unit, by encoding: one more for each pattern that they match."""


class IndexedText:
    """A text with an index of its lines, made once: a conversion takes logarithmic time.

    A line ends at LF, CR LF or CR, as the protocol says, and at no other character: an editor and the server would
    mean different lines. The protocol counts characters of a line in units that both have agreed on.
    """

    def __init__(self, text: str, encoding: str | None) -> None:
        self.text = text
        self._starts = line_starts(text)
        patterns = () if text.isascii() else _WIDE.get(encoding, _WIDE[types.PositionEncodingKind.Utf16])
        self._wide = [[match.start() for match in pattern.finditer(text)] for pattern in patterns]

    def offset(self, position: types.Position) -> int:
        """Return the offset of a position; one beyond the end of its line, or of the text, is that end."""
        if position.line >= len(self._starts):
            return len(self.text)
        start, end = self._starts[position.line], self._end_of(position.line)
        wanted = self._units(start) + position.character
        return start + bisect_right(range(start, end + 1), wanted, key=self._units) - 1

    def range(self, start: int, end: int) -> types.Range:
        """Return the range between two offsets."""
        return types.Range(self._position(start), self._position(end))

    def range_of(self, span: Span) -> types.Range:
        """Return the range of a span."""
        return types.Range(self._position_of(span.line, span.column), self._position_of(span.end_line, span.end_column))

    def edited(self, edited: types.Range, text: str) -> str:
        """Return the text after an edit of a range."""
        return f"{self.text[: self.offset(edited.start)]}{text}{self.text[self.offset(edited.end) :]}"

    def _end_of(self, line: int) -> int:
        """Return where a line ends, without its break."""
        if line + 1 == len(self._starts):
            return len(self.text)
        end = self._starts[line + 1] - 1
        return end - 1 if self.text[max(end - 1, self._starts[line]) : end + 1] == "\r\n" else end

    def _units(self, offset: int) -> int:
        """Return how many units are before an offset."""
        return offset + sum(bisect_left(each, offset) for each in self._wide)

    def _position(self, offset: int) -> types.Position:
        line = bisect_right(self._starts, offset) - 1
        return types.Position(line, self._units(offset) - self._units(self._starts[line]))

    def _position_of(self, line: int, column: int) -> types.Position:
        if line > len(self._starts):
            return types.Position(line - 1, 0)
        start = self._starts[line - 1]
        return types.Position(line - 1, self._units(start + column - 1) - self._units(start))


@lru_cache(maxsize=32)
def indexed(text: str, encoding: str | None) -> IndexedText:
    """Return a text with its index; those of the last texts are kept."""
    return IndexedText(text, encoding)


def path_of(uri: str) -> str:
    """Return the path of a URI; empty if it is not that of a file."""
    return uris.to_fs_path(uri) or ""


def diagnostic_of(
    found: Diagnostic, text: IndexedText, related: list[types.DiagnosticRelatedInformation]
) -> types.Diagnostic:
    """Return a diagnostic for an editor: the message with the fix, and the places that explain it."""
    return types.Diagnostic(
        range=text.range_of(found.span),
        message=f"{found.message}\n{found.fix}" if found.fix else found.message,
        severity=_SEVERITIES[found.severity],
        code=found.code,
        source="toolgen",
        related_information=related or None,
    )
