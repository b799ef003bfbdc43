"""Injected fields: values from the host that a model can neither see nor send."""

from __future__ import annotations

import asyncio
import json
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest

from tests.case import CASES, Case, write
from tests.unit.compiler.specs import resolved
from tests.unit.runtime.tools import call_now, catalog_of, code_of, runtime_of
from toolgen.compiler.compile import generate
from toolgen.contract.records import FailureKind, ToolCallMeta, ToolRequest, ToolResult, ToolsetRegistration
from toolgen.runtime import Runtime, allow_all, load
from toolgen.runtime.base.errors import CallFailed, CatalogError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Handler = Callable[[Any, ToolCallMeta], Any]

FILLED = {"account": lambda meta: f"account of {meta.user}"}


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The compiled case `injected_fields`."""
    folder = tmp_path_factory.mktemp("injected")
    write(folder / "injected_package", Case(CASES / "injected_fields").compile().files)
    sys.path.insert(0, str(folder))
    yield "injected_package"
    sys.path.remove(str(folder))


def result_of(
    package: str, tool: str, payload: str, handler: Callable[[Any, ToolCallMeta], Any], **settings: Any
) -> ToolResult[Any]:
    catalog = load(package)
    handlers = dict.fromkeys(catalog.toolsets["mail"], handler)
    runtime = Runtime(
        catalog,
        permission=allow_all,
        executors=[ToolsetRegistration(toolset="mail", handlers=handlers)],
        **{"inject": FILLED, **settings},
    )
    return asyncio.run(runtime.invoke(ToolRequest(name=f"mail.{tool}", payload=payload), meta=ToolCallMeta(user="ann")))


@pytest.mark.parametrize("tool", ["closed", "shared", "open"])
def test_a_field_of_the_args_is_filled_in_after_validation(package: str, tool: str) -> None:
    def handler(args: Any, meta: ToolCallMeta) -> Any:
        return [args.to, args.account, dict(meta.injected)]

    result = result_of(package, tool, '{"to": "bob"}', handler)
    assert result.value == ["bob", "account of ann", {"account": "account of ann"}]


@pytest.mark.parametrize("tool", ["closed", "shared", "open", "payload"])
def test_a_model_that_sends_one_is_refused(package: str, tool: str) -> None:
    result = result_of(package, tool, '{"to": "bob", "account": "mallory"}', lambda _args, _meta: pytest.fail("it ran"))
    assert result.error is not None
    assert (result.error.code, [issue.pointer for issue in result.error.issues]) == ("validation_error", ["/account"])


def test_a_field_of_the_payload_is_in_the_meta_for_the_transform(package: str) -> None:
    def handler(args: Any, meta: ToolCallMeta) -> Any:
        transforms = import_module(f"{package}.tools.mail.transforms")
        return transforms.to_method_payload_payload(args, **meta.injected).model_dump()

    result = result_of(package, "payload", '{"to": "bob", "more": 1}', handler)
    assert result.value == {"to": "bob", "account": "account of ann", "more": 1}


def _raise(error: BaseException) -> None:
    raise error


async def _later(_meta: ToolCallMeta) -> str:
    return "x"


@pytest.mark.parametrize(
    ("inject", "code"),
    [
        ({}, "not_injected"),
        ({"account": lambda _meta: 5}, "wrongly_injected"),
        ({"account": lambda meta: meta.nothing}, "injection_failed"),
        ({"account": lambda _meta: _raise(SystemExit("no s3cr3t"))}, "injection_failed"),
        ({"account": lambda _meta: _raise(asyncio.CancelledError())}, "injection_failed"),
        ({"account": lambda _meta: _raise(GeneratorExit())}, "injection_failed"),
        ({"account": _later}, "injection_failed"),
    ],
)
def test_a_failed_injection_is_a_failure_of_the_host(package: str, inject: Any, code: str) -> None:
    result = result_of(package, "closed", '{"to": "bob"}', lambda _args, _meta: pytest.fail("it ran"), inject=inject)
    assert code_of(result) == code
    assert result.error is not None
    assert result.error.kind == (FailureKind.UNAVAILABLE if code == "not_injected" else FailureKind.INTERNAL)
    assert result.error.message in (
        "mail.closed cannot run: the host provides no value for an injected field",
        "the host injected a value of the wrong type into mail.closed: account",
        "mail.closed did not run: the host failed to inject account",
    )
    assert result.error.hint in ("go on without it", "the host is at fault, not the call")


def test_a_host_can_give_the_error_of_a_failed_injection(package: str) -> None:
    words = CallFailed(FailureKind.UNAVAILABLE, "no_account", "you have no account yet", "make one")
    result = result_of(
        package,
        "closed",
        '{"to": "bob"}',
        lambda _a, _m: pytest.fail("it ran"),
        inject={"account": lambda _m: _raise(words)},
    )
    assert result.error is not None
    assert (result.error.code, result.error.message) == ("no_account", "you have no account yet")


def test_values_injected_into_json_must_be_json() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]

    class Adapter:
        def definitions(self) -> Any:
            return [catalog_of(metadata={"inject": ["account"]}).definition("own.tool")]

        def execute(self, _request: ToolRequest, _meta: ToolCallMeta, /) -> Any:
            pytest.fail("it ran")

    from toolgen.runtime import Catalog

    for value in (deep, object(), float("nan"), {1, 2}, b"x", {("a",): 1}):
        catalog = Catalog()
        catalog.register_adapter(Adapter())
        result = call_now(runtime_of(catalog, inject={"account": lambda _meta, value=value: value}))
        assert result.error is not None
        assert (result.error.code, result.error.hint) == ("wrongly_injected", "the host is at fault, not the call")


def test_executors_that_take_json_get_injected_values_in_the_json() -> None:
    schema = {"type": "object", "properties": {"to": {"type": "string"}}, "additionalProperties": False}

    class Adapter:
        def definitions(self) -> Any:
            return [catalog_of(input_schema=schema, metadata={"inject": ["account"]}).definition("own.tool")]

        def execute(self, request: ToolRequest, meta: ToolCallMeta, /) -> Any:
            return [json.loads(request.payload), dict(meta.injected)]

    from toolgen.runtime import Catalog

    catalog = Catalog()
    catalog.register_adapter(Adapter())
    result = call_now(runtime_of(catalog, inject=FILLED), payload='{"to": "bob"}')
    filled = {"account": "account of ann"}
    assert result.value == [{"to": "bob", **filled}, filled]


def test_only_the_executor_sees_injected_values() -> None:
    seen: list[bytes] = []

    class Hook:
        def pre_tool_use(self, call: Any, /) -> None:
            seen.append(call.arguments)

        def post_tool_use(self, call: Any, _result: Any, /) -> None:
            seen.append(call.arguments)

    catalog = catalog_of(lambda args: args, metadata={"inject": ["account"]})
    call_now(runtime_of(catalog, inject=FILLED, hooks=[Hook()]), payload='{"to": "bob"}')
    assert seen == [b'{"to":"bob"}'] * 2


def test_an_executor_that_decodes_by_the_schema_gets_injected_values_in_the_meta(package: str) -> None:
    class Executor:
        def execute(self, request: ToolRequest, meta: ToolCallMeta, /) -> ToolResult[Any]:
            mail = import_module(f"{package}.tools.mail")
            args = mail.codecs.args(mail.CLOSED).decode(request.payload)
            return ToolResult(value=[args.to, args.account, dict(meta.injected)])

    registration = ToolsetRegistration(toolset="mail", executor=Executor())
    runtime = Runtime(load(package), permission=allow_all, executors=[registration], inject=FILLED)
    request = ToolRequest(name="mail.closed", payload='{"to": "bob"}')
    result = asyncio.run(runtime.invoke(request, meta=ToolCallMeta(user="ann")))
    assert result.value == ["bob", None, {"account": "account of ann"}]


def test_reg_66_a_secret_that_only_the_payload_of_the_method_has_is_declared() -> None:
    spec = """
