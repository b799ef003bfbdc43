"""PreToolUse and PostToolUse: the hooks of the host, in their order."""

from __future__ import annotations

from inspect import isawaitable
from typing import TYPE_CHECKING, Any

from toolgen.runtime.checked_call import CheckedCall
from toolgen.runtime.errors import HookDenied
from toolgen.runtime.hooks import Denial
from toolgen.runtime.warning import warn

if TYPE_CHECKING:
    from collections.abc import Awaitable, Iterator

    from toolgen.contract.records import ToolResult
    from toolgen.runtime.call import After, Call, Host, Stage, Tool
    from toolgen.runtime.hooks import Hook

    Answer = Denial | Awaitable[Denial | None] | None


def bind(tool: Tool, host: Host) -> Stage | None:
    """Make the stage before permission; None without hooks."""
    if not host.hooks:
        return None
    name, hooks = tool.entry.ident, host.hooks

    def pre_tool_use(call: Call) -> Awaitable[None] | None:
        seen, left = CheckedCall(call), iter(hooks)
        call.hook = "passed"
        for hook in left:
            answer = _ask(hook, name, seen)
            if answer is not None:
                if isinstance(answer, Denial):
                    raise HookDenied(name, answer.reason)
                return _go_on(name, seen, answer, left)
        return None

    return pre_tool_use


async def _go_on(name: str, seen: CheckedCall, waiting: Awaitable[Denial | None], left: Iterator[Hook]) -> None:
    """Wait for one hook, and ask the others."""
    answer: Answer = waiting
    while True:
        if isawaitable(answer):
            try:
                answer = await answer
            except Exception as error:
                raise HookDenied(name, "a hook failed") from error
        if answer is not None:
            raise HookDenied(name, answer.reason)
        hook = next(left, None)
        if hook is None:
            return
        answer = _ask(hook, name, seen)


def _ask(hook: Hook, name: str, seen: CheckedCall) -> Answer:
    try:
        return hook.pre_tool_use(seen)
    except Exception as error:
        raise HookDenied(name, "a hook failed") from error


def bind_after(_tool: Tool, host: Host) -> After | None:
    """Make the stage after execution; None without hooks."""
    if not host.hooks:
        return None
    hooks = host.hooks

    def post_tool_use(call: Call, result: ToolResult[Any]) -> Awaitable[None] | None:
        seen = CheckedCall(call)
        waiting = [found for hook in hooks if (found := _tell(hook, seen, result)) is not None]
        return _all(waiting, seen) if waiting else None

    return post_tool_use


def _tell(hook: Hook, seen: CheckedCall, result: ToolResult[Any]) -> Awaitable[None] | None:
    try:
        return hook.post_tool_use(seen, result)
    except Exception as error:  # noqa: BLE001  # it is the host's code, and the call is over
        warn("a hook failed after %s", seen.tool_name, error=error)
        return None


async def _all(waiting: list[Awaitable[None]], seen: CheckedCall) -> None:
    for each in waiting:
        try:
            await each
        except Exception as error:  # noqa: BLE001  # it is the host's code, and the call is over
            warn("a hook failed after %s", seen.tool_name, error=error)
