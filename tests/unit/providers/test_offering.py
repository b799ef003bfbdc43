"""Offering: the args schema is left out only if a tool has no args."""

from __future__ import annotations

from typing import Any

import pytest

from toolgen.providers.protocol import OfferedTool
from toolgen.providers.table import provider_payload

MAP = {"type": "object", "patternProperties": {"^x-": {"type": "string"}}, "additionalProperties": False}


def function(name: str, args: dict[str, Any]) -> dict[str, Any]:
    (tool,) = provider_payload(name, [OfferedTool(name="t", description="It.", args=args)]).fields["tools"]
    found: dict[str, Any] = tool.get("function") or tool
    return found


@pytest.mark.parametrize("name", ["openai", "litellm", "openai-responses"])
def test_openai_receives_pattern_properties_and_properties_at_the_root(name: str) -> None:
    assert function(name, MAP)["parameters"] == {**MAP, "properties": {}}
    assert function(name, {"type": "object"})["parameters"] == {"type": "object", "properties": {}}


def test_gemini_receives_pattern_properties() -> None:
    fields = provider_payload("gemini", [OfferedTool(name="t", description="It.", args=MAP)]).fields
    (declared,) = fields["tools"][0]["functionDeclarations"]
    assert "^x-" in declared["parametersJsonSchema"]["description"]


def test_chat_completions_omit_the_schema_of_a_tool_without_args() -> None:
    assert "parameters" not in function("openai", {"type": "object", "additionalProperties": False})