toolgen: 1
toolset: mail
methods:
  Send:
    payload: {type: object, required: [to, key], properties: {to: {type: string}, key: {format: password}}}
tools:
  send: {description: Send., args: {to: string}, bind: Send, inject: [key]}
  plain: {description: Send., args: {to: string}, bind: Send}
"""
    found = resolved(spec)
    tools = {tool.key: tool.args.secrets for toolset in found.catalog.toolsets for tool in toolset.tools}
    assert tools == {"send": ("/key",), "plain": ()}


COUNTED = """
toolgen: 1
toolset: mail
tools:
  send:
    description: Send.
    inject: [count, counts, share]
    args: {to: string, count: integer, counts: [integer], share: number}
"""


@pytest.fixture(scope="module")
def counting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("counting")
    found = resolved(COUNTED)
    assert found.messages == []
    write(folder / "counting_package", generate(found.catalog))
    sys.path.insert(0, str(folder))
    yield "counting_package"
    sys.path.remove(str(folder))


@pytest.mark.parametrize(
    ("count", "counts", "share", "code"),
    [
        (3.0, [1.0, 2], 3.0, "ok"),
        (3, [1, 2], 3, "ok"),
        (1e300, [], 0.5, "ok"),
        (3.5, [1], 1.0, "wrongly_injected"),
        ("3", [1], 1.0, "wrongly_injected"),
        (True, [1], 1.0, "wrongly_injected"),
        (3, [1.5], 1.0, "wrongly_injected"),
        (float("inf"), [1], 1.0, "wrongly_injected"),
    ],
)
def test_an_integral_float_fills_an_integer_as_it_does_in_a_payload(
    counting: str, count: Any, counts: Any, share: Any, code: str
) -> None:
    seen: list[Any] = []

    def handler(args: Any, _meta: ToolCallMeta) -> None:
        seen.append((args.count, args.counts, args.share))

    inject = {"count": lambda _m: count, "counts": lambda _m: counts, "share": lambda _m: share}
    assert code_of(result_of(counting, "send", '{"to": "bob"}', handler, inject=inject)) == code
    assert seen == ([(count, counts, share)] if code == "ok" else [])
    assert all(type(each[0]) is int and all(type(item) is int for item in each[1]) for each in seen)


@pytest.mark.parametrize("access", [{"scope": ("tenant", "book")}, {"read": ("tenant",)}])
def test_access_does_not_name_what_a_caller_cannot_give(access: dict[str, tuple[str, ...]]) -> None:
    """A grant for one tenant would cover another: the value is not there when a call is judged."""
    with pytest.raises(CatalogError, match=r"names `tenant` in `(scope|read)`, which the host injects"):
        catalog_of(lambda _args, _meta: None, metadata={"inject": ["tenant"], "access": access})
