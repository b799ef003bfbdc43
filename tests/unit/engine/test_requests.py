"""Requests and ends of runs survive JSON, whatever is in them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from toolgen.agents import Message
from toolgen.cli.commands.runs.runs import command as runs
from toolgen.cli.commands.runs.worker import command as worker
from toolgen.contract.records import Ancestor, ToolRequest
from toolgen.engine import RunEnd, RunRequest, Schedule
from toolgen.engine.dbos import DbosEngine, database_url, prepare_database
from toolgen.engine.dbos.database import JsonSerializer
from toolgen.engine.protocol import RunFailed

TEXT = st.text(max_size=8)
NAMES = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=8)
"""Names and ids that databases can have."""

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
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
        ("sqlite://u:secret@h/d", "a file of SQLite has no host"),
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


ODD: list[tuple[str, Any, str]] = [
    ("run_id", 5, "run_id is 5; it must begin with a letter or digit"),
    ("agent", 5, "agent is 5; it must be text"),
    ("agent", None, "agent is None; it must be text"),
    ("planner", ["p"], "planner is ['p']; it must be text"),
    ("mode", 5, "mode is 5; it must be text"),
    ("role", [1], "role is [1]; it must be text"),
    ("user", ["ann"], "user is ['ann']; it must be text or null"),
    ("session_id", {"a": 1}, "session_id is {'a': 1}; it must be text or null"),
    ("agent_id", 5, "agent_id is 5; it must be text or null"),
    ("parent_agent_id", True, "parent_agent_id is True; it must be text or null"),
    ("parent_run_id", 5, "parent_run_id is 5; it must be text or null"),
    ("parent_tool_call_id", 5, "parent_tool_call_id is 5; it must be text or null"),
    ("requested", "abc", "requested is 'abc'; it must be an array of texts, or null"),
    ("requested", [5], "requested is (5,); it must be an array of texts, or null"),
    ("attributes", [1], "attributes is [1]; it must be a JSON object"),
    ("attributes", {"a": float("nan")}, "attributes is {'a': nan}; it must be a JSON object"),
    ("trace_context", 5, "trace_context is 5; it must be an object of texts"),
    ("trace_context", {"a": 5}, "trace_context is {'a': 5}; it must be an object of texts"),
    ("max_turns", 2.5, "max_turns is 2.5; it must be a whole number"),
    ("max_turns", True, "max_turns is True; it must be a whole number"),
    ("max_turns", float("inf"), "max_turns is inf; it must be a whole number"),
    ("max_turns", 10**100, "it must be at least 1, and at most 1000000000"),
    ("timeout", True, "timeout is True; it must be a number or null"),
    ("timeout", float("nan"), "timeout is nan; it must be a number or null"),
    ("timeout", "5", "timeout is '5'; it must be a number or null"),
    ("ancestors", {}, "ancestors is {}; it must be an array"),
    ("ancestors", [5], "ancestors[0] is 5; it must be an object"),
    ("ancestors", [{}], "ancestors[0] has no agent"),
    (
        "ancestors",
        [{"agent": "a", "agent_id": 1, "run_id": "", "tool_call_id": ""}],
        "ancestors[0].agent_id is 1; it must be text",
    ),
    ("messages", {"a": 1}, "messages is {'a': 1}; it must be an array"),
    ("messages", "abc", "messages is 'abc'; it must be an array"),
    ("messages", ["abc"], "messages[0] is 'abc'; it must be an object"),
    ("messages", [{}], "messages[0] has no role"),
    ("messages", [{"role": "user", "text": "x"}], "messages[0] has 'text'; its fields are role, content"),
    ("messages", [{"role": "bad"}], "messages[0].role is 'bad'; it must be one of system, user, assistant, tool"),
    ("messages", [{"role": []}], "messages[0].role is []; it must be one of system, user, assistant, tool"),
    ("messages", [{"role": "user", "content": 5}], "messages[0].content is 5; it must be text"),
    ("messages", [{"role": "user", "is_error": 1}], "messages[0].is_error is 1; it must be true or false"),
    ("messages", [{"role": "user", "response": 5}], "messages[0].response is 5; it must be a JSON object"),
    ("messages", [{"role": "user", "calls": 5}], "messages[0].calls is 5; it must be an array"),
    ("messages", [{"role": "user", "calls": [5]}], "messages[0].calls[0] is 5; it must be an object"),
    ("messages", [{"role": "user", "calls": [{}]}], "messages[0].calls[0] has no name"),
    ("messages", [{"role": "user", "calls": [{"name": 5}]}], "messages[0].calls[0].name is 5; it must be text"),
    (
        "messages",
        [{"role": "user", "calls": [{"name": "a", "payload": 7}]}],
        "messages[0].calls[0].payload is 7; it must be text",
    ),
    ("colour", "red", "the request has 'colour'; its fields are messages, agent"),
]


@pytest.mark.parametrize(("name", "value", "message"), ODD, ids=[f"{name} {value!r:.40}" for name, value, _ in ODD])
def test_a_field_of_another_type_is_refused_by_its_name_at_every_door(
    name: str, value: Any, message: str, tmp_path: Path
) -> None:
    fields: dict[str, Any] = {"messages": [{"role": "user", "content": "hi"}], name: value}
    with pytest.raises(ValueError) as raised:  # noqa: PT011  # the text is compared below
        RunRequest.from_json(fields.get("run_id", "r"), fields)
    assert message in str(raised.value)
    if name != "run_id":  # a schedule gives its runs ids of its own
        with pytest.raises(ValueError) as raised:  # noqa: PT011  # as above
            Schedule.from_json("s", {"every": 1.0, "request": fields})
        assert message in str(raised.value)
    file = tmp_path / "request.json"
    file.write_text(json.dumps(fields))
    done = CliRunner().invoke(runs, ["start", str(file), "--database", str(tmp_path / "none.sqlite")])
    assert done.exit_code == 2
    assert message.partition(";")[0] in " ".join(done.output.split())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("agent", 5),
        ("messages", ("hi",)),
        ("messages", (Message(role="user", content=5),)),  # type: ignore[arg-type]  # wrong on purpose
        ("messages", (Message(role="user", calls=("c",)),)),  # type: ignore[arg-type]  # as above
        ("messages", (Message(role="user", calls=(ToolRequest(name=5),)),)),  # type: ignore[arg-type]  # as above
        ("ancestors", ("a",)),
        ("attributes", {"a": b"x"}),
        ("max_turns", 10**5000),
        ("timeout", 10**5000),
    ],
    ids=lambda value: ascii(value)[:30] if not isinstance(value, int) or value < 10**6 else "huge",
)
def test_a_program_is_told_of_a_field_of_another_type(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=name):
        RunRequest(**{"messages": (), name: value})


def test_a_message_is_added_to_those_of_a_file_only_where_it_has_a_list(tmp_path: Path) -> None:
    file = tmp_path / "request.json"
    file.write_text('{"messages": 5}')
    done = CliRunner().invoke(runs, ["start", str(file), "--message", "hi", "--database", str(tmp_path / "n")])
    assert "messages is 5; it must be an array" in " ".join(done.output.split())


PATHS = [
    "runs?x",
    "runs?mode=memory",
    "a%41.sqlite",
    "a b#c.sqlite",
    "file:x.sqlite",
    "a@b:c",
    "ü+&=.sqlite",
    "./:memory:",
]


@pytest.mark.parametrize("name", PATHS)
def test_a_database_is_the_file_of_its_path_whatever_is_in_that(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for target in (name, tmp_path / name):
        prepare_database(database_url(target))
    assert [file.name for file in tmp_path.iterdir() if not file.name.endswith(("-wal", "-shm"))] == [Path(name).name]
    done = CliRunner().invoke(runs, ["list", "--database", name])
    assert (done.exit_code, done.output) == (0, "no runs\n")


NO_FILES = [
    ("", "runs are kept in a file: write its path"),
    (":memory:", "runs are kept in a file: write its path"),
    ("sqlite://", "runs are kept in a file: write its path"),
    ("sqlite:///:memory:", "runs are kept in a file: write its path"),
    ("sqlite:///u.sqlite?cache=shared", "which has no parameters"),
    ("sqlite:///file:x?mode=memory&uri=true", "which has no parameters"),
    ("a\0b", "the path of the database has a NUL"),
    ("a\udcff", "the path of the database has half of a surrogate pair"),
    ("x" * 5000, "the path of the database has 5000 characters"),
]


@pytest.mark.parametrize(("target", "message"), NO_FILES, ids=[ascii(target[:50]) for target, _ in NO_FILES])
def test_what_is_no_file_is_refused_at_every_door(
    target: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=message):
        database_url(target)
    for command, args in ((runs, ["list"]), (worker, ["tests.unit.engine.app:host"])):
        done = CliRunner().invoke(command, [*args, "--database", target])
        assert done.exit_code == 2
        assert message in " ".join(done.output.split())
    if target.startswith("sqlite:"):
        for door in (prepare_database, DbosEngine):
            with pytest.raises(ValueError, match=message):
                door(target)
    assert [*tmp_path.iterdir()] == []
