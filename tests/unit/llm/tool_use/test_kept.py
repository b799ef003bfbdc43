"""The caches of `ToolUse`: the same object while it is used, with a limit on the total number of tools."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.runtime.tools import idle_executors
from toolgen.llm import ToolUse, ToolUseConfig
from toolgen.llm.actions.view import ActionView
from toolgen.llm.presentations.protocol import Candidates
from toolgen.llm.tool_use import Kept
from toolgen.providers.protocol import ToolPayload
from toolgen.runtime import Catalog, Runtime, ToolDefinition, allow_all, load
from toolgen.spec.tool_use import LAYERS

if TYPE_CHECKING:
    from toolgen.spec.tool_use import PresentationName

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {f"field_{number}": {"type": "string", "description": "A field." * 3} for number in range(5)},
}


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=60), st.integers(1, 12))
def test_recently_used_entries_are_kept_up_to_a_weight(keys: list[tuple[int, int]], most: int) -> None:
    made: list[tuple[int, int]] = []

    def make(one: int, other: int) -> list[int]:
        made.append((one, other))
        return [one, other]

    kept = Kept(make, lambda one, _other: one, most)
    model: list[tuple[int, int]] = []
    for key in keys:
        is_known = key in model
        before = len(made)
        assert kept(*key) == [*key]
        assert (len(made) == before) is is_known
        assert kept(*key) is kept(*key)
        model = [*(each for each in model if each != key), key]
        while sum(max(one, 1) for one, _ in model) > most and len(model) > 1:
            del model[0]
        assert len(kept) == len(model)


def of_many(tools: int) -> Catalog:
    catalog = Catalog()
    for number in range(tools):
        definition = ToolDefinition(name=f"big.t{number:05}", description="Does it. " * 8, input_schema=SCHEMA)
        catalog.register(definition, lambda _args: None)
    return catalog


@pytest.mark.slow
@pytest.mark.parametrize(
    "presentation",
    [
        pytest.param("enumerate-all", marks=pytest.mark.long),  # the limit is one for all presentations
        pytest.param("universal-category", marks=pytest.mark.long),
        "codeact",
    ],
)
@pytest.mark.long
def test_sets_are_kept_up_to_a_total_number_of_tools(
    monkeypatch: pytest.MonkeyPatch, presentation: PresentationName
) -> None:
    """A limit on the number of sets would be ineffective, since each set can have any number of tools."""
    monkeypatch.setattr("toolgen.llm.tool_use._TOOLS", 200)
    catalog = of_many(60)
    actions = load("toolgen.toolsets.generated") if presentation == "universal-category" else None
    for number in range(60 if actions else 0):
        definition = ToolDefinition(name=f"big.t{number:05}", description="Does it.", input_schema=SCHEMA)
        assert actions is not None
        actions.register(definition, lambda _args: None)
    catalog = actions or catalog
    tool_use = ToolUse(catalog, ToolUseConfig(presentations=dict.fromkeys(LAYERS, presentation)))
    runtime = Runtime(catalog, executors=idle_executors(catalog), permission=allow_all)
    idents = sorted(ident for ident in catalog if ident.startswith("big."))
    before: dict[type, int] = {kind: alive(kind) for kind in (Candidates, ToolPayload, ActionView)}

    def talk(number: int) -> None:
        run = runtime.start_run(requested=idents[number : number + 40])
        conversation = tool_use.conversation("chat", runtime, run)
        assert conversation.request() is conversation.request()

    for number in range(20):
        talk(number)
    for kind in (Candidates, ActionView, *([ToolPayload] if presentation == "enumerate-all" else [])):
        assert alive(kind) - before[kind] <= 5, kind


def alive(kind: type) -> int:
    gc.collect()
    return sum(isinstance(each, kind) for each in gc.get_objects())


def test_candidates_of_many_sets_are_the_same_objects() -> None:
    catalog = of_many(50)
    tool_use = ToolUse(catalog)
    runtime = Runtime(catalog, executors=idle_executors(catalog), permission=allow_all)
    sets = [runtime.start_run(requested=sorted(catalog)[number:]) for number in range(20)]
    found = [tool_use.candidates(run)["big.t00049"] for run in sets]
    assert len(found) == 20
    assert all(each is found[0] for each in found)
    assert tool_use.candidates(sets[0], "litellm")["big.t00049"].name == "big.t00049"


def test_a_conversation_keeps_its_request_regardless_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolgen.llm.tool_use._TOOLS", 100)
    catalog = of_many(70)
    tool_use = ToolUse(catalog)
    runtime = Runtime(catalog, executors=idle_executors(catalog), permission=allow_all)
    idents = sorted(catalog)
    conversation = tool_use.conversation("chat", runtime, runtime.start_run(requested=idents[:60]))
    request = conversation.request()
    for number in range(10):
        tool_use.conversation("chat", runtime, runtime.start_run(requested=idents[number : number + 50])).request()
    assert conversation.request() is request
