"""Requests match the types of the official SDKs, without unknown members."""

from __future__ import annotations

import asyncio
import json
from importlib import import_module
from typing import Any

import pytest
from pydantic import TypeAdapter

from tests.unit.providers.apis.conversations import ANSWERS, CONVERSATIONS, FIND, TOOLS
from toolgen.providers.protocol import CallAnswer, ChoiceMode, ModelReply, OfferedTool, request_fields
from toolgen.providers.table import provider

pytestmark = [pytest.mark.xdist_group("providers"), pytest.mark.slow]

CHOICES: list[tuple[ChoiceMode, str]] = [("auto", ""), ("required", ""), ("none", ""), ("named", FIND.name)]
STRICT_AND_NOT = pytest.mark.parametrize("strict", ["", "-strict"])


def is_exactly(type_: Any, value: Any) -> None:
    """Check a value against a type of an SDK, and that the type has all its members."""
    assert json.loads(TypeAdapter(type_).dump_json(TypeAdapter(type_).validate_python(value))) == value


def history(name: str) -> list[dict[str, Any]]:
    """Return the messages of a second request."""
    each = CONVERSATIONS[name]
    return provider(name).messages(each.answers[0], ANSWERS)


@STRICT_AND_NOT
def test_openai_chat(strict: str) -> None:
    from openai.types.chat import ChatCompletionFunctionToolParam, ChatCompletionToolMessageParam
    from openai.types.chat import ChatCompletionToolChoiceOptionParam as Choice

    made = provider(f"openai{strict}")
    is_exactly(list[ChatCompletionFunctionToolParam], made.tools(TOOLS).fields["tools"])
    for choice in CHOICES:
        is_exactly(Choice, made.tool_choice(*choice)["tool_choice"])
    is_exactly(list[ChatCompletionToolMessageParam], history(f"openai{strict}")[1:])


@STRICT_AND_NOT
def test_openai_responses(strict: str) -> None:
    from openai.types.responses import FunctionToolParam
    from openai.types.responses.response_create_params import ToolChoice as Choice
    from openai.types.responses.response_input_param import FunctionCallOutput

    made = provider(f"openai-responses{strict}")
    is_exactly(list[FunctionToolParam], made.tools(TOOLS).fields["tools"])
    for choice in CHOICES:
        is_exactly(Choice, made.tool_choice(*choice)["tool_choice"])
    is_exactly(list[FunctionCallOutput], history(f"openai-responses{strict}")[-2:])


@STRICT_AND_NOT
def test_anthropic(strict: str) -> None:
    from anthropic.types import MessageParam, ToolChoiceParam, ToolParam

    made = provider(f"anthropic{strict}")
    is_exactly(list[ToolParam], made.tools(TOOLS).fields["tools"])
    for choice in CHOICES:
        is_exactly(ToolChoiceParam, made.tool_choice(*choice)["tool_choice"])
    TypeAdapter(list[MessageParam]).validate_python(history(f"anthropic{strict}"))


def test_gemini() -> None:
    from google.genai import types

    made = provider("gemini")
    for choice in CHOICES:
        fields = request_fields(made.tools(TOOLS), made.tool_choice(*choice))
        config = types.GenerateContentConfig.model_validate(fields)
        assert config.model_dump(mode="json", by_alias=True, exclude_none=True) == fields
    contents = history("gemini")
    assert [
        types.Content.model_validate(each).model_dump(mode="json", by_alias=True, exclude_none=True)
        for each in contents
    ] == contents


def test_bedrock() -> None:
    session, validate = import_module("botocore.session"), import_module("botocore.validate")  # they are untyped
    model = session.get_session().get_service_model("bedrock-runtime")
    shape = model.operation_model("Converse").input_shape
    made = provider("bedrock")
    for choice in CHOICES:
        if choice[0] != "none":
            fields = request_fields(made.tools(TOOLS), made.tool_choice(*choice))
            request = {
                "modelId": "claude",
                "messages": [CONVERSATIONS["bedrock"].opening, *history("bedrock")],
                **fields,
            }
            assert validate.ParamValidator().validate(request, shape).generate_report() == ""
    nameless = OfferedTool(name="shop__ping", description="", args={"type": "object"})
    (spec,) = made.tools([nameless]).fields["toolConfig"]["tools"]
    assert "description" not in spec["toolSpec"]


def test_mcp_client_lists_and_calls() -> None:
    from mcp import Client, types
    from mcp.server import Server

    made, seen = provider("mcp"), list[ModelReply]()

    async def list_tools(context: Any, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult.model_validate(dict(made.tools(TOOLS).fields))

    async def call_tool(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        request = {"id": 7, "params": params.model_dump(mode="json", by_alias=True)}
        (call,) = made.read(request).calls
        seen.append(made.read(request))
        answer = CallAnswer(tool_call_id="7", name=call.name, text="closed", is_error=call.name == "shop__ping")
        (result,) = made.messages(request, [answer])
        return types.CallToolResult.model_validate(result)

    async def talk() -> tuple[types.ListToolsResult, types.CallToolResult, types.CallToolResult]:
        server: Any = Server("shop", on_list_tools=list_tools, on_call_tool=call_tool)
        async with Client(server, mode="legacy") as client:
            found = await client.call_tool("shop__find", {"text": "hat"})
            return await client.list_tools(), found, await client.call_tool("shop__ping")

    listed, found, pinged = asyncio.run(talk())
    assert [(tool.name, tool.description, tool.input_schema) for tool in listed.tools] == [
        (tool.name, tool.description, dict(tool.args)) for tool in TOOLS
    ]
    assert [call.payload for reply in seen for call in reply.calls] == ['{"text":"hat"}', "{}"]
    assert (found.is_error, pinged.is_error) == (False, True)
    assert [block.type for block in pinged.content] == ["text"]
