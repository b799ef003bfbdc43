"""The server: requests and notifications of the protocol, each answered by a function of this package."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from toolgen.authoring.format.format import formatted
from toolgen.authoring.language_server.completion import offers_at, writing_at
from toolgen.authoring.language_server.navigation import RenameRefused, hover_at, renamed, short_name, uses_of
from toolgen.authoring.language_server.session import SpecLanguageServer, diagnostic_of, path_of
from toolgen.authoring.language_server.symbols import Kind
from toolgen.authoring.language_server.workspace import Index, idents_at, project_folder
from toolgen.authoring.language_server.written import content_start
from toolgen.authoring.text import Fix, TextEdit, compatible
from toolgen.compiler.project.collector import paused
from toolgen.compiler.source.nodes import Source

if TYPE_CHECKING:
    from toolgen.authoring.language_server.workspace import CheckedFiles
    from toolgen.compiler.diagnostics.diagnostic import Diagnostic


# Fixes: edits that correct findings of lint, and spelling corrections from diagnostics.

_MEANT: Final = re.compile(r"did you mean `([^`]+)`\?")
_QUOTED: Final = re.compile(r"`([^`]+)`")


def fixes_of(checked: CheckedFiles, path: str, text: str) -> Iterator[tuple[Diagnostic, Fix]]:
    """Yield the findings in a file that can be fixed, with their fixes. None if the text is not the one checked."""
    if checked.texts.get(path) != text:
        return
    for found in checked.found.get(path, ()):
        fix = checked.fixes.get(found) or _spelling(found, path, text)
        if fix is not None and all(edit.file == path for edit in fix.edits):
            yield found, fix


def _spelling(found: Diagnostic, path: str, text: str) -> Fix | None:
    """Return the fix of a misspelled name: it is in the message, once in the range, and the right one in the hint."""
    meant = _MEANT.match(found.fix)
    if meant is None:
        return None
    start, end = Source(path, text).offsets(found.span)
    start = content_start(text, start, end)
    for wrong in _QUOTED.findall(found.message):
        if text.count(wrong, start, end) == 1:
            at = text.index(wrong, start, end)
            return Fix(f"Write `{meant[1]}`", (TextEdit(path, at, at + len(wrong), meant[1]),))
    return None


_ITEM_KINDS: Final = {
    "key": types.CompletionItemKind.Property,
    "value": types.CompletionItemKind.EnumMember,
    "arg": types.CompletionItemKind.Field,
    Kind.TOOL: types.CompletionItemKind.Function,
    Kind.TOOLSET: types.CompletionItemKind.Module,
    Kind.TYPE: types.CompletionItemKind.Class,
    Kind.METHOD: types.CompletionItemKind.Method,
    Kind.TAG: types.CompletionItemKind.Keyword,
}


_SYMBOL_KINDS: Final = {
    Kind.TOOL: types.SymbolKind.Function,
    Kind.TYPE: types.SymbolKind.Class,
    Kind.METHOD: types.SymbolKind.Method,
}

server: Final = SpecLanguageServer()


@server.feature(types.INITIALIZED)
def _initialized(ls: SpecLanguageServer, _: types.InitializedParams) -> None:
    for folder in ls.workspace.folders.values():
        root = Path(path_of(folder.uri))
        if project_folder(root / "specs") == root:
            ls.check_later(ls.project(root))


# What happens to documents is handled at once, as pygls keeps their texts: a check that ends in between would give its
# findings to the new version.


@server.feature(types.TEXT_DOCUMENT_DID_OPEN)
def _opened(ls: SpecLanguageServer, params: types.DidOpenTextDocumentParams) -> None:
    _take(ls, params.text_document.uri)


@server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
def _changed(ls: SpecLanguageServer, params: types.DidChangeTextDocumentParams) -> None:
    _take(ls, params.text_document.uri)


def _take(ls: SpecLanguageServer, uri: str) -> None:
    if spec := ls.spec(uri):
        project, path, _ = spec
        project.unsaved[path] = ls.workspace.get_text_document(uri).source
    ls.changed(uri)


@server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
def _closed(ls: SpecLanguageServer, params: types.DidCloseTextDocumentParams) -> None:
    if located := ls.located(params.text_document.uri):
        project, path = located
        project.unsaved.pop(path, None)
        ls.check_later(project)


@server.feature(types.TEXT_DOCUMENT_DID_SAVE)
def _saved(ls: SpecLanguageServer, params: types.DidSaveTextDocumentParams) -> None:
    ls.changed(params.text_document.uri)


@server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
def _changed_on_disk(ls: SpecLanguageServer, params: types.DidChangeWatchedFilesParams) -> None:
    for change in params.changes:
        if located := ls.located(change.uri):
            ls.check_later(located[0])


@server.feature(
    types.TEXT_DOCUMENT_COMPLETION,
    types.CompletionOptions(trigger_characters=["#", "/", ".", "+", '"', "'", ":", " ", "-"]),
)
def _complete(ls: SpecLanguageServer, params: types.CompletionParams) -> types.CompletionList | None:
    spec = ls.spec(params.text_document.uri)
    if spec is None:
        return None
    project, path, target = spec
    text = ls.text(project.text(path))
    writing = writing_at(path, text.text, text.offset(params.position))
    if writing is None:
        return None
    place = text.range(writing.start, writing.end)
    has_value = text.text[writing.end : writing.end + 1] == ":"
    items = [
        types.CompletionItem(
            label=offer.text,
            kind=_ITEM_KINDS.get(offer.what),
            detail=offer.what,
            documentation=types.MarkupContent(types.MarkupKind.Markdown, offer.description),
            filter_text=offer.text,
            text_edit=types.TextEdit(place, f"{offer.text}: " if offer.is_key and not has_value else offer.text),
        )
        for offer in offers_at(path, writing, project.known(target, path, writing.root))
    ]
    return types.CompletionList(is_incomplete=False, items=items)


@server.feature(types.TEXT_DOCUMENT_HOVER)
def _hover(ls: SpecLanguageServer, params: types.HoverParams) -> types.Hover | None:
    spec = ls.spec(params.text_document.uri)
    if spec is None:
        return None
    project, path, target = spec
    file = project.file(path)
    shown = hover_at(project.index(target), file, ls.text(file.text).offset(params.position))
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, shown)) if shown else None


@server.feature(types.TEXT_DOCUMENT_DEFINITION)
def _definition(ls: SpecLanguageServer, params: types.DefinitionParams) -> list[types.Location] | None:
    """From a use to the definition; from the definition of a tool to its generated ident; from Python to the spec."""
    if found := ls.symbol(params.text_document.uri, params.position):
        project, target, _, at = found
        if at.place == at.symbol.place and at.symbol.kind is Kind.TOOL:
            return ls.generated(project, target, at.symbol.name)
        return [ls.location(project, at.symbol.place)] if "://" not in at.symbol.place.path else None
    return _from_python(ls, params)


@server.feature(types.TEXT_DOCUMENT_IMPLEMENTATION)
def _implementation(ls: SpecLanguageServer, params: types.ImplementationParams) -> list[types.Location] | None:
    """From a tool, defined or used, to its generated ident."""
    found = ls.symbol(params.text_document.uri, params.position)
    if found is None or found[3].symbol.kind is not Kind.TOOL:
        return None
    project, target, _, at = found
    return ls.generated(project, target, at.symbol.name)


def _from_python(ls: SpecLanguageServer, params: types.DefinitionParams) -> list[types.Location] | None:
    uri = params.text_document.uri
    located = ls.located(uri)
    if located is None or not uri.endswith(".py"):
        return None
    project, path = located
    document = ls.workspace.get_text_document(uri)
    text = ls.text(document.source)
    locations: list[types.Location] = []
    for checked in ls.checked(project):
        if checked.tools is None:
            continue
        out = f"{checked.target.out}/"
        module = path.removeprefix(out).removesuffix(".py").replace("/", ".") if path.startswith(out) else ""
        index = Index.of(project.files(checked.target))
        for ident in idents_at(text.text, text.offset(params.position), checked.tools, module):
            symbol = index.find(Kind.TOOL, [ident])
            if symbol is not None and "://" not in symbol.place.path:
                locations.append(ls.location(project, symbol.place))
    return locations or None


@server.feature(types.TEXT_DOCUMENT_REFERENCES)
def _references(ls: SpecLanguageServer, params: types.ReferenceParams) -> list[types.Location] | None:
    found = ls.symbol(params.text_document.uri, params.position)
    if found is None:
        return None
    project, target, index, at = found
    places = [used.place for used in uses_of(index, at.symbol)]
    if params.context.include_declaration:
        places.insert(0, at.symbol.place)
    locations = [ls.location(project, place) for place in places if "://" not in place.path]
    return locations + (ls.generated(project, target, at.symbol.name) if at.symbol.kind is Kind.TOOL else [])


@server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)
def _prepare_rename(ls: SpecLanguageServer, params: types.PrepareRenameParams) -> types.PrepareRenamePlaceholder | None:
    found = ls.symbol(params.text_document.uri, params.position)
    if found is None:
        return None
    project, _, _, at = found
    text = ls.text(project.file(at.place.path).text)
    return types.PrepareRenamePlaceholder(text.range(at.place.start, at.place.end), short_name(at.symbol))


@server.feature(types.TEXT_DOCUMENT_RENAME, types.RenameOptions(prepare_provider=True))
def _rename(ls: SpecLanguageServer, params: types.RenameParams) -> types.WorkspaceEdit | None:
    found = ls.symbol(params.text_document.uri, params.position)
    if found is None:
        return None
    project, _, index, at = found
    try:
        edits = renamed(index, at.symbol, params.new_name)
    except RenameRefused as refused:
        raise JsonRpcInvalidParams(str(refused)) from refused
    return ls.edit(project, [TextEdit(place.path, place.start, place.end, text) for place, text in edits])


@server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
def _symbols(ls: SpecLanguageServer, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol] | None:
    spec = ls.spec(params.text_document.uri)
    if spec is None:
        return None
    project, path, _ = spec
    file = project.file(path)
    text = ls.text(file.text)
    return [
        types.DocumentSymbol(
            name=short_name(symbol),
            kind=_SYMBOL_KINDS.get(symbol.kind, types.SymbolKind.Namespace),
            range=text.range(min(symbol.place.start, symbol.node.start), max(symbol.place.end, symbol.node.end)),
            selection_range=text.range(symbol.place.start, symbol.place.end),
        )
        for symbol in file.symbols.defined
    ]


@server.feature(types.TEXT_DOCUMENT_FORMATTING)
def _format(ls: SpecLanguageServer, params: types.DocumentFormattingParams) -> list[types.TextEdit] | None:
    spec = ls.spec(params.text_document.uri)
    if spec is None:
        return None
    file = spec[0].file(spec[1])
    if file.spec is None or file.has_errors:
        return None
    with paused():
        made = formatted(file.path, file.text, file.spec.root)
    return [types.TextEdit(ls.text(file.text).range(0, len(file.text)), made)] if made != file.text else []


@server.feature(
    types.TEXT_DOCUMENT_CODE_ACTION,
    types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix, types.CodeActionKind.SourceFixAll]),
)
def _fix(ls: SpecLanguageServer, params: types.CodeActionParams) -> list[types.CodeAction] | None:
    """Offer the fix of each finding in a range, and the fixes of all findings of the file at once."""
    spec = ls.spec(params.text_document.uri)
    if spec is None:
        return None
    project, path, target = spec
    checked = ls.checked_files(project, path, target)
    if checked is None:
        return None
    file = project.file(path)
    text = ls.text(file.text)
    fixes = list(fixes_of(checked, path, file.text))
    actions = [
        types.CodeAction(
            title=fix.title,
            kind=types.CodeActionKind.QuickFix,
            diagnostics=[diagnostic_of(found, text, [])],
            edit=ls.edit(project, fix.edits),
        )
        for found, fix in fixes
        if text.range_of(found.span).start <= params.range.end and params.range.start <= text.range_of(found.span).end
    ]
    if fixes:
        edit = ls.edit(project, [edit for fix in compatible(fix for _, fix in fixes) for edit in fix.edits])
        actions.append(types.CodeAction(title="Fix all", kind=types.CodeActionKind.SourceFixAll, edit=edit))
    return actions


def serve() -> None:
    """Serve one editor by standard input and output, until it disconnects."""
    try:
        with contextlib.suppress(KeyboardInterrupt):
            server.start_io()
    finally:
        server.checker.close()
