"""Spans and durations of calls."""

from __future__ import annotations

import asyncio
import json
import logging
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, ParentBased, Sampler, SamplingResult
from opentelemetry.sdk.trace.sampling import Decision as Sampling
from opentelemetry.trace import SpanKind, StatusCode

from tests.unit.runtime.telemetry.spans import Kept, attributes_of, id_of
from tests.unit.runtime.tools import add, call, call_now, catalog_of, code_of, runtime_of
from toolgen.contract.records import FailureKind, ToolCallMeta, ToolRequest, ToolResult
from toolgen.execute.trace_context import attempt_span, describe_call
from toolgen.record import MemoryStore
from toolgen.runtime import Catalog, Decision, ToolDefinition, deny_all
from toolgen.runtime.base.errors import CallFailed

SECRET = "hunter2-is-secret"
SECRET_ARGS = {"type": "object", "properties": {"pin": {"type": "string", "format": "password"}, "at": {}}}


def test_a_call_has_a_span_by_the_conventions_and_a_duration() -> None:
    kept = Kept()
    runtime = runtime_of(catalog_of(), telemetry=kept.telemetry)
    meta = ToolCallMeta(run_id="r1", session_id="s1", user="ann")
    asyncio.run(runtime.invoke(ToolRequest(name="own.tool", tool_call_id="c1"), meta=meta))
    assert (kept.one.name, kept.one.kind, kept.one.status.status_code) == (
        "execute_tool own.tool", SpanKind.INTERNAL, StatusCode.UNSET,
    )  # fmt: skip
    assert attributes_of(kept.one) == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "own.tool",
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.id": "c1",
        "gen_ai.conversation.id": "s1",
        "toolgen.run.id": "r1",
    }
    ((attributes, point),) = kept.points("gen_ai.execute_tool.duration")
    assert attributes == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "own.tool",
        "gen_ai.tool.type": "function",
    }
    assert point.count == 1
    assert 0 < point.sum < 60
    assert point.explicit_bounds[0] == 0.01
    assert point.exemplars[0].span_id == id_of(kept.one)[1]


def test_a_span_is_current_while_its_handler_runs_and_no_longer() -> None:
    kept = Kept()
    tracer = kept.tracers.get_tracer("host")

    async def handler(_args: Any) -> str:
        with tracer.start_as_current_span("of the handler"):
            await asyncio.sleep(0)
        return "ran"

    runtime = runtime_of(catalog_of(handler), telemetry=kept.telemetry)

    async def twice() -> None:
        for _ in range(2):
            await call(runtime)
            assert not trace.get_current_span().get_span_context().is_valid

    asyncio.run(twice())
    assert kept.tree() == ["execute_tool own.tool", "  of the handler"] * 2


def test_spans_of_concurrent_calls_do_not_mix() -> None:
    kept = Kept()
    tracer = kept.tracers.get_tracer("host")

    async def handler(args: Any) -> str:
        await asyncio.sleep(0.001 * args["n"])
        with tracer.start_as_current_span(f"handler {args['n']}"):
            await asyncio.sleep(0.001)
        return "ran"

    runtime = runtime_of(catalog_of(handler, permission="readonly"), telemetry=kept.telemetry)

    async def turn() -> None:
        requests = [
            ToolRequest(name="own.tool", payload=f'{{"n":{number}}}', tool_call_id=f"c{number}") for number in (2, 1, 0)
        ]
        await runtime.turn(requests, runtime.start_run())

    asyncio.run(turn())
    calls = {attributes_of(span)["gen_ai.tool.call.id"]: span for span in kept.spans if "execute" in span.name}
    for number in range(3):
        parent = kept.named(f"handler {number}").parent
        assert parent is not None
        assert parent.span_id == id_of(calls[f"c{number}"])[1]


def fail(_args: Any) -> None:
    raise CallFailed(FailureKind.DOMAIN_REJECTION, "too_late", "it is too late")


