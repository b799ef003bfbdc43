from __future__ import annotations

import asyncio
import json
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import ElicitResult

from tests.unit.serve.conftest import TOKENS, Listening, Mode, Project
from tests.unit.serve.test_tools import text_of
from toolgen.contract.records import ToolCallMeta
from toolgen.runtime.calls.result import PROPOSED
from toolgen.runtime.policy.permission import Decision, PermissionRequest
from toolgen.serve import ask_client

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.xdist_group("serve")

MODES = pytest.mark.parametrize("mode", ["auto", "legacy"])


class Person:
    """Answers forms, each by the next of its answers."""

    def __init__(self, *answers: ElicitResult) -> None:
        self.answers = list(answers)
        self.asked: list[Any] = []

    async def __call__(self, context: Any, params: Any) -> ElicitResult:
        self.asked.append(params)
        return self.answers.pop(0)


def accepted(decision: str) -> ElicitResult:
    return ElicitResult(action="accept", content={"decision": decision})


@pytest.fixture(params=["stdio", "http"])
def added(request: pytest.FixtureRequest, project: Project) -> Callable[..., list[Any]]:
    """Adds notes to a book, and returns the results."""

    def add(mode: Mode, book: str, person: Person | None, times: int = 1) -> list[Any]:
        if request.param == "stdio":
            connected = project.by_stdio(mode=mode, elicitation_callback=person)
        else:
            listening: Listening = request.getfixturevalue("listening")
            token = str(TOKENS["ana"])
            connected = project.by_http(listening.url, token, mode=mode, elicitation_callback=person)

        async def use() -> list[Any]:
            async with connected as client:
                args = {"book": f"{book}-{mode}", "text": "x"}
                return [await client.call_tool("team__notes__add", args) for _ in range(times)]

        return asyncio.run(use())

    return add


@MODES
def test_a_person_is_asked_and_allows_one_call(added: Any, mode: Mode) -> None:
    person = Person(accepted("allow_once"), accepted("allow_once"))
    results = added(mode, "once", person, times=2)
    assert [result.structured_content["count"] for result in results] == [1, 2]
    assert results[0].structured_content["books"] == {f"once-{mode}": 1, "none": None}
    asked = person.asked[0]
    assert "team.notes.add asks to run\npermission | write" in asked.message
    assert f'arguments | {{"book": "once-{mode}", "text": "x"}}' in asked.message
    choices = asked.requested_schema["properties"]["decision"]["oneOf"]
    assert [choice["const"] for choice in choices] == ["allow_once", "allow_for_session", "deny"]
    assert len(person.asked) == 2


@MODES
def test_a_grant_for_the_session_covers_the_same_scope(added: Any, mode: Mode) -> None:
    person = Person(accepted("allow_for_session"))
    assert [result.is_error for result in added(mode, "session", person, times=2)] == [False, False]
    assert len(person.asked) == 1


NO_PERMISSION = (
    ElicitResult(action="decline"),
    ElicitResult(action="cancel"),
    accepted("deny"),
    accepted("yes"),
    ElicitResult(action="accept", content={}),
)


@MODES
def test_any_other_answer_denies(added: Any, mode: Mode) -> None:
    person = Person(*NO_PERMISSION)
    results = added(mode, "denied", person, times=len(NO_PERMISSION))
    assert [result.is_error for result in results] == [True] * len(NO_PERMISSION)
    assert all("permission was denied" in text_of(result) for result in results)
    assert len(person.asked) == len(NO_PERMISSION)


ODD_ANSWERS: list[Any] = [
    {"action": "maybe"},
    {},
    {"action": "accept", "content": {"decision": {"a": 1}}},
    {"action": "accept", "content": 5},
]


