"""The spans of runs by an engine: the same on each of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opentelemetry.trace import use_span

from tests.unit.engine.app import read, request, search
from tests.unit.engine.engines import until
from tests.unit.runtime.telemetry.spans import Kept
from toolgen.contract.records import ToolRequest
from toolgen.engine.calls import call_by_engine
from toolgen.schema.json_values import compact_json

if TYPE_CHECKING:
    from tests.unit.engine.engines import Engines, Running


def test_a_run_has_a_span_with_its_steps_calls_and_agents_in_the_trace_of_who_started_it(engines: Engines) -> None:
    kept = Kept()

    async def body(running: Running) -> None:
        with use_span(kept.tracers.get_tracer("test").start_span("request"), end_on_exit=True):
            made = request([read("a")], [search()], run_id="r")
        await running.engine.start(made)
        await running.engine.result("r", 300)

    engines.run(body, telemetry=kept.telemetry)
    assert kept.tree() == [
        "request",
        "  invoke_agent main",
        "    plan main",
        "    execute_tool code.read_file",
        "    plan main",
        "    execute_tool orchestrator.research.search",
        "      invoke_agent orchestrator.researcher",
        "        plan orchestrator.researcher",
        "    plan main",
    ]
    assert len({span.context.trace_id for span in kept.spans if span.context}) == 1
    assert (kept.named("invoke_agent main").attributes or {})["toolgen.run.id"] == "r"
    assert kept.named("invoke_agent main").status.is_unset


def test_a_run_that_was_started_outside_of_a_trace_has_one_of_its_own(engines: Engines) -> None:
    kept = Kept()

    async def body(running: Running) -> None:
        await running.engine.start(request([read("a")], run_id="r"))
        await running.engine.result("r", 300)

    engines.run(body, telemetry=kept.telemetry)
    assert kept.tree() == ["invoke_agent main", "  plan main", "  execute_tool code.read_file", "  plan main"]


def test_the_span_of_a_run_says_how_it_ended(engines: Engines) -> None:
    kept = Kept()

    async def body(running: Running) -> None:
        await running.engine.start(request([read("a")], [read("a")], run_id="few", max_turns=1))
        await running.engine.result("few", 300)
        await running.engine.start(request([read("slow-30")], run_id="cancelled"))
        await until(lambda: len(running.marks()) == 2)
        await running.engine.cancel("cancelled")
        await until(lambda: len([span for span in kept.spans if span.name == "invoke_agent main"]) == 2)

    engines.run(body, telemetry=kept.telemetry)
    ended = [span.attributes or {} for span in kept.spans if span.name == "invoke_agent main"]
    assert [each["error.type"] for each in ended] == ["max_turns", "cancelled"]


def test_a_single_call_has_the_span_of_the_call(engines: Engines) -> None:
    kept = Kept()

    async def body(running: Running) -> None:
        name, args = read("a")
        result = await call_by_engine(
            running.engine, ToolRequest(name=name, payload=compact_json(args), tool_call_id="c1")
        )
        assert result.error is None

    engines.run(body, telemetry=kept.telemetry)
    assert kept.tree() == ["execute_tool code.read_file"]
