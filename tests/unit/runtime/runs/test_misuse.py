"""Invalid values and exceptions of a host: none escapes a call, and none is blamed on a tool."""

from __future__ import annotations

import asyncio
import json
import random
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.unit.runtime.tools import catalog_of, code_of, must_not_run, runtime_of
from toolgen.contract.records import FailureKind, ToolCallMeta, ToolRequest, ToolResult
from toolgen.record.memory import MemoryStore
from toolgen.record.sqlite import SqliteStore
from toolgen.runtime import Catalog

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from toolgen.runtime import Runtime


class Hostile:
    """An object whose every operation fails."""

    def _fail(self, *_given: Any) -> Any:
        raise RuntimeError("hostile")

    __getattr__ = __str__ = __repr__ = __bool__ = __hash__ = __len__ = __iter__ = __eq__ = _fail


def _deep(depth: int) -> Any:
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


JUNK: Final[Sequence[Any]] = (
    *(None, True, 0, -1, 1.5, float("nan"), float("inf"), 10**5000, 1j, ..., object(), print, type, range(3)),
    *("", "x", "\ud800", "a\x00b", "\n", "x" * 1_000_000, "own.tool (not offered)"),
    *(b"", b"own.tool", b"\xff\xfe", bytearray(b"{}"), memoryview(b"{}"), Hostile(), Exception("x"), lambda: None),
    *([], ["own.tool"], {}, {"a": 1}, (), {1, 2}, _deep(100_000), {"a": _deep(100_000)}),
    *({1: 2}, {(1, 2): {None: b"\xff"}}, {b"a": "x"}, [{Ellipsis: 1}], {"a": {1: {2: "x"}}}, {"a": Hostile()}),
)
TEXTS: Final[Sequence[Any]] = (
    *(
        "[" * 100_000,
        b"[" * 100_000,
        '{"a":' * 100_000,
        "1" * 5000,
        b'{"a":' + b"9" * 5000 + b"}",
        '{"a":-' + "9" * 4301,
    ),
    *('{"a":' + "9" * 4300 + "}", '{"a":1e999}', '{"a":NaN}', '"\\ud800"', '{"a":"\\ud800"}', "\ufeff{}", "{}{}", " "),
    *(json.dumps({"a": "[" * 9_000}), json.dumps({"a": '{"b":' * 1_999}), json.dumps({"a": "9" * 9_999})),
    *(json.dumps({"a": "-" * 9_000}), json.dumps({"[" * 9_000: 1}), '{"a":' + "[" * 199 + "]" * 199 + "}"),
)
FIELDS: Final = ("request", "name", "payload", "tool_call_id", "meta", "run", "user", "run_id", "attributes")
SCHEMA: Final = {"type": "object", "properties": {"a": {"type": "integer"}}, "additionalProperties": False}


def runtimes(path: Path) -> list[Runtime]:
    """Return two runtimes without observers, one of them for a tool with secrets, and two with a record."""
    plain: dict[str, Any] = {"input_schema": SCHEMA}
    limited = {**plain, "metadata": {"limits": {"daily_limit": 10**9, "timeout_ms": 60_000}}}
    secret: dict[str, Any] = {"input_schema": SCHEMA, "metadata": {"args_secrets": ["/a"]}}
    return [
        runtime_of(catalog_of(**plain)),
        runtime_of(catalog_of(**secret)),
        runtime_of(catalog_of(**limited), store=MemoryStore()),
        runtime_of(catalog_of(**limited, permission="readonly"), store=SqliteStore(path / "store.db")),
    ]


def invalid_call(random_: random.Random) -> dict[str, Any]:
    """Return the fields of a call, up to three of them replaced by invalid values."""
    given: dict[str, Any] = {"name": "own.tool", "payload": "{}", "tool_call_id": "c", "user": "ann"}
    for field in random_.sample(FIELDS, random_.randint(1, 3)):
        given[field] = random_.choice((*JUNK, *TEXTS) if field == "payload" else JUNK)
    return given


def request_of(given: dict[str, Any]) -> Any:
    if "request" in given:
        return given["request"]
    return ToolRequest(name=given["name"], payload=given["payload"], tool_call_id=given["tool_call_id"])


def meta_of(given: dict[str, Any]) -> Any:
    if "meta" in given:
        return given["meta"]
    fields = {name: given[name] for name in ("user", "run_id", "attributes") if name in given}
    return ToolCallMeta(**fields)


def check(result: ToolResult[Any]) -> None:
    """Check that a result can be shown and sent, and that the tool is not blamed."""
    assert isinstance(result, ToolResult)
    assert isinstance(result.tool_name, str)
    assert isinstance(result.tool_call_id, str)
    assert len(json.dumps([block.data for block in result.content])) < 20_000
    assert code_of(result) in {
        *("ok", "validation_error", "tool_not_available", "invalid_request", "not_recorded", "rate_limited"),
        *("limits_unavailable", "skipped"),
    }


