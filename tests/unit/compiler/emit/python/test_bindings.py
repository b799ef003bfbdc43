"""Bound toolsets: run by a service, with values injected by the host; and notes on what is missing."""

from __future__ import annotations

import asyncio
import inspect
import sys
import threading
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.compiler.emit.generated import generate as generate
from tests.unit.compiler.specs import resolved, toolset
from toolgen.contract.records import FailureKind, ToolCallMeta
from toolgen.runtime import Runtime, allow_all, blocking, load

if TYPE_CHECKING:
    from types import ModuleType

    from tests.unit.compiler.emit.generated import Generate

METHODS = {"SaveIt": {"payload": {"tenant-id": "string", "name": "string"}, "result": {"id": "string"}}}
SAVE = {"args": {"name": "string"}, "result": {"id": "string"}, "bind": "SaveIt", "inject": ["tenant-id"]}
OF_TENANT = ToolCallMeta(attributes={"tenant": "t1"})


def shop_of(generate: Generate, tools: dict[str, Any]) -> ModuleType:
    return import_module(f"{generate(toolset(tools, methods=METHODS))}.tools.shop")


class Service:
    def __init__(self) -> None:
        self.threads: list[int] = []

    async def save_it(self, payload: Any) -> Any:
        return self.found(payload)

    def found(self, payload: Any) -> Any:
        self.threads.append(threading.get_ident())
        package = sys.modules[type(payload).__module__.replace(".types.methods", "")]
        return package.SaveItMethodResult(id=f"{payload.tenant_id}-{payload.name}")


class Sync(Service):
    def save_it(self, payload: Any) -> Any:
        return self.found(payload)


class Blocking(Service):
    @blocking
    def save_it(self, payload: Any) -> Any:
        return self.found(payload)


async def call(shop: ModuleType, service: Service, tenant: Any = lambda meta: meta.attributes["tenant"]) -> Any:
    runtime = Runtime(
        load(shop.__name__.partition(".")[0]),
        executors=[shop.executor_from(service)],
        permission=allow_all,
        inject=shop.injections(tenant_id=tenant),
    )
    return await runtime.call(shop.SAVE, shop.SaveArgs(name="ada"), meta=OF_TENANT)


@pytest.mark.parametrize("service", [Service, Sync, Blocking])
def test_the_methods_of_a_service_run_the_tools(generate: Generate, service: type[Service]) -> None:
    shop, made = shop_of(generate, {"save": SAVE}), service()

    result = asyncio.run(call(shop, made))

    assert result.value == shop.SaveResult(id="t1-ada")
    assert (made.threads == [threading.get_ident()]) is (service is not Blocking)


def test_injected_values_have_the_type_of_their_field(generate: Generate) -> None:
    shop = shop_of(generate, {"save": SAVE})

    assert inspect.signature(shop.injections).parameters["tenant_id"].annotation == "Callable[[ToolCallMeta], str]"
    assert list(shop.injections(tenant_id=str)) == ["tenant-id"]
    error = asyncio.run(call(shop, Service(), lambda _meta: 7)).error
    assert (error.kind, error.message) == (
        FailureKind.INTERNAL, "SaveItPayload: tenant_id: Input should be a valid string"
    )  # fmt: skip


@pytest.mark.parametrize(
    ("tool", "missing"),
    [
        ({"args": {"name": "string"}}, "- `find` is not bound to a method"),
        ({**SAVE, "args": {"title": "string"}},
         "- `find` has no transform from its args to the payload of `SaveIt`"),
        ({**SAVE, "result": {"id": "string", "more": "string"}},
         "- `find` has no transform from the result of `SaveIt` to its own"),
    ],
)  # fmt: skip
def test_a_tool_that_cannot_be_bound_has_a_note_on_what_is_missing(
    generate: Generate, tool: dict[str, Any], missing: str
) -> None:
    shop = shop_of(generate, {"save": SAVE, "find": tool})

    assert not hasattr(shop, "executor_from")
    assert str(inspect.getdoc(shop.executor)).endswith(f"methods that they are bound to:\n{missing}")


