"""Results as JSON: nothing of a result is lost but its typed value and its exception."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgen.contract.records import Bounds, ContentBlock, FailureKind, Issue, ToolError, ToolResult
from toolgen.engine.calls import result_as_json, result_from_json

TEXT = st.text(max_size=5)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)
OBJECTS = st.dictionaries(TEXT, JSON, max_size=3)
ISSUES = st.builds(Issue, pointer=TEXT, keyword=TEXT, expected=TEXT, found=TEXT, hint=TEXT)
ERRORS = st.builds(
    ToolError,
    message=TEXT,
    kind=st.sampled_from(FailureKind),
    code=TEXT,
    issues=st.lists(ISSUES, max_size=2).map(tuple),
    hint=TEXT,
    retry_after=st.none() | st.floats(0, 1e6),
    prior_input=TEXT,
    example=TEXT,
)
BOUNDS = st.builds(
    Bounds,
    returned=st.integers(0),
    truncated=st.booleans(),
    total=st.none() | st.integers(0),
    next_cursor=st.none() | TEXT,
    refinement_hint=TEXT,
)


@st.composite
def results(draw: st.DrawFn) -> ToolResult[Any]:
    objects: dict[str, Any] = {name: draw(OBJECTS) for name in ("audit", "telemetry", "server_data", "metadata")}
    result: ToolResult[Any] = ToolResult(
        tool_name=draw(TEXT),
        tool_call_id=draw(TEXT),
        blocks=tuple(draw(st.lists(st.builds(ContentBlock, type=TEXT, data=JSON), max_size=2))),
        message=draw(st.none() | TEXT),
        side_effects=tuple(draw(st.lists(TEXT, max_size=2))),
        bounds=draw(st.none() | BOUNDS),
        **objects,
    )
    if draw(st.booleans()):
        return replace(result, error=draw(ERRORS))
    value = draw(JSON)
    return replace(result, value=value, payload=json.dumps(value).encode())


@given(results())
def test_a_result_is_the_same_after_a_database(result: ToolResult[Any]) -> None:
    stored = json.loads(json.dumps(result_as_json(result)))
    read = result_from_json(stored)
    fields = {name: value for name, value in vars(result).items() if value or name in ("error", "message", "value")}
    assert all(getattr(read, name) == value for name, value in fields.items())
    assert json.loads(json.dumps(result_as_json(read))) == stored


def test_fields_with_their_default_and_what_is_bound_to_the_process_are_left_out() -> None:
    error = ToolError(message="no", code="c").caused_by(ValueError("x"))
    assert result_as_json(ToolResult(tool_name="a.b", tool_call_id="c1")) == {"tool_name": "a.b", "tool_call_id": "c1"}
    assert "_cause" not in json.dumps(result_as_json(ToolResult(error=error)))


@pytest.mark.parametrize("fields", [{"payload": "{"}, {"error": {}}, {"bounds": {}}, {"unknown": 1}])
def test_anything_else_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises((KeyError, TypeError, ValueError)):
        result_from_json(fields)
