"""Bounds: questions that nobody answers hold up no other call, and calls that do not end are refused, by every door."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import ElicitResult

from tests.unit.engine import app as engine_app
from tests.unit.engine.engines import LateEngine
from tests.unit.serve.test_app import call, client_of, make_server, user_of
from tests.unit.serve.test_permission import accepted
from tests.unit.serve.test_tools import text_of
from toolgen.engine import LocalEngine
from toolgen.serve import HttpSettings, bounds, mcp_server, server

if TYPE_CHECKING:
    from pathlib import Path

    import httpx2

    from tests.unit.serve.conftest import Project
    from toolgen.serve.server import ToolServer

pytestmark = pytest.mark.xdist_group("serve")

REFUSED = r"of your calls have not ended, of \d+ in all: answer those that wait for a person, or cancel them, or wait"


async def until(answers: list[Any], number: int) -> None:
    async with asyncio.timeout(60):
        while len(answers) < number:
            await asyncio.sleep(0.01)


class Silent:
    """A person who reads, and answers when told so."""

    def __init__(self) -> None:
        self.asked: list[Any] = []
        self.answers = asyncio.Event()

    async def __call__(self, context: Any, params: Any) -> ElicitResult:
        self.asked.append(params)
        await self.answers.wait()
        return accepted("allow_once") if "asks to run" in params.message else ElicitResult(action="decline")


@pytest.mark.parametrize(
    ("tool", "questions"),
    [
        pytest.param("host__ask", 3, id="handlers ask"),
        pytest.param("host__write", 1, id="one call asks for permission, and others wait for the same grant"),
    ],
)
def test_calls_that_wait_for_a_person_take_no_place(monkeypatch: pytest.MonkeyPatch, tool: str, questions: int) -> None:
    monkeypatch.setattr(server, "CALLS", 2)  # of which one user has one

    async def use() -> None:
        _, app = make_server()
        person = Silent()
        async with Client(app.protocol, mode="legacy", elicitation_callback=person) as client:
            waiting = [asyncio.create_task(client.call_tool(tool, {"book": "a"})) for _ in range(3)]
            await until(person.asked, 1)
            async with asyncio.timeout(10):
                assert text_of(await client.call_tool("host__name")) == "nobody"
            await until(person.asked, questions)
            person.answers.set()
            async with asyncio.timeout(10):
                assert not any(each.is_error for each in await asyncio.gather(*waiting))
        await app.close()

    asyncio.run(use())


def server_in_the_process(_folder: Path) -> tuple[ToolServer, str, dict[str, str]]:
    return make_server(http=HttpSettings(authenticate=user_of))[1], "host__write", {"book": "a"}


def server_with_an_engine(folder: Path) -> tuple[ToolServer, str, dict[str, str]]:
    late: Any = LateEngine()
    host = engine_app.host(late, folder)
    late.engine = LocalEngine(host)
    run = host.runtime.start_run("main")
    app = mcp_server(host.runtime, run, http=HttpSettings(authenticate=user_of), engine=late)
    return app, "code__write_file", {"path": "a", "content": "x"}


@pytest.mark.parametrize("made", [server_in_the_process, server_with_an_engine])
def test_a_user_has_so_many_calls_that_have_not_ended_and_others_have_their_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, made: Any
) -> None:
    monkeypatch.setattr(bounds, "UNFINISHED", 6)

    async def use() -> None:
        app, tool, arguments = made(tmp_path)
        form = {"action": "accept", "content": {"decision": "allow_once"}}

        async def asked(client: httpx2.AsyncClient, **params: Any) -> dict[str, Any]:
            answer = (await call(client, tool, arguments=arguments, **params)).json()
            found: dict[str, Any] = answer["result"] if "result" in answer else answer["error"]
            return found

        async with client_of(app, "user-ana") as ana, client_of(app, "user-bo") as bo, asyncio.timeout(60):
            for _ in range(2):
                open_ = [await asked(ana) for _ in range(3)]
                assert [each["resultType"] for each in open_] == ["input_required"] * 3
                refused = (await asked(ana))["message"]
                assert "3 of your calls have not ended, of 3 in all: answer those that wait for a person" in refused
                other = await asked(bo)
                assert other["resultType"] == "input_required"
                for each in (*open_, other):  # answered, they make room
                    answer = {"inputResponses": {"permission": form}, "requestState": each["requestState"]}
                    assert (await asked(bo if each is other else ana, **answer))["resultType"] == "complete"
        await app.close()

    asyncio.run(use())


def test_a_repeated_call_is_none_more(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(bounds, "UNFINISHED", 2)

    async def use() -> None:
        app, tool, arguments = server_with_an_engine(tmp_path)

        async def called(client: Client, key: str) -> Any:
            meta: Any = {"toolgen/idempotency-key": key}
            return await client.call_tool(tool, arguments, meta=meta)

        async with Client(app.protocol) as client, asyncio.timeout(60):  # which cannot ask
            for _ in range(2):
                assert "it needs permission" in text_of(await called(client, "one"))
            with pytest.raises(MCPError, match=REFUSED):
                await called(client, "two")
        await app.close()

    asyncio.run(use())


def test_many_started_at_once_are_bounded_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(bounds, "UNFINISHED", 10)

    async def use() -> None:
        app, tool, arguments = server_with_an_engine(tmp_path)
        async with Client(app.protocol) as client, asyncio.timeout(60):
            calls = (client.call_tool(tool, arguments) for _ in range(20))
            answers = await asyncio.gather(*calls, return_exceptions=True)
        refused = [each for each in answers if isinstance(each, MCPError)]
        assert len(refused) == 15
        await app.close()

    asyncio.run(use())


@pytest.mark.long
def test_a_client_by_stdio_that_answers_nothing_is_served_and_refused_beyond_the_bound(project: Project) -> None:
    alone = bounds.UNFINISHED // 2

    async def use() -> None:
        person = Silent()
        async with project.by_stdio(mode="legacy", elicitation_callback=person) as client:
            waiting = [
                asyncio.create_task(client.call_tool("team__notes__add", {"book": f"many-{number}", "text": "x"}))
                for number in range(alone - 1)
            ]
            await until(person.asked, alone - 1)
            async with asyncio.timeout(30):
                assert not (await client.call_tool("team__jobs__who")).is_error
                last = asyncio.create_task(client.call_tool("team__notes__add", {"book": "last", "text": "x"}))
                await until(person.asked, alone)
                with pytest.raises(MCPError, match=REFUSED):
                    await client.call_tool("team__jobs__who")
            person.answers.set()
            async with asyncio.timeout(60):
                assert not any(each.is_error for each in await asyncio.gather(*waiting, last))
                assert not (await client.call_tool("team__jobs__who")).is_error

    asyncio.run(use())
