"""The tools of a `catalog.json`, two lines each: parsed on access, so that loading only reads the file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from pydantic_core import from_json

from toolgen.runtime.base.errors import CatalogError
from toolgen.schema.json_values import is_object

if TYPE_CHECKING:
    from collections.abc import Iterator

_START: Final = b'\n"tools": {\n'
_END: Final = b"\n},\n"


class ToolLines(Mapping[str, dict[str, Any]]):
    """Entries by ident, parsed on each access: the caller owns the returned dict."""

    def __init__(self, text: bytes, start: int, end: int) -> None:
        """Take pairs of lines, `"ident":` and `{...},`; the last has no comma. Raises ValueError for other lines."""
        self._text = text
        self._places: dict[str, int] = {}
        while start < end:
            key_end = text.index(b"\n", start, end)
            if text[key_end - 2 : key_end] != b'":':
                raise ValueError("it has a line without an ident")
            self._places[text[start + 1 : key_end - 2].decode()] = key_end + 1
            line_end = text.find(b"\n", key_end + 1, end)
            start = end if line_end < 0 else line_end + 1

    def __getitem__(self, ident: str) -> dict[str, Any]:
        """Parse one line. Raises KeyError, and `CatalogError` for a line that is not a JSON object."""
        start = self._places[ident]
        end = self._text.find(b"\n", start)
        try:
            return _object(self._text[start : None if end < 0 else end].removesuffix(b","))
        except ValueError as error:
            raise CatalogError(
                f"the entry of {ident} in catalog.json is damaged: {error}; run `toolgen build`"
            ) from None

    def __contains__(self, ident: object) -> bool:
        return ident in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def read_tool_lines(text: bytes) -> tuple[dict[str, Any], ToolLines]:
    """Split a catalog into the document without its tools, and the tools. Raises ValueError if it is not JSON.

    A reformatted catalog is read too, but more slowly.
    """
    start = text.find(_START) + len(_START)
    end = text.find(_END, start)
    first = text[start : text.find(b"\n", start)]
    if len(_START) <= start < end and first.endswith(b'":'):
        return _object(text[: start - len(_START) + 1] + text[end + len(_END) :]), ToolLines(text, start, end)
    document = _object(text)
    lines = [f"{json.dumps(ident)}:\n{json.dumps(tool)}" for ident, tool in document.pop("tools", {}).items()]
    rewritten = ",\n".join(lines).encode()
    return document, ToolLines(rewritten, 0, len(rewritten))


def _object(text: bytes) -> dict[str, Any]:
    value = from_json(text)
    if not is_object(value):
        raise ValueError("it is not a JSON object")
    return value
