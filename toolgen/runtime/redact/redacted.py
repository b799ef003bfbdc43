"""Redacted values: what stands in a record in place of a secret. It is compared with no schema, and never sent."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from toolgen.runtime.redact.credentials import REDACTED
from toolgen.schema.json_values import is_array, is_object
from toolgen.schema.references import pointer_of

if TYPE_CHECKING:
    from toolgen.contract.records import Issue

_ALTERNATIVES: Final = frozenset({"anyOf", "oneOf", "not"})
"""Keywords whose issue is about a value as a whole, whichever part of it does not fit."""


def redacted_places(value: Any) -> tuple[str, ...]:
    """Return the JSON pointers of what is redacted in a JSON value: texts, also in part, and members by their key."""
    return tuple(pointer_of(path) for path in _redacted(value, ()))


def without_redacted(value: Any) -> Any:
    """Return a JSON value without the members and items that `redacted_places` names; None if it is redacted itself."""
    if is_object(value):
        return {name: without_redacted(each) for name, each in value.items() if not _is_redacted_member(name, each)}
    if is_array(value):
        return [without_redacted(each) for each in value if not _is_redacted(each)]
    return None if _is_redacted(value) else value


def is_of_redacted(issue: Issue, places: Collection[str]) -> bool:
    """Whether an issue may be due to what is redacted at one of these pointers, and not to the value that was there."""
    return issue.pointer in places or (
        issue.keyword in _ALTERNATIVES and any(each.startswith(f"{issue.pointer}/") for each in places)
    )


def issues_of_rest(issues: Sequence[Issue], value: Any) -> list[Issue]:
    """Return the issues of a recorded value that what is redacted in it does not explain: it stands for anything."""
    places = redacted_places(value) if issues else ()
    return [each for each in issues if not is_of_redacted(each, places)]


def _redacted(value: Any, path: tuple[str | int, ...]) -> Iterator[tuple[str | int, ...]]:
    if _is_redacted(value):
        yield path
    elif is_object(value):
        for name, each in value.items():
            if _is_redacted_member(name, each):
                yield (*path, name)
            else:
                yield from _redacted(each, (*path, name))
    elif is_array(value):
        for index, each in enumerate(value):
            yield from _redacted(each, (*path, index))


def _is_redacted(value: Any) -> bool:
    return isinstance(value, str) and REDACTED in value


def _is_redacted_member(name: str, value: Any) -> bool:
    return REDACTED in name or _is_redacted(value)