@pytest.mark.parametrize(
    ("catalog", "settings", "kind", "code"),
    [
        (catalog_of(fail), {}, "domain_rejection", "too_late"),
        (catalog_of(permission="write"), {"permission": deny_all}, "permission_denied", "permission_denied"),
        (catalog_of(input_schema={"type": "object", "required": ["x"]}), {}, "invalid_call", ""),
    ],
)
def test_failures_denials_and_limits_are_told_apart(
    catalog: Catalog, settings: dict[str, Any], kind: str, code: str
) -> None:
    kept = Kept()
    result = call_now(runtime_of(catalog, telemetry=kept.telemetry, **settings))
    shown = attributes_of(kept.one)
    assert (shown["error.type"], shown["toolgen.error.code"]) == (kind, code or code_of(result))
    assert (kept.one.status.status_code, kept.one.status.description) == (StatusCode.ERROR, None)
    ((attributes, _),) = kept.points("gen_ai.execute_tool.duration")
    assert attributes["error.type"] == kind


def test_a_call_beyond_its_limit_has_a_span_and_is_counted_as_such() -> None:
    kept = Kept()
    catalog = catalog_of(metadata={"limits": {"daily_limit": 1}})
    runtime = runtime_of(catalog, telemetry=kept.telemetry)
    assert [code_of(call_now(runtime)) for _ in range(2)] == ["ok", "rate_limited"]
    first, second = kept.spans
    assert "error.type" not in attributes_of(first)
    assert attributes_of(second)["error.type"] == "rate_limited"
    counts = {
        attributes.get("error.type"): point.count for attributes, point in kept.points("gen_ai.execute_tool.duration")
    }
    assert counts == {None: 1, "rate_limited": 1}


def test_a_cancelled_call_has_a_span_that_says_so() -> None:
    kept = Kept()

    async def handler(_args: Any) -> None:
        await asyncio.sleep(60)

    async def cancel() -> None:
        calling = asyncio.create_task(call(runtime_of(catalog_of(handler), telemetry=kept.telemetry)))
        await asyncio.sleep(0)
        calling.cancel()
        await calling

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancel())
    assert attributes_of(kept.one)["error.type"] == "cancelled"


class OnlyFirst(Sampler):
    """Records the first span alone."""

    seen = 0

    def should_sample(self, *_args: Any, **_named: Any) -> SamplingResult:
        self.seen += 1
        return SamplingResult(Sampling.RECORD_AND_SAMPLE if self.seen == 1 else Sampling.DROP)

    def get_description(self) -> str:
        return "only the first"


def test_a_call_that_is_not_recorded_adds_nothing_to_the_span_of_the_call_above() -> None:
    kept = Kept(OnlyFirst())

    async def handler(args: Any) -> str:
        if args["n"]:
            await call(runtime, payload='{"n": 0}')
        describe_call({"n": args["n"]})
        with attempt_span(args["n"]):
            return "ran"

    runtime = runtime_of(catalog_of(handler), telemetry=kept.telemetry)
    asyncio.run(call(runtime, payload='{"n": 1}'))
    assert kept.tree() == ["execute_tool own.tool"]
    assert attributes_of(kept.one)["n"] == 1


def test_names_that_no_tool_has_are_one_value_of_the_metric() -> None:
    kept = Kept()
    runtime = runtime_of(catalog_of(), telemetry=kept.telemetry)
    for name in ("made.up", "made.up.too"):
        call_now(runtime, name)
    assert [attributes_of(span)["gen_ai.tool.name"] for span in kept.spans] == ["made.up", "made.up.too"]
    assert {span.name for span in kept.spans} == {"execute_tool"}
    ((attributes, point),) = kept.points("gen_ai.execute_tool.duration")
    assert attributes == {
        "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "_OTHER", "error.type": "tool_not_available",
    }  # fmt: skip
    assert point.count == 2


def test_a_call_that_ends_with_its_task_has_one_span() -> None:
    kept = Kept()

    async def handler(_args: Any) -> None:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        await asyncio.sleep(60)

    runtime = runtime_of(catalog_of(handler), telemetry=kept.telemetry)

    async def turn() -> list[ToolResult[Any]]:
        return await runtime.turn([ToolRequest(name="own.tool")], runtime.start_run())

    (result,) = asyncio.run(turn())
    assert result.is_error
    assert attributes_of(kept.one)["error.type"] == "cancelled"


