"""Real failing calls for each kind of failure, in a host with secrets, folders and long texts.

The error texts for models are measured by `test_error_texts`.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, cast

from pydantic import BaseModel

from tests.unit.runtime.runs.test_runs import run_of
from tests.unit.runtime.tools import add, catalog_of, runtime_of
from toolgen.contract.records import FailureKind, ToolCallMeta, ToolError, ToolRequest
from toolgen.record.memory import MemoryStore
from toolgen.runtime import Runtime, deny_all, load
from toolgen.runtime.base.errors import CallFailed
from toolgen.runtime.calls.call import Denial, GateDecision
from toolgen.runtime.policy.permission import Decision

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from toolgen.contract.records import ToolResult
    from toolgen.runtime import Catalog

SECRET: Final = "sk-proj-Zx81kTq0Lm44Vb7cNw29Rd5eYh63Uf8aPo12"
FOLDER: Final = "/srv/hosting/tenant-7/app/"
LEAKY: Final = f"cannot open {FOLDER}settings/prod.yaml with api_key={SECRET} as password=hunter2hunter2"
"""An error text of a library of the host that no model should see: a folder of the host and two secrets."""

LONG: Final = "word " * 20_000
TRACEBACK: Final = f'Traceback (most recent call last):\n  File "{FOLDER}main.py", line 7, in <module>\n{LEAKY}'

DEEP_ARGS: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "mode": {"enum": [f"mode_{number}" for number in range(200)]},
        "size": {"type": "integer", "minimum": 1, "maximum": 10},
        "items": {"type": "array", "items": {"type": "object", "required": ["name", "id"]}},
        "password": {"type": "string", "maxLength": 4},
        "kinds": {"type": "array", "items": {"enum": ["a" * 90, "b" * 90, "c" * 90]}},
    },
    "required": ["mode", "size"],
    "additionalProperties": False,
}
EXACT_RESULT: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {"count": {"type": "integer"}},
    "required": ["count"],
    "additionalProperties": False,
}


@dataclass(frozen=True, kw_only=True)
class Failure:
    """One way to fail: the resulting kind and code, and the cause."""

    name: str
    kind: FailureKind
    code: str
    happens: Callable[[], ToolResult[Any]]


@dataclass(frozen=True, kw_only=True)
class _Call:
    """A call of one tool, made in a new loop."""

    catalog: Catalog
    name: str = "own.tool"
    payload: str = "{}"
    user: str | None = "ann"
    times: int = 1
    in_run: bool = False
    call_id: str = "c"
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def __call__(self) -> ToolResult[Any]:
        return asyncio.run(self._last())

    async def _last(self) -> ToolResult[Any]:
        runtime = runtime_of(self.catalog, **self.settings)
        run = run_of(self.catalog)[1] if self.in_run else None
        request = ToolRequest(name=self.name, payload=self.payload, tool_call_id=self.call_id)
        results = [await runtime.invoke(request, meta=ToolCallMeta(user=self.user), run=run) for _ in range(self.times)]
        return results[-1]


def raising(error: BaseException, **fields: Any) -> _Call:
    def handler(_args: Any) -> None:
        raise error

    return _Call(catalog=catalog_of(handler, **fields))


def _host_raising(_given: Any) -> Any:
    raise RuntimeError(LEAKY)


def failing(kind: FailureKind, code: str, message: str, hint: str = "do something else") -> _Call:
    return raising(CallFailed(kind, code, message, hint))


def giving(value: Any, **fields: Any) -> _Call:
    return _Call(catalog=catalog_of(lambda _args: value, **fields))


def sent(payload: Any) -> _Call:
    text = payload if isinstance(payload, str) else json.dumps(payload)
    return _Call(catalog=catalog_of(input_schema=DEEP_ARGS), payload=text)


def asked(permission: Any, **settings: Any) -> _Call:
    return _Call(catalog=catalog_of(), settings={"permission": permission, **settings})


def _hooked(reason: str | None) -> _Call:
    class Hook:
        def pre_tool_use(self, _call: Any, /) -> Denial:
            if reason is None:
                raise RuntimeError(LEAKY)
            return Denial(reason)

        def post_tool_use(self, _call: Any, _result: Any, /) -> None: ...

    return _Call(catalog=catalog_of(), settings={"hooks": [Hook()]})


def _gated(reason: str) -> _Call:
    decision = GateDecision(approved=False, reason=reason)
    return _Call(catalog=catalog_of(metadata={"gate": True}), settings={"gate": lambda _call: decision})


def _breaks(_request: Any) -> Any:
    raise ConnectionError(LEAKY)


async def _never(_request: Any) -> Any:
    await asyncio.Event().wait()


def _slow(seconds: float = 0.01, **fields: Any) -> _Call:
    async def handler(_args: Any) -> None:
        await asyncio.sleep(60)

    return _Call(catalog=catalog_of(handler, metadata={"limits": {"timeout_ms": int(seconds * 1000)}}, **fields))


def _denied_by_policy() -> ToolResult[Any]:
    catalog = catalog_of()

    async def call() -> ToolResult[Any]:
        run = run_of(catalog, {"own.*": "deny"})[1]
        runtime = runtime_of(catalog, permission=lambda _request: Decision.ALLOW_ONCE)
        return await runtime.invoke(ToolRequest(name="own.tool"), run=run)

    return asyncio.run(call())


def _compiled(name: str, payload: str = "{}") -> Callable[[], ToolResult[Any]]:
    """Call a tool of the examples that has no executor here."""

    def call() -> ToolResult[Any]:
        runtime = Runtime(load("generated"), permission=deny_all, missing=load("generated").toolsets)
        return asyncio.run(runtime.invoke(ToolRequest(name=name, payload=payload)))

    return call


def _turn(*, abort: bool, report: str = "") -> Callable[[], ToolResult[Any]]:
    """A turn whose first call is aborted or fails; return the result of the first or the last call."""

    async def handler(_args: Any, meta: ToolCallMeta) -> None:
        if not abort:
            raise ValueError("broken")
        if report:
            meta.report({"said": report})
        asyncio.get_running_loop().call_soon(run.abort, "the user closed the window")
        await asyncio.sleep(60)

    catalog = catalog_of(handler)
    run = run_of(catalog)[1]

    def call() -> ToolResult[Any]:
        requests = [ToolRequest(name="own.tool"), ToolRequest(name="own.tool")]
        results = asyncio.run(runtime_of(catalog).turn(requests, run))
        return results[0] if abort else results[1]

    return call


def _cancelled() -> ToolResult[Any]:
    async def handler(_args: Any) -> None:
        task = asyncio.ensure_future(asyncio.sleep(60))
        task.cancel()
        await task

    return _Call(catalog=catalog_of(handler))()


def _unrecorded() -> ToolResult[Any]:
    store = MemoryStore()
    asyncio.run(store.close())
    return _Call(catalog=catalog_of(), settings={"store": store})()


def _too_many_agents() -> ToolResult[Any]:
    return _Call(catalog=catalog_of(tags={"agent"}), times=5, in_run=True)()


class Amount(BaseModel):
    """A pydantic model that a handler uses internally."""

    euros: int


def _pydantic_fails(_args: Any) -> None:
    Amount.model_validate({"euros": LEAKY})


class Unprintable(RuntimeError):
    """An exception that cannot be formatted."""

    def __str__(self) -> str:
        raise ValueError(LEAKY)


def noon() -> datetime:
    return datetime(2026, 3, 1, 12, tzinfo=UTC)


def _limited(**limits: float) -> Catalog:
    return catalog_of(metadata={"limits": limits})


def _neighbours() -> Catalog:
    catalog = catalog_of(name=f"own.{'t' * 60}")
    for number in range(3):
        add(catalog, lambda _args: "ran", f"own.{'t' * 59}{number}")
    return catalog


WAYS: Final[Sequence[tuple[FailureKind, str, Mapping[str, Callable[[], ToolResult[Any]]]]]] = (
    (FailureKind.INVALID_CALL, "validation_error", {
        "no_json": sent("{" + LONG),
        "no_object": sent([1]),
        "one_wrong": sent({"mode": "mode_1", "size": 11}),
        "all_wrong": sent({"mode": "mode", "size": "x", "password": "hunter2hunter2", "extra": 1}),
        "many_wrong": sent({"mode": "mode_1", "size": 1, "items": [{"a": 1}] * 1000}),
        "many_unknown": sent({"mode": "mode_1", "size": 1, **{f"field_{n}": n for n in range(1000)}}),
        "all_long": sent({"mode": "m" * 300, "kinds": ["k" * 300] * 50}),
        "long_names": sent({"mode": "mode_1", "size": 1, **{f"{n}{'n' * 5000}": n for n in range(50)}}),
        "long_value": sent({"mode": LONG, "size": 1}),
        "too_deep": sent('{"mode": ' + "[" * 5000),
        "hidden_marks": sent('{"mode": "\u202e\u200b\\u0007\\u001b[31m", "size": 1}'),
    }),
    (FailureKind.TOOL_NOT_AVAILABLE, "tool_not_available", {
        "near_miss": _Call(catalog=catalog_of(), name="own.toll"),
        "nothing_like_it": _Call(catalog=catalog_of(), name="weather"),
        "long": _Call(catalog=catalog_of(), name=LONG),
        "long_suggestions": _Call(catalog=_neighbours(), name=f"own.{'t' * 58}"),
    }),
    (FailureKind.PERMISSION_DENIED, "permission_denied", {
        "by_policy": _denied_by_policy,
        "by_person": asked(deny_all),
        "broken": asked(_breaks),
        "late": asked(_never, permission_timeout=0.001),
    }),
    (FailureKind.PERMISSION_DENIED, "hook_denied", {
        "by_hook": _hooked("not on a Friday"),
        "by_hook_at_length": _hooked(LONG),
        "broken_hook": _hooked(None),
    }),
    (FailureKind.PERMISSION_DENIED, "gate_refused", {"by_gate": _gated("too dear"), "by_gate_at_length": _gated(LONG)}),
    (FailureKind.RATE_LIMITED, "rate_limited", {
        "used_up": _Call(catalog=_limited(daily_limit=1), times=2, settings={"clock": noon}),
        "cooling_down": _Call(catalog=_limited(cooldown_seconds=30), times=2, settings={"clock": noon}),
        "of_nobody": _Call(catalog=_limited(daily_limit=1), user=None),
    }),
    (FailureKind.TIMEOUT, "timeout", {"too_slow": _slow(), "of_the_handler": raising(TimeoutError(LEAKY))}),
    (FailureKind.DOMAIN_REJECTION, "text_not_found", {
        "rejected": failing(FailureKind.DOMAIN_REJECTION, "text_not_found", "'x' is not in the file"),
        "rejected_with_a_leak": failing(FailureKind.DOMAIN_REJECTION, "text_not_found", LEAKY),
        "rejected_at_length": failing(FailureKind.DOMAIN_REJECTION, "text_not_found", LONG),
        "hint_with_a_leak": failing(FailureKind.DOMAIN_REJECTION, "text_not_found", "not there", LEAKY),
    }),
    (FailureKind.UNAVAILABLE, "no_executor", {"nobody_runs_it": _compiled("code.read_file", '{"path": "x"}')}),
    (FailureKind.UNAVAILABLE, "not_recorded", {"off_the_record": _unrecorded}),
    (FailureKind.UNAVAILABLE, "not_injected", {"not_filled_in": giving(1, metadata={"inject": ["account"]})}),
    (FailureKind.INTERNAL, "injection_failed", {
        "wrongly_filled_in": _Call(
            catalog=catalog_of(metadata={"inject": ["account"]}), settings={"inject": {"account": _host_raising}}
        ),
    }),
    (FailureKind.INTERNAL, "host_error", {
        "id_source": _Call(catalog=catalog_of(), call_id="", settings={"new_id": _host_raising}),
    }),
    (FailureKind.INTERNAL, "invalid_request", {"no_name": _Call(catalog=catalog_of(), name=cast("str", [LONG]))}),
    (FailureKind.UNAVAILABLE, "child_agent_limit_exceeded", {"too_many_agents": _too_many_agents}),
    (FailureKind.MALFORMED_RESULT, "malformed_result", {
        "wrong_result": giving({"count": LEAKY}, result_schema=EXACT_RESULT),
        "long_result": giving({f"field_{n}": LONG for n in range(100)}, result_schema=EXACT_RESULT),
        "no_result_of_json": giving({"at": object()}),
    }),
    (FailureKind.ABORTED, "aborted", {
        "by_user": _turn(abort=True),
        "with_a_report": _turn(abort=True, report="7 of 9 files"),
    }),
    (FailureKind.ABORTED, "cancelled", {"by_itself": _cancelled}),
    (FailureKind.SKIPPED, "skipped", {"after_a_failure": _turn(abort=False)}),
    (FailureKind.INTERNAL, "handler_error", {
        "leaky": raising(RuntimeError(LEAKY)),
        "with_a_traceback": raising(RuntimeError(TRACEBACK)),
        "at_length": raising(RuntimeError(LONG)),
        "without_words": raising(RuntimeError()),
        "unprintable": raising(Unprintable()),
        "a_key": raising(KeyError("account")),
        "no_file": raising(FileNotFoundError(2, "No such file or directory", f"{FOLDER}settings/prod.yaml")),
        "of_pydantic": _Call(catalog=catalog_of(_pydantic_fails)),
        "exit": raising(SystemExit(LEAKY)),
        "a_group": raising(ExceptionGroup(LEAKY, [ValueError(LEAKY)])),
    }),
    (FailureKind.INTERNAL, "broken", {
        "as_a_result": giving(ToolError(message="it is broken", code="broken", hint="try later")),
        "as_a_result_with_a_leak": giving(ToolError(message=LEAKY, code="broken", hint="try later")),
        "as_a_result_at_length": giving(ToolError(message=LONG, code="broken", hint=LONG)),
    }),
)  # fmt: skip
"""Kind and code of each failure, and its causes."""

FAILURES: Final = [
    Failure(name=name, kind=kind, code=code, happens=happens)
    for kind, code, ways in WAYS
    for name, happens in ways.items()
]
