"""Signals from outside: a call waits for one by its name, durably, and takes each once."""

from __future__ import annotations

import asyncio
import json
import pickle
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from tests.unit.engine.app import read, request, write
from tests.unit.engine.engines import Engines, until
from tests.unit.engine.test_steering import ALLOW
from tests.unit.runtime.tools import add, runtime_of
from toolgen.cli.commands.runs.runs import command as runs
from toolgen.contract.records import ToolRequest
from toolgen.engine.signals import MOST_SIGNALS, NotSignalled, RunSignal, wait_for_signal
from toolgen.runtime import Catalog
from toolgen.runtime.base.errors import CallFailed
from toolgen.runtime.events.records import RunNotFound
from toolgen.runtime.policy.permission import Decision, PermissionDecision

if TYPE_CHECKING:
    from tests.unit.engine.engines import Running
    from toolgen.engine import RunEnd


def command(durable: Engines, *args: str) -> tuple[int, str]:
    """Run a command of `toolgen` in this process: a new one takes seconds on a busy machine."""
    target = durable.url.replace("sqlite:///", "").replace("+psycopg", "")
    done = CliRunner().invoke(runs, args, env={"TOOLGEN_DATABASE": target})
    return done.exit_code, done.output


def waits(name: str = "go", seconds: float = 60) -> tuple[str, dict[str, Any]]:
    """A call that waits for a signal."""
    return read(f"waits-{name}-{seconds}")


def heard(end: RunEnd) -> list[Any]:
    """What the calls of a run were sent: the value and the sender of each signal."""
    contents = [json.loads(message.content) for message in end.messages if message.role == "tool"]
    return [json.loads(each["content"]) for each in contents]


def nested(levels: int) -> Any:
    value: Any = []
    for _ in range(levels - 1):
        value = [value]
    return value


async def is_waiting(running: Running, run_id: str, *names: str) -> None:
    async def awaited() -> tuple[str, ...]:
        return (await running.engine.signals(run_id)).awaited

    await until(awaited, lambda found: found == names)


def test_a_call_waits_for_a_signal_and_its_run_is_seen_to_wait(engines: Engines) -> None:
    async def body(running: Running) -> None:
        run_id = await running.engine.start(request([waits("go")]))
        await is_waiting(running, run_id, "go")
        assert (await running.engine.info(run_id)).state == "waiting"
        assert running.marks() == []
        await running.engine.signal(run_id, "other", 1, by="bob")
        sent = await running.engine.signal(run_id, "go", {"build": 7}, by="ann")
        assert (sent.value, sent.by) == ({"build": 7}, "ann")
        end = await running.engine.result(run_id, 300)
        assert heard(end) == [[{"build": 7}, "ann"]]
        signals = await running.engine.signals(run_id)
        assert signals.awaited == ()
        assert [(each.name, each.by) for each in signals.received] == [("other", "bob"), ("go", "ann")]
        assert signals.received[1] == sent

    engines.run(body)


def test_a_signal_that_comes_first_is_kept_and_each_is_taken_once_in_order(engines: Engines) -> None:
    async def body(running: Running) -> None:
        await running.engine.start(request([write("a")], [waits("go"), waits("end")], [waits("go")], run_id="r"))
        (asked,) = await running.questions("r")
        for name, value in (("end", 0), ("go", 1), ("go", 2)):
            await running.engine.signal("r", name, value, by="ann")
            await asyncio.sleep(0.01)  # their order is that of milliseconds
        await running.engine.decide("r", asked.id, ALLOW, by="ann")
        end = await running.engine.result("r", 300)
        assert [json.loads(m.content) for m in end.messages if m.tool_call_id == "c00"] == [
            {"bytes_written": 1, "created": True}
        ]
        contents = [json.loads(m.content)["content"] for m in end.messages if m.role == "tool" and m.name == read()[0]]
        assert [json.loads(each)[0] for each in contents] == [1, 0, 2]

    engines.run(body)


def test_a_run_that_was_cancelled_waits_for_nothing_and_goes_on_to_wait_when_it_is_resumed(engines: Engines) -> None:
    async def body(running: Running) -> None:
        run_id = await running.engine.start(request([waits("go")]))
        await is_waiting(running, run_id, "go")
        await running.engine.cancel(run_id)
        await is_waiting(running, run_id)
        await running.engine.resume(run_id)
        await is_waiting(running, run_id, "go")
        await running.engine.signal(run_id, "go", 1, by="ann")
        assert heard(await running.engine.result(run_id, 300)) == [[1, "ann"]]

    engines.run(body)


