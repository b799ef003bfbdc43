"""Real tools with every provider: each is offered or a reason is reported; real calls survive the round trip."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from tests.data.sets import OWN, calls_of, of_sets, tools_of
from toolgen.providers.protocol import OfferedTool
from toolgen.providers.schema_dialects import CLAUDE_STRICT, OPENAI_STRICT, StrictDialect
from toolgen.providers.strict import UnsupportedSchema, project
from toolgen.providers.table import PROVIDERS, provider, provider_payload
from toolgen.spec.wire_names import wire_name

if TYPE_CHECKING:
    from toolgen.providers.protocol import ToolPayload

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("real tools"),
]

MATCHED = frozenset({"set_lights"})  # the names of its args match a pattern
SPACED = frozenset({wire_name("r&d_report")})  # the name of an arg has spaces
REFUSED = {"openai-strict": MATCHED, "openai-responses-strict": MATCHED, "anthropic": SPACED, "bedrock": SPACED}
"""The tools of our own that a provider cannot take."""

SETS = of_sets(OWN, "tau", "kubernetes", later=("tau2", "acebench"))


@cache
def tools(dataset: str) -> dict[str, OfferedTool]:
    """Return the tools of a set by their names, without the few whose args no validator accepts."""
    return {
        tool["name"]: OfferedTool(
            name=wire_name(tool["name"]), description=tool.get("description", ""), args=tool["inputSchema"]
        )
        for tool in tools_of(dataset)
    }


@pytest.mark.parametrize("name", PROVIDERS)
@pytest.mark.parametrize("dataset", SETS)
def test_each_tool_is_offered_or_a_reason_is_reported(dataset: str, name: str) -> None:
    grammar = provider(name).grammar  # each model calls tools by names of its API
    offered = [replace(tool, name=wire_name(called, grammar)) for called, tool in tools(dataset).items()]
    payload = provider_payload(name, offered)
    refused = {problem.tool for problem in payload.problems}
    assert [each for each in names_in(payload) if each in refused] == []
    assert sorted([*names_in(payload), *refused]) == sorted(tool.name for tool in offered)
    if name != "anthropic-strict":  # which accepts twenty tools
        assert refused == (REFUSED.get(name, set()) if dataset == OWN else set())


def names_in(payload: ToolPayload) -> list[str]:
    """Return the names of the tools for each API."""
    fields: Any = payload.fields
    listed = fields.get("tools") or fields.get("toolConfig", {}).get("tools", [])
    if listed and "functionDeclarations" in listed[0]:
        listed = listed[0]["functionDeclarations"]
    return [(each.get("function") or each.get("toolSpec") or each)["name"] for each in listed]


@pytest.mark.parametrize("dialect", [OPENAI_STRICT, CLAUDE_STRICT], ids=["openai", "claude"])
@pytest.mark.parametrize("dataset", SETS)
def test_real_calls_survive_the_round_trip(dataset: str, dialect: StrictDialect) -> None:
    calls = [call for call in calls_of(dataset) if call["accept"]]
    projections = {name: project(name, tools(dataset)[name].args, dialect) for name in {call["tool"] for call in calls}}
    for call in calls:
        projection, args = projections[call["tool"]], call["arguments"]
        required = tools(dataset)[call["tool"]].args.get("required", ())
        is_null = dialect is OPENAI_STRICT and any(args[name] is None and name not in required for name in args)
        if "zz_unexpected" in args or is_null:  # an undeclared field, or a null that means absent to this provider
            with pytest.raises(UnsupportedSchema):
                projection.project(args)
        else:
            assert projection.restore(projection.project(args)) == args