def field(**keywords: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"n": {"type": "integer", **keywords}}, "additionalProperties": False}


@pytest.mark.parametrize(
    "around",
    [
        lambda schema: schema,
        lambda schema: {"type": "object", "properties": {"a": schema}},
        lambda schema: {"type": "array", "items": schema},
        lambda schema: {"type": "object", "additionalProperties": schema},
        lambda schema: {"anyOf": [schema, {"type": "null"}]},
    ],
    ids=["a field", "a field of an object", "an item", "a value", "an option"],
)
@pytest.mark.parametrize(
    ("tool", "method", "reason"),
    [
        (field(default=5), field(default=5), ""),
        (field(default=5), field(default=7), "has another default of `n`"),
        (field(default=5), field(), "has another default of `n`"),
        (field(), field(default=7), "has another default of `n`"),
        (field(maximum=5), field(maximum=10), ""),
        (field(maximum=5), field(), ""),
        (field(maximum=10), field(maximum=5), "may have values on one side that are not allowed"),
        (field(), field(minimum=1), "may have values on one side that are not allowed"),
    ],
)
def test_a_field_fits_if_it_has_the_same_defaults_and_no_more_values(
    around: Any, tool: dict[str, Any], method: dict[str, Any], reason: str
) -> None:
    wanted = {"q": around(method)}
    spec = {"args": {"q": around(tool)}, "result": {"id": "string"}, "bind": "Find"}
    found = resolved(toolset({"find": spec}, methods={"Find": {"payload": wanted, "result": {"id": "string"}}}))

    assert [reason in message for message in found.messages] == [True] * bool(reason)


def test_a_result_fits_only_if_it_has_no_more_values_than_its_tool_returns() -> None:
    long, short = {"type": "string", "maxLength": 9}, {"type": "string", "maxLength": 5}
    args = {"q": "string"}
    tools = {
        "find": {"args": args, "result": short, "bind": "Find"},
        "get": {"args": args, "result": long, "bind": "Get"},
    }
    methods = {"Find": {"payload": args, "result": long}, "Get": {"payload": args, "result": short}}

    assert resolved(toolset(tools, methods=methods)).codes == ["TG404"]


def test_classes_that_refer_to_others_several_times_are_compared_once() -> None:
    types = {f"{name}{n}": {"a": f"{name}{n + 1}", "b": f"{name}{n + 1}"} for name in "TU" for n in range(60)}
    types |= {"T60": {"x": "integer"}, "U60": {"x": "integer"}}
    tools = {"find": {"args": {"q": "T0"}, "result": {"q": "T0"}, "bind": "Find"}}
    methods = {"Find": {"payload": {"q": "U0"}, "result": {"q": "U0"}}}

    assert resolved(toolset(tools, types=types, methods=methods)).codes == []


def test_a_toolset_without_bindings_does_not_mention_them(generate: Generate) -> None:
    shop = shop_of(generate, {"find": {}})

    assert inspect.getdoc(shop.executor) == "Run the tools of this toolset with the methods of `handlers`."


def test_handlers_may_be_named_like_builtins_but_not_like_keywords(generate: Generate) -> None:
    shop = shop_of(generate, {name: {} for name in ("open", "list", "type", "match", "import")})

    assert {name for name in vars(shop.Handlers) if not name.startswith("_")} == {
        "open", "list", "type", "match", "import_"
    }  # fmt: skip


class Misfit:
    def save_it(self) -> None: ...


@pytest.mark.parametrize(
    ("service", "message"),
    [
        (Service, "save_it is a method without its object: pass an object of Service, not the class"),
        (Misfit(), r"Misfit\.save_it takes \(\), but gets the payload"),
    ],
)
def test_a_method_that_no_call_could_run_is_an_error_at_start(generate: Generate, service: Any, message: str) -> None:
    shop = shop_of(generate, {"save": SAVE})
    with pytest.raises(TypeError, match=f"no call could run a method of the service: {message}"):
        shop.executor_from(service)
