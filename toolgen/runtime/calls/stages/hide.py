"""Hide: redacts the secrets of a call from all fields of its result other than the value."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from toolgen.runtime.redact.call_secrets import BESIDE_VALUE, hide_other_fields, with_result_values

if TYPE_CHECKING:
    from toolgen.contract.records import ToolResult
    from toolgen.runtime.calls.call import After, Call, Host, Tool


_SAID: Final = frozenset({"message", "side_effects", *BESIDE_VALUE})


def bind(tool: Tool, _host: Host) -> After | None:
    """Return the stage; None for a tool whose calls have no secrets by its schema."""
    if not tool.secrets.is_watched:
        return None
    has_result_secrets = bool(tool.secrets.result)

    def hide(call: Call, result: ToolResult[Any]) -> ToolResult[Any]:
        if _SAID.isdisjoint(vars(result)):
            return result
        secrets = call.secrets
        if has_result_secrets:
            secrets = with_result_values(secrets, json.loads(result.payload))
        return hide_other_fields(result, secrets)

    return hide
