"""Validation of the fields of a result other than its value, and of errors: their types, and that they are JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from toolgen.contract.records import NOTHING, Bounds, ContentBlock, FailureKind, Issue, ToolError
from toolgen.runtime.issues.issues import issue
from toolgen.schema.json_values import canonical, is_mapping, is_number, is_object, is_sequence, is_text

if TYPE_CHECKING:
    from toolgen.contract.records import ToolResult


_Fits: TypeAlias = Callable[[Any], bool]


def issue_in_other_fields(result: ToolResult[Any]) -> Issue | None:
    """Return an issue for the first invalid field other than the value; None if all are valid.

    `server_data` is not checked: it is typed and has a separate schema.
    """
    return _issue_in(result, _BESIDE_VALUE)


def issue_in_error(error: Any) -> Issue | None:
    """Return an issue for the first invalid field of an error; None if all are valid."""
    if not isinstance(error, ToolError):
        return _not_as("error", "a ToolError", error)
    return _issue_in(error, _OF_ERROR)


def _issue_in(record: object, wanted: Mapping[str, tuple[_Fits, str]]) -> Issue | None:
    for name, (fits, form) in wanted.items():
        value = getattr(record, name)
        if value is NOTHING:
            continue
        if not fits(value):
            return _not_as(name, form, value)
        if value and (problem := _unwritable(value)):
            return issue("", "json", "JSON", problem, f"set `{name}` to JSON")
    return None


def _not_as(name: str, form: str, value: Any) -> Issue:
    return issue("", "type", form, f"a value of {type(value).__name__}", f"set `{name}` to {form}")


def _unwritable(value: Any) -> str:
    """Return why stores could not write a value unchanged; empty if they can."""
    try:
        plain = _plain(value)
        canonical(plain)
    except RecursionError:
        return "it is nested too deeply"
    except UnicodeEncodeError:
        return "it holds a lone surrogate"
    except (ValueError, TypeError) as error:
        return str(error)
    return "" if _has_text_keys(plain) else "a key is not text"


def _plain(value: Any) -> Any:
    """Return a field with records replaced by mappings."""
    if is_mapping(value):
        return dict(value)
    if isinstance(value, Bounds):
        return _members(value)
    if is_sequence(value):
        return [_members(each) if isinstance(each, Issue | ContentBlock) else each for each in value]
    return value


def _members(record: Issue | ContentBlock | Bounds) -> dict[str, Any]:
    """Return the fields of a record without copying them, unlike `asdict`."""
    return {each.name: getattr(record, each.name) for each in fields(record)}


def _has_text_keys(value: Any) -> bool:
    """Whether all keys are text: numbers would become text, and two keys could become equal."""
    left: list[Any] = [value]
    while left:
        each = left.pop()
        if is_object(each):
            if not all(map(is_text, each)):
                return False
            left.extend(each.values())
        elif is_sequence(each):
            left.extend(each)
    return True


def _is(kind: type) -> _Fits:
    return lambda value: isinstance(value, kind)


def _or_none(fits: _Fits) -> _Fits:
    return lambda value: value is None or fits(value)


def _each(fits: _Fits) -> _Fits:
    return lambda value: is_sequence(value) and all(map(fits, value))


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_block(value: Any) -> bool:
    if not isinstance(value, ContentBlock):
        return False
    return value.type == "json" or (value.type in ("text", "artifact_ref") and is_text(value.data))


def _are_bounds(value: Any) -> bool:
    return isinstance(value, Bounds) and all(fits(getattr(value, name)) for name, fits in _OF_BOUNDS.items())


def _is_issue(value: Any) -> bool:
    return isinstance(value, Issue) and all(map(is_text, _members(value).values()))


_OF_BOUNDS: Final[Mapping[str, _Fits]] = {
    "returned": _is_count,
    "truncated": _is(bool),
    "total": _or_none(_is_count),
    "next_cursor": _or_none(is_text),
    "refinement_hint": is_text,
}


_TEXT: Final = (is_text, "text")
_OBJECT: Final = (is_mapping, "a JSON object")

_BESIDE_VALUE: Final[Mapping[str, tuple[_Fits, str]]] = {
    "message": (_or_none(is_text), "text, or None"),
    "side_effects": (_each(is_text), "a tuple of texts"),
    "audit": _OBJECT,
    "telemetry": _OBJECT,
    "metadata": _OBJECT,
    "blocks": (
        _each(_is_block),
        "a tuple of ContentBlocks, of the types text and artifact_ref, whose data is text, and json",
    ),
    "bounds": (_or_none(_are_bounds), "Bounds of counts and texts, or None"),
}

_OF_ERROR: Final[Mapping[str, tuple[_Fits, str]]] = {
    "message": _TEXT,
    "kind": (_is(FailureKind), "a FailureKind"),
    "code": _TEXT,
    "issues": (_each(_is_issue), "a tuple of Issues whose fields are text"),
    "hint": _TEXT,
    "retry_after": (_or_none(is_number), "a number of seconds, or None"),
    "prior_input": _TEXT,
    "example": _TEXT,
    "proposal": _TEXT,
}
