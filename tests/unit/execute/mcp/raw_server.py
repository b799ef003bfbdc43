"""An MCP server without an SDK, as a process: `python raw_server.py FOLDER`. It answers what it is told to.

A call of any tool is answered with `args["answer"]`, or with its own `_meta` if that is "meta". The list of tools is
`tools.json` of FOLDER, as it is. A text "number …" is sent as those characters without quotes.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any


def answer(request: dict[str, Any]) -> Any:
    match request["method"]:
        case "initialize":
            info = {"name": "raw", "version": "1"}
            return {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": info}
        case "tools/list":
            return json.loads((Path(sys.argv[1]) / "tools.json").read_text())
        case "tools/call":
            asked = request["params"]["arguments"]["answer"]
            return (
                {"content": [], "structuredContent": request["params"].get("_meta", {})} if asked == "meta" else asked
            )
        case _:
            return None


for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request:
        continue
    found = answer(request)
    unknown = {"error": {"code": -32601, "message": "there is no such method"}}
    message = {"jsonrpc": "2.0", "id": request["id"], **(unknown if found is None else {"result": found})}
    sys.stdout.write(re.sub(r'"number ([^"]+)"', r"\1", json.dumps(message)) + "\n")
    sys.stdout.flush()
