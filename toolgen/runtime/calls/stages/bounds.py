"""Bounds: a result that is a page says so, and how to get the rest."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from toolgen.contract.records import Bounds, ContentBlock
from toolgen.runtime.base.errors import MalformedResult
from toolgen.runtime.calls.misfits import RESULT_DIFFERS
from toolgen.runtime.issues.issue_text import described, issue
from toolgen.schema.json_values import is_array, is_number, is_object, is_text

if TYPE_CHECKING:
    from toolgen.contract.records import Issue, ToolResult
    from toolgen.runtime.calls.call import After, Call, Host, Tool


def bind(tool: Tool, _host: Host) -> After | None:
    """Return the stage; None for a tool whose results are not pages."""
    bounded = tool.definition.settings.bounded
    if bounded is None:
        return None
    cursor, following = bounded.cursor, bounded.next

    def page(_call: Call, result: ToolResult[Any]) -> ToolResult[Any]:
        if RESULT_DIFFERS in result.metadata:  # it is no page
            return result
        value = json.loads(result.payload)
        bounds = _bounds(result.bounds, value, following) if following else _by_header(result, value)
        if not bounds.truncated:
            return replace(result, bounds=bounds)
        note = ContentBlock(type="text", data=_note(bounds, cursor))
        return replace(result, bounds=bounds, blocks=(*result.content, note))

    return page


def _by_header(result: ToolResult[Any], value: Any) -> Bounds:
    """Return the bounds of a page whose next cursor is in a header. Raises `MalformedResult`."""
    cursor: str | None = result.metadata.get("http", {}).get("next") or None
    return result.bounds or Bounds(returned=_count(value), truncated=cursor is not None, next_cursor=cursor)


def _bounds(given: Bounds | None, value: Any, following: str) -> Bounds:
    """Complete the bounds from the tool with the cursor in its result. Raises `MalformedResult`."""
    cursor = _cursor(value.get(following), following) if is_object(value) else None
    if given is None:
        given = Bounds(returned=_count(value), truncated=cursor is not None)
    own = given.next_cursor or None
    if own not in (None, cursor) and is_object(value) and following in value:
        expected = "one cursor, in `bounds` and in the result"
        raise MalformedResult([_wrong(f"/{following}", expected, described(value[following]))])
    bounds = replace(given, next_cursor=own or cursor)
    if bounds.truncated and not bounds.next_cursor and not bounds.refinement_hint:
        wanted = f"`{following}`, or a refinement_hint in `bounds`, as the result is truncated"
        raise MalformedResult([_wrong("", wanted, "neither")])
    return bounds


def _cursor(found: Any, following: str) -> str | None:
    """Return the cursor of a result; None if it is empty, as on the last page. Raises `MalformedResult`."""
    if found in (None, "", 0):  # and False, which is 0
        return None
    if not is_text(found) and not is_number(found):
        raise MalformedResult([_wrong(f"/{following}", "a cursor, which is a text or a number", described(found))])
    return str(found)


def _count(value: Any) -> int:
    """Return the length of the only list in a page. Raises `MalformedResult` if there is not exactly one."""
    fields = list(value.values()) if is_object(value) else [value]
    lists = [field for field in fields if is_array(field)]
    if len(lists) != 1:
        raise MalformedResult([_wrong("", "`bounds` with the number of items", f"{len(lists)} lists")])
    return len(lists[0])


def _note(bounds: Bounds, cursor: str) -> str:
    known = f" of {bounds.total}" if bounds.total is not None else ""
    how = f"for more call again with {cursor} = {json.dumps(bounds.next_cursor)}" if bounds.next_cursor else ""
    return f"[{bounds.returned}{known} shown; {'; '.join(each for each in (how, bounds.refinement_hint) if each)}]"


def _wrong(pointer: str, expected: str, found: str) -> Issue:
    return issue(pointer, "bounded", expected, found, f"give {expected}")
