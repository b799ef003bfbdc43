"""Steps: what every call of one tool goes through, bound once. Here the order of the stages is written down."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from toolgen.runtime.calls.stages import (
    bounds,
    children,
    decode,
    encode,
    gate,
    hide,
    hints,
    hooks,
    inject,
    limits,
    permission,
    reminder,
    size,
)
from toolgen.runtime.catalog.execution import Form
from toolgen.runtime.issues.example import example_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolgen.runtime.calls.call import Accept, After, Decode, Encode, Finish, Host, Size, Stage, Tool
    from toolgen.runtime.catalog.definition import ToolDefinition
    from toolgen.runtime.catalog.execution import Execute
    from toolgen.runtime.policy.policy import Policies

STAGES: Final = {
    "limits": limits.bind,
    "hooks": hooks.bind,
    "permission": permission.bind,
    "gate": gate.bind,
    "children": children.bind,
}
"""What a call goes through between decoding and executing, in this order. A stage is bound to a tool once."""

FINISHES: Final = (bounds.bind, hints.bind, reminder.bind, hide.bind)
"""What completes the result of a call that went well, in this order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Steps:
    """What every call of one tool goes through; `names` are those of its stages, in a trace.

    A payload of more than `shown_bytes` has to pass `size`, and so have blocks. With `runs_handler` whatever is raised
    in executing is the handler's own. `example` gives args that fit.
    """

    tool: Tool
    names: tuple[str, ...]
    decode: Decode
    accept: Accept
    stages: tuple[Stage, ...]
    execute: Execute
    encode: Encode
    finishes: tuple[Finish, ...]
    size: Size | None
    shown_bytes: int
    after: After | None
    runs_handler: bool
    needs_call: bool
    example: Callable[[], str]


def bind_steps(tool: Tool, host: Host, execute: Execute, *, is_recorded: bool) -> Steps:
    """Bind the stages to a tool, around what runs it."""
    decode_payload, accept = decode.bind(tool)
    stages = {name: stage for name, bind in STAGES.items() if (stage := bind(tool, host)) is not None}
    finishes = tuple(finish for bind in FINISHES if (finish := bind(tool, host)) is not None)
    after, bounded_size = hooks.bind_after(tool, host), size.bind(tool, host)
    return Steps(
        tool=tool,
        names=("decode", *stages, *(("record",) if is_recorded else ()), "execute", "encode"),
        decode=decode_payload,
        accept=accept,
        stages=tuple(stages.values()),
        execute=_in_time(inject.bind(tool, host, execute), tool.definition, host.policies),
        encode=encode.bind(tool),
        finishes=finishes,
        size=bounded_size,
        after=after,
        runs_handler=tool.form is Form.TYPED,
        shown_bytes=size.limit_of(tool, host) or sys.maxsize,
        needs_call=bool(is_recorded or stages or finishes or after),
        example=partial(_example, tool),
    )


def _example(tool: Tool) -> str:
    definition, check = tool.definition, tool.args.check
    return example_of(definition.input_schema, definition.metadata.get("examples", ()), lambda made: not check(made))


def _in_time(execute: Execute, definition: ToolDefinition, policies: Policies) -> Execute:
    """End calls that take too long. Commands are ended by their executor, which knows what they said until then."""
    limits_of_tool: dict[str, Any] = definition.metadata.get("limits", {})
    own = limits_of_tool.get("timeout_ms")
    wanted = policies.timeout_ms if own is None else own or policies.max_timeout_ms
    if not wanted or definition.metadata.get("kind") == "command":
        return execute
    from toolgen.runtime.calls.deadlines import in_time  # brings asyncio, which a call without a timeout can do without

    return in_time(execute, min(wanted, policies.max_timeout_ms or wanted) / 1000)
