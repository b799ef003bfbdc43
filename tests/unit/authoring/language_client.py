"""A client of language servers, with the files of one folder."""

from __future__ import annotations

import asyncio
import os
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.lsp.client import LanguageClient

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping, Sequence
    from pathlib import Path

CURSOR = "|"
"""Marks a position in a text."""

SECONDS = 30


class Client:
    """Requests of an editor about files of a folder, by path. A text has one `|` where a request has a position."""

    def __init__(self, folder: Path, client: LanguageClient) -> None:
        self.folder = folder
        self.client = client
        self.shown = set[str]()
        self._last_shown = ""
        self._versions: dict[str, int] = {}
        self._published: dict[str, list[types.Diagnostic]] = {}
        self._tells_versions = False
        self._changed = asyncio.Condition()

    def uri(self, path: str) -> str:
        return (self.folder / path).as_uri()

    def show(self, path: str, text: str) -> types.TextDocumentPositionParams:
        """Open a file with a text, or change it, without saving; return the position of the mark, else the end."""
        before, _, after = text.partition(CURSOR)
        at = types.Position(before.count("\n"), len(before) - before.rfind("\n") - 1)
        uri, whole = self.uri(path), before + after
        self._published.pop(uri, None)
        version = self._versions[uri] = self._versions.get(uri, 0) + 1
        self.shown.add(path)
        self._last_shown = path
        if version == 1:
            language = {"json": "json", "py": "python"}.get(path.rpartition(".")[2], "yaml")
            item = types.TextDocumentItem(uri, language, version, whole)
            self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        else:
            self.client.text_document_did_change(
                types.DidChangeTextDocumentParams(
                    types.VersionedTextDocumentIdentifier(version, uri),
                    [types.TextDocumentContentChangeWholeDocument(whole)],
                )
            )
        return types.TextDocumentPositionParams(types.TextDocumentIdentifier(uri), at)

    def type(self, path: str, line: int, character: int, text: str) -> types.TextDocumentPositionParams:
        """Insert a text into a file that is open, as a person who types does; return the position after it."""
        at = types.Position(line, character)
        self.replace(path, types.Range(at, at), text)
        return types.TextDocumentPositionParams(
            types.TextDocumentIdentifier(self.uri(path)), types.Position(line, character + len(text))
        )

    def replace(self, path: str, edited: types.Range, text: str) -> None:
        """Replace a range of a file that is open."""
        uri = self.uri(path)
        self._published.pop(uri, None)
        version = self._versions[uri] = self._versions[uri] + 1
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(version, uri),
                [types.TextDocumentContentChangePartial(edited, text)],
            )
        )

    async def formatting(self, path: str) -> list[types.TextEdit]:
        """Return the edits that format a file."""
        options = types.FormattingOptions(tab_size=2, insert_spaces=True)
        document = types.TextDocumentIdentifier(self.uri(path))
        params = types.DocumentFormattingParams(document, options)
        return list(await self.client.text_document_formatting_async(params) or ())

    async def actions(self, path: str, place: types.Range) -> list[types.CodeAction]:
        """Return what can be done about the findings in a range."""
        document, context = types.TextDocumentIdentifier(self.uri(path)), types.CodeActionContext(diagnostics=[])
        params = types.CodeActionParams(document, place, context)
        found = await self.client.text_document_code_action_async(params)
        return [each for each in found or () if isinstance(each, types.CodeAction)]

    def range_of(self, text: str, part: str) -> types.Range:
        """Return where a part of a text is."""
        at = text.index(part)
        start = types.Position(text.count("\n", 0, at), at - text.rfind("\n", 0, at) - 1)
        return types.Range(start, types.Position(start.line, start.character + len(part)))

    async def completions(self, path: str, text: str) -> list[types.CompletionItem]:
        at = self.show(path, text)
        found = await self.client.text_document_completion_async(types.CompletionParams(at.text_document, at.position))
        return list(found.items if isinstance(found, types.CompletionList) else found or ())

    async def hover(self, path: str, text: str) -> str:
        at = self.show(path, text)
        found = await self.client.text_document_hover_async(types.HoverParams(at.text_document, at.position))
        return found.contents.value if found and isinstance(found.contents, types.MarkupContent) else ""

    async def definitions(self, path: str, text: str) -> list[types.Location]:
        at = self.show(path, text)
        found = await self.client.text_document_definition_async(types.DefinitionParams(at.text_document, at.position))
        return [each for each in found if isinstance(each, types.Location)] if isinstance(found, list) else []

    async def diagnostics(self, path: str, text: str | None = None) -> Sequence[types.Diagnostic]:
        """Return what the server publishes about a file, after its text has changed if one is given."""
        if text is not None:
            self.show(path, text)
        uri = self.uri(path)
        async with self._changed:
            await asyncio.wait_for(self._changed.wait_for(lambda: uri in self._published), SECONDS)
        return self._published[uri]

    async def next_diagnostics(self, path: str) -> Sequence[types.Diagnostic]:
        """Return what the server publishes next about a file."""
        async with self._changed:
            self._published.pop(self.uri(path), None)
        return await self.diagnostics(path)

    async def saved(self, path: str) -> Sequence[types.Diagnostic]:
        """Say that a file was saved, by this editor or another program; return what is published about it."""
        change = types.FileEvent(self.uri(path), types.FileChangeType.Changed)
        self.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([change]))
        return await self.next_diagnostics(path)

    async def all_diagnostics(self, first: str, *paths: str) -> Mapping[str, Sequence[types.Diagnostic]]:
        """Return what the server publishes about files, after it has published something about the first.

        The file that was shown last is checked alone before: what comes earlier may be of an older check.
        """
        await self.diagnostics(self._last_shown)
        await self.next_diagnostics(first)
        self._published.clear()
        return {path: await self.diagnostics(path) for path in paths}

    async def publish(self, params: types.PublishDiagnosticsParams) -> None:
        self._tells_versions |= params.version is not None
        is_unknown = params.version is None and not self._tells_versions
        if is_unknown or params.version == self._versions.get(params.uri):  # else of a text that is no longer shown
            async with self._changed:
                self._published[params.uri] = list(params.diagnostics)
                self._changed.notify_all()


