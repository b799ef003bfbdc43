"""MCP servers of the example: a program that is one of them, on stdin and stdout.

`python stdio_servers.py time 1.1` is the server `time` in that version. Standard library only: it runs by itself.
"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import TYPE_CHECKING, Any, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

if TYPE_CHECKING:
    from collections.abc import Callable

PROTOCOL: Final = "2025-06-18"
"""The version of MCP that is spoken."""

_METHOD_NOT_FOUND: Final = -32601
_INVALID_PARAMS: Final = -32602

_METRES: Final = {"m": 1.0, "km": 1000.0, "ft": 0.3048, "nmi": 1852.0}
_KILOGRAMS: Final = {"kg": 1.0, "t": 1000.0, "lb": 0.45359237}


class Refused(Exception):
    """A tool cannot do what it was asked; the text says why."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool of a server: what models are told, the fields that it takes, and what does it."""

    description: str
    fields: dict[str, dict[str, Any]]
    call: Callable[..., Any]

    def schema(self) -> dict[str, Any]:
        """Give the schema of its args: all fields are required."""
        return {
            "type": "object",
            "properties": self.fields,
            "required": list(self.fields),
            "additionalProperties": False,
        }


def time_tools(now: Callable[[tzinfo], datetime] = datetime.now) -> dict[str, Tool]:
    """Make the tools of `time`. `now` gives the time in a zone."""

    def get_current_time(timezone: str) -> dict[str, str]:
        try:
            zone = UTC if timezone == "UTC" else ZoneInfo(timezone)
        except (ZoneInfoNotFoundError, ValueError):
            raise Refused(f"there is no time zone {timezone[:64]!r}; one is UTC") from None
        return {"timezone": timezone, "datetime": now(zone).isoformat(timespec="seconds")}

    zone = {"type": "string", "description": "A name of the IANA time zones, such as UTC or Europe/Oslo."}
    return {"get_current_time": Tool("Tell the time in a time zone.", {"timezone": zone}, get_current_time)}


def unit_tools() -> dict[str, Tool]:
    """Make the tools of `units`."""

    def converter(units: dict[str, float]) -> Callable[..., Any]:
        def convert(value: float, unit: str, to: str) -> dict[str, Any]:
            if unit not in units or to not in units:
                raise Refused(f"the units are {', '.join(units)}")
            return {"value": value * units[unit] / units[to], "unit": to}

        return convert

    def fields(units: dict[str, float]) -> dict[str, dict[str, Any]]:
        names = {"enum": list(units)}
        return {"value": {"type": "number"}, "unit": names, "to": names}

    return {
        "convert__length": Tool("Convert a length.", fields(_METRES), converter(_METRES)),
        "convert__mass": Tool("Convert a mass.", fields(_KILOGRAMS), converter(_KILOGRAMS)),
    }


def text_tools() -> dict[str, Tool]:
    """Make the tools of `text`."""

    def slug(text: str) -> str:
        return "-".join(re.findall(r"[a-z0-9]+", text.lower()))

    return {"slug": Tool("Make a name for files and links of a title.", {"text": {"type": "string"}}, slug)}


SERVERS: Final = {"time": time_tools, "units": unit_tools, "text": text_tools}


def answer(message: dict[str, Any], name: str, version: str, tools: dict[str, Tool]) -> dict[str, Any] | None:
    """Answer one message of JSON-RPC; None where it is a notification."""
    if "id" not in message:
        return None
    params: dict[str, Any] = message.get("params") or {}
    reply: dict[str, Any] = {"jsonrpc": "2.0", "id": message["id"]}
    match message.get("method"):
        case "initialize":
            result: dict[str, Any] = {
                "protocolVersion": PROTOCOL,
                "capabilities": {"tools": {}},
                "serverInfo": {"name": name, "version": version},
            }
        case "ping":
            result = {}
        case "tools/list":
            listed = [
                {"name": each, "description": tool.description, "inputSchema": tool.schema()}
                for each, tool in tools.items()
            ]
            result = {"tools": listed}
        case "tools/call" if params.get("name") in tools:
            result = _called(tools[params["name"]], params.get("arguments") or {})
        case "tools/call":
            return reply | {"error": {"code": _INVALID_PARAMS, "message": "there is no such tool"}}
        case _:
            return reply | {"error": {"code": _METHOD_NOT_FOUND, "message": "there is no such method"}}
    return reply | {"result": result}


def _called(tool: Tool, args: dict[str, Any]) -> dict[str, Any]:
    try:
        if args.keys() != tool.fields.keys():
            raise Refused(f"the arguments are {', '.join(tool.fields)}")
        found = tool.call(**args)
    except (Refused, TypeError) as error:
        return {"content": [{"type": "text", "text": str(error)}], "isError": True}
    text = found if isinstance(found, str) else json.dumps(found)
    result: dict[str, Any] = {"content": [{"type": "text", "text": text}]}
    return result if isinstance(found, str) else result | {"structuredContent": found}


def main(name: str, version: str) -> None:
    """Be the server of that name, until stdin ends. Messages are lines of JSON."""
    tools = SERVERS[name]()
    for line in sys.stdin:
        reply = answer(json.loads(line), name, version, tools)
        if reply is not None:
            sys.stdout.write(f"{json.dumps(reply)}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
