"""The HTTP endpoints of a worker: health, metrics, and the questions of its runs."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
import threading
from contextlib import asynccontextmanager, nullcontext, suppress
from functools import partial
from typing import TYPE_CHECKING, Any
from unittest.mock import patch
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

import pytest
import sqlalchemy as sa
from click.testing import CliRunner
from hypothesis import example, given
from hypothesis import strategies as st
from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families

from tests.unit.engine import app
from tests.unit.engine.app import read, request, write
from tests.unit.engine.engines import LateEngine, until
from toolgen.agents import RunOutcome
from toolgen.cli.commands.runs.worker import command as worker_command
from toolgen.engine import EngineHost
from toolgen.engine.dbos import DbosEngine, DbosWorker, database_url, endpoints, prepare_database
from toolgen.engine.dbos.endpoints import Endpoints, listening
from toolgen.engine.dbos.metrics import Metrics
from toolgen.runtime.events.records import StoreError
from toolgen.serve.tokens import Tokens

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable
    from pathlib import Path

TOKEN = "t-0123456789abcdef"


class Served:
    """A worker with endpoints."""

    def __init__(self, url: str, worker: DbosWorker, engine: DbosEngine) -> None:
        self.url = url
        self.worker = worker
        self.engine = engine

    async def ask(self, path: str, body: Any = None, *, method: str = "GET", token: str = "") -> tuple[int, Any]:
        """Make a request; return the status and the JSON, or the text."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        data = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        return await asyncio.to_thread(
            _asked,
            Request(self.url + path, data, headers, method=method),  # noqa: S310  # http only
        )


def _asked(asked: Request) -> tuple[int, Any]:
    try:
        with urlopen(asked, timeout=20) as response:  # noqa: S310  # http only
            text = response.read().decode()
            return response.status, json.loads(text) if response.headers["Content-Type"] == "application/json" else text
    except HTTPError as error:
        return error.code, json.loads(error.read())


def served(
    folder: Path,
    body: Callable[[Served], Awaitable[None]],
    token: str = TOKEN,
    planner: Any = None,
    approvers: Any = None,
) -> None:
    @asynccontextmanager
    async def opened() -> AsyncGenerator[Served]:
        url = database_url(folder / "runs.sqlite")
        prepare_database(url)
        engine: Any = LateEngine()
        host = app.host(engine, folder, approvers=approvers)
        host = host if planner is None else EngineHost(host.runtime, planner)
        async with DbosWorker(host, url, name="mine", poll=0.02) as worker:
            engine.engine = DbosEngine(url, poll=0.02)
            application = Endpoints(worker, engine.engine, asyncio.get_running_loop(), token)
            with listening(application, "127.0.0.1", 0) as address:
                yield Served(address, worker, engine.engine)
            await engine.engine.close()

    async def main() -> None:
        async with asyncio.timeout(60), opened() as found:
            await body(found)

    asyncio.run(main())


def test_health_says_who_it_is_and_whether_it_is_well(tmp_path: Path) -> None:
    async def body(served: Served) -> None:
        status, health = await served.ask("/health")
        age = health.pop("heartbeat_age")
        assert (status, health) == (200, {"worker": "mine", "status": "ok", "activities": 0})
        assert 0 <= age < 5
        await served.worker.stop()
        status, health = await served.ask("/health")
        assert (status, health["status"]) == (503, "draining")
        await served.worker.start()

    served(tmp_path, body)


@pytest.mark.parametrize(
    ("outcome", "word"),
    [
        ({"asks": {"question": "q1"}}, "asked"),
        ({"changed": "the tool takes other args"}, "changed"),
        ({"denied": True, "kind": "permission_denied"}, "denied"),
        ({"kind": "internal"}, "failed"),
        ({"error": "there is no planner"}, "failed"),
        ({"result": {}}, "done"),
        (None, "cancelled"),
    ],
)
def test_an_activity_is_counted_under_one_word_for_its_end(outcome: dict[str, Any] | None, word: str) -> None:
    metrics = Metrics()
    metrics.ended("call", metrics.began(), outcome)
    families = text_string_to_metric_families(generate_latest(metrics.registry).decode())
    samples = [each for family in families for each in family.samples if each.name == "toolgen_activities_total"]
    assert [(each.labels, each.value) for each in samples] == [({"activity": "call", "outcome": word}, 1)]


