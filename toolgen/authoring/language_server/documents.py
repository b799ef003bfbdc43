"""Documents: the texts that the editor has open. pygls counts lines as Python does, which ends them at 11 characters.

So an edit below a line with U+2028 would change another line than the editor's. Here lines end as the protocol says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.protocol import LanguageServerProtocol
from pygls.protocol.language_server import lsp_method
from pygls.workspace import TextDocument, Workspace

from toolgen.authoring.language_server.convert import indexed
from toolgen.spec.lines import whole_lines

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from typing import Any


class Document(TextDocument):
    """An open text, edited as the editor edits its own."""

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
    """The protocol, with documents of this module."""

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