def fuzz(path: Path, seed: int, calls: int) -> None:
    random_ = random.Random(seed)

    async def main() -> None:
        made = runtimes(path)
        for _ in range(calls):
            given = invalid_call(random_)
            for runtime in made:
                run = given.get("run", runtime.start_run() if random_.random() < 0.2 else None)
                check(await runtime.invoke(request_of(given), meta=meta_of(given), run=run))
        for runtime in made:
            run = runtime.start_run()
            for _ in range(max(1, calls // 50)):
                requests = [request_of(invalid_call(random_)) for _ in range(random_.randint(1, 5))]
                results = await runtime.turn(requests, run)
                assert len(results) == len(requests)
                for result in results:
                    check(result)

    asyncio.run(main())


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_invalid_values_from_a_host_never_raise(tmp_path: Path, seed: int, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("CRITICAL", "toolgen")
    fuzz(tmp_path, seed, 100)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 120))
def test_many_more_invalid_values_never_raise(tmp_path: Path, seed: int, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("CRITICAL", "toolgen")
    fuzz(tmp_path, seed, 1000)


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ({"request": {"name": "own.tool"}}, "the request has type dict, but must be a ToolRequest"),
        ({"name": ["own.tool"]}, "the name of the tool has type list, but must be text"),
        ({"name": b"own.tool"}, "the name of the tool has type bytes, but must be text"),
        ({"tool_call_id": 7}, "the id of the call has type int, but must be text"),
        ({"meta": {"user": "ann"}}, "the meta of the call has type dict, but must be a ToolCallMeta"),
        ({"run": "r1"}, "the run of the call has type str, but must be a Run"),
    ],
)
def test_invalid_values_from_a_host_are_named_and_blamed_on_it(given: dict[str, Any], what: str) -> None:
    whole = {"name": "own.tool", "payload": "{}", "tool_call_id": "c", **given}
    store = MemoryStore()

    async def main() -> tuple[ToolResult[Any], int]:
        runtime = runtime_of(catalog_of(must_not_run), store=store, new_id=lambda word: f"{word}-1")
        result = await runtime.invoke(request_of(whole), meta=meta_of(whole), run=given.get("run"))
        return result, len((await store.read("run-1")).results)

    result, recorded = asyncio.run(main())
    assert result.error is not None
    assert (result.error.kind, result.error.code) == (FailureKind.INTERNAL, "invalid_request")
    assert result.error.message == f"the call is malformed: {what}"
    assert result.error.hint == "the host is at fault, not the call"
    assert recorded == 1


@pytest.mark.parametrize("payload", [{"a": 1}, 7, ["x"], memoryview(b"{}")])
@pytest.mark.parametrize("is_typed", [True, False])
def test_a_payload_that_is_not_text_is_blamed_on_the_host(payload: Any, is_typed: bool) -> None:
    catalog = catalog_of(must_not_run) if is_typed else Catalog()
    if not is_typed:
        catalog.register_adapter(Adapter())
    runtime = runtime_of(catalog)
    request = ToolRequest(name="own.tool", payload=payload)
    (turned,) = asyncio.run(runtime.turn([request], runtime.start_run()))
    for result in (asyncio.run(runtime.invoke(request)), turned):
        assert result.error is not None
        assert (result.error.kind, result.error.code) == (FailureKind.INTERNAL, "invalid_request")
        assert f"the payload has type {type(payload).__name__}, but must be JSON text: write json.dumps(" in (
            result.error.message
        )
        assert not result.error.prior_input


class Adapter:
    """Runs `own.tool` by an executor, which takes JSON."""

    def definitions(self) -> Any:
        return [catalog_of(input_schema=SCHEMA).definition("own.tool")]

    def execute(self, request: ToolRequest, _meta: ToolCallMeta, /) -> Any:
        must_not_run(request)


@pytest.mark.parametrize("text", ["[" * 5_000, '{"a":' * 1_999, "-" * 9_999, "9" * 9_999, '"' * 999])
@pytest.mark.parametrize("is_typed", [True, False])
def test_deeply_nested_text_instead_of_another_value_is_blamed_on_the_model(text: str, is_typed: bool) -> None:
    catalog = catalog_of(must_not_run, input_schema=SCHEMA) if is_typed else Catalog()
    if not is_typed:
        catalog.register_adapter(Adapter())
    request = ToolRequest(name="own.tool", payload=json.dumps({"a": text}))
    result = asyncio.run(runtime_of(catalog).invoke(request))
    assert result.error is not None
    assert (result.error.kind, result.error.code) == (FailureKind.INVALID_CALL, "validation_error")
    assert (result.error.issues[0].pointer, result.error.issues[0].expected) == ("/a", "an integer")


class Odd(BaseException):
    """A BaseException that is not an Exception."""


ERRORS: Final[Sequence[BaseException]] = (
    *(ValueError("s3cr3t"), RecursionError(), MemoryError(), StopIteration(7), StopAsyncIteration()),
    *(
        TimeoutError("s3cr3t"),
        SystemExit(3),
        GeneratorExit(),
        asyncio.CancelledError(),
        Odd("s3cr3t"),
        KeyError("s3cr3t"),
    ),
    *(BaseExceptionGroup("g", [GeneratorExit()]), BaseExceptionGroup("g", [SystemExit(3), Odd()])),
    ExceptionGroup("g", [ValueError("s3cr3t")]),
)