def test_metrics_count_activities_by_how_they_ended(tmp_path: Path) -> None:
    async def body(served: Served) -> None:
        run_id = await served.engine.start(request([read("a"), read("b")], [write("c")], user="ursula"))
        await until(lambda: served.engine.approvals(run_id))
        _, text = await served.ask("/metrics")
        found = {
            (sample.name, sample.labels.get("activity"), sample.labels.get("outcome")): sample.value
            for family in text_string_to_metric_families(text)
            for sample in family.samples
        }
        assert found["toolgen_activities_total", "call", "done"] == 2
        assert found["toolgen_activities_total", "call", "asked"] == 1
        assert found["toolgen_activities_total", "plan", "done"] == 2
        assert found["toolgen_activity_seconds_count", "call", None] == 3
        assert found["toolgen_activities_running", None, None] == 0
        assert "ursula" not in text

    served(tmp_path, body)


def test_a_question_is_seen_and_answered_over_http(tmp_path: Path) -> None:
    async def body(served: Served) -> None:
        run_id = await served.engine.start(request([write("a")]))
        await until(lambda: served.engine.approvals(run_id))
        status, shown = await served.ask(f"/runs/{run_id}", token=TOKEN)
        (asked,) = shown["approvals"]
        assert (status, shown["state"], asked["question"]["tool"]) == (200, "waiting", "code.write_file")
        place = f"/runs/{run_id}/approvals/{quote(asked['question']['id'])}"
        wrong: Any
        for wrong in ({"decision": "perhaps"}, [], b"{", {"decision": "deny", "reason": 1}, {}):
            status, answer = await served.ask(place, wrong, method="POST", token=TOKEN)
            assert status == 400
            assert answer["error"].startswith("the body must be ")
        nothing = await served.ask(f"/runs/{run_id}/approvals/q_0", {"decision": "deny"}, method="POST", token=TOKEN)
        assert nothing == (404, {"error": f"{run_id} does not ask 'q_0'"})
        given = {"decision": "allow_once", "by": "ann"}
        status, answer = await served.ask(place, given, method="POST", token=TOKEN)
        assert (status, answer["by"], answer["decision"]) == (200, "ann", "allow_once")
        assert (await served.engine.result(run_id, 300)).stopped == "completed"
        status, told = await served.ask(place, {"decision": "deny", "by": "bob"}, method="POST", token=TOKEN)
        assert (status, told["answer"]) == (409, answer)
        assert "by ann, at 20" in told["error"]
        assert (await served.ask(f"/runs/{run_id}", token=TOKEN))[1]["answers"] == [answer]

    served(tmp_path, body)


