"""Records of agents: the line about a call, and what it leaves out."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

from tests.unit.toolsets.agent.agents.world import call_of, value_of
from toolgen.contract.records import FailureKind, ToolError, ToolResult, ToolsetRegistration
from toolgen.runtime import Runtime, allow_all, load
from toolgen.runtime.runs.children import ChildRun
from toolgen.toolsets.agent.agents import AgentRecords

if TYPE_CHECKING:
    from toolgen.contract.records import ToolCallMeta, ToolRequest


class Vault:
    """A tool that accepts one word. Its error about others has two lines."""

    def execute(self, request: ToolRequest, _meta: ToolCallMeta, /) -> ToolResult[str]:
        if "sesame" in str(request.payload):
            return ToolResult(value="open")
        error = ToolError(message="stays shut\nat line 3", kind=FailureKind.DOMAIN_REJECTION, code="wrong_word")
        return ToolResult(error=error)


def test_a_line_has_no_declared_secret_and_only_the_first_line_of_an_error(many_agents: str) -> None:
    catalog = load(many_agents)
    vault = ToolsetRegistration(toolset="vault", executor=Vault())
    runtime = Runtime(catalog, permission=allow_all, executors=[vault], missing=catalog.toolsets)
    records = AgentRecords(catalog)

    async def main() -> None:
        run = runtime.start_run("ann")
        child = ChildRun(
            run=run, turn=lambda requests: runtime.turn(requests, run), end=lambda _reason: asyncio.sleep(0)
        )
        watched, record = records.watch(child)
        opened, shut = await watched.turn([call_of("vault.open", word="sesame"), call_of("vault.open", word="barley")])
        assert value_of(opened) == "open"
        assert shut.error is not None
        assert list(record.lines) == [
            '1. vault.open {"word":"[redacted]"}: ok',
            '2. vault.open {"word":"[redacted]"}: wrong_word, stays shut',
        ]
        assert records.find(str(run.meta.agent_id), run.meta) is record

    asyncio.run(main())


def test_reg_66_a_line_shows_no_secret_from_args_or_errors(many_agents: str) -> None:
    class Telling(Vault):
        def execute(self, request: ToolRequest, _meta: ToolCallMeta, /) -> ToolResult[str]:
            raise ValueError(f"no way in with {request.payload!r}")

    catalog = load(many_agents)
    vault = ToolsetRegistration(toolset="vault", executor=Telling())
    runtime = Runtime(catalog, permission=allow_all, executors=[vault])

    async def main() -> None:
        run = runtime.start_run("ann")
        child = ChildRun(
            run=run, turn=lambda requests: runtime.turn(requests, run), end=lambda _reason: asyncio.sleep(0)
        )
        watched, record = AgentRecords(catalog).watch(child)
        wrapped = json.dumps({"word": "barley"})
        await watched.turn(
            [
                call_of("vault.open", word="barley"),
                call_of("vault.open", Word="barley"),
                call_of("vault.open", args=wrapped),
            ]
        )
        assert len(record.lines) == 3
        assert "no way in with" in record.lines[0]
        assert not [line for line in record.lines if "barley" in line]

    asyncio.run(main())