def test_what_a_person_allowed_for_the_session_is_kept_with_a_call_that_waits(engines: Engines) -> None:
    """A later call has the grant in another process too, though the first one had it already when it went on."""
    write_it = ("code.write_file", {"path": "waits-go-60", "content": "x"})

    async def body(running: Running) -> None:
        run_id = await running.engine.start(request([write_it], [waits("stop")], [write_it]))
        (asked,) = await running.questions(run_id)
        session = PermissionDecision(decision=Decision.ALLOW_FOR_SESSION)
        await running.engine.decide(run_id, asked.id, session, by="ann")
        for name in ("go", "stop", "go"):
            await is_waiting(running, run_id, name)
            if name == "stop":
                running.host.forget(run_id, "as another process")
            await running.engine.signal(run_id, name, 1, by="ann")
        assert (await running.engine.result(run_id, 300)).stopped == "completed"
        assert len(await running.engine.answers(run_id)) == 1

    engines.run(body)


def test_a_call_goes_on_without_a_signal_when_its_time_is_up(engines: Engines) -> None:
    async def body(running: Running) -> None:
        run_id = await running.engine.start(request([waits("go", 0.1)]))
        assert heard(await running.engine.result(run_id, 300)) == [None]
        assert len(running.marks()) == 1

    engines.run(body)


def test_a_signal_with_a_key_is_sent_once_whoever_repeats_it(engines: Engines) -> None:
    async def body(running: Running) -> None:
        engine = running.engine
        await engine.start(request([write("a")], run_id="r"))
        await running.questions("r")
        sent = await asyncio.gather(*(engine.signal("r", "go", 1, by=f"u{each}", key="k") for each in range(5)))
        assert len({each.by for each in sent}) == 1
        assert [*(await engine.signals("r")).received] == [sent[0]]
        for name, value in (("go", 2), ("stop", 1)):
            with pytest.raises(NotSignalled, match="the key 'k' is that of another one: go, by u"):
                await engine.signal("r", name, value, by="ann", key="k")
        await engine.signal("r", "go", 1, by="ann")
        await engine.signal("r", "go", 1, by="ann")
        assert len((await engine.signals("r")).received) == 3
        await engine.cancel("r")
        assert (await engine.signal("r", "go", 1, by="late", key="k")) == sent[0]
        with pytest.raises(NotSignalled):
            await engine.signal("r", "go", 1, by="late")

    engines.run(body)


def test_a_signal_to_no_run_or_that_is_none_is_refused(engines: Engines) -> None:
    async def body(running: Running) -> None:
        with pytest.raises(RunNotFound):
            await running.engine.signal("nowhere", "go", by="ann")
        with pytest.raises(RunNotFound):
            await running.engine.signals("nowhere")
        await running.engine.start(request([write("a")], run_id="r"))
        unkept = [("go", value, "a") for value in ("\ud800", nested(201), nested(900), nested(50_000), {"\udfff": 1})]
        for name, value, by in (
            ("", 1, "a"),
            ("a b", 1, "a"),
            ("go", float("nan"), "a"),
            ("go", "x" * 100_000, "a"),
            *unkept,
        ):
            with pytest.raises(ValueError, match="signal"):
                await running.engine.signal("r", name, value, by=by)
        for text, why in (
            ("x" * 1001, "has 1001 characters; there may be 1000"),
            ("\0", "has a NUL"),
            ("\ud800", "has half"),
        ):
            with pytest.raises(ValueError, match=f"by {why}"):
                await running.engine.signal("r", "go", by=text)
            with pytest.raises(ValueError, match=f"key {why}"):
                await running.engine.signal("r", "go", by="a", key=text)
        assert (await running.engine.signals("r")).received == ()
        await running.engine.cancel("r")

    engines.run(body)


def test_a_run_takes_a_bounded_number_of_signals(engines: Engines, monkeypatch: pytest.MonkeyPatch) -> None:
    assert MOST_SIGNALS == 1000
    monkeypatch.setattr("toolgen.engine.signals.MOST_SIGNALS", 3)

    async def body(running: Running) -> None:
        await running.engine.start(request([write("a")], run_id="r"))
        sent = await asyncio.gather(
            *(running.engine.signal("r", "go", each, by="a") for each in range(6)), return_exceptions=True
        )
        assert sum(isinstance(each, NotSignalled) for each in sent) == 3
        assert len((await running.engine.signals("r")).received) == 3
        await running.engine.cancel("r")

    engines.run(body)