def test_a_question_is_denied_with_a_proposal_over_http(tmp_path: Path) -> None:
    async def body(served: Served) -> None:
        run_id = await served.engine.start(request([write("a")]))
        (asked,) = await until(lambda: served.engine.approvals(run_id))
        place = f"/runs/{run_id}/approvals/{quote(asked.id)}"
        given: dict[str, Any] = {"decision": "deny", "reason": "not there", "by": "ann"}
        for proposal, problem in (
            ({"path": 1, "content": ""}, "the proposal cannot be given: /path: "),
            ("x", "the proposal cannot be given: propose a JSON object of args"),
            (False, "the proposal cannot be given: propose a JSON object of args"),
            (
                {"path": "a", "content": "x" * 70_000},
                "the proposal cannot be given: propose args of at most 65536 bytes",
            ),
        ):
            status, answer = await served.ask(place, {**given, "proposal": proposal}, method="POST", token=TOKEN)
            assert (status, answer["error"][: len(problem)]) == (400, problem)
        allowing = {"decision": "allow_once", "by": "ann", "proposal": {"path": "b", "content": ""}}
        status, answer = await served.ask(place, allowing, method="POST", token=TOKEN)
        assert (status, answer["error"]) == (400, "a proposal goes with a denial only, and not with allow_once")
        assert await served.engine.answers(run_id) == []
        proposal = {"path": "b", "content": "x" * 60_000}
        status, answer = await served.ask(place, {**given, "proposal": proposal}, method="POST", token=TOKEN)
        assert (status, answer["proposal"]) == (200, proposal)
        end = await served.engine.result(run_id, 300)
        assert any(json.dumps(proposal, separators=(",", ":"), sort_keys=True) in each.content for each in end.messages)
        assert (await served.ask(f"/runs/{run_id}", token=TOKEN))[1]["answers"] == [answer]

    served(tmp_path, body)


def test_a_run_is_cancelled_over_http(tmp_path: Path) -> None:
    async def body(served: Served) -> None:
        run_id = await served.engine.start(request([write("a")]))
        assert (await served.ask(f"/runs/{run_id}/cancel", b"", method="POST", token=TOKEN))[0] == 200
        assert (await served.engine.info(run_id)).state == "cancelled"
        status, answer = await served.ask("/runs/nowhere", token=TOKEN)
        assert (status, answer) == (404, {"error": "there is no run 'nowhere'"})

    served(tmp_path, body)


@pytest.mark.parametrize("token", ["", "wrong", TOKEN[:-1], "é"])
def test_runs_are_shown_to_those_with_the_token_only(tmp_path: Path, token: str) -> None:
    async def body(served: Served) -> None:
        run_id = await served.engine.start(request([write("a")]))
        for method, path in (("GET", f"/runs/{run_id}"), ("POST", f"/runs/{run_id}/cancel"), ("GET", "/runs/nowhere")):
            status, answer = await served.ask(path, method=method, token=quote(token))
            assert (status, answer) == (401, {"error": "this needs the bearer token of the worker"})
        assert (await served.engine.info(run_id)).state != "cancelled"

    served(tmp_path, body)


def test_without_a_token_there_are_health_and_metrics_only(tmp_path: Path) -> None:
    async def body(served: Served) -> None:
        run_id = await served.engine.start(request([write("a")]))
        for path in (f"/runs/{run_id}", "/runs", "/", "/health/x"):
            assert (await served.ask(path))[0] == 404
        assert (await served.ask("/metrics"))[0] == 200

    served(tmp_path, body, token="")


def test_a_planner_that_blocks_the_event_loop_is_seen_and_its_worker_is_not_taken_for_dead(tmp_path: Path) -> None:
    blocks, may_go_on = threading.Event(), threading.Event()

    class Blocking:
        async def plan(self, *_: object) -> RunOutcome:
            blocks.set()
            assert may_go_on.wait(30)
            return RunOutcome(value="done")

    async def body(served: Served) -> None:
        def looked() -> tuple[int, Any, float]:
            assert blocks.wait(30)
            try:
                status, health = _asked(Request(f"{served.url}/health"))  # noqa: S310  # http only
                return status, health["status"], health["heartbeat_age"]
            finally:
                may_go_on.set()

        seen = asyncio.create_task(asyncio.to_thread(looked))
        await asyncio.sleep(0.1)
        end = await served.engine.result(await served.engine.start(request()), 30)
        assert end.value == "done"
        status, text, heartbeat_age = await seen
        assert (status, text) == (503, "blocked")
        assert heartbeat_age < 2
        assert (await served.ask("/health"))[0] == 200

    served(tmp_path, body, planner=Blocking())


