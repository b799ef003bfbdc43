"""`toolgen runs`: what operators do by commands, one run at a time and in bulk, as text and as JSON."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import TYPE_CHECKING, Any

import click
import pytest
from click.testing import CliRunner

from tests.unit.engine.app import read, request, script, write
from tests.unit.engine.dbos.workers import ROOT
from tests.unit.engine.engines import Engines, until
from tests.unit.engine.test_steering import command
from toolgen.agents.planner import message_as_json
from toolgen.cli.commands.runs.runs import command as runs

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from click.testing import Result

    from tests.unit.engine.engines import Running


@pytest.fixture
def sqlite(tmp_path: Path) -> Engines:
    return Engines("sqlite", str(tmp_path / "runs.sqlite"), tmp_path)


class Shell:
    """Runs commands on the database of engines, in this process beside the event loop of the test."""

    def __init__(self, engines: Engines) -> None:
        self._engines = engines

    async def __call__(self, *args: str, code: int = 0) -> str:
        return (await self._run(args, code)).output

    async def json(self, *args: str, code: int = 0) -> Any:
        return json.loads((await self._run((*args, "--format", "json"), code)).stdout)

    async def _run(self, args: Sequence[str], code: int) -> Result:
        environment = {"TOOLGEN_DATABASE": target_of(self._engines)}
        done = await asyncio.to_thread(CliRunner().invoke, runs, args, env=environment, standalone_mode=False)
        if isinstance(done.exception, click.UsageError):
            done.exit_code = 2
            done.output_bytes += str(done.exception).encode()
        elif done.exception is None:
            done.exit_code = done.return_value
        else:
            raise done.exception
        assert done.exit_code == code, done.output
        return done


def target_of(engines: Engines) -> str:
    """Return a database as commands take it."""
    return engines.url.replace("sqlite:///", "").replace("+psycopg", "")


def test_a_command_starts_a_run_from_options_or_a_file(durable: Engines) -> None:
    shell = Shell(durable)

    async def body(running: Running) -> None:
        (message,) = script([read("a")], answer=7)
        text = await shell("start", "--message", message.content, "--agent", "main", "--user", "ann", "--id", "r1")
        assert text == "r1\n"
        assert (await running.engine.result("r1", 300)).value == 7
        assert (await running.engine.info("r1")).user == "ann"
        assert await shell.json("start", "--message", "again", "--id", "r1") == {"run_id": "r1"}
        assert running.marks() == ["a"]
        file = durable.folder / "request.json"
        file.write_text(json.dumps({"messages": [message_as_json(message)], "agent": "main", "run_id": "r2"}))
        assert (await shell.json("start", str(file), "--user", "bob"))["run_id"] == "r2"
        await running.engine.result("r2", 300)
        assert (await running.engine.info("r2")).user == "bob"
        new = (await shell.json("start", str(file), "--id", "r3"))["run_id"]
        assert new == "r3"

    durable.run(body)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "must be a JSON object"),
        ("{", "is no JSON"),
        ("{}", "--message TEXT, or `messages` in FILE"),
        ('{"messages": [{"role": 3}, 4]}', "this is no request of a run"),
        ('{"messages": [{"role": "user", "content": ""}], "run_id": "a/b"}', "run_id is 'a/b'"),
        ('{"messages": [{"role": "user", "content": ""}], "agnt": "x"}', "agnt"),
        ('{"messages": 3}', "this is no request of a run"),
    ],
)
def test_a_file_that_is_no_request_is_refused(sqlite: Engines, text: str, message: str) -> None:
    sqlite.prepare()
    file = sqlite.folder / "request.json"
    file.write_text(text)
    code, said = command(sqlite, "runs", "start", str(file))
    assert (code, "Traceback" in said) == (2, False)
    assert message in said
    assert "request.json" in said or "FILE" in said


def test_steps_are_shown_and_followed_and_a_fork_begins_at_one(durable: Engines) -> None:
    shell = Shell(durable)

    async def body(running: Running) -> None:
        engine = running.engine
        await engine.start(request([read("a")], [write("b")], run_id="r1", user="ann"))
        (asked,) = await running.questions("r1")
        tail = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "toolgen", "runs", "tail", "r1", "--every", "0.1", "--format", "json"),
            *("--database", target_of(durable)),
            cwd=ROOT,
            stdout=asyncio.subprocess.PIPE,
        )
        assert tail.stdout is not None
        events: list[Any] = []
        while not events or events[-1]["kind"] != "question":
            events.append(json.loads(await tail.stdout.readline()))
        assert events[-1]["question"]["id"] == asked.id
        assert "there may be 10000" in await shell("approve", "r1", "--reason", "x" * 10_001, code=2)
        assert "allow_once" in await shell("approve", "r1", "--reason", "it is fine")
        events += [json.loads(line) async for line in tail.stdout]
        assert await tail.wait() == 0
        assert [each["state"] for each in events if each["kind"] == "state"][-1] == "ended"
        assert events[-1]["kind"] == "end"
        followed = await shell("tail", "r1")
        for part in ('args: {"path": "a"}', f"answered {asked.id}", "r1 is ended", "completed after 3 turns"):
            assert part in followed, part
        (answer,) = [each for each in events if each["kind"] == "answer"]
        assert answer["reason"] == "it is fine"
        shown = await shell.json("show", "r1", "--timeline")
        (step,) = [each for each in shown["timeline"] if each["name"] == "call code.read_file"]
        assert (step["args"], step["result"]["content"]) == ({"path": "a"}, "text of a")
        assert "messages" not in shown["end"]
        forked = await shell.json("fork", "r1", str(step["number"]), "--id", "r2")
        assert forked == {"run_id": "r2", "forked_from": "r1", "step": step["number"]}
        await running.questions("r2")
        assert "forked from r1" in await shell("show", "r2")
        assert "99 is no step" in await shell("fork", "r1", "99", code=2)
        assert "`toolgen runs list` shows" in await shell("fork", "nobody", "1", code=2)

    durable.run(body)


def test_a_selection_is_steered_as_one_after_it_was_confirmed(durable: Engines) -> None:
    shell = Shell(durable)

    async def body(running: Running) -> None:
        engine = running.engine
        for number in range(3):
            await engine.start(request([write(f"f{number}")], run_id=f"r{number}", user="ann"))
        await engine.start(request([write("g")], run_id="other", user="bob"))
        for run_id in ("r0", "r1", "r2", "other"):
            await running.questions(run_id)
        for steer in ("cancel", "approve", "deny"):
            refused = await shell(steer, "--user", "ann", code=2)
            assert "--yes" in refused
            assert "r1" in refused
        assert "allow 3 calls" in await shell("approve", "--user", "ann", code=2)
        assert "name a run, or select runs" in await shell("cancel", code=2)
        assert "not both" in await shell("cancel", "r1", "--user", "ann", code=2)
        assert "is no age" in await shell("cancel", "--older-than", "x", code=2)
        assert await shell.json("cancel", "--older-than", "2d", "--yes") == []
        assert {(await engine.info(f"r{number}")).state for number in range(3)} == {"waiting"}
        done = await shell.json("cancel", "--user", "ann", "--state", "waiting", "--yes")
        assert {each["run_id"] for each in done} == {"r0", "r1", "r2"}
        assert not any(each["error"] for each in done)
        assert (await engine.info("other")).state == "waiting"
        done = await shell.json("resume", "r0", "r1", "other", "--yes", code=1)
        assert [bool(each["error"]) for each in done] == [False, False, True]
        await running.questions("r0")
        await running.questions("r1")
        done = await shell.json("approve", "--user", "ann", "--yes", "--reason", "checked")
        assert {each["run_id"]: each["answer"]["decision"] for each in done} == {"r0": "allow_once", "r1": "allow_once"}
        await until(lambda: running.marks(), lambda marks: {*marks} == {"f0", "f1"})
        found = await shell.json("list", "--user", "bob", "--state", "waiting")
        assert [each["run_id"] for each in found] == ["other"]
        assert await shell("list", "--agent", "nobody") == "no runs\n"
        assert await shell("list", "--newer-than", "1h", "--user", "bob", "--limit", "1") != "no runs\n"
        await shell("cancel", "other")
        await engine.result("r0", 300)
        await engine.result("r1", 300)
        assert await shell.json("prune", "--older-than", "9d", "--yes") == {"runs": 0, "states": {}, "agents": {}}
        asked = await shell("prune", "--older-than", "90m", code=2)
        assert "delete the runs that ended more than 90m ago? Nobody can be asked here: repeat" in asked
        pruned = await shell.json("prune", "--older-than", "0s", "--yes")
        assert pruned["runs"] >= 1
        assert set(pruned) == {"runs", "states", "agents"}

    durable.run(body)


def test_shells_complete_ids_of_runs(sqlite: Engines) -> None:
    from click.shell_completion import ShellComplete

    async def body(running: Running) -> None:
        for run_id in ("abc-1", "abc-2", "xyz"):
            await running.engine.start(request([write("a")], run_id=run_id))  # one that starts no other run
        shell = ShellComplete(runs, {}, "runs", "_RUNS_COMPLETE")
        database = sqlite.url.removeprefix("sqlite:///")
        found = await asyncio.to_thread(shell.get_completions, ["show", "--database", database], "abc")
        assert {each.value for each in found} == {"abc-1", "abc-2"}
        assert shell.get_completions(["show"], "abc") == []
        none = await asyncio.to_thread(shell.get_completions, ["show", "--database", f"{database}.gone"], "abc")
        assert none == []

    sqlite.run(body)
