"""Secrets of calls under an engine: in the runs that they start, and at every door that shows a run to people."""

from __future__ import annotations

import asyncio
import base64
import json
from dataclasses import asdict, replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from urllib.request import Request, urlopen

from click.testing import CliRunner

from tests.unit.engine.app import ScriptPlanner, read, request, script
from tests.unit.engine.engines import IN_DATABASES, allow
from tests.unit.engine.test_commands import Shell, target_of
from toolgen.agents import Message, RunOutcome
from toolgen.cli.commands.runs.schedules import command as schedules
from toolgen.contract.records import ToolCallMeta, ToolRequest
from toolgen.engine.children import run_children
from toolgen.engine.dbos import DbosEngine
from toolgen.engine.dbos.endpoints import Endpoints, listening
from toolgen.engine.requests import RunRequest
from toolgen.engine.schedules import Schedule
from toolgen.runtime.policy.permission import Decision, PermissionDecision
from toolgen.runtime.redact.secret_values import SecretValues

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    import pytest

    from tests.unit.engine.engines import CountingHost, Engines, Running

SECRET = "hunter2-token"


def test_a_run_that_a_call_started_is_stored_without_the_secrets_of_the_call(engines: Engines) -> None:
    async def body(running: Running) -> None:
        meta = ToolCallMeta(run_id="p.0123456789abcdef", parent_run_id="p", parent_tool_call_id="c")
        run = running.host.runtime.start_run("main", meta=meta)
        child: Any = SimpleNamespace(
            run=replace(run, secrets=SecretValues(lambda: [SECRET])),
            messages=script([read(f"{SECRET}.txt")], answer=[SECRET, SECRET.encode().hex()]),
        )
        await running.engine.start(request([read("slow-30")], run_id="p"))
        outcome = await run_children(running.engine)(child)
        assert outcome.value == ["[redacted]", "[redacted]"]
        end = await running.engine.result("p.0123456789abcdef", 300)
        assert SECRET not in json.dumps(end.as_json())
        assert running.marks().count("[redacted].txt") == 1
        await running.engine.cancel("p")

    engines.run(body)


PIN = "1234-hunter-1234"
NOTE = {
    "type": "object",
    "properties": {"text": {"type": "string"}, "pin": {"type": "string", "writeOnly": True}},
    "additionalProperties": False,
}
KEY = f"ghp_{'a1B2' * 9}"
NOTED = {"text": f"noted {PIN} of {KEY}", "pin": PIN}
RAISE = "raise: "
TOKEN = "t-0123456789abcdef"


class FailingPlanner(ScriptPlanner):
    """Follows a script, and fails where its answer says so, with a text of its own."""

    async def plan(self, *args: Any) -> Any:
        plan = await super().plan(*args)
        if isinstance(plan, RunOutcome) and RAISE in str(plan.value):
            raise TypeError(plan.value)
        return plan


def test_no_door_shows_a_secret_of_a_run(
    engines: Engines, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a tool declares, and what looks like a secret: in steps, answers, results, failures, signals and the log."""

    async def body(running: Running) -> None:
        encoded = base64.b64encode(PIN.encode()).decode()
        answer = {"said": f"the pin is {PIN}, or {encoded}", "known": ["x", PIN]}
        await running.engine.start(request([("own.note", NOTED)], answer=answer, run_id="answers"))
        raised = f"{RAISE}POST https://ann:{PIN}@shop.example with {KEY}, again {PIN}"
        await running.engine.start(request([("own.note", NOTED)], answer=raised, run_id="fails"))
        calls = (
            ToolRequest(name="own.note", payload=json.dumps(NOTED), tool_call_id="c"),
            ToolRequest(name="own.note", payload=json.dumps({**NOTED, "txt": PIN}), tool_call_id="d"),
        )
        messages = (Message(role="assistant", calls=calls),)
        await running.engine.start(RunRequest(agent="main", messages=messages, planner="", run_id="results"))
        for run_id in ("answers", "fails", "results"):
            await running.engine.signal(run_id, "go", {"password": PIN, "text": KEY}, by="ci")
            reason = f"as in https://ann:{PIN}@shop.example, with {KEY}"
            await allow(running, run_id, PermissionDecision(decision=Decision.ALLOW_ONCE, reason=reason))
        asked = RunRequest(agent="main", messages=(Message(role="user", content=f"use {KEY}"),))
        nightly = Schedule(name="nightly", request=asked, cron="0 2 * * *")
        await running.engine.set_schedule(nightly, by="ann")
        shown = {f"{run_id} at {door}": text async for run_id, door, text in _shown(engines, running)}
        shown |= {f"log {at}": record.getMessage() for at, record in enumerate(caplog.records)}
        leaks = [door for door, text in shown.items() if any(each in text for each in (PIN, KEY, encoded))]
        assert not leaks, "\n".join(f"{each}: {shown[each]}" for each in leaks)
        for run_id, part in (("answers", "the pin is [redacted]"), ("fails", RAISE), ("results", "own.note")):
            (end,) = [text for door, text in shown.items() if door == f"{run_id} at engine.shown_end"]
            assert part in end  # all else is shown
        ended = await running.engine.result("answers", 300)
        assert ended.value == answer  # whoever asks for the answer has all of it

    def use(host: CountingHost) -> None:
        monkeypatch.setattr(host, "planners", {"default": FailingPlanner()})

    engines.run(body, change=use, own=NOTE)


async def _shown(engines: Engines, running: Running) -> AsyncIterator[tuple[str, str, str]]:
    """Yield what each door shows of each run, with the names of both."""
    engine, shell = running.engine, Shell(engines)
    infos = await engine.runs()
    for run_id in [info.run_id for info in infos]:
        yield run_id, "engine.shown_end", json.dumps(await engine.shown_end(run_id))
        yield run_id, "engine.timeline", json.dumps([asdict(step) for step in await engine.timeline(run_id)])
        yield run_id, "engine.info", json.dumps(asdict(await engine.info(run_id)))
        if engines.kind not in IN_DATABASES:
            continue
        environment = {"TOOLGEN_DATABASE": target_of(engines)}
        listed = await asyncio.to_thread(CliRunner().invoke, schedules, ["list", "--format", "json"], env=environment)
        assert '"use [redacted' in listed.output
        yield "nightly", "schedules list as JSON", listed.output
        for command in (("show",), ("show", "--timeline"), ("tail",), ("list",)):
            name = " ".join(command)
            args = command if command == ("list",) else (*command, run_id)
            yield run_id, f"runs {name}", await shell(*args)
            yield run_id, f"runs {name} as JSON", await shell(*args, "--format", "json")
        assert isinstance(engine, DbosEngine)
        with listening(Endpoints(running.worker, engine, asyncio.get_running_loop(), TOKEN), "127.0.0.1", 0) as url:
            asked = Request(f"{url}/runs/{run_id}", headers={"Authorization": f"Bearer {TOKEN}"})  # noqa: S310  # http
            yield run_id, "GET /runs/RUN", await asyncio.to_thread(_text, asked)


def _text(asked: Request) -> str:
    with urlopen(asked, timeout=20) as response:  # noqa: S310  # http only
        text: str = response.read().decode()
        return text