def test_a_wait_goes_on_after_a_restart_and_takes_what_came_meanwhile(durable: Engines) -> None:
    async def main() -> None:
        async with asyncio.timeout(60):
            async with durable.opened() as running:
                for run_id in ("r1", "r2"):
                    await running.engine.start(request([read("a")], [waits("go")], run_id=run_id))
                    await is_waiting(running, run_id, "go")
                await running.engine.signal("r2", "go", "before", by="ann")
                await running.engine.result("r2", 300)
            code, said = await asyncio.to_thread(
                command, durable, "signal", "r1", "go", '{"a": 1}', "--json", "--key", "k"
            )
            assert (code, "r1: go, by " in said) == (0, True)
            async with durable.opened() as running:
                end = await running.engine.result("r1", 300)
                text = json.loads(end.messages[-1].content)["content"]
                assert json.loads(text)[0] == {"a": 1}
                assert running.marks().count("waits-go-60") == 2  # one of each run: the wait is no attempt
                assert running.count("plan") <= 2

    asyncio.run(main())


def test_signals_of_a_run_are_shown(durable: Engines) -> None:
    async def body(running: Running) -> None:
        run_id = await running.engine.start(request([waits("go")], run_id="r"))
        await is_waiting(running, run_id, "go")
        await running.engine.signal(run_id, "other", "text", by="ann\x1b[1m")
        _, said = await asyncio.to_thread(command, durable, "show", "r")
        assert "waits for the signal go" in said
        assert "was sent other, by ann" in said
        assert "\x1b" not in said
        _, shown = await asyncio.to_thread(command, durable, "show", "r", "--format", "json")
        assert (json.loads(shown)["awaited"], json.loads(shown)["signals"][0]["value"]) == (["go"], "text")
        for args, text in (
            (("r", "a b"), "is no name of a signal"),
            (("r", "go", "{", "--json"), "VALUE is not JSON"),
            (("nowhere", "go"), "there is no run"),
        ):
            code, said = await asyncio.to_thread(command, durable, "signal", *args)
            assert (code, text in said) == (2, True), said
        await running.engine.cancel(run_id)
        code, said = await asyncio.to_thread(command, durable, "signal", "r", "go")
        assert (code, "r was not sent the signal go: it does not go on" in said) == (2, True)

    durable.run(body)


def test_only_calls_of_an_engine_can_wait_for_signals() -> None:
    with pytest.raises(CallFailed, match="only calls of runs of an engine"):
        wait_for_signal("go", 1)
    for name, seconds in (("", 1), ("go", 0), ("go", float("nan")), ("go", 1e12)):
        with pytest.raises(ValueError, match=r"seconds is|is no name"):
            wait_for_signal(name, seconds)

    runtime = runtime_of(add(Catalog(), lambda _: wait_for_signal("go", 1), "own.wait"))
    result = asyncio.run(runtime.invoke(ToolRequest(name="own.wait", payload="{}", tool_call_id="c")))
    assert result.error is not None
    assert result.error.code == "no_engine"


def test_what_is_said_of_signals_travels() -> None:
    signal = RunSignal(name="go", value=[1], by="ann", at=5.0, key="k")
    assert RunSignal.from_json(json.loads(json.dumps(signal.as_json()))) == signal
    error = pickle.loads(pickle.dumps(NotSignalled("r", "go", "why")))
    assert str(error) == "r was not sent the signal go: why"


@pytest.mark.parametrize(
    ("value", "other"),
    [(1, True), (1, 1.0), (0, False), ([1], [True]), ({"a": 0}, {"a": False}), ({"a": [1]}, {"a": [1.0]}), ("1", 1)],
)
@pytest.mark.variants(5)
def test_a_signal_with_a_key_repeats_only_the_same_json(engines: Engines, value: Any, other: Any) -> None:
    async def body(running: Running) -> None:
        engine = running.engine
        run_id = await engine.start(request([waits()]))
        await is_waiting(running, run_id, "go")
        sent = await engine.signal(run_id, "never", value, by="ann", key="k")
        assert await engine.signal(run_id, "never", json.loads(json.dumps(value)), by="bob", key="k") == sent
        with pytest.raises(NotSignalled, match="the key 'k' is that of another one"):
            await engine.signal(run_id, "never", other, by="bob", key="k")
        await engine.cancel(run_id)

    engines.run(body)


def test_keys_of_an_object_may_come_in_any_order() -> None:
    one, other = (RunSignal(name="go", value=value, by="a", at=1.0) for value in ({"a": 1, "b": 2}, {"b": 2, "a": 1}))
    assert one.says_as(other)