@pytest.mark.parametrize("length", ["-1", "x", "9" * 5_000])
def test_a_decision_of_no_length_is_refused(tmp_path: Path, length: str) -> None:
    async def body(served: Served) -> None:
        run_id = await served.engine.start(request([write("a")]))
        (asked,) = await until(lambda: served.engine.approvals(run_id))

        def answer() -> bytes:
            host, port = served.url.removeprefix("http://").split(":")
            with socket.create_connection((host, int(port)), timeout=5) as connection:
                head = f"POST /runs/{run_id}/approvals/{asked.id} HTTP/1.1\r\nAuthorization: Bearer {TOKEN}\r\n"
                connection.sendall(f"{head}Content-Length: {length}\r\n\r\n".encode())
                return connection.recv(1000)

        assert b" 400 " in await asyncio.to_thread(answer)

    served(tmp_path, body)


def test_a_run_is_sent_signals_over_http(tmp_path: Path) -> None:
    async def body(served: Served) -> None:
        run_id = await served.engine.start(request([read("waits-go-60")]))
        place, wrong = f"/runs/{run_id}/signals/go", [b"[]", b"{", {"by": 1}, {"by": ""}, {"key": 1}]
        assert (await served.ask(place, {}, method="POST"))[0] == 401
        for each in wrong:
            status, answer = await served.ask(place, each, method="POST", token=TOKEN)
            assert (status, answer["error"][:13]) == (400, "the body must")
        assert (await served.ask("/runs/nowhere/signals/go", {}, method="POST", token=TOKEN))[0] == 404
        assert (await served.ask(f"/runs/{run_id}/signals/-", {}, method="POST", token=TOKEN))[0] == 400
        given = {"value": [1], "by": "ci", "key": "k"}
        sent = [await served.ask(place, given, method="POST", token=TOKEN) for _ in range(2)]
        assert sent[0] == sent[1]
        assert (sent[0][0], sent[0][1]["by"]) == (200, "ci")
        assert (await served.engine.result(run_id, 300)).stopped == "completed"
        assert (await served.ask(f"/runs/{run_id}", token=TOKEN))[1]["signals"] == [sent[0][1]]
        status, _ = await served.ask(place, {**given, "key": "other"}, method="POST", token=TOKEN)
        assert status == 409

    served(tmp_path, body)


def test_over_http_those_answer_who_may_and_others_are_told_why_not(tmp_path: Path) -> None:
    async def body(served: Served) -> None:
        run_id = await served.engine.start(request([write("a")], user="ann"))
        (asked,) = await until(lambda: served.engine.approvals(run_id))
        place = f"/runs/{run_id}/approvals/{asked.id}"

        async def answer(by: str, *roles: str, decision: str = "allow_once") -> tuple[int, Any]:
            given = {"decision": decision, "by": by, "roles": [*roles], "reason": "checked"}
            return await served.ask(place, given, method="POST", token=TOKEN)

        _, shown = await served.ask(f"/runs/{run_id}", token=TOKEN)
        rule = {"user": False, "roles": [["finance"]], "people": 2}
        assert shown["approvals"][0]["question"]["approvers"] == rule
        for roles in ((), ("other",)):
            status, told = await answer("eve", *roles)
            assert (status, "only finance may answer" in told["error"]) == (403, True)
        unnamed = {"decision": "allow_once", "roles": ["finance"]}
        status, told = await served.ask(place, unnamed, method="POST", token=TOKEN)
        assert (status, "nobody knows who answers" in told["error"]) == (403, True)
        for _ in range(2):
            status, told = await answer("ann", "finance")
            assert (status, "2 people must allow it, and 1 did" in told["error"]) == (403, True)
        status, told = await answer("eve", decision="deny")
        assert (status, await served.engine.answers(run_id)) == (403, [])
        assert app.rows(tmp_path, "SELECT * FROM attempts") == []
        status, given = await answer("bob", "finance", "other")
        assert (status, given["by"], given["via"], given["reason"]) == (200, "bob", "http 127.0.0.1", "checked")
        assert [(each["by"], each["via"]) for each in given["others"]] == [("ann", "http 127.0.0.1")]
        assert (await served.engine.result(run_id, 300)).stopped == "completed"
        assert len(app.rows(tmp_path, "SELECT * FROM attempts")) == 1

    served(tmp_path, body, approvers={"code.write_file": {"people": 2, "roles": ["finance"]}})


