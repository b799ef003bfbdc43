"""Requests and ends of runs survive JSON, whatever is in them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgen.agents import Message
from toolgen.contract.records import Ancestor, ToolRequest
from toolgen.engine import RunEnd, RunRequest
from toolgen.engine.dbos.database import JsonSerializer, database_url
from toolgen.engine.protocol import RunFailed

TEXT = st.text(max_size=8)
NAMES = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=8)
"""Names and ids that databases can have."""

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
OBJECTS = st.dictionaries(TEXT, JSON, max_size=2)
CALLS = st.builds(ToolRequest, name=TEXT, payload=TEXT, tool_call_id=TEXT)
MESSAGES = st.lists(
    st.builds(
        Message,
        role=st.sampled_from(["system", "user", "assistant", "tool"]),
        content=TEXT,
        calls=st.lists(CALLS, max_size=2).map(tuple),
        name=TEXT,
        tool_call_id=TEXT,
        is_error=st.booleans(),
        response=st.none() | st.dictionaries(TEXT, JSON, min_size=1, max_size=2),
    ),
    max_size=3,
).map(tuple)
ANCESTORS = st.lists(st.builds(Ancestor, agent=TEXT, agent_id=TEXT, run_id=TEXT, tool_call_id=TEXT), max_size=2)
REQUESTS = st.builds(
    RunRequest,
    agent=NAMES,
    messages=MESSAGES,
    run_id=st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,20}", fullmatch=True),
    planner=NAMES.filter(bool),
    user=st.none() | NAMES,
    session_id=st.none() | NAMES,
    mode=NAMES,
    role=NAMES,
    agent_id=st.none() | NAMES,
    parent_agent_id=st.none() | NAMES,
    parent_run_id=st.none() | NAMES,
    parent_tool_call_id=st.none() | NAMES,
    ancestors=ANCESTORS.map(tuple),
    requested=st.none() | st.lists(TEXT, max_size=2).map(tuple),
    attributes=OBJECTS,
    max_turns=st.integers(1, 100),
    timeout=st.none() | st.floats(0.1, 1e6),
)
ENDS = st.builds(
    RunEnd,
    stopped=st.sampled_from(["completed", "max_turns", "aborted", "tool_changed", "failed"]),
    messages=MESSAGES,
    turns=st.integers(0, 50),
    value=JSON,
    reason=TEXT,
    telemetry=OBJECTS,
)


def through_json(value: Any) -> Any:
    """Return a value as a database gives it back, which has text in ASCII only."""
    serializer = JsonSerializer()
    text = serializer.serialize(value)
    assert text.isascii()
    return serializer.deserialize(text)


@given(request=REQUESTS)
def test_a_request_survives_json(request: RunRequest) -> None:
    assert RunRequest.from_json(request.run_id, through_json(request.as_json())) == request


@given(end=ENDS)
def test_an_end_survives_json(end: RunEnd) -> None:
    assert RunEnd.from_json(through_json(end.as_json())) == end


def test_an_exception_is_read_as_one_that_can_be_raised() -> None:
    with pytest.raises(RunFailed, match=r"^KeyError: 'x'$"):
        raise through_json(KeyError("x"))


def test_text_that_no_encoding_has_survives() -> None:
    assert through_json("\ud800\x00") == "\ud800\x00"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"max_turns": 0}, "max_turns is 0; it must be at least 1"),
        ({"timeout": 0}, "timeout is 0; it must be more than 0 seconds"),
        ({"timeout": -1.5}, "timeout is -1.5; it must be more than 0 seconds"),
    ],
)
def test_a_request_has_sensible_bounds(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        RunRequest(agent="a", messages=(), **settings)


def test_ids_of_runs_cannot_be_guessed() -> None:
    ids = {RunRequest(agent="a", messages=()).run_id for _ in range(100)}
    assert len(ids) == 100
    assert all(len(each) == len("run_") + 32 for each in ids)


@pytest.mark.parametrize(
    ("target", "url"),
    [
        ("runs.sqlite", "sqlite:///runs.sqlite"),
        ("/var/runs.sqlite", "sqlite:////var/runs.sqlite"),
        ("postgresql://u:p@h/d", "postgresql+psycopg://u:p@h/d"),
        ("postgresql+psycopg://h/d?sslmode=require", "postgresql+psycopg://h/d?sslmode=require"),
    ],
)
def test_a_database_is_a_path_or_a_url(target: str, url: str) -> None:
    assert database_url(target) == url


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("mysql://u:secret@h/d", "runs are kept in Postgres or SQLite, not in mysql"),
        (
            "postgresql://u:secret@h:port/d",
            "the database is no valid URL; write postgresql://user@host/name, or a path",
        ),
    ],
)
def test_other_databases_are_refused_without_their_password(target: str, message: str) -> None:
    with pytest.raises(ValueError, match=message) as raised:
        database_url(target)
    assert "secret" not in str(raised.value)


def test_the_json_of_a_request_is_small() -> None:
    request = RunRequest(agent="a", messages=(Message(role="user", content="go"),), run_id="r")
    assert len(json.dumps(request.as_json())) < 200
