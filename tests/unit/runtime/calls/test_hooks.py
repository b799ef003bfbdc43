"""Hooks: their order, the effect of a denial, and that they change nothing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.runtime.tools import call_now, catalog_of, code_of, must_not_run, runtime_of
from toolgen.contract.records import FailureKind, ToolResult
from toolgen.runtime.calls.call import Denial
from toolgen.runtime.policy.permission import Decision, PermissionRequest

if TYPE_CHECKING:
    from toolgen.runtime.calls.call import CheckedCall


class Recorder:
    """Records what it sees and returns the given answer."""

    def __init__(self, answer: Any = None, seen: list[str] | None = None) -> None:
        self.answer = answer
        self.seen = [] if seen is None else seen
        self.results: list[ToolResult[Any]] = []

    def pre_tool_use(self, request: CheckedCall, /) -> Any:
        self.seen.append("pre")
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    async def post_tool_use(self, request: CheckedCall, result: ToolResult[Any], /) -> None:
        self.seen.append("post")
        self.results.append(result)


class Later(Recorder):
    async def pre_tool_use(self, request: CheckedCall, /) -> Any:
        return Recorder.pre_tool_use(self, request)


def test_reg_84_hook_permission_and_execution_run_in_this_order() -> None:
    seen: list[str] = []

    def permission(_request: PermissionRequest) -> Decision:
        seen.append("permission")
        return Decision.ALLOW_ONCE

    catalog = catalog_of(lambda _args: seen.append("ran"))
    call_now(runtime_of(catalog, permission=permission, hooks=[Recorder(seen=seen), Later(seen=seen)]))
    assert seen == ["pre", "pre", "permission", "ran", "post", "post"]


@pytest.mark.parametrize("kind", [Recorder, Later])
def test_reg_98_a_denial_by_a_hook_ends_the_call_without_a_permission_request(kind: type[Recorder]) -> None:
    hook = kind(Denial("not on a Sunday"))
    runtime = runtime_of(catalog_of(must_not_run), permission=pytest.fail, hooks=[hook, Recorder(AssertionError())])
    result = call_now(runtime)
    assert result.error is not None
    assert (result.error.kind, result.error.code) == (FailureKind.PERMISSION_DENIED, "hook_denied")
    assert "not on a Sunday" in result.error.message
    assert hook.seen == ["pre"], "nothing ran, so hooks after it see nothing"


def test_a_failing_hook_denies_the_call() -> None:
    result = call_now(runtime_of(catalog_of(must_not_run), hooks=[Recorder(KeyError("secret"))]))
    assert code_of(result) == "hook_denied"
    assert "secret" not in str(result.content)


@pytest.mark.parametrize("answer", [True, "no", {}, KeyError("secret")])
@pytest.mark.parametrize("kinds", [[Recorder], [Later], [Later, Recorder], [Later, Later]])
def test_an_invalid_answer_of_a_hook_is_a_failure_and_is_logged(
    answer: Any, kinds: list[type[Recorder]], caplog: pytest.LogCaptureFixture
) -> None:
    *before, last = kinds
    hooks = [*(kind() for kind in before), last(answer)]
    assert code_of(call_now(runtime_of(catalog_of(must_not_run), hooks=hooks))) == "hook_denied"
    assert [record.getMessage() for record in caplog.records] == ["a hook failed before own.tool; the call is denied"]


def test_hooks_see_successful_and_failed_executions() -> None:
    def broken(_args: Any) -> None:
        raise ValueError("broken")

    for handler, code in ((lambda _args: "ran", "ok"), (broken, "handler_error")):
        hook = Recorder()
        result = call_now(runtime_of(catalog_of(handler), hooks=[hook]))
        assert code_of(result) == code
        assert hook.results == [result]


def test_a_hook_that_fails_after_a_call_is_logged_and_changes_nothing(caplog: pytest.LogCaptureFixture) -> None:
    class Broken(Recorder):
        async def post_tool_use(self, request: CheckedCall, result: ToolResult[Any], /) -> None:
            raise KeyError("x")

    after = Recorder()
    assert call_now(runtime_of(catalog_of(), hooks=[Broken(), after])).value == "ran"
    assert after.seen == ["pre", "post"]
    assert len(caplog.records) == 1


def test_hooks_see_the_permission_and_cannot_change_anything() -> None:
    seen_calls: list[CheckedCall] = []

    class ModifyingHook(Recorder):
        def pre_tool_use(self, request: CheckedCall, /) -> Any:
            seen_calls.append(request)
            with pytest.raises(AttributeError):
                request.arguments = b"{}"  # type: ignore[misc]  # under test

    result = call_now(runtime_of(catalog_of(lambda args: args), hooks=[ModifyingHook()]), payload='{"b": 1, "a": 2}')
    assert result.value == {"b": 1, "a": 2}
    assert (seen_calls[0].tool_name, seen_calls[0].arguments, seen_calls[0].permission) == (
        "own.tool",
        b'{"a":2,"b":1}',
        "write",
    )


class Stop(BaseException):
    pass


@pytest.mark.parametrize("kind", [ValueError, SystemExit, Stop])
def test_what_a_hook_quotes_of_a_secret_is_not_logged(
    kind: type[BaseException], caplog: pytest.LogCaptureFixture
) -> None:
    class Quoting:
        def pre_tool_use(self, call: Any, /) -> None:
            raise kind(f"this is weak: {json.loads(call.arguments)['password']}")

        def post_tool_use(self, _call: Any, _result: Any, /) -> None: ...

    catalog = catalog_of(must_not_run, metadata={"args_secrets": ["/password"]})
    call_now(runtime_of(catalog, hooks=[Quoting()]), payload='{"password": "correct horse battery"}')
    assert "this is weak: [redacted]" in caplog.text
    assert "horse" not in caplog.text.replace('["password"]', "")