@asynccontextmanager
async def language_client(
    folder: Path,
    *command: str,
    settings: Mapping[str, Any] | None = None,
    environment: Mapping[str, str] | None = None,
    compares_versions: bool = False,
) -> AsyncGenerator[Client]:
    """Start a language server, and stop it at the end. `settings` are those that it asks for, by section.

    With `compares_versions` the editor applies edits only to the version of a text that they are of.
    """
    client = LanguageClient("tests", "1")
    made = Client(folder, client)

    async def publish(params: types.PublishDiagnosticsParams) -> None:
        await made.publish(params)

    def configuration(params: types.ConfigurationParams) -> list[Any]:
        return [(settings or {}).get(item.section or "", {}) for item in params.items]

    client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(publish)
    client.feature(types.WORKSPACE_CONFIGURATION)(configuration)
    await client.start_io(command[0], *command[1:], env={**os.environ, **(environment or {})})
    try:
        capabilities = types.ClientCapabilities(
            workspace=types.WorkspaceClientCapabilities(
                configuration=True,
                apply_edit=True,
                workspace_edit=types.WorkspaceEditClientCapabilities(document_changes=compares_versions),
            ),
            text_document=types.TextDocumentClientCapabilities(
                completion=types.CompletionClientCapabilities(
                    completion_item=types.ClientCompletionItemOptions(
                        snippet_support=True, documentation_format=[types.MarkupKind.Markdown]
                    )
                ),
                publish_diagnostics=types.PublishDiagnosticsClientCapabilities(version_support=True),
            ),
        )
        await asyncio.wait_for(
            client.initialize_async(
                types.InitializeParams(
                    capabilities=capabilities,
                    process_id=None,
                    workspace_folders=[types.WorkspaceFolder(folder.as_uri(), folder.name)],
                )
            ),
            SECONDS,
        )
        client.initialized(types.InitializedParams())
        yield made
        await asyncio.wait_for(client.shutdown_async(None), SECONDS)
    finally:
        client.exit(None)
        await client.stop()  # type: ignore[no-untyped-call]  # pygls does not annotate it
