"""An MCP server on the official SDK, as a process: `python demo_server.py stdio|http|sse FOLDER [PORT]`.

What it does is in files of FOLDER: `tools.json` is what it lists, `resources.json` and `prompts.json` what it has
beside tools, `failures` how often it fails before it serves, `failed_prompts` how often it does not list prompts,
`failed_calls` how often calls fail over HTTP, `crashes` how often it dies in a call, and `no_subscriptions` has it
refuse them; `calls` has a line for each call that arrived, and `lists` the first tool of each page that was read.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import mcp_types as types
import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.sse import SseServerTransport
from mcp.server.stdio import stdio_server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged
from mcp.shared.exceptions import MCPError
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Mount, Route

if TYPE_CHECKING:
    from starlette.requests import Request

TRANSPORT, FOLDER = sys.argv[1], Path(sys.argv[2])
PICTURE = base64.b64encode(b"\x89PNG").decode()


def fails(name: str = "failures") -> bool:
    """Whether to fail this time; each failure is one less to come."""
    file = FOLDER / name
    left = int(file.read_text()) if file.exists() else 0
    file.write_text(str(max(left - 1, 0)))
    return left > 0


def log(line: str) -> None:
    with (FOLDER / "calls").open("a") as calls:
        calls.write(f"{line}\n")


def text(content: str, **more: Any) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=content)], **more)


def listed(name: str) -> list[dict[str, Any]]:
    file = FOLDER / name
    members: list[dict[str, Any]] = json.loads(file.read_text()) if file.exists() else []
    return members


async def list_resources(ctx: Any, params: Any) -> types.ListResourcesResult:
    start = int(params.cursor) if params is not None and params.cursor else 0
    members = listed("resources.json")
    page = [types.Resource.model_validate(each) for each in members[start : start + 2]]
    return types.ListResourcesResult(resources=page, next_cursor=str(start + 2) if start + 2 < len(members) else None)


async def list_prompts(ctx: Any, params: Any) -> types.ListPromptsResult:
    if fails("failed_prompts"):
        raise MCPError(types.INTERNAL_ERROR, "the prompts are \x1b[31mlost")
    return types.ListPromptsResult(prompts=[types.Prompt.model_validate(each) for each in listed("prompts.json")])


async def list_tools(ctx: Any, params: Any) -> types.ListToolsResult:
    listed = json.loads((FOLDER / "tools.json").read_text())
    start = int(params.cursor) if params is not None and params.cursor else 0
    with (FOLDER / "lists").open("a") as lists:
        lists.write(f"{start}\n")
    page = [types.Tool.model_validate(tool) for tool in listed[start : start + 5]]
    return types.ListToolsResult(tools=page, next_cursor=str(start + 5) if start + 5 < len(listed) else None)


async def call_tool(ctx: Any, params: types.CallToolRequestParams) -> Any:
    args = params.arguments or {}
    log(f"{params.name} {json.dumps(args)}")
    match params.name:
        case "echo":
            return types.CallToolResult(content=[], structured_content=args)
        case "say":
            return text(args["text"])
        case "reject":
            return text("there is no such order", is_error=True)
        case "refuse":
            raise MCPError(types.INVALID_PARAMS, "the limit is too high")
        case "picture":
            return types.CallToolResult(
                content=[
                    types.TextContent(type="text", text="Here it is."),
                    types.ImageContent(type="image", data=PICTURE, mime_type="image/png"),
                ]
            )
        case "crash" | "crash_read":
            if fails("crashes"):
                os._exit(3)
            return text("done")
        case "count":
            token = (ctx.meta or {}).get("progress_token")
            for step in range(1, 4):
                await ctx.session.send_progress_notification(token, step, 3, f"step {step}", ctx.request_id)
            return text("counted")
        case "wait":
            try:
                await asyncio.sleep(args.get("seconds", 60))
                return text("waited")
            except asyncio.CancelledError:
                log("cancelled")
                raise
        case "change":
            (FOLDER / "tools.json").write_text(json.dumps(args["tools"]))
            await ctx.session.send_tool_list_changed()
            await CHANGES.publish(ToolsListChanged())
            return text("changed")
        case "hang_up":
            LISTENERS.close()
            return text("hung up")
        case "ask":
            return await ask(ctx, params)
        case "environment":
            return types.CallToolResult(content=[], structured_content=dict(os.environ))
        case "meta":
            return types.CallToolResult(content=[], structured_content=dict(ctx.meta or {}))
        case "headers":
            shown = {name: value[::-1] for name, value in ctx.request.headers.items()}  # credentials would be redacted
            return types.CallToolResult(content=[], structured_content=shown)
    return text(f"Unknown tool: {params.name}", is_error=True)


async def ask(ctx: Any, params: types.CallToolRequestParams) -> Any:
    schema = {"type": "object", "properties": {"size": {"type": "string"}}}
    form = types.ElicitRequestFormParams(message="Which size?", requested_schema=schema)
    if ctx.protocol_version < "2026-07-28":
        answer = await ctx.session.elicit_form("Which size?", schema, related_request_id=ctx.request_id)
    elif params.input_responses is None:
        return types.InputRequiredResult(input_requests={"size": types.ElicitRequest(params=form)})
    else:
        answer = cast("types.ElicitResult", params.input_responses["size"])
    return text(f"{answer.action} {json.dumps(answer.content)}")


async def over_stdio(server: Server[Any]) -> None:
    if fails():
        os._exit(3)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


def over_http(server: Server[Any]) -> Any:
    app = server.streamable_http_app()

    async def serve(scope: Any, receive: Any, send: Any) -> None:
        is_call = (b"mcp-method", b"tools/call") in scope.get("headers", ())
        if scope["type"] == "http" and (fails() or (is_call and fails("failed_calls"))):
            await Response(status_code=503)(scope, receive, send)
        else:
            await app(scope, receive, send)

    return serve


def over_sse(server: Server[Any]) -> Any:
    messages = SseServerTransport("/messages/")

    async def connect(request: Request) -> Response:
        if fails():
            return Response(status_code=503)
        async with messages.connect_sse(request.scope, request.receive, request._send) as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())
        return Response()

    return Starlette(routes=[Route("/sse", connect), Mount("/messages/", app=messages.handle_post_message)])


CHANGES = InMemorySubscriptionBus()
LISTENERS = ListenHandler(CHANGES, max_subscriptions=0 if (FOLDER / "no_subscriptions").exists() else 1024)
SERVER: Server[Any] = Server(
    "demo",
    instructions="Orders.",
    on_list_tools=list_tools,
    on_list_resources=list_resources if (FOLDER / "resources.json").exists() else None,
    on_list_prompts=list_prompts if (FOLDER / "prompts.json").exists() else None,
    on_call_tool=call_tool,
    on_subscriptions_listen=LISTENERS,
)

if __name__ == "__main__":
    if TRANSPORT == "stdio":
        asyncio.run(over_stdio(SERVER))
    else:
        app = over_http(SERVER) if TRANSPORT == "http" else over_sse(SERVER)
        uvicorn.run(app, port=int(sys.argv[3]), log_level="error")
