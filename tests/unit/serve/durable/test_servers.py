"""`toolgen serve --database`: any server answers any request, and the workers make the calls."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import ElicitResult, InputRequiredResult

from tests.unit.cli.command_line import toolgen
from tests.unit.runtime.endings import IN_OWN_LOOPS
from tests.unit.serve.test_permission import Person, accepted, denied_with
from tests.unit.serve.test_tools import exists, text_of
from toolgen.execute.mcp.executor import IDEMPOTENCY_KEY
from toolgen.runtime.calls.result import PROPOSED

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.serve.conftest import Listening, Project
    from tests.unit.serve.durable.conftest import Durable

pytestmark = pytest.mark.xdist_group("serve")


def key(text: str) -> dict[str, Any]:
    return {IDEMPOTENCY_KEY: text}


def test_any_of_two_servers_answers_and_a_killed_one_is_not_missed(durable: Durable, unique: str) -> None:
    """Calls of two users; a server that dies during a call; the same request at the other one."""
    first, second = durable.serve(), durable.servers[1]
    name = f"killed-{unique}"
    args = {"name": name, "seconds": 3}

    async def body() -> None:
        for server, user in ((first, "ana"), (second, "bo")):
            async with durable.client(server, user) as client:
                who = await client.call_tool("team__jobs__who", {})
                assert who.structured_content == {"user": user}
                wrong = await client.call_tool("team__jobs__wait", {"name": 1})
                assert wrong.is_error
                assert "seconds" in text_of(wrong)
        async with durable.client(second) as other:
            asked = asyncio.create_task(called(durable, first, args, name))
            await exists(durable.project.folder / f"{name}.started")
            first.process.kill()
            again = await other.call_tool("team__jobs__wait", args, meta=key(name))
            assert again.structured_content == {"waited": 3}
            with pytest.raises(BaseException):  # noqa: B017, PT011  # whatever a lost connection is to the client
                await asked
        assert not (durable.project.folder / f"{name}.cancelled").exists()

    asyncio.run(body())


async def called(durable: Durable, server: Listening, args: dict[str, Any], key_: str) -> Any:
    async with durable.client(server) as client:
        return await client.call_tool("team__jobs__wait", args, meta=key(key_))


def test_progress_of_a_call_that_a_worker_makes_reaches_its_client_and_only_rises(
    durable: Durable, unique: str
) -> None:
    """Of the reports of a second the latest is sent: the last one of the handler has a text and no number."""
    seen: list[tuple[float, float | None, str | None]] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        seen.append((progress, total, message))

    async def body(options: dict[str, Any]) -> None:
        seen.clear()
        async with durable.client(durable.servers[0], **options) as client:
            args = {"name": f"progress-{unique}-{len(options)}", "seconds": 4}
            assert not (await client.call_tool("team__jobs__wait", args, progress_callback=note)).is_error
        numbers = [progress for progress, _, _ in seen]
        assert numbers == sorted(set(numbers))
        assert seen[-1][1:] == (None, '{"rows":7}')

    for options in ({}, {"mode": "legacy"}):
        asyncio.run(body(options))


def test_a_question_of_one_server_is_answered_through_the_other(durable: Durable, unique: str) -> None:
    args = {"book": f"asked-{unique}", "text": "x"}
    accept: Any = {"permission": accepted("allow_once")}
    first = durable.serve()

    async def body() -> None:
        person = Person()
        async with durable.client(first, elicitation_callback=person) as client:
            asked = await client.session.call_tool(
                "team__notes__add", args, allow_input_required=True, meta=key(args["book"])
            )
            assert isinstance(asked, InputRequiredResult)
            assert asked.input_requests is not None
            form: Any = asked.input_requests["permission"].params
            assert "team.notes.add asks to run\npermission | write" in form.message
            assert f'"book": "{args["book"]}"' in form.message
            choices = form.requested_schema["properties"]["decision"]["oneOf"]
            assert [choice["const"] for choice in choices] == ["allow_once", "deny"]
        first.process.kill()
        async with durable.client(durable.servers[1], "bo", elicitation_callback=person) as stranger:
            with pytest.raises(MCPError, match="there is no such call"):
                await stranger.session.call_tool(
                    "team__notes__add", args, input_responses=accept, request_state=asked.request_state
                )
        async with durable.client(durable.servers[1], elicitation_callback=person) as client:
            state = asked.request_state or ""
            for tool, given, sent in (  # an answer is for the call that was asked about
                ("team__jobs__who", {}, state),
                ("team__notes__add", {**args, "text": "y"}, state),
                ("team__notes__add", args, state.rpartition(" ")[0]),
                ("team__notes__add", args, f"{state}x"),
            ):
                with pytest.raises(MCPError, match="there is no such call"):
                    await client.session.call_tool(tool, given, input_responses=accept, request_state=sent)
            again = await client.session.call_tool(  # without an answer: the question is still open
                "team__notes__add", args, allow_input_required=True, request_state=asked.request_state
            )
            assert isinstance(again, InputRequiredResult)
            assert again.request_state == asked.request_state
            answers = [
                await client.session.call_tool(
                    "team__notes__add", args, input_responses=accept, request_state=asked.request_state
                )
                for _ in range(2)
            ]
            assert [answer.structured_content["count"] for answer in answers] == [1, 1]
            repeated = await client.call_tool("team__notes__add", args, meta=key(args["book"]))
            assert repeated.structured_content == answers[0].structured_content
            person.answers = [ElicitResult(action="decline"), accepted("allow_once")]
            denied = await client.call_tool("team__notes__add", args)
            assert "permission was denied" in text_of(denied)
            allowed = await client.call_tool("team__notes__add", args)
            assert allowed.structured_content["count"] == 2

    asyncio.run(body())


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_person_denies_with_a_proposal_and_is_asked_again_until_it_fits(
    durable: Durable, mode: Any, unique: str
) -> None:
    args = {"book": f"proposed-{unique}-{mode}", "text": "x"}
    wrong, fits = json.dumps({"book": 1, "text": "y"}), {"book": "work", "text": "y"}

    def connected(person: Person) -> Any:
        if mode == "auto":
            return durable.client(durable.servers[0], elicitation_callback=person)
        # A client of an earlier revision cannot be asked over HTTP, because there are no sessions.
        return durable.project.by_stdio("--database", durable.database, mode="legacy", elicitation_callback=person)

    async def body() -> None:
        person = Person(
            *map(denied_with, (wrong, "{", "null")),
            denied_with(json.dumps(fits), "allow_once"),
            denied_with(json.dumps(fits)),
        )
        async with connected(person) as client:
            told = text_of(await client.call_tool("team__notes__add", args))
        assert "permission was denied: not this book\n" in told
        assert json.loads(told.splitlines()[-1].removeprefix(PROPOSED)) == fits
        first, *problems = (each.message.partition("\n")[0] for each in person.asked)
        assert first == "team.notes.add asks to run"
        expected = ("/book: ", "it is not JSON: ", "propose a JSON object", "goes with a denial only")
        for problem, part in zip(problems, expected, strict=True):
            assert problem.startswith("Nothing was answered: ")
            assert part in problem

    asyncio.run(body())


def test_whoever_has_another_door_denies_with_a_proposal_meanwhile(durable: Durable, unique: str) -> None:
    args, fits = {"book": f"other-door-{unique}", "text": "x"}, json.dumps({"book": "work", "text": "y"})

    async def body() -> None:
        async with durable.client(durable.servers[0], elicitation_callback=Person()) as client:
            given: Any = {"allow_input_required": True, "meta": key(args["book"])}
            asked = await client.session.call_tool("team__notes__add", args, **given)
            run_id = asked.request_state.partition(" ")[0]
            refused = await asyncio.to_thread(durable.runs, "deny", run_id, "--propose", '{"book": 1, "text": "y"}')
            assert (refused.returncode, "the proposal cannot be given: /book: " in refused.stderr) == (2, True)
            done = await asyncio.to_thread(durable.runs, "deny", run_id, "--reason", "no", "--propose", fits)
            assert done.returncode == 0, done.stderr
            told = text_of(await client.call_tool("team__notes__add", args, meta=key(args["book"])))
        assert json.loads(told.splitlines()[-1].removeprefix(PROPOSED)) == json.loads(fits)

    asyncio.run(body())


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_call_of_a_client_that_cannot_ask_waits_for_an_approval(durable: Durable, mode: Any, unique: str) -> None:
    args = {"book": f"waits-{unique}", "text": "x"}

    async def call(server: int) -> Any:
        # A client of an earlier revision cannot be asked over HTTP, because there are no sessions.
        person = Person() if mode == "legacy" else None
        async with durable.client(durable.servers[server], mode=mode, elicitation_callback=person) as client:
            return await client.call_tool("team__notes__add", args, meta=key(args["book"]))

    waits = asyncio.run(call(0))
    assert waits.is_error
    (run_id,) = {word.strip("`") for word in text_of(waits).split() if word.startswith("call_")}
    assert f"toolgen runs approve {run_id}" in text_of(waits)
    approved = durable.runs("approve", run_id)
    assert approved.returncode == 0, approved.stderr

    async def after() -> Any:
        async with asyncio.timeout(30):
            while (again := await call(1)).is_error:
                await asyncio.sleep(0.2)
            return again

    assert asyncio.run(after()).structured_content["count"] == 1
    if mode == "auto":
        assert "completed after 1 turns" in durable.runs("show", run_id).stdout


def test_a_server_that_is_stopped_leaves_its_calls_to_others(durable: Durable, unique: str) -> None:
    first, second = durable.servers[:2]
    stopped = durable.serve("--grace", "0")
    folder = durable.project.folder
    left, gone = f"left-{unique}", f"gone-{unique}"

    async def body() -> None:
        async with durable.client(second) as other:
            asked = asyncio.create_task(call_of(stopped, left))
            await exists(folder / f"{left}.started")
            stopped.process.terminate()
            with pytest.raises(ExceptionGroup) as failed:  # of the client's tasks
                await asked
            assert failed.value.subgroup(MCPError) is not None
            again = await other.call_tool("team__jobs__wait", {"name": left, "seconds": 3}, meta=key(left))
            assert again.structured_content == {"waited": 3}
        cut = asyncio.create_task(call_of(first, gone, with_key=False))
        await exists(folder / f"{gone}.started")
        cut.cancel()  # nobody could have its result
        await exists(folder / f"{gone}.cancelled")

    async def call_of(server: Any, name: str, *, with_key: bool = True) -> Any:
        async with durable.client(server) as client:
            meta: Any = key(name) if with_key else None
            seconds = 3 if with_key else 30
            return await client.call_tool("team__jobs__wait", {"name": name, "seconds": seconds}, meta=meta)

    asyncio.run(body())
    assert not (folder / f"{left}.cancelled").exists()
    assert stopped.process.wait(20) == 0


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_client_by_stdio_is_asked_in_either_revision(durable: Durable, mode: Any, unique: str) -> None:
    person = Person(accepted("allow_once"), accepted("deny"))
    args = {"book": f"stdio-{unique}", "text": "x"}
    options = ("--database", durable.database, "--user", "ana")

    async def body() -> None:
        async with durable.project.by_stdio(*options, mode=mode, elicitation_callback=person) as client:
            allowed = await client.call_tool("team__notes__add", args)
            assert allowed.structured_content["count"] == 1
            denied = await client.call_tool("team__notes__add", args)
            assert "permission was denied" in text_of(denied)
            assert (await client.call_tool("team__jobs__who", {})).structured_content == {"user": "ana"}

    asyncio.run(body())
    assert len(person.asked) == 2


def test_a_client_answers_only_where_its_user_may_and_the_second_person_answers_elsewhere(
    durable: Durable, tmp_path: Path, unique: str
) -> None:
    """A person at a client is the user of its token, without roles: two people, or a role, are needed here."""
    other = type(durable)(durable.project, str(tmp_path / "runs.sqlite"), tmp_path)
    args = {"book": f"two-{unique}", "text": "x"}

    async def asked(tool: str, given: Any, name: str) -> InputRequiredResult:
        async with other.client(other.servers[0], elicitation_callback=Person()) as client:
            found = await client.session.call_tool(tool, given, allow_input_required=True, meta=key(f"{name}{unique}"))
        assert isinstance(found, InputRequiredResult)
        return found

    async def answered(tool: str, given: Any, state: InputRequiredResult) -> Any:
        responses: Any = {"permission": accepted("allow_once")}
        async with other.client(other.servers[0], elicitation_callback=Person()) as client:
            return await client.session.call_tool(
                tool, given, input_responses=responses, request_state=state.request_state
            )

    async def refused(tool: str, given: Any, state: InputRequiredResult, decision: str, why: str) -> None:
        responses: Any = {"permission": accepted(decision)}
        async with other.client(other.servers[0], elicitation_callback=Person()) as client:
            with pytest.raises(MCPError, match=why):
                await client.session.call_tool(
                    tool, given, input_responses=responses, request_state=state.request_state
                )

    async def body() -> None:
        add = await asked("team__notes__add", args, "two")
        run_id = (add.request_state or "").partition(" ")[0]
        # The same person twice is one person, whose requests wait for others.
        requests = [asyncio.create_task(answered("team__notes__add", args, add)) for _ in range(2)]
        with closing(sqlite3.connect(other.database)) as database:
            noted = "SELECT count(*) FROM notifications WHERE destination_uuid = ?"
            while not database.execute(noted, (run_id,)).fetchone()[0]:
                await asyncio.sleep(0.05)
        assert not (await asyncio.wait(requests, timeout=1))[0]
        shown = await asyncio.to_thread(other.runs, "show", run_id)
        assert (run_id + "  waiting" in shown.stdout, "may be answered by 2 people" in shown.stdout) == (True, True)
        approved = await asyncio.to_thread(other.runs, "approve", run_id)  # the user of the system is another person
        assert (approved.returncode, "by ana and " in approved.stderr) == (0, True), approved.stderr
        assert [each.structured_content["count"] for each in await asyncio.gather(*requests)] == [1, 1]
        async with other.client(other.servers[0]) as client:
            done = await client.call_tool("team__notes__add", args, meta=key(f"two{unique}"))
            assert done.structured_content["count"] == 1

    async def with_roles() -> None:
        again, person = {**args, "text": "y"}, Person()
        async with other.client(other.servers[0], elicitation_callback=person) as client:
            waits = await client.call_tool("team__notes__add", again, meta=key(f"roles{unique}"))
        assert (waits.is_error, person.asked) == (True, [])
        said = "has not run yet, and only finance may answer; it needs permission: `toolgen runs approve"
        assert said in text_of(waits)
        run_id = text_of(waits).partition("runs approve ")[2].partition("`")[0]
        shown = await asyncio.to_thread(other.runs, "show", run_id, "--format", "json")
        (approval,) = json.loads(shown.stdout)["approvals"]
        state = InputRequiredResult(request_state=f"{run_id} {approval['question']['id']} roles{unique}")
        for decision in ("allow_once", "deny"):  # a client may answer what it was not asked
            await refused("team__notes__add", again, state, decision, "only finance may answer")

    try:
        other.serve()
        worker = other.work("durable_app:host_for_two")
        asyncio.run(body())
        worker.kill()
        other.work("durable_app:host_for_finance")
        asyncio.run(with_roles())
    finally:
        other.end()


def test_an_idempotency_key_is_a_short_text(durable: Durable) -> None:
    async def body() -> None:
        async with durable.client(durable.servers[0]) as client:
            for wrong in (5, "x" * 1001):
                meta: Any = {IDEMPOTENCY_KEY: wrong}
                with pytest.raises(MCPError, match="must be a string of at most 1000 characters"):
                    await client.call_tool("team__jobs__who", {}, meta=meta)

    asyncio.run(body())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--yes",), "With --database, store, policies, permission and injected values are the workers'"),
        (("--store", "x.db"), "With --database, store"),
        (("--disable-policy", "careful"), "With --database, store"),
        (("--inject", "a=b"), "With --database, store"),
    ],
)
def test_what_the_workers_decide_is_no_option_beside_a_database(
    project: Project, options: tuple[str, ...], message: str
) -> None:
    refused = toolgen(project.folder, "serve", "--database", "runs.sqlite", *options)
    assert refused.code == 2
    assert message in refused.err


def test_a_database_that_cannot_be_used_is_an_error(project: Project) -> None:
    for url, message in (("mysql://h/d", "runs are kept in Postgres or SQLite"), ("/no/such/x", "cannot be prepared")):
        refused = toolgen(project.folder, "serve", "--database", url)
        assert refused.code == 2
        assert message in refused.err


def test_a_tool_that_would_end_its_worker_has_failed(durable: Durable) -> None:
    """A call is answered whatever its tool raises, and the worker that made it makes the next one too."""

    async def answer_of(client: Any, name: str, args: dict[str, Any]) -> Any:
        """Wait for the answer to a call for as long as there is a worker, which would never come without one."""
        asked = asyncio.create_task(client.call_tool(name, args))
        while not asked.done():
            assert durable.workers[0].poll() is None, args
            await asyncio.wait([asked], timeout=0.1)
        return asked.result()

    async def body() -> None:
        async with durable.client(durable.servers[1]) as client:
            for how in IN_OWN_LOOPS:
                assert (await answer_of(client, "team__jobs__end", {"how": how})).is_error, how
            who = await answer_of(client, "team__jobs__who", {})
            assert who.structured_content == {"user": "ana"}

    asyncio.run(body())
