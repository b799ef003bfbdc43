"""Pages: whatever a tool gives as the cursor of the next one, the result says truly whether there is more."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from tests.unit.runtime.tools import call_now, catalog_of, runtime_of
from toolgen.contract.records import Bounds, ToolResult

PAGED = {"bounded": {"cursor": "after", "next": "next_after"}}
EMPTY: tuple[Any, ...] = (None, "", False, 0, 0.0)

scalars = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([0.0, 1.5]) | st.text(max_size=3)
cursors = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=2), inner, max_size=2)
)


def page(value: Any, bounds: Bounds | None = None) -> ToolResult[Any]:
    def handler(_args: Any) -> Any:
        return value if bounds is None else ToolResult(value=value, bounds=bounds)

    return call_now(runtime_of(catalog_of(handler, metadata=PAGED)))


@given(found=cursors)
@example(found=False)
@example(found={"a": 1})
@example(found=[])
@example(found={})
@example(found=True)
def test_a_cursor_is_a_text_or_a_number_and_an_empty_one_is_none(found: Any) -> None:
    result = page({"items": [1], "next_after": found})
    if found in EMPTY:
        assert result.error is None
        assert result.bounds == Bounds(returned=1)
        assert not result.blocks
    elif isinstance(found, str | int | float) and not isinstance(found, bool):
        assert result.error is None
        assert result.bounds == Bounds(returned=1, truncated=True, next_cursor=str(found))
        assert result.blocks[-1].data == f"[1 shown; for more call again with after = {json.dumps(str(found))}]"
    else:
        assert result.error is not None
        assert result.error.code == "malformed_result"
        (issue,) = result.error.issues
        assert (issue.pointer, issue.expected) == ("/next_after", "a cursor, which is a text or a number")


@given(found=st.sampled_from(EMPTY), own=st.sampled_from([None, "", "x"]), is_truncated=st.booleans())
def test_an_empty_cursor_of_a_tool_is_no_other_than_none(found: Any, own: str | None, *, is_truncated: bool) -> None:
    given_bounds = Bounds(returned=1, truncated=is_truncated, next_cursor=own, refinement_hint="narrow it")
    result = page({"items": [1], "next_after": found}, given_bounds)
    if own:
        assert result.error is not None
        (issue,) = result.error.issues
        assert issue.expected == "one cursor, in `bounds` and in the result"
    else:
        assert result.error is None
        assert result.bounds == Bounds(returned=1, truncated=is_truncated, refinement_hint="narrow it")
