"""The program of `app`, with spans that are sent to a collector, as `toolgen worker` executes it."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

from tests.unit.engine import app
from toolgen.runtime.telemetry import Telemetry

if TYPE_CHECKING:
    from toolgen.engine import EngineHost
    from toolgen.engine.protocol import Engine

COLLECTOR = "ENGINE_APP_COLLECTOR"


def host(engine: Engine) -> EngineHost:
    name = sys.argv[sys.argv.index("--name") + 1]
    tracers = TracerProvider(resource=Resource.create({"service.name": name}))
    tracers.add_span_processor(SimpleSpanProcessor(OTLPSpanExporter(f"{os.environ[COLLECTOR]}/v1/traces")))
    return app.host(engine, telemetry=Telemetry(tracer_provider=tracers))
