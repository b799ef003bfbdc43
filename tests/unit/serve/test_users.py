from __future__ import annotations

import asyncio
import sqlite3
import subprocess
from contextlib import closing
from typing import TYPE_CHECKING, Any

import httpx2
import pytest

from tests.unit.cli.command_line import toolgen
from tests.unit.serve.conftest import TOKENS, Listening, Project
from tests.unit.serve.test_permission import Person, accepted
from tests.unit.serve.test_tools import text_of
from toolgen.record.sqlite import SqliteReader

if TYPE_CHECKING:
    from toolgen.runtime.events.records import RunRecord

pytestmark = pytest.mark.xdist_group("serve")

ANA = str(TOKENS["ana"])
BO, BO_TOO = TOKENS["bo"]

HEADERS = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_user_of_the_token_is_the_user_of_the_call(project: Project, listening: Listening, mode: Any) -> None:
    async def user(token: str) -> Any:
        async with project.by_http(listening.url, token, mode=mode) as client:
            return (await client.call_tool("team__jobs__who")).structured_content

    users = [asyncio.run(user(token)) for token in (ANA, BO, BO_TOO)]
    assert users == [{"user": "ana"}, {"user": "bo"}, {"user": "bo"}]


def test_limits_and_grants_are_those_of_the_user(project: Project) -> None:
    listening = project.start("--tokens", "tokens.json", "--store", "limits.db")

    async def twice(token: str) -> Any:
        async with project.by_http(listening.url, token) as client:
            return await client.call_tool("team__jobs__twice")

    async def add(token: str, person: Person) -> Any:
        async with project.by_http(listening.url, token, elicitation_callback=person) as client:
            return await client.call_tool("team__notes__add", {"book": "shared", "text": "x"})

    async def use() -> None:
        first = [await twice(token) for token in (ANA, BO, BO_TOO, BO)]
        assert [result.is_error for result in first] == [False, False, False, True]
        assert "rate limit exceeded" in text_of(first[-1]) or "limit" in text_of(first[-1])
        person = Person(accepted("allow_for_session"))
        assert not (await add(ANA, person)).is_error
        assert not (await add(ANA, Person())).is_error
        other = Person(accepted("deny"))
        assert (await add(BO, other)).is_error
        assert len(other.asked) == 1

    asyncio.run(use())
    assert listening.stop()[0] == 0


def test_with_a_store_limits_go_on_where_the_next_client_starts_a_server(project: Project) -> None:
    async def twice() -> bool:
        async with project.by_stdio("--user", "ana", "--store", "kept.db") as client:
            return bool((await client.call_tool("team__jobs__twice")).is_error)

    assert [asyncio.run(twice()) for _ in range(3)] == [False, False, True]


@pytest.mark.parametrize(
    ("options", "warned"),
    [
        ((), "no call of team.jobs.twice will run: there are limits per user, and there is no user"),
        (("--user", "ana"), "calls of team.jobs.twice are counted in memory: the limits per user begin anew"),
        (("--user", "ana", "--store", "warned.db"), ""),
        (("--agent", "clerk", "--user", "ana"), ""),
    ],
)
def test_the_start_says_where_limits_do_not_last(project: Project, options: tuple[str, ...], warned: str) -> None:
    done = subprocess.run(
        project.command(*options),
        env=project.environment,
        input="",
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert ("limits" in done.stderr) == bool(warned)
    assert warned in done.stderr


def test_counters_that_cannot_be_opened_are_said_before_anything_is_served(project: Project) -> None:
    (project.folder / "refused.db.limits").mkdir()
    done = toolgen(project.folder, "serve", "--user", "ana", "--store", "refused.db")
    assert done.code == 2
    assert "refused.db.limits: the file of counters cannot be opened: it is a folder" in done.err
    runs = recorded(project, "limits.db")
    of_users = {str(run.events[0].data.get("user")): run for run in runs}
    assert {user: len(run.results) for user, run in of_users.items() if user != "None"} == {"ana": 3, "bo": 4}
    assert all(run.events[-1].kind == "run_ended" for run in runs)


def recorded(project: Project, store: str) -> list[RunRecord]:
    with closing(sqlite3.connect(project.folder / store)) as connection, connection:
        names = [name for (name,) in connection.execute("select distinct run_id from runs")]
    reader = SqliteReader(project.folder / store)
    return [reader.read(name) for name in names]


def test_a_session_belongs_to_the_user_who_opened_it(listening: Listening) -> None:
    opening = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}

    async def use() -> None:
        async with httpx2.AsyncClient(headers=HEADERS) as http:

            async def post(token: str, method: str, params: Any, session: str = "") -> httpx2.Response:
                headers = {"Authorization": f"Bearer {token}", **({"Mcp-Session-Id": session} if session else {})}
                body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
                return await http.post(listening.url, json=body, headers=headers)

            opened = await post(ANA, "initialize", opening)
            session = opened.headers["mcp-session-id"]
            assert (await post(ANA, "ping", {}, session)).status_code == 200
            assert (await post(BO, "ping", {}, session)).status_code == 404

    asyncio.run(use())