def raising(error: BaseException, way: str) -> Callable[..., Any]:
    if way == "at once":

        def fail(_given: Any) -> Any:
            raise error

        return fail

    async def fail_later(_given: Any) -> Any:
        if way == "later":
            await asyncio.sleep(0)
        raise error

    return fail_later


class Hooks:
    def __init__(self, pre: Callable[..., Any], post: Callable[..., Any]) -> None:
        self._pre, self._post = pre, post

    def pre_tool_use(self, call: Any, /) -> Any:
        return self._pre(call)

    def post_tool_use(self, call: Any, _result: Any, /) -> Any:
        return self._post(call)


class Counting:
    def __init__(self, take: Callable[..., Any]) -> None:
        self.take = self.wait = take


def _nothing(_given: Any) -> None:
    return None


PLACES: Final[dict[str, tuple[Callable[[Any], dict[str, Any]], dict[str, Any], set[str]]]] = {
    "permission": (
        lambda fail: {"permission": fail}, {"permission": "write"}, {"permission_denied", "host_error"}
    ),
    "pre hook": (lambda fail: {"hooks": [Hooks(fail, _nothing)]}, {}, {"hook_denied", "host_error"}),
    "post hook": (lambda fail: {"hooks": [Hooks(_nothing, fail)]}, {}, {"ok"}),
    "gate": (lambda fail: {"gate": fail}, {"metadata": {"gate": True}}, {"ok", "host_error"}),
    "counters": (
        lambda fail: {"counters": Counting(fail)},
        {"metadata": {"limits": {"daily_limit": 5}}},
        {"limits_unavailable", "host_error"},
    ),
    "clock": (
        lambda fail: {"clock": lambda: fail(None)},
        {"metadata": {"limits": {"daily_limit": 5}}},
        {"limits_unavailable", "host_error"},
    ),
    "inject": (lambda fail: {"inject": {"t": fail}}, {"metadata": {"inject": ["t"]}}, {"injection_failed"}),
    "ids": (lambda fail: {"new_id": fail}, {}, {"host_error", "invalid_request"}),
    "handler": (lambda _fail: {}, {}, {"handler_error", "cancelled", "timeout"}),
}  # fmt: skip
"""By the failing part of the host: its settings, fields of the tool, and the possible codes."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("recorded", "is_timed"),
    [(False, True), (True, False), *(pytest.param(both, both, marks=pytest.mark.long) for both in (False, True))],
)
@pytest.mark.parametrize(
    ("place", "way"),
    [
        (place, way)
        for place in PLACES
        for way in ("at once", "without a wait", "later")
        if place not in ("clock", "ids") or way == "at once"  # these are never awaited
    ],
)
@pytest.mark.variants(15)
def test_no_exception_of_host_code_escapes_a_call(
    place: str, way: str, recorded: bool, is_timed: bool, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("CRITICAL", "toolgen")
    settings, fields, codes = PLACES[place]

    async def main(error: BaseException) -> ToolResult[Any]:
        fail = raising(error, way)
        tool = {"metadata": {}, **fields}
        if is_timed:
            limits = {**tool["metadata"].get("limits", {}), "timeout_ms": 60_000}
            tool["metadata"] = {**tool["metadata"], "limits": limits}
        handler = fail if place == "handler" else (lambda _args: "ran")
        call_id = "" if place == "ids" else "c"
        store = MemoryStore() if recorded and place != "ids" else None
        runtime = runtime_of(catalog_of(handler, **tool), store=store, **settings(fail))
        return await runtime.invoke(ToolRequest(name="own.tool", tool_call_id=call_id), meta=ToolCallMeta(user="ann"))

    for error in ERRORS:
        result = asyncio.run(main(error))
        assert code_of(result) in codes, error
        if result.error is not None and place != "handler":
            assert "s3cr3t" not in f"{result.error.message} {result.error.hint}"
        if code_of(result) in ("host_error", "injection_failed", "invalid_request"):
            assert result.error is not None
            assert (result.error.kind, result.error.hint) == (
                FailureKind.INTERNAL,
                "the host is at fault, not the call",
            )


@pytest.mark.parametrize("recorded", [False, True])
def test_a_call_whose_coroutine_is_closed_ends_at_once(recorded: bool) -> None:
    """As a closing loop does to remaining coroutines: nothing can be awaited any more."""
    ended: list[str] = []

    async def handler(_args: Any) -> None:
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            ended.append("closed")

    runtime = runtime_of(catalog_of(handler), store=MemoryStore() if recorded else None)

    async def main() -> None:
        calling = runtime.invoke(ToolRequest(name="own.tool"))
        calling.send(None)
        calling.close()

    asyncio.run(main())
    assert ended == ["closed"]
