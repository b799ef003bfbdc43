"""The documents of a target, by path. A file is parsed and checked when it is first asked for."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, TypeGuard

from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.documents.read import Document, read_documents
from toolgen.compiler.documents.toolset import ToolsetFile
from toolgen.compiler.source.read import parse_source, parse_spec

if TYPE_CHECKING:
    from toolgen.compiler.documents.base import SpecFileHead
    from toolgen.compiler.source.split import SplitText


class Documents(Mapping[str, Document["SpecFileHead"]]):
    """Documents by path, from the texts of files. A file with errors is reported once, and raises KeyError."""

    def __init__(self, texts: Mapping[str, str], sink: Diagnostics) -> None:
        self._texts = texts
        self._sink = sink
        self._parsed: dict[str, Document[SpecFileHead] | None] = {}
        self._parts: set[str] = set()

    @classmethod
    def of(cls, documents: Iterable[Document[SpecFileHead]]) -> Documents:
        """Return documents that are parsed already."""
        made = cls({}, Diagnostics())
        made._parsed = {document.path: document for document in documents}
        made._texts = dict.fromkeys(made._parsed, "")
        return made

    def forget(self, path: str) -> None:
        """Release the memory of a document, which is most of a build's; it is parsed again if it is asked for."""
        if self._texts[path]:
            self._parsed.pop(path, None)
            self._parts.discard(path)

    def part(self, split: SplitText, keys: Collection[str], *, with_tail: bool) -> Document[ToolsetFile] | None:
        """Return a toolset file with some of its tools, or all of it; None if they cannot be read without the others.

        Until it is forgotten, it is also the document of its path, whose types others see.
        """
        if split.path not in self._parsed:
            sink = Diagnostics()
            spec = parse_source(split.only(keys, with_tail=with_tail), sink)
            document = next(iter(read_documents([spec], sink)), None) if spec else None
            if document is None or sink or not _has_tools(document, keys):
                return None
            self._parsed[split.path] = document
            self._parts.add(split.path)
        document = self._parsed[split.path]
        return document if _has_tools(document, keys) or _has_tools(document, split.tools) else None

    def whole(self, path: str) -> Document[SpecFileHead] | None:
        """Return a document with all that is in its file; None if it has errors."""
        if path in self._parts:
            self.forget(path)
        return self.get(path)

    def __getitem__(self, path: str) -> Document[SpecFileHead]:
        if path not in self._parsed:
            spec = parse_spec(path, self._texts[path], self._sink)
            self._parsed[path] = next(iter(read_documents([spec], self._sink)), None) if spec else None
        document = self._parsed[path]
        if document is None:
            raise KeyError(path)
        return document

    @property
    def has_errors(self) -> bool:
        """Whether a file that was asked for has errors."""
        return None in self._parsed.values()

    def __contains__(self, path: object) -> bool:
        """Return whether there is a file, which may have errors."""
        return path in self._texts

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)


def is_toolset(document: Document[SpecFileHead] | None) -> TypeGuard[Document[ToolsetFile]]:
    """Whether a document is that of a toolset file."""
    return document is not None and isinstance(document.file, ToolsetFile)


def _has_tools(document: Document[SpecFileHead] | None, keys: Collection[str]) -> TypeGuard[Document[ToolsetFile]]:
    """Whether a document is that of a toolset file with exactly these tools."""
    return is_toolset(document) and document.file.tools.keys() == set(keys)
