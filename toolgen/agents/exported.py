"""Exported agents: toolsets of kind `agent`, whose calls start a run of the agent that exports them.

An answer that is text is the result of a tool whose result may be text; for any other tool it is read as JSON.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from pydantic_core import from_json

from toolgen.agents.runs import run_to_end
from toolgen.contract.records import ToolsetRegistration
from toolgen.execute.result_texts import may_be_text
from toolgen.runtime.base.errors import ExecutorError, ToolNotFound
from toolgen.runtime.base.text_templates import names_of, render
from toolgen.runtime.runs.children import start_child
from toolgen.schema.fields import defaults_of

if TYPE_CHECKING:
    from toolgen.agents.runs import RunAgent
    from toolgen.contract.records import ToolCallMeta, ToolRequest, ToolResult
    from toolgen.runtime.catalog.catalog import Catalog
    from toolgen.runtime.catalog.definition import ToolDefinition

_OPENING: Final = re.compile(r"```[a-z]*\n")
_CLOSING: Final = "\n```"


class AgentExecutor:
    """Runs the tools of one toolset of kind `agent`, by runs of the agent that exports it. Implements `ToolExecutor`.

    Raises `ExecutorError` for an unknown toolset, or one that no agent exports.
    """

    def __init__(self, catalog: Catalog, toolset: str, run_agent: RunAgent) -> None:
        if toolset not in catalog.toolsets:
            raise ExecutorError(f"there is no toolset {toolset} in the catalog")
        compiled = catalog.section("toolsets")[toolset]
        if "exported_by" not in compiled:
            raise ExecutorError(f"no agent exports {toolset}: it is of kind {compiled['kind']}")
        self._agent: Final[str] = compiled["exported_by"]
        self._run_agent: Final = run_agent
        system = catalog.section("agents")[self._agent].get("system", "")
        self._prompts: Final = {
            ident: _Prompt.of(catalog.definition(ident), system) for ident in catalog.toolsets[toolset]
        }
        self._may_be_text: Final = {
            ident for ident in self._prompts if may_be_text(catalog.definition(ident).result_schema)
        }

    async def execute(self, request: ToolRequest, meta: ToolCallMeta, /) -> ToolResult[Any]:
        """Run one call. If the run fails, the result has an error. Raises `ToolNotFound` and as `start_child` does."""
        if request.name not in self._prompts:
            raise ToolNotFound(request.name)
        system, user = self._prompts[request.name].filled(request.payload)
        result = await run_to_end(start_child(meta, self._agent), system, user, self._run_agent, meta)
        if isinstance(result.value, str) and request.name not in self._may_be_text:
            return replace(result, value=None, payload=json_in(result.value))
        return result


def agent_executor(catalog: Catalog, toolset: str, run_agent: RunAgent) -> ToolsetRegistration:
    """Return the executor of an `agent` toolset: `Runtime(executors=[executor(catalog, "lab.research", run_agent)])`.

    Raises `ExecutorError` for an unknown toolset, or one that no agent exports.
    """
    return ToolsetRegistration(toolset=toolset, executor=AgentExecutor(catalog, toolset, run_agent), inline=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Prompt:
    """The initial messages of runs for one tool: templates, or None for the agent's text and for the args as JSON."""

    agent_system: str
    system: str | None
    user: str | None
    defaults: Mapping[str, Any]

    @classmethod
    def of(cls, definition: ToolDefinition, agent_system: str) -> _Prompt:
        return cls(
            agent_system=agent_system,
            system=definition.settings.system or None,
            user=definition.settings.user or None,
            defaults=defaults_of(definition.input_schema),
        )

    def filled(self, payload: bytes | str) -> tuple[str, str]:
        """Return the system and the user message of a call. Its JSON is decoded only if a template needs it."""
        call = payload if isinstance(payload, str) else payload.decode()
        needs_args = names_of(self.system or "") | names_of(self.user or "")
        values = {"args": {**self.defaults, **from_json(call)}} if needs_args else {}
        return (
            self.agent_system if self.system is None else render(self.system, values),
            call if self.user is None else render(self.user, values),
        )


def json_in(text: str) -> bytes:
    """Return the JSON in the answer of a model: all of it, or its only block of code. The codec of the tool checks it.

    Models put JSON into a block of code also where they are asked not to.
    """
    blocks = tuple(islice(_blocks(text), 2))
    return (blocks[0] if len(blocks) == 1 else text).strip().encode(errors="surrogatepass")


def _blocks(text: str) -> Iterator[str]:
    """Yield what stands in blocks of code in Markdown, without one that is not closed."""
    opening = _OPENING.search(text)
    while opening is not None:
        end = text.find(_CLOSING, opening.end())
        if end < 0:
            return
        yield text[opening.end() : end]
        opening = _OPENING.search(text, end + len(_CLOSING))
