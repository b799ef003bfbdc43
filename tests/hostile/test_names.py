"""Names of tools that nobody here gave, as long as they like: none is kept, told or shown whole, at any door."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest
from mcp import Client

from tests.unit.cli.command_line import toolgen
from toolgen.contract.records import NOT_OFFERED, ToolRequest
from toolgen.record import MemoryStore
from toolgen.runtime import Runtime, ToolNotFound, deny_all, load
from toolgen.serve import mcp_server
from toolgen.spec.text import visible

if TYPE_CHECKING:
    from pathlib import Path

LONG = "x" * 100_000
NAMES = {
    "long": LONG,
    "long, and marked as not offered": LONG + NOT_OFFERED,
    "with controls": "a\u202eb\x1b[31m\n" * 30,
    "long, with controls": "\u200b" * 100_000,
    "like an ident": "team.jobs.echo" * 7_000,
}
MOST = 4_000
"""Characters of all that is said of a call whose tool there is not."""

SPEC = "toolgen: 1\ntoolset: team.jobs\ntools: {echo: {description: Says it again., args: {text: string}}}\n"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("names")
    (folder / "specs").mkdir()
    (folder / "specs/jobs.yaml").write_text(SPEC)
    (folder / "toolgen.toml").write_text('targets = [{ specs = "specs", out = "named_package" }]\n')
    assert toolgen(folder, "build").code == 0
    return folder


@pytest.fixture
def runtime(project: Path, monkeypatch: pytest.MonkeyPatch) -> Runtime:
    monkeypatch.syspath_prepend(project)
    return Runtime(load("named_package"), permission=deny_all, missing=["team.jobs"])


def is_short(told: object) -> bool:
    text = told if isinstance(told, str) else repr(told)
    return len(text) < MOST and visible(text.replace("\n", " ")) == text.replace("\n", " ")


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_of_calls_in_a_program(runtime: Runtime, name: str) -> None:
    async def ask() -> None:
        request = ToolRequest(name=name, payload="{}")
        run = runtime.start_run()
        for result in (
            await runtime.invoke(request),
            await runtime.invoke(request, run=run),
            *await runtime.turn([request], run),
        ):
            assert result.error is not None
            assert result.error.code == "tool_not_available"
            assert result.tool_name.endswith(NOT_OFFERED) == name.endswith(NOT_OFFERED)
            assert is_short(result)
        with pytest.raises(ToolNotFound) as raised:
            runtime.catalog.definition(name)
        assert is_short(str(raised.value))

    asyncio.run(ask())


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_of_the_record(runtime: Runtime, name: str) -> None:
    async def ask() -> None:
        store = MemoryStore()
        recorded = Runtime(runtime.catalog, permission=deny_all, missing=["team.jobs"], store=store)
        run = recorded.start_run()
        await recorded.invoke(ToolRequest(name=name, payload="{}"), run=run)
        (event,) = [event for event in (await store.read(run.meta.run_id or "")).events if event.tool]
        assert is_short(event.tool)
        assert is_short(json.dumps(event.data, default=str))

    asyncio.run(ask())


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_of_clients_of_serve(runtime: Runtime, name: str) -> None:
    async def ask() -> None:
        async with Client(mcp_server(runtime, runtime.start_run()).protocol) as client:
            try:
                told: Any = await client.call_tool(name, {})
            except Exception as error:  # noqa: BLE001  # how it is refused is not asked here
                told = error
            assert is_short(str(told))

    asyncio.run(ask())


@pytest.mark.parametrize("command", [("show",), ("call",), ("explain",), ("policy", "explain")], ids=" ".join)
@pytest.mark.parametrize("name", [name.replace("\0", "") for name in NAMES.values()], ids=NAMES)
def test_of_commands(project: Path, command: tuple[str, ...], name: str) -> None:
    done = toolgen(project, *command, name)
    assert done.code != 0
    assert is_short(done.out + done.err)


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
@pytest.mark.parametrize("form", ["text", "json"])
def test_of_recordings(project: Path, tmp_path: Path, name: str, form: str) -> None:
    recording = tmp_path / "calls.jsonl"
    recording.write_text(json.dumps({"tool": name, "arguments": {}}) + "\n")
    done = toolgen(project, "replay", str(recording), "--format", form)
    assert done.code == 1
    assert is_short(done.out + done.err)
