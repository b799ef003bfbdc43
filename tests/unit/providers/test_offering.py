"""Offering: args are left out where there are none, and only there."""

from __future__ import annotations

from typing import Any

import pytest

from toolgen.providers.messages import OfferedTool
from toolgen.providers.table import provider_payload

MAP = {"type": "object", "patternProperties": {"^x-": {"type": "string"}}, "additionalProperties": False}


def function(name: str, args: dict[str, Any]) -> dict[str, Any]:
    (tool,) = provider_payload(name, [OfferedTool(name="t", description="It.", args=args)]).fields["tools"]
    found: dict[str, Any] = tool.get("function") or tool
    return found


@pytest.mark.parametrize("name", ["openai", "litellm", "openai-responses"])
def test_openai_is_told_of_args_that_go_by_a_pattern_and_that_a_root_has_properties(name: str) -> None:
    assert function(name, MAP)["parameters"] == {**MAP, "properties": {}}
    assert function(name, {"type": "object"})["parameters"] == {"type": "object", "properties": {}}


def test_gemini_is_told_of_args_that_go_by_a_pattern() -> None:
    fields = provider_payload("gemini", [OfferedTool(name="t", description="It.", args=MAP)]).fields
    (declared,) = fields["tools"][0]["functionDeclarations"]
    assert "^x-" in declared["parametersJsonSchema"]["description"]


def test_chat_is_told_of_no_args_by_leaving_them_out() -> None:
    assert "parameters" not in function("openai", {"type": "object", "additionalProperties": False})