def test_calls_of_a_turn_that_are_skipped_have_a_span() -> None:
    kept = Kept()
    catalog = add(catalog_of(fail, permission="write"), lambda _args: "ran", "own.next", permission="write")
    runtime = runtime_of(catalog, telemetry=kept.telemetry)

    async def turn() -> None:
        await runtime.turn([ToolRequest(name="own.tool"), ToolRequest(name="own.next")], runtime.start_run())

    asyncio.run(turn())
    failed, skipped = kept.spans
    assert attributes_of(failed)["error.type"] == "domain_rejection"
    assert (skipped.name, attributes_of(skipped)["error.type"]) == ("execute_tool own.next", "skipped")


def test_a_call_that_is_not_sampled_costs_no_span_and_is_counted() -> None:
    kept = Kept(ParentBased(ALWAYS_OFF))
    inside: list[Any] = []

    def handler(_args: Any) -> str:
        inside.append(trace.get_current_span().get_span_context())
        return "ran"

    call_now(runtime_of(catalog_of(handler), telemetry=kept.telemetry))
    assert kept.spans == []
    assert inside[0].is_valid  # so that what the handler does is not sampled either
    assert not inside[0].trace_flags.sampled
    assert len(kept.points("gen_ai.execute_tool.duration")) == 1


class BrokenSampler(Sampler):
    """A sampler with a bug."""

    def should_sample(self, *args: Any, **named: Any) -> SamplingResult:
        raise RuntimeError("no idea")

    def get_description(self) -> str:
        return "broken"


def test_a_failure_of_telemetry_is_logged_and_fails_no_call(caplog: pytest.LogCaptureFixture) -> None:
    kept = Kept(BrokenSampler())
    runtime = runtime_of(catalog_of(), telemetry=kept.telemetry)
    with caplog.at_level(logging.WARNING, "toolgen"):
        assert call_now(runtime).value == "ran"
        assert code_of(call_now(runtime, "made.up")) == "tool_not_available"
    assert [record.message for record in caplog.records] == [
        "the span execute_tool own.tool is not recorded", "the span execute_tool is not recorded",
    ]  # fmt: skip


class BrokenHistogram:
    """A histogram with a bug."""

    def record(self, *_args: Any) -> None:
        raise RuntimeError("full")