def test_over_http_only_the_user_of_a_run_answers_where_a_policy_says_so(tmp_path: Path) -> None:
    async def body(served: Served) -> None:
        run_id = await served.engine.start(request([write("a")], user="ann"))
        (asked,) = await until(lambda: served.engine.approvals(run_id))
        place = f"/runs/{run_id}/approvals/{asked.id}"
        for wrong in ({"by": "bob", "roles": ["ann"]}, {}):
            status, _ = await served.ask(place, {"decision": "allow_once", **wrong}, method="POST", token=TOKEN)
            assert (status, await served.engine.answers(run_id)) == (403, [])
        status, _ = await served.ask(place, {"decision": "allow_once", "by": "ann"}, method="POST", token=TOKEN)
        assert (status, (await served.engine.result(run_id, 300)).stopped) == (200, "completed")

    served(tmp_path, body, approvers={"code.write_file": {"user": True}})


def test_clients_that_are_slow_leave_or_are_many_take_neither_threads_nor_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(endpoints, "_SECONDS", 0.5)
    monkeypatch.setattr(endpoints, "_CONNECTIONS", 5)

    def threads() -> int:
        return sum("process_request_thread" in thread.name for thread in threading.enumerate())

    async def body(served: Served) -> None:
        host, port = served.url.removeprefix("http://").split(":")
        slow = [socket.create_connection((host, int(port)), timeout=5) for _ in range(20)]
        answered, most = False, 0
        while not answered:
            for each in slow:
                with suppress(OSError):
                    each.send(b"GET /health HTTP/1.1\r\nX: " if not most else b"x")
            most = max(most, threads(), 1)
            with suppress(OSError):  # it was one too many
                answered = (await served.ask("/health"))[0] == 200
        assert most <= 5
        for each in slow:
            each.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # it is reset, not closed
            each.close()
        await until(lambda: asyncio.sleep(0, threads()), lambda left: left == 0)

    served(tmp_path, body)
    assert "Traceback" not in capfd.readouterr().err


def test_what_a_request_cannot_have_as_its_body_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoints, "_SECONDS", 1.0)

    async def body(served: Served) -> None:
        run_id = await served.engine.start(request([write("a")]))
        (asked,) = await until(lambda: served.engine.approvals(run_id))
        place, signal = f"/runs/{run_id}/approvals/{asked.id}", f"/runs/{run_id}/signals/go"
        for path, most in ((place, 200_000), (signal, 200_000)):
            padded = json.dumps({"decision": "deny"}).encode() + b" " * most
            status, told = await served.ask(path, padded, method="POST", token=TOKEN)
            assert (status, told) == (413, {"error": f"the body has {len(padded)} bytes; there may be {most}"})

        def cut() -> bytes:
            host, port = served.url.removeprefix("http://").split(":")
            with socket.create_connection((host, int(port)), timeout=20) as connection:
                head = f"POST {place} HTTP/1.1\r\nAuthorization: Bearer {TOKEN}\r\nContent-Length: 100\r\n\r\n"
                connection.sendall(head.encode() + b'{"decision": "deny"}')
                return connection.recv(1000)

        assert b" 408 " in await asyncio.to_thread(cut)
        bodies = [b'{"value":' + b"[" * levels + b"]" * levels + b"}" for levels in (201, 900, 50_000)]
        bodies += [
            b'{"value":NaN}',
            b'{"value":1e999}',
            b'{"value":"\\ud800"}',
            b'{"key":"\\ud800"}',
            b'{"by":"\\udfff"}',
        ]
        for each in [*bodies, b'{"by":"\\u0000"}']:
            assert (await served.ask(signal, each, method="POST", token=TOKEN))[0] == 400
        texts: list[dict[str, Any]] = [
            {"by": "a\0b"},
            {"by": "\ud800"},
            {"reason": "\udfff"},
            {"roles": ["\0"]},
            {"by": "x" * 1_001},
        ]
        for given_answer in texts:
            given_answer["decision"] = "allow_once"
            assert (await served.ask(place, given_answer, method="POST", token=TOKEN))[0] == 400
        assert await served.engine.answers(run_id) == []
        assert (await served.engine.signals(run_id)).received == ()

    served(tmp_path, body)


