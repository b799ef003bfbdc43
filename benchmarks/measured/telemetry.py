"""What telemetry adds to a call, and what a span takes by the SDK alone, in microseconds.

Interleaved with the bare call, `rounds` times `repeats` calls.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, Any

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, ParentBased

from benchmarks.measured.cases import ARGS, TOOL, issues_executor
from benchmarks.projects import PACKAGE
from toolgen.runtime import Runtime, Telemetry, ToolRequest, allow_all, load

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan
    from opentelemetry.trace import Tracer


class _Nowhere(SpanExporter):
    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        return SpanExportResult.SUCCESS


def _sampled() -> TracerProvider:
    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(_Nowhere()))
    return provider


def _telemetry() -> dict[str, Telemetry]:
    unsampled = TracerProvider(sampler=ParentBased(ALWAYS_OFF))
    metrics = MeterProvider([InMemoryMetricReader()])
    return {
        "no SDK": Telemetry(),
        "not sampled": Telemetry(tracer_provider=unsampled),
        "not sampled, metrics": Telemetry(tracer_provider=unsampled, meter_provider=metrics),
        "sampled": Telemetry(tracer_provider=_sampled()),
        "sampled, metrics": Telemetry(tracer_provider=_sampled(), meter_provider=metrics),
        "sampled, stages": Telemetry(tracer_provider=_sampled(), stages=True),
        "sampled, contents": Telemetry(tracer_provider=_sampled(), contents=True),
    }


def _by_the_sdk_alone() -> dict[str, Tracer]:
    """Return what starts spans as a host would by hand, without any of toolgen: the floors of what telemetry adds."""
    unsampled = TracerProvider(sampler=ParentBased(ALWAYS_OFF))
    return {"not sampled": unsampled.get_tracer("bench"), "sampled": _sampled().get_tracer("bench")}


async def main(rounds: int, repeats: int) -> None:
    settings: dict[str, dict[str, Any]] = {"bare": {}}
    settings |= {name: {"telemetry": telemetry} for name, telemetry in _telemetry().items()}
    catalog = load(PACKAGE)
    shared: dict[str, Any] = {
        "executors": [issues_executor()],
        "missing": catalog.toolsets,
        "permission": allow_all,
        "disabled_policies": ["bench"],
    }
    runtimes = {name: Runtime(catalog, **shared, **own) for name, own in settings.items()}
    found: dict[str, list[float]] = {name: [] for name in runtimes}
    tracers = _by_the_sdk_alone()
    floors: dict[str, list[float]] = {name: [] for name in tracers}
    for _ in range(rounds + 1):
        for name, runtime in runtimes.items():
            found[name].append(await _microseconds(runtime, repeats))
        for name, tracer in tracers.items():
            floors[name].append(_microseconds_of_a_span(tracer, repeats))
    bare = found.pop("bare")[1:]  # the first round binds plans
    report = {name: median(map(float.__sub__, times[1:], bare)) for name, times in found.items()}
    report |= {f"{name}, the SDK alone": median(times[1:]) for name, times in floors.items()}
    print(json.dumps({"bare": median(bare), **{name: round(added, 2) for name, added in report.items()}}))


async def _microseconds(runtime: Runtime, repeats: int) -> float:
    request = ToolRequest(name=TOOL, payload=ARGS, tool_call_id="c1")
    start = perf_counter()
    for _ in range(repeats):
        assert (await runtime.invoke(request)).error is None
    return (perf_counter() - start) / repeats * 1e6


def _microseconds_of_a_span(tracer: Tracer, repeats: int) -> float:
    attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": TOOL, "gen_ai.tool.type": "function"}
    start = perf_counter()
    for _ in range(repeats):
        with tracer.start_as_current_span(f"execute_tool {TOOL}", attributes=attributes) as span:
            if span.is_recording():
                span.set_attribute("gen_ai.tool.call.id", "c1")
    return (perf_counter() - start) / repeats * 1e6


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), int(sys.argv[2])))
