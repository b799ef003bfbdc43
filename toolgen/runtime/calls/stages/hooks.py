"""The hooks of the host, `pre_tool_use` and `post_tool_use`, in order."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from inspect import isawaitable
from typing import TYPE_CHECKING, Any

from toolgen.runtime.base.errors import HookDenied, ends_the_caller
from toolgen.runtime.calls.call import Denial
from toolgen.runtime.redact.warning import warn

if TYPE_CHECKING:
    from toolgen.contract.records import ToolResult
    from toolgen.runtime.calls.call import After, Before, Call, CheckedCall, Hook, Host, Tool


def bind(tool: Tool, host: Host) -> Before | None:
    """Return the stage before permission; None without hooks."""
    if not host.hooks:
        return None
    name, hooks = tool.entry.ident, host.hooks

    def pre_tool_use(call: Call) -> Awaitable[None] | None:
        seen = call.checked
        call.hook = "passed"
        try:
            for place, hook in enumerate(hooks):
                answer = hook.pre_tool_use(seen)
                if answer is None:
                    continue
                if isinstance(answer, Denial):
                    raise HookDenied(name, answer.reason)
                if isawaitable(answer):
                    return _go_on(call, seen, answer, hooks[place + 1 :])
                _check(answer)
        except HookDenied:
            raise
        except Exception as error:  # hooks are the host's: the call is refused
            raise _failed(call, error) from error
        return None

    return pre_tool_use


async def _go_on(call: Call, seen: CheckedCall, waiting: Awaitable[Denial | None], left: Sequence[Hook]) -> None:
    """Await one hook, then run the others."""
    try:
        denial = _check(await waiting)
        for hook in left:
            if denial is None:
                answer = hook.pre_tool_use(seen)
                denial = _check(await answer if isawaitable(answer) else answer)
    except Exception as error:  # as above
        raise _failed(call, error) from error
    if denial is not None:
        raise HookDenied(seen.tool_name, denial.reason)


def _check(answer: object) -> Denial | None:
    """Return the answer of a hook. Raises TypeError if it is not one."""
    if answer is None or isinstance(answer, Denial):
        return answer
    raise TypeError(f"the hook returned {type(answer).__name__} instead of a Denial or None")


def _failed(call: Call, error: Exception) -> HookDenied:
    name = call.tool.entry.ident
    warn("a hook failed before %s; the call is denied", name, error=error, secrets=call.secrets)
    return HookDenied(name, "a hook failed")


def bind_after(_tool: Tool, host: Host) -> After | None:
    """Return the stage after execution; None without hooks."""
    if not host.hooks:
        return None
    hooks = host.hooks

    def post_tool_use(call: Call, result: ToolResult[Any]) -> ToolResult[Any] | Awaitable[ToolResult[Any]]:
        seen, waiting = call.checked, None
        for hook in hooks:
            try:
                answer = hook.post_tool_use(seen, result)
            except BaseException as error:  # noqa: BLE001  # code of the host; the call has ended
                _failed_after(call, error)
            else:
                if answer is not None:
                    waiting = [*(waiting or ()), answer]
        return _all(waiting, call, result) if waiting else result

    return post_tool_use


async def _all(waiting: list[Awaitable[None]], call: Call, result: ToolResult[Any]) -> ToolResult[Any]:
    for each in waiting:
        try:
            await each
        except BaseException as error:  # noqa: BLE001  # as above
            _failed_after(call, error)
    return result


def _failed_after(call: Call, error: BaseException) -> None:
    """Log a warning about a failed hook. Raises exceptions meant for the caller."""
    if not isinstance(error, Exception) and ends_the_caller(error):
        raise error
    warn("a hook failed after %s", call.tool.entry.ident, error=error, secrets=call.secrets)