@pytest.mark.parametrize("odd", ["5", "[", "null"])
def test_a_run_that_cannot_be_read_is_told_as_that_and_metrics_go_on(tmp_path: Path, odd: str) -> None:
    async def body(served: Served) -> None:
        for run_id in ("r1", "r2"):
            await served.engine.start(request([write("a")], run_id=run_id))
            await until(partial(served.engine.approvals, run_id))
        with served.engine._tables.engine.begin() as connection:
            row = "INSERT INTO notifications (message_uuid, destination_uuid, topic, message, created_at_epoch_ms) "
            connection.execute(sa.text(row + "VALUES ('m', 'r1', 'answer:other', :odd, 1)"), {"odd": odd})
        status, answer = await served.ask("/runs/r1", token=TOKEN)
        assert (status, answer["error"].partition(":")[0]) == (500, "an answer of 'r1' cannot be read")
        assert (await served.ask("/runs/r2", token=TOKEN))[0] == 200
        assert "toolgen_questions_open 2.0" in (await served.ask("/metrics"))[1]

    served(tmp_path, body)


@pytest.mark.parametrize(
    ("error", "shown"),
    [
        (StoreError("the database has no tables of runs"), "the database has no tables of runs"),
        (TimeoutError(), "the database did not answer within 10 seconds"),
    ],
)
def test_why_a_database_does_not_answer_is_told(tmp_path: Path, error: Exception, shown: str) -> None:
    async def body(served: Served) -> None:
        with patch.object(DbosEngine, "info", side_effect=error):
            assert await served.ask("/runs/r1", token=TOKEN) == (503, {"error": shown})

    served(tmp_path, body)


SENT = "".join(map(chr, range(0x21, 0x7F)))
"""What a header carries in one word."""


@given(st.one_of(st.text(max_size=30), st.text(SENT, min_size=14, max_size=18)))
@example("schlüssel-schlüssel")
@example("0123456789abcdef\n")
@example("0123456789abcdef")
@example("a")
def test_every_door_asks_the_same_of_a_token(token: str) -> None:
    is_good = len(token) >= 16 and all(char in SENT for char in token)
    none: Any = None
    doors: list[Callable[[], object]] = [lambda: Tokens({"ann": token})]
    if token:  # without one there are no questions of runs
        doors.append(lambda: Endpoints(none, none, none, token))
    for door in doors:
        with (
            nullcontext() if is_good else pytest.raises(ValueError, match="is no word of at least 16 ASCII characters")
        ):
            door()


@pytest.mark.parametrize("token", ["a", "0123456789abcde", "0123456789abcdef\n", "schlüssel-schlüssel"])
def test_a_worker_does_not_start_with_a_token_that_no_client_can_send(token: str, tmp_path: Path) -> None:
    args = ["tests.unit.engine.app:host", "--http", "0", "--token-env", "T"]
    env = {"T": token, "TOOLGEN_DATABASE": str(tmp_path / "runs.sqlite"), app.FOLDER: str(tmp_path)}
    done = CliRunner().invoke(worker_command, args, env=env)
    assert done.exit_code == 2
    assert "--token-env T: its value is no word of at least 16 ASCII characters" in done.output
