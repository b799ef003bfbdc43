"""The official conformance suite (npm: @modelcontextprotocol/conformance), against `toolgen serve --http`."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.programs.installed import environment, needs, program
from tests.project.checkout import ROOT
from tests.unit.cli.command_line import toolgen
from tests.unit.serve.conftest import Listening, Project

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [pytest.mark.long, needs("conformance"), pytest.mark.xdist_group("serve")]

SCENARIOS = [
    "server-initialize",
    "ping",
    "tools-list",
    "tools-call-simple-text",
    "tools-call-image",
    "tools-call-audio",
    "tools-call-embedded-resource",
    "tools-call-mixed-content",
    "tools-call-error",
    "tools-call-with-progress",
    "tools-call-elicitation",
    "json-schema-2020-12",
    "elicitation-sep1034-defaults",
    "elicitation-sep1330-enums",
    "server-sse-multiple-streams",
    "dns-rebinding-protection",
]
"""Scenarios about tools. The guide lists those that are left out, each with its reason."""

SPEC = """\
toolgen: 1
toolset: conformance.tools

tools:
  text: {wire_name: test_simple_text, description: Return a text., permission: readonly, args: {}, result: string}
  image: {wire_name: test_image_content, description: Return an image., permission: readonly, args: {}}
  audio: {wire_name: test_audio_content, description: Return a sound., permission: readonly, args: {}}
  resource: {wire_name: test_embedded_resource, description: Return a resource., permission: readonly, args: {}}
  mixed: {wire_name: test_multiple_content_types, description: Return all., permission: readonly, args: {}}
  fail: {wire_name: test_error_handling, description: Fail., permission: readonly, args: {}}
  progress: {wire_name: test_tool_with_progress, description: Report., permission: readonly, args: {}, result: string}
  ask:
    wire_name: test_elicitation
    description: Ask the person.
    permission: readonly
    args: {message: string}
    result: string
  defaults:
    wire_name: test_elicitation_sep1034_defaults
    description: Ask with defaults.
    permission: readonly
    args: {}
    result: string
  enums:
    wire_name: test_elicitation_sep1330_enums
    description: Ask for choices.
    permission: readonly
    args: {}
    result: string
  schema:
    wire_name: json_schema_2020_12_tool
    description: Tool with JSON Schema 2020-12 features.
    permission: readonly
    args:
      $schema: https://json-schema.org/draft/2020-12/schema
      type: object
      $defs:
        address: {type: object, properties: {street: {type: string}, city: {type: string}}}
      properties:
        name: {type: string}
        address: {$ref: "#/$defs/address"}
      additionalProperties: false
"""

APP = """\
import asyncio
import json

from toolgen.contract.records import ToolResult
from toolgen.serve import ask_person

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA="
IMAGE = {"type": "image", "data": PNG, "mimeType": "image/png"}


def content(*blocks):
    return ToolResult(value=list(blocks), metadata={"mcp": {"content": list(blocks)}})


def resource(name, media_type, text):
    return {"type": "resource", "resource": {"uri": f"test://{name}", "mimeType": media_type, "text": text}}


async def asked(message, **properties):
    required = [name for name, field in properties.items() if "default" not in field and message != "Choose"]
    return json.dumps(await ask_person(message, {"type": "object", "properties": properties, "required": required}))


class Tools:
    def text(self, args, meta):
        return "This is a simple text response for testing."

    def image(self, args, meta):
        return content(IMAGE)

    def audio(self, args, meta):
        return content({"type": "audio", "data": WAV, "mimeType": "audio/wav"})

    def resource(self, args, meta):
        return content(resource("embedded-resource", "text/plain", "This is an embedded resource content."))

    def mixed(self, args, meta):
        text = {"type": "text", "text": "Multiple content types test:"}
        return content(text, IMAGE, resource("mixed-content-resource", "application/json", \'{"test": "data"}\'))

    def fail(self, args, meta):
        raise RuntimeError("This tool intentionally returns an error for testing")

    async def progress(self, args, meta):
        for progress in (0, 50, 100):
            meta.report({"progress": progress, "total": 100})
            await asyncio.sleep(0.05)
        return "done"

    async def ask(self, args, meta):
        return await asked(args.message, username={"type": "string"}, email={"type": "string"})

    async def defaults(self, args, meta):
        return await asked(
            "Who?",
            name={"type": "string", "default": "John Doe"},
            age={"type": "integer", "default": 30},
            score={"type": "number", "default": 95.5},
            status={"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
            verified={"type": "boolean", "default": True},
        )

    async def enums(self, args, meta):
        plain = ["option1", "option2", "option3"]
        titled = [{"const": f"value{number}", "title": f"Value {number}"} for number in (1, 2, 3)]
        return await asked(
            "Choose",
            untitledSingle={"type": "string", "enum": plain},
            titledSingle={"type": "string", "oneOf": titled},
            legacyEnum={"type": "string", "enum": ["opt1", "opt2"], "enumNames": ["Option 1", "Option 2"]},
            untitledMulti={"type": "array", "items": {"type": "string", "enum": plain}},
            titledMulti={"type": "array", "items": {"anyOf": titled}},
        )

    def schema(self, args, meta):
        return None
"""


@pytest.fixture(scope="module")
def tested(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Listening]:
    folder = tmp_path_factory.mktemp("conformance")
    (folder / "specs").mkdir()
    (folder / "specs" / "tools.yaml").write_text(SPEC)
    (folder / "app.py").write_text(APP)
    (folder / "toolgen.toml").write_text('executors = {"conformance.tools" = "app:Tools"}\n')
    built = toolgen(folder, "build")
    assert built.code == 0, built.err
    listening = Project(folder).start()
    yield listening
    assert listening.stop()[0] == 0


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_scenario_passes(scenario: str, tested: Listening) -> None:
    done = subprocess.run(
        [program("conformance"), "server", "--url", tested.url, "--scenario", scenario],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    passed = re.search(r"Passed: (\d+)/(\d+), (\d+) failed, (\d+) warnings", done.stdout)
    assert passed, done.stdout + done.stderr
    assert done.returncode == 0, done.stdout
    assert passed[1] == passed[2] != "0", done.stdout
    assert (passed[3], passed[4]) == ("0", "0"), done.stdout


@pytest.mark.parametrize("scenario", ["initialize", "tools_call", "elicitation-sep1034-client-defaults", "sse-retry"])
def test_a_client_scenario_passes(scenario: str) -> None:
    client = shlex.join([sys.executable, str(Path(__file__).with_name("conformance_client.py"))])
    done = subprocess.run(
        [program("conformance"), "client", "--command", client, "--scenario", scenario, "--timeout", "60000"],
        env={**environment(), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    passed = re.search(r"Passed: (\d+)/(\d+), (\d+) failed, (\d+) warnings", done.stderr)
    assert passed, done.stderr
    assert done.returncode == 0, done.stderr
    assert passed[1] == passed[2] != "0", done.stderr
