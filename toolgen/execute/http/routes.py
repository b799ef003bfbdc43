"""Routes: args in a path or a query stay where the spec has them, and lead to no other operation of the API.

Servers and proxies decode paths before they route, some of them several times, with decoders that accept more than
UTF-8, and drop dot segments. So a path is judged by what the most lenient of them could make of it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from unicodedata import category, normalize

from pydantic_core import SchemaValidator
from pydantic_core.core_schema import str_schema

from toolgen.contract.records import FailureKind
from toolgen.execute.http.operation import PLACEHOLDER, Operation
from toolgen.runtime.base.errors import CallFailed
from toolgen.spec.http import is_same_field, query_fields

if TYPE_CHECKING:
    from toolgen.execute.http.operation import Param

_SEPARATORS: Final = frozenset("/\\;?#")
"""What ends a segment, or the path, or the part of a segment that is routed."""

_ESCAPES: Final = re.compile(r"(?:%[0-9a-fA-F]{2})+|%[uU][0-9a-fA-F]{4}")
"""Percent-encoded bytes, and the `%u002f` of IIS."""

_HINT: Final = "send the plain value of one segment; a spec allows others with `separators`"
_LEAVE_OUT: Final = "leave that field out"
_MOST_DECODINGS: Final = 8

_LONGEST: Final = 8000
"""Characters of a path that servers read at least (RFC 9110, section 4.1)."""

_LOOKALIKES: Final = str.maketrans({
    **dict.fromkeys("\u2044\u2215\u27cb\u29f8", "/"),
    **dict.fromkeys("\u2216\u29f5\u29f9\u27cd\u00a5\u20a9", "\\"),
})  # fmt: skip
"""What code pages make a separator of, beyond the compatibility forms of Unicode (NFKC)."""

_SURROGATES: Final = re.compile("[\ud800-\udfff]")
"""What no path of a template has, and no text that is matched may have."""

_SPLIT: Final = re.compile(r"[/\\]")
_NEUTRAL: Final = "\ufffc"
_PLAIN: Final = re.compile(r"[A-Za-z0-9_-]+(?:,[A-Za-z0-9_-]+)*")
"""Texts that are what they are to every decoder."""


class _Undecidable(Exception):
    """Why it cannot be known what a server makes of a text."""


@dataclass(frozen=True, slots=True)
class Filled:
    """What fills a placeholder: the param, and its value as it is sent."""

    param: Param
    text: str


class Routes:
    """The operations of an API, by which paths lead to them. `base_url` is where those without one are.

    Those of disabled tools are among them: what nobody may call is reached by no value of another path.
    """

    def __init__(self, operations: Iterable[Operation], base_url: str = "") -> None:
        self._operations = tuple(operations)
        self._base_url = base_url
        self._known: dict[str, tuple[SchemaValidator, ...]] = {}
        self._patterns: dict[tuple[str, str], SchemaValidator] = {}
        self._queries: dict[str, tuple[tuple[tuple[str, str], ...], ...]] = {}

    @classmethod
    def of_toolset(cls, toolset: str, compiled: Mapping[str, Any], operations: Iterable[Operation]) -> Routes:
        """Return the routes of a compiled toolset, whose tools make these operations."""
        closed = [Operation.closed(toolset, each) for each in compiled.get("closed", ())]
        return cls([*operations, *closed], compiled.get("api", {}).get("base_url", ""))

    def path_of(self, operation: Operation, filled: Sequence[Filled]) -> str:
        """Return the path of a request. Raises `CallFailed` for one that could be another operation's.

        Args that are absent keep their placeholder, so that a request can be shown before all of them are known.
        """
        texts = {each.param.name: each.text for each in filled}
        if not all(texts.values()):
            raise _refused([each for each in filled if not each.text], "it is empty")
        path = PLACEHOLDER.sub(lambda found: texts.get(found[1], found[0]), operation.path)
        if "%" not in operation.path and all(_PLAIN.fullmatch(each.text) for each in filled):
            routed = path
        else:
            if len(path) > _LONGEST:  # normalizing a text of combining characters takes quadratic time
                raise _refused(filled, f"the path has more than {_LONGEST} characters")
            try:
                routed = _routed(operation.path, path, filled)
            except _Undecidable as error:
                raise _refused(filled, str(error)) from error
        where = _comparable(routed)
        if filled and any(rival.isinstance_python(where) for rival in self._rivals(operation)):
            raise _refused(filled, "it makes this path that of another operation of the API")
        return path

    def check_query(self, operation: Operation, parts: Iterable[str]) -> None:
        """Raise `CallFailed` for parts of the query, made of args, that could make the request another operation's.

        They have a field of the fixed query of its own path, or all of that of another operation with this path. What
        the spec names there is its own.
        """
        others = self._others_by_query(operation)
        if not operation.query and not others:
            return
        sent = [*query_fields(parts)]
        declared = [param.name for param in operation.params if param.place == "query"]
        for name, _ in sent:
            check_field(operation, name, declared, "query")
        free = [(name, value) for name, value in sent if not any(is_same_field(name, each) for each in declared)]
        for other in others:
            if all(any(is_same_field(name, key) and value == text for key, text in free) for name, value in other):
                names = " and ".join(f"`{name}`" for name, _ in other)
                message = f"args are sent as {names} in the query, with the values of another operation of the API"
                raise CallFailed(FailureKind.INVALID_CALL, "fixed_query_in_args", message, _LEAVE_OUT)

    def _others_by_query(self, operation: Operation) -> tuple[tuple[tuple[str, str], ...], ...]:
        """Return the fixed queries of other operations with the same method and path."""
        found = self._queries.get(operation.ident)
        if found is None:
            where = (operation.method, self._location(operation), operation.path)
            queries = (
                tuple(query_fields(each.query))
                for each in self._operations
                if each.query and (each.method, self._location(each), each.path) == where
            )
            own = tuple(query_fields(operation.query))
            found = self._queries[operation.ident] = tuple(each for each in queries if each != own)
        return found

    def _rivals(self, operation: Operation) -> tuple[SchemaValidator, ...]:
        """Return the paths of other operations that a value of this one could lead to.

        Not those that fit whatever the values are: of two templates, the one with more placeholders is routed last.
        """
        found = self._known.get(operation.ident)
        if found is None:
            own = _comparable(PLACEHOLDER.sub(_NEUTRAL, operation.path))
            others = (self._pattern(each, operation) for each in self._operations if each.method == operation.method)
            found = tuple(each for each in others if each is not None and not each.isinstance_python(own))
            self._known[operation.ident] = found
        return found

    def _pattern(self, other: Operation, operation: Operation) -> SchemaValidator | None:
        """Return the paths of another operation, after the base URL of this one; None for one that is elsewhere."""
        path, base_url = other.path, self._location(operation)
        if self._location(other) != base_url:
            whole = f"{self._location(other)}{path}"
            if not whole.startswith(f"{base_url}/"):
                return None
            path = whole.removeprefix(base_url)
        if path == operation.path:
            return None
        spans = _spans(other)
        if not spans and not _spans(operation) and _depth(path) != _depth(operation.path):
            return None
        key = (other.ident, path)
        if key not in self._patterns:
            self._patterns[key] = _pattern(path, spans)
        return self._patterns[key]

    def _location(self, operation: Operation) -> str:
        return (operation.base_url or self._base_url).rstrip("/")


def check_field(operation: Operation, name: str, declared: Collection[str], place: str) -> None:
    """Raise `CallFailed` for the name of a field that servers may take for one of the fixed query of a path."""
    if name not in declared and any(is_same_field(name, each) for each, _ in query_fields(operation.query)):
        message = f"an arg is sent as `{name}` in the {place}, and the path of the request has that field already"
        raise CallFailed(FailureKind.INVALID_CALL, "fixed_query_in_args", message, _LEAVE_OUT)


def _spans(operation: Operation) -> frozenset[str]:
    """Return the placeholders that several segments may fill."""
    return frozenset(param.name for param in operation.params if param.separators == "keep_slash")


def _depth(path: str) -> int:
    return path.rstrip("/").count("/")


def _pattern(path: str, spans: frozenset[str]) -> SchemaValidator:
    """Return what accepts the paths of a template, in linear time: `re` tries every way to divide a text among args."""
    parts = re.split(PLACEHOLDER, path)  # texts and names in turn
    expression = "".join(
        (".+" if part in spans else "[^/]+") if index % 2 else re.escape(part.casefold())
        for index, part in enumerate(parts)
    )
    whole = rf"\A(?s:{expression.rstrip('/') or '/'})\z"
    return SchemaValidator(str_schema(pattern=whole, regex_engine="rust-regex"))


def _comparable(path: str) -> str:
    return _SURROGATES.sub("\ufffd", path.casefold().rstrip("/")) or "/"


def _routed(template: str, path: str, filled: Sequence[Filled]) -> str:
    """Return what a server may route by. Raises `CallFailed` for what leaves the segments, and `_Undecidable`."""
    allowed = 0
    shown = {each.param.name: each.text for each in filled}
    for each in filled:
        own = _count(_folded(each.text))
        by_style = each.text.count(";") + (each.text.count("/") if each.param.separators == "keep_slash" else 0)
        if each.param.separators == "encode":
            allowed += own
            shown[each.param.name] = "".join("_" if char in _SEPARATORS else char for char in _folded(each.text))
        elif own > by_style:
            said = (
                "it has `/`, `\\`, `;`, `?` or `#`, or an encoding of them, which servers take for the end of the value"
            )
            raise _refused([each], said)
        else:
            allowed += by_style
    without = _folded(PLACEHOLDER.sub("x", template))
    whole = _folded(path)
    if _count(whole) > _count(without) + allowed:
        raise _refused(filled, "together with the text beside it, it is an encoded separator")
    tab = "\t" if any(each.param.style == "tabDelimited" for each in filled) else ""
    if any(category(char) == "Cc" and char != tab for char in whole):
        raise _refused(filled, "it has control characters")
    for piece in _SPLIT.split(whole):
        name = "".join(re.split("[;?#]", piece, maxsplit=1)[0].split())
        if name and not name.strip("."):
            raise _refused(filled, "it makes a dot segment of the path")
    if _blanks(path) > _blanks(PLACEHOLDER.sub("x", template)):
        raise _refused(filled, "it leaves a segment of the path empty")
    return _folded(PLACEHOLDER.sub(lambda found: shown.get(found[1], found[0]), template))


def _count(text: str) -> int:
    return sum(char in _SEPARATORS for char in text)


def _blanks(path: str) -> int:
    return sum(not _folded(segment).strip() for segment in path.split("/"))


def _folded(text: str) -> str:
    """Decode a text until nothing is left to decode, and replace what looks like ASCII by it. Raises `_Undecidable`."""
    for _ in range(_MOST_DECODINGS):
        before = text
        text = normalize("NFKC", _ESCAPES.sub(_decoded, text).translate(_LOOKALIKES)).translate(_LOOKALIKES)
        if not text.isascii():
            text = "".join(char for char in text if category(char) != "Cf")
        if text == before:
            return text
    raise _Undecidable(f"it is percent-encoded more than {_MOST_DECODINGS} times")


def _decoded(escapes: re.Match[str]) -> str:
    text = escapes[0]
    if text[1] in "uU":
        return chr(int.from_bytes(bytes.fromhex(text[2:])))
    try:
        return bytes.fromhex(text.replace("%", "")).decode()
    except UnicodeDecodeError as error:
        raise _Undecidable("it has percent-encoded bytes that are not UTF-8, which servers read differently") from error


def _refused(filled: Sequence[Filled], reason: str) -> CallFailed:
    args = " and ".join(dict.fromkeys(each.param.arg for each in filled))
    are, these = ("is", "this value") if len(filled) == 1 else ("are", "these values")
    message = f"{args} {are} part of the path of the request, and cannot have {these}: {reason}"
    return CallFailed(FailureKind.INVALID_CALL, "invalid_path_value", message, _HINT)
