"""Stubs and recordings answer calls of each kind of toolset, however a model is shown the tools."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.testing.world import EACH_KIND, ORDERS, OTHERS, built
from toolgen.compiler.project.listing import builtin_folder
from toolgen.contract.records import ToolRequest, ToolResult, ToolsetRegistration
from toolgen.llm import ToolUse, ToolUseConfig
from toolgen.runtime import Runtime, allow_all
from toolgen.spec.tool_use import LAYERS, PRESENTATIONS
from toolgen.testing import ScriptedModel, Stubs, recorded, stub_executors, when
from toolgen.toolsets.actions import ActionTools

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from toolgen.runtime import Catalog
    from toolgen.spec.tool_use import PresentationName

ACTIONS = {ident: ident.rpartition(".")[2] for ident in EACH_KIND}
CATEGORIES = f"""
toolgen: 1
catalog: all
categories:
  all:
    description: All tools.
    actions: {json.dumps({action: ident for ident, action in ACTIONS.items()})}
"""


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Catalog]:
    builtin = Path(builtin_folder(), "actions.yaml").read_text(encoding="utf-8")
    yield from built(tmp_path_factory.mktemp("package"), ORDERS, *OTHERS, CATEGORIES, builtin)


def script(presentation: PresentationName, ident: str, args: Mapping[str, Any]) -> ScriptedModel:
    def call(name: str, given: Mapping[str, Any]) -> ToolRequest:
        return ToolRequest(name=name, payload=json.dumps(given))

    given = ", ".join(f"{name}={value!r}" for name, value in args.items())
    turns: dict[str, list[Any]] = {
        "enumerate-all": [call(ident, args)],
        "universal-category": [call("invoke_action", {"action_name": f"all__{ACTIONS[ident]}", "args": args})],
        "retrieval": [call("search_tools", {"query": ident.replace(".", " ")}), call(ident, args)],
        "codeact": [f"```python\nresult = {ident.replace('.', '__')}({given})\n```"],
    }
    return ScriptedModel(*turns[presentation], "done")


def told(catalog: Catalog, stubs: Stubs, presentation: PresentationName, ident: str, args: Mapping[str, Any]) -> str:
    """Let a model make one call; return what it was told, as JSON."""
    config = ToolUseConfig(embedding_class="lexical", presentations=dict.fromkeys(LAYERS, presentation))
    tool_use = ToolUse(catalog, config)
    executors = [*stubs, ActionTools(tool_use).registration()]
    runtime = Runtime(catalog, executors=executors, permission=allow_all, inject={"token": lambda _meta: "t"})
    conversation = tool_use.conversation("chat", runtime, runtime.start_run(), "openai")
    model = script(presentation, ident, args)
    outcome = asyncio.run(conversation.run(model, [{"role": "user", "content": "Go."}]))
    assert outcome.text == "done"
    model.check()
    return json.dumps(model.requests[-1].messages[-1])


class Real:
    """An executor of a toolset."""

    def __init__(self, result: Any) -> None:
        self._result = result

    async def execute(self, _request: ToolRequest, _meta: Any, /) -> ToolResult[Any]:
        await asyncio.sleep(0)
        return ToolResult(payload=json.dumps(self._result).encode())


@pytest.mark.parametrize("presentation", PRESENTATIONS)
@pytest.mark.parametrize(("ident", "given"), EACH_KIND.items(), ids=EACH_KIND)
@pytest.mark.variants(7)
def test_each_kind_is_answered_with_each_presentation(
    catalog: Catalog, tmp_path: Path, ident: Any, given: Any, presentation: PresentationName
) -> None:
    args, result = given
    toolsets = [each for each in catalog.toolsets if each != "actions"]
    value = str(next(iter(result.values()))) if isinstance(result, dict) else result

    stubs = stub_executors(catalog, when(ident, args).returns(result), toolsets=toolsets)
    assert value in told(catalog, stubs, presentation, ident, args)
    assert [(call.ident, call.arguments, call.answered_by) for call in stubs.calls] == [(ident, args, "test")]
    stubs.check()

    file = tmp_path / "calls.jsonl"
    real = ToolsetRegistration(toolset=catalog.toolset_of(ident), executor=Real(result))
    modes: dict[Any, str] = {"once": "executor", "none": "recording"}
    for mode, answered_by in modes.items():
        recording = recorded(file, mode, executors=[real] if mode == "once" else [])
        stubs = stub_executors(catalog, recording=recording, toolsets=toolsets)
        assert value in told(catalog, stubs, presentation, ident, args)
        assert [(call.arguments, call.answered_by) for call in stubs.calls] == [(args, answered_by)]