def test_an_answer_that_is_none_of_mcp_denies_and_the_call_says_so(project: Project) -> None:
    capabilities: dict[str, Any] = {"elicitation": {}}
    client = {
        "protocolVersion": "2025-11-25",
        "capabilities": capabilities,
        "clientInfo": {"name": "c", "version": "1"},
    }
    call = {"name": "team__notes__add", "arguments": {"book": "odd", "text": "x"}}
    with subprocess.Popen(
        project.command(),
        env=project.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:

        def send(**message: Any) -> None:
            assert process.stdin is not None
            process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
            process.stdin.flush()

        def received(**fields: Any) -> Any:
            assert process.stdout is not None
            while not (message := json.loads(process.stdout.readline())).items() >= fields.items():
                pass
            return message

        send(id="start", method="initialize", params=client)
        received(id="start")
        send(method="notifications/initialized")
        for number, answer in enumerate(ODD_ANSWERS):
            send(id=number, method="tools/call", params=call)
            send(id=received(method="elicitation/create")["id"], result=answer)
            result = received(id=number)["result"]
            assert result["isError"]
            said = "permission was denied: the client answered the question in another way than MCP says"
            assert said in result["content"][0]["text"]
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(30) == 0


PROPOSAL = {"book": "work", "text": "y"}


def denied_with(proposal: str, decision: str = "deny") -> ElicitResult:
    return ElicitResult(
        action="accept", content={"decision": decision, "reason": "not this book", "proposal": proposal}
    )


@MODES
def test_a_person_denies_with_a_proposal_and_is_asked_again_until_it_fits(added: Any, mode: Mode) -> None:
    person = Person(
        denied_with('{"book": 1, "text": "y"}'),
        denied_with("{"),
        denied_with(json.dumps(PROPOSAL), "allow_once"),
        denied_with(json.dumps(PROPOSAL)),
    )
    (result,) = added(mode, "proposed", person)
    assert result.is_error
    assert "permission was denied: not this book\n" in text_of(result)
    assert json.loads(text_of(result).splitlines()[-1].removeprefix(PROPOSED)) == PROPOSAL
    first, *problems = (each.message.partition("\n")[0] for each in person.asked)
    assert first == "team.notes.add asks to run"
    for problem, expected in zip(problems, ("/book: ", "it is not JSON: ", "goes with a denial only"), strict=True):
        assert problem.startswith("Nothing was answered: ")
        assert expected in problem


@MODES
def test_a_program_that_answers_wrongly_for_ever_is_a_denial(added: Any, mode: Mode) -> None:
    person = Person(*[denied_with("{")] * 10)
    (result,) = added(mode, "wrong", person)
    assert "permission was denied: the person did not allow it" in text_of(result)
    assert (len(person.asked), person.answers) == (10, [])


@MODES
def test_a_client_that_cannot_ask_is_refused(added: Any, mode: Mode) -> None:
    (result,) = added(mode, "nobody", None)
    assert result.is_error
    assert "the client cannot ask a person: it does not support elicitation" in text_of(result)


def test_allowed_without_asking_where_the_host_says_so(project: Project) -> None:
    async def use() -> Any:
        async with project.by_stdio("--yes") as client:
            return await client.call_tool("team__notes__add", {"book": "b", "text": "x"})

    assert asyncio.run(use()).structured_content["count"] == 1


def test_a_call_that_came_through_no_server_is_denied() -> None:
    request = PermissionRequest(
        tool_name="a.b", permission="write", tags=frozenset(), arguments=b"{}", meta=ToolCallMeta()
    )
    assert asyncio.run(ask_client(request)).decision is Decision.DENY


def test_an_answer_to_no_open_question_is_refused(project: Project) -> None:
    """With a form that was not asked for, again, and with the state of another call."""
    accept: Any = {"permission": accepted("allow_once")}
    args = {"book": "bound", "text": "x"}

    async def use() -> None:
        async with project.by_stdio(mode="auto", elicitation_callback=Person()) as client:

            async def call(state: str | None = None, answer: Any = None) -> Any:
                given: Any = {"allow_input_required": True, "request_state": state, "input_responses": answer}
                return await client.session.call_tool("team__notes__add", args, **given)

            first, second = (await call()).request_state, (await call()).request_state
            with pytest.raises(MCPError, match="other is no open question"):
                await call(first, {"other": accept["permission"]})
            assert (await call(first, accept)).structured_content["count"] == 1
            for state in (first, "call_0:1"):
                with pytest.raises(MCPError):
                    await call(state, accept)
            denied = await call(second, {"permission": accepted("deny")})
            assert "permission was denied" in text_of(denied)

    asyncio.run(use())