@pytest.mark.parametrize("sampler", [None, ParentBased(ALWAYS_OFF)], ids=["sampled", "not sampled"])
def test_a_failure_of_a_metric_is_logged_and_fails_no_call(
    sampler: Sampler | None, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = Kept(sampler)
    monkeypatch.setattr(kept.telemetry.calls, "_durations", BrokenHistogram())
    with caplog.at_level(logging.WARNING, "toolgen"):
        assert call_now(runtime_of(catalog_of(), telemetry=kept.telemetry)).value == "ran"
    (record,) = caplog.records
    assert "of a call of own.tool is not recorded" in record.message


def echo(args: Any) -> Any:
    return {"got": args["pin"], "at": args["at"]}


def secretive_catalog(handler: Any = echo) -> Catalog:
    catalog = Catalog()
    catalog.register(
        ToolDefinition(name="own.tool", description="x", input_schema=SECRET_ARGS), handler, profile="full"
    )
    return catalog


def secretive(**settings: Any) -> tuple[Kept, ToolResult[Any]]:
    kept = Kept(**settings)
    runtime = runtime_of(secretive_catalog(), telemetry=kept.telemetry)
    return kept, call_now(runtime, payload=json.dumps({"pin": SECRET, "at": "api_key=sk-0123456789abcdef"}))


def test_spans_have_no_contents_by_default() -> None:
    kept, _ = secretive(stages=True)
    assert "gen_ai.tool.call.arguments" not in attributes_of(kept.named("execute_tool own.tool"))
    assert SECRET not in "".join(span.to_json() for span in kept.spans)


def test_contents_are_redacted_as_in_the_record() -> None:
    kept, result = secretive(contents=True)
    assert result.value is not None
    assert result.value["got"] == SECRET
    attributes = attributes_of(kept.one)
    store = MemoryStore()
    catalog = secretive_catalog()
    payload = json.dumps({"pin": SECRET, "at": "api_key=sk-0123456789abcdef"})

    async def record() -> Any:
        await runtime_of(catalog, store=store).invoke(
            ToolRequest(name="own.tool", payload=payload), meta=ToolCallMeta(run_id="r")
        )
        return await store.read("r")

    run = asyncio.run(record())
    assert json.loads(attributes["gen_ai.tool.call.arguments"]) == run.events[0].data["args"]
    assert json.loads(attributes["gen_ai.tool.call.result"]) == run.results[0].content["value"]
    assert SECRET not in kept.one.to_json()
    assert "sk-0123456789abcdef" not in kept.one.to_json()


def test_contents_of_a_failure_are_its_args_and_its_message_without_secrets() -> None:
    def handler(args: Any) -> None:
        raise CallFailed(FailureKind.DOMAIN_REJECTION, "bad_pin", f"the pin {args['pin']} is wrong")

    kept = Kept(contents=True)
    runtime = runtime_of(secretive_catalog(handler), telemetry=kept.telemetry)
    call_now(runtime, payload=json.dumps({"pin": SECRET}))
    assert kept.one.status.description == "the pin [redacted] is wrong"
    assert json.loads(attributes_of(kept.one)["gen_ai.tool.call.arguments"]) == {"pin": "[redacted]"}
    assert "gen_ai.tool.call.result" not in attributes_of(kept.one)


def test_args_that_cannot_be_read_are_in_no_span() -> None:
    kept = Kept(contents=True)
    call_now(runtime_of(catalog_of(), telemetry=kept.telemetry), payload="{not json")
    assert "gen_ai.tool.call.arguments" not in attributes_of(kept.one)
    assert kept.one.status.description


def test_stages_are_spans_with_their_decisions_within_that_of_the_call() -> None:
    kept = Kept(stages=True)
    settings: dict[str, Any] = {"permission": lambda _request: Decision.ALLOW_ONCE, "telemetry": kept.telemetry}
    call_now(runtime_of(catalog_of(permission="write"), **settings))
    assert kept.tree() == [
        "execute_tool own.tool", "  stage decode", "  stage permission", "  stage execute", "  stage encode",
    ]  # fmt: skip
    whole = kept.named("execute_tool own.tool")
    stages = [span for span in kept.spans if span is not whole]
    times = [time for span in stages for time in (span.start_time or 0, span.end_time or 0)]
    assert times == sorted(times)
    assert (whole.start_time or 0) - 1_000_000 <= times[0]  # the clocks of spans and of stages are two
    assert attributes_of(kept.named("stage permission"))["toolgen.stage"] == "permission"


def test_the_stage_that_denied_a_call_has_the_decision() -> None:
    kept = Kept(stages=True)
    call_now(runtime_of(catalog_of(permission="write"), telemetry=kept.telemetry, permission=deny_all))
    assert attributes_of(kept.named("stage permission"))["toolgen.decision"] == "permission_denied"


def test_stages_are_those_of_the_record() -> None:
    kept, store = Kept(stages=True), MemoryStore()
    runtime = runtime_of(catalog_of(), telemetry=kept.telemetry, store=store)

    async def record() -> Any:
        await runtime.invoke(ToolRequest(name="own.tool"), meta=ToolCallMeta(run_id="r"))
        return await store.read("r")

    run = asyncio.run(record())
    stages = [stage["stage"] for stage in run.events[-1].data["stages"]]
    assert [span.name for span in kept.spans if span.name.startswith("stage")] == [f"stage {each}" for each in stages]


def test_results_are_the_same_with_telemetry() -> None:
    for payload in ("{}", "{not json", "[]"):
        bare = call_now(runtime_of(catalog_of()), payload=payload)
        assert (
            call_now(runtime_of(catalog_of(), telemetry=Kept(contents=True, stages=True).telemetry), payload=payload)
            == bare
        )


def test_without_a_provider_calls_run_as_before() -> None:
    from toolgen.runtime.telemetry import Telemetry

    assert call_now(runtime_of(catalog_of(), telemetry=Telemetry(contents=True, stages=True))).value == "ran"


def test_calls_that_a_handler_makes_are_children_of_its_call() -> None:
    kept = Kept()
    catalog = Catalog()

    async def outer(_args: Any) -> Any:
        return (await call(runtime, "own.inner")).value

    add(add(catalog, outer, "own.outer"), lambda _args: "inner", "own.inner")
    runtime = runtime_of(catalog, telemetry=kept.telemetry)
    assert call_now(runtime, "own.outer").value == "inner"
    assert kept.tree() == ["execute_tool own.outer", "  execute_tool own.inner"]
