"""What telemetry needs, what is loaded without it, and how commands are configured."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.project.checkout import ROOT


def python(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run code in a new interpreter."""
    return subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.slow
def test_without_telemetry_nothing_of_opentelemetry_is_loaded() -> None:
    done = python("""\
import asyncio, sys
from toolgen.agents import Message, ScriptedPlanner, run_agent
from toolgen.llm import ToolUse
from toolgen.runtime import Catalog, Runtime, ToolDefinition, ToolRequest, allow_all
import toolgen.execute.http
from toolgen.execute.trace_context import describe_call, outgoing_headers

catalog = Catalog()
catalog.register(ToolDefinition(name="own.tool", description="x", input_schema={"type": "object"}), lambda args: 1)
runtime = Runtime(catalog, permission=allow_all)
asyncio.run(run_agent(runtime, "", [Message(role="user")], ScriptedPlanner([ToolRequest(name="own.tool")])))
ToolUse(catalog).conversation("chat", runtime, runtime.start_run())
describe_call({"a": 1})
print(outgoing_headers(), [name for name in sys.modules if name.startswith(("opentelemetry", "toolgen.runtime.tele"))])
""")
    assert done.stdout == "{} []\n", done.stderr


def test_a_missing_api_says_what_to_install() -> None:
    done = python("import sys; sys.modules['opentelemetry.trace'] = None; import toolgen.runtime.telemetry")
    assert done.stderr.splitlines()[-1] == (
        'toolgen.contract.extras.MissingExtra: telemetry needs the API of OpenTelemetry: pip install "toolgen[otel]"'
    )


ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"
NOWHERE = "http://127.0.0.1:9"
ASK = "from toolgen.cli.commands.calls.telemetry import command_telemetry; found = command_telemetry(); "


@pytest.mark.slow
@pytest.mark.parametrize(
    ("environment", "code", "said"),
    [
        ({}, "print(found)", "None"),
        ({ENDPOINT: NOWHERE, "OTEL_SDK_DISABLED": "true"}, "print(found)", "None"),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": NOWHERE}, "print(found.contents)", "False"),
        (
            {ENDPOINT: NOWHERE, "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "true"},
            "print(found.contents)",
            "True",
        ),
        (
            {ENDPOINT: NOWHERE},
            "from opentelemetry import trace; print(trace.get_tracer_provider().resource.attributes['service.name'])",
            "toolgen",
        ),
        (
            {ENDPOINT: NOWHERE, "OTEL_SERVICE_NAME": "mine"},
            "from opentelemetry import trace; print(trace.get_tracer_provider().resource.attributes['service.name'])",
            "mine",
        ),
    ],
)
def test_commands_are_configured_by_the_variables_of_opentelemetry(
    environment: dict[str, str], code: str, said: str
) -> None:
    # Without an orderly end, which would wait for a receiver.
    done = python(f"{ASK}{code}; import os, sys; sys.stdout.flush(); os._exit(0)", **environment)
    assert done.stdout.strip() == said, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("environment", "seconds"), [({}, "3.0"), ({"OTEL_EXPORTER_OTLP_TRACES_TIMEOUT": "9"}, "None")]
)
def test_a_command_waits_three_seconds_for_a_collector_unless_a_variable_says_so(
    environment: dict[str, str], seconds: str
) -> None:
    shows = (
        "from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter as Exporter; "
        "made = Exporter.__init__; "
        "Exporter.__init__ = lambda self, timeout: (print(timeout), made(self, timeout=timeout))[1]; "
    )
    done = python(f"{shows}{ASK}import os, sys; sys.stdout.flush(); os._exit(0)", **{ENDPOINT: NOWHERE, **environment})
    assert done.stdout.splitlines() == [seconds]


def test_a_program_that_has_set_up_the_sdk_is_left_as_it_is() -> None:
    done = python(f"""\
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
own = TracerProvider()
trace.set_tracer_provider(own)
{ASK}
print(found is not None, trace.get_tracer_provider() is own)
""")
    assert done.stdout == "True True\n", done.stderr


def test_an_endpoint_without_the_sdk_is_reported_and_the_command_runs() -> None:
    done = python(
        f"import sys; sys.modules['opentelemetry.sdk.trace'] = None; {ASK}print(found)", **{ENDPOINT: NOWHERE}
    )
    assert done.stdout == "None\n"
    assert done.stderr == (
        'no telemetry: OTEL_EXPORTER_OTLP_ENDPOINT needs the SDK: pip install "toolgen[otel]" opentelemetry-sdk '
        "opentelemetry-exporter-otlp-proto-http\n"
    )
