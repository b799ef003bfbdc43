from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any, TypedDict

import pytest
from pydantic import BaseModel, Field, model_validator

from toolgen.contract.records import ToolCallMeta, ToolRequest, ToolResult
from toolgen.runtime import Catalog, Runtime, ToolAdapter, ToolDefinition, allow_all, load
from toolgen.runtime.base.errors import CatalogError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from tests.unit.runtime.package import Shop
    from toolgen.runtime.catalog.handler_signature import Handler


class Line(BaseModel):
    number: int = Field(ge=1)


class Path(TypedDict):
    path: str


class ReadArgs(BaseModel):
    path: str = Field(description="Where to read.")
    first: Line = Field(description="The line to begin with.")
    limit: int = 10


SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "description": "Where to read."},
        "first": {
            "type": "object",
            "description": "The line to begin with.",
            "properties": {"number": {"type": "integer", "minimum": 1}},
            "required": ["number"],
        },
        "limit": {"type": "integer", "default": 10},
    },
    "required": ["path", "first"],
}

DEFINITION = ToolDefinition(
    name="own.read_file",
    description="Read lines of a file.",
    input_schema=SCHEMA,
    permission="readonly",
    tags={"code"},
    metadata={"source": "code"},
)


class Files:
    def definitions(self) -> Iterable[ToolDefinition]:
        return [DEFINITION]

    async def execute(self, request: ToolRequest, meta: ToolCallMeta, /) -> ToolResult[Any]:
        assert isinstance(request.payload, bytes)
        return ToolResult(tool_name="its own name", value=[request.name, request.payload.decode(), meta.user])


def define(input_schema: Any) -> ToolDefinition:
    return ToolDefinition(name="own.a", description="x", input_schema=input_schema)


def test_reg_11_function_decorator_and_adapter_give_equal_definitions() -> None:
    by_function, by_decorator, by_adapter = Catalog(), Catalog(), Catalog()

    def read(args: ReadArgs) -> str:
        return args.path

    by_function.register(DEFINITION, read)

    @by_decorator.tool("own.read_file", permission="readonly", tags=["code"], metadata={"source": "code"})
    def read_file(args: ReadArgs) -> str:
        """Read lines of a file."""
        return args.path

    adapter: ToolAdapter = Files()
    by_adapter.register_adapter(adapter)
    catalogs = (by_function, by_decorator, by_adapter)
    assert [catalog.definition("own.read_file") for catalog in catalogs] == [DEFINITION] * 3
    assert read_file(ReadArgs(path="p", first=Line(number=1))) == "p"


def test_reg_12_a_pydantic_model_gives_a_concise_schema() -> None:
    catalog = Catalog()

    @catalog.tool("own.explicit", description="Read.", input_schema=ReadArgs)
    def explicit(args: Any) -> None: ...

    @catalog.tool("own.annotated", description="Read.")
    def annotated(args: ReadArgs, meta: ToolCallMeta) -> None: ...

    @catalog.tool("own.nothing", description="Read.")
    def nothing() -> None: ...

    assert catalog.schema("own.explicit", "args") == SCHEMA
    assert catalog.schema("own.annotated", "args") == SCHEMA
    assert catalog.schema("own.nothing", "args") == {"type": "object", "properties": {}, "additionalProperties": False}
    with pytest.raises(CatalogError, match=r"unknown has no args schema"):

        @catalog.tool("own.unknown", description="Read.")
        def unknown(args: dict[str, Any]) -> None: ...


def test_reg_03_a_name_is_registered_once_and_the_first_is_kept(shop: Shop) -> None:
    catalog = load(shop.name)
    catalog.register(DEFINITION, lambda _args: "first")
    for name in ("own.read_file", "shop.orders.refund"):
        before = catalog.definition(name)
        with pytest.raises(CatalogError, match=f"{name} is already defined"):
            catalog.register(
                ToolDefinition(name=name, description="Other.", input_schema=SCHEMA), lambda _args: "second"
            )
        assert catalog.definition(name) == before
    names = set(catalog)
    with pytest.raises(CatalogError, match="already defined"):
        catalog.register_adapter(Files())
    with pytest.raises(CatalogError, match="already defined"):
        catalog.tool("own.read_file", description="Other.", input_schema=SCHEMA)(lambda _args: "third")
    assert set(catalog) == names, "no name was added instead"
    assert catalog.definition("own.read_file") == DEFINITION
    runtime = Runtime(catalog, permission=allow_all, missing=catalog.toolsets)
    request = ToolRequest(name="own.read_file", payload='{"path": "p", "first": {"number": 1}}')
    assert asyncio.run(runtime.invoke(request)).value == "first"


def test_an_adapter_with_one_used_name_registers_nothing() -> None:
    class Two(Files):
        def definitions(self) -> Iterable[ToolDefinition]:
            return [ToolDefinition(name="own.new", description="x", input_schema=SCHEMA), DEFINITION, DEFINITION]

    catalog = Catalog()
    with pytest.raises(CatalogError):
        catalog.register_adapter(Two())
    assert len(catalog) == 0


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object"},
        SCHEMA,
        {
            "type": "object",
            "properties": {"a": {"type": "string", "minLength": 1, "maxLength": 9}},
            "additionalProperties": False,
        },
        {
            "type": "object",
            "properties": {"a": {"type": "array", "items": {"type": "array", "items": {"enum": ["x"]}}}},
        },
        {
            "type": "object",
            "properties": {"n": {"type": "number", "exclusiveMinimum": 0, "default": 1}, "b": {"type": "boolean"}},
        },
        {"type": "object", "properties": {"anyOf": {"type": "string"}, "$ref": {"type": "integer"}}},
        {"type": "object", "properties": {"a": {"default": {"oneOf": []}}}, "x-note": {"anyOf": []}},
        {
            "type": "object",
            "$defs": {"A": {"type": "string"}},
            "properties": {"a": {"$ref": "#/$defs/A", "description": "d"}},
        },
    ],
)
def test_reg_13_the_core_profile_is_accepted(schema: Any) -> None:
    catalog = Catalog()
    catalog.register(define(schema), lambda _args: None)
    assert "$ref" not in str(catalog.schema("own.a", "args").get("properties", {}).get("a", {}))


@pytest.mark.parametrize(
    ("keyword", "value"),
    [
        ("oneOf", [{"type": "string"}]),
        ("anyOf", [{"type": "string"}]),
        ("allOf", [{"type": "string"}]),
        ("$ref", "#/$defs/Loop"),
        ("if", {}),
        ("patternProperties", {}),
        ("type", ["string", "null"]),
        ("additionalProperties", {"type": "string"}),
        ("const", 1),
        ("prefixItems", [{}]),
    ],
)
def test_reg_14_keywords_outside_core_are_reported_with_their_location(keyword: str, value: Any) -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": "array", "items": {keyword: value}}},
        "$defs": {"Loop": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Loop"}}}},
    }
    place = "$.properties.a.items" + (".properties.next" if keyword == "$ref" else "")
    with pytest.raises(CatalogError) as refused:
        Catalog().register(define(schema), lambda _args: None)
    assert str(refused.value) == (
        f"the input_schema of own.a uses `{keyword}` at {place}, which is outside the profile core; "
        'register it with profile="full", or remove it'
    )
    Catalog().register(define(schema), lambda _args: None, profile="full")


def test_reg_14_then_and_else_are_outside_too() -> None:
    schema = {"type": "object", "then": {}, "else": {}}
    with pytest.raises(CatalogError, match=r"`then` at \$,"):
        Catalog().register(define(schema), lambda _args: None)


def test_args_are_an_object_and_schemas_are_schemas() -> None:
    with pytest.raises(CatalogError, match="does not describe an object"):
        Catalog().register(define({"type": "string"}), lambda _args: None)
    with pytest.raises(CatalogError, match="is not a valid JSON Schema"):
        Catalog().register(define({"type": "object", "properties": {"a": {"minLength": -1}}}), lambda _args: None)


def test_tags_of_the_host_must_be_declared_first(shop: Shop) -> None:
    definition = ToolDefinition(name="own.a", description="x", input_schema=SCHEMA, tags={"slow"})
    catalog = load(shop.name)
    with pytest.raises(CatalogError, match="the undeclared tag 'slow'"):
        catalog.register(definition, lambda _args: None)
    catalog.declare_tag("slow")
    catalog.register(definition, lambda _args: None)
    catalog.register(
        ToolDefinition(name="own.b", description="x", input_schema=SCHEMA, tags={"billing"}), lambda _args: None
    )


def test_a_frozen_catalog_refuses_registrations() -> None:
    catalog = Catalog()
    Runtime(catalog, permission=allow_all)
    attempts: list[Callable[[], None]] = [
        lambda: catalog.register(DEFINITION, lambda _args: None),
        lambda: catalog.declare_tag("x"),
        lambda: catalog.register_adapter(Files()),
    ]
    for register in attempts:
        with pytest.raises(CatalogError, match="the catalog is frozen"):
            register()


def run(catalog: Catalog, name: str, payload: str, meta: ToolCallMeta | None = None) -> ToolResult[Any]:
    runtime = Runtime(catalog, permission=allow_all)
    return asyncio.run(runtime.invoke(ToolRequest(name=name, payload=payload, tool_call_id="c"), meta=meta))


def test_a_registered_function_gets_its_model_or_plain_json() -> None:
    catalog = Catalog()

    @catalog.tool("own.typed", description="x")
    async def typed(args: ReadArgs, meta: ToolCallMeta) -> list[Any]:
        return [args.first.number, args.limit, meta.user]

    @catalog.tool("own.plain", description="x", input_schema=SCHEMA)
    def plain(args: Any) -> Any:
        return args

    payload = '{"path": "p", "first": {"number": 2.0}}'
    assert run(catalog, "own.typed", payload, ToolCallMeta(user="u")).value == [2, 10, "u"]
    assert run(catalog, "own.plain", payload).value == {"path": "p", "first": {"number": 2.0}}


def test_validators_of_the_hosts_models_are_applied_too() -> None:
    class Range(BaseModel):
        first: int
        last: int

        @model_validator(mode="after")
        def in_order(self) -> Range:
            if self.last < self.first:
                raise ValueError("last lies before first")
            return self

    catalog = Catalog()
    catalog.tool("own.range", description="x", input_schema=Range)(lambda args: args.last)
    error = run(catalog, "own.range", '{"first": 2, "last": 1}').error
    assert error is not None
    assert (error.message, error.issues[0].hint) == ("invalid payload", "Value error, last lies before first")


def of_keywords(*, path: str) -> None: ...
def of_three(args: ReadArgs, meta: ToolCallMeta, more: int) -> None: ...
def of_any_number(*args: Any) -> None: ...
def of_two_fields(path: dict[str, Any], limit: str = "a") -> None: ...
def of_two_models(args: dict[str, Any], more: ReadArgs) -> None: ...
def of_a_number(path: int) -> None: ...


@pytest.mark.parametrize(
    ("handler", "message"),
    [
        (of_keywords, r"no call could run of_keywords: missing a required .*'path'.*all args as its first parameter"),
        (of_three, r"no call could run of_three: missing a required .*'more'.*other parameters need a default"),
        (of_any_number, "of_any_number does not show whether it takes the ToolCallMeta: declare the parameters"),
        (of_two_fields, "the parameter `limit` of of_two_fields would receive the ToolCallMeta"),
        (of_two_models, "the parameter `more` of of_two_models would receive the ToolCallMeta"),
        (lambda args, captured=1: (args, captured), r"the parameter `captured` of .*put `\*` before it"),
        (of_a_number, r"the parameter `path` of of_a_number receives all args as one dict.*with dict\[str, Any\]"),
        ("name", "str cannot be a handler"),
    ],
)
def test_a_function_that_no_call_could_run_is_refused(handler: Any, message: str) -> None:
    catalog = Catalog()
    with pytest.raises(CatalogError, match=message):
        catalog.register(define(SCHEMA), handler)
    with pytest.raises(CatalogError, match=message):
        catalog.tool("own.a", description="x", input_schema=SCHEMA)(handler)
    assert len(catalog) == 0


def test_a_function_of_another_model_than_its_schema_is_refused() -> None:
    with pytest.raises(CatalogError, match=r"receives all args as one Line, .* annotate it with Line"):

        @Catalog().tool("own.a", description="x", input_schema=Line)
        def read(args: ReadArgs) -> None: ...


class Reader:
    def __call__(self, args: ReadArgs, meta: ToolCallMeta | None = None) -> Any:
        """Read lines."""
        return [args.path, meta and meta.user]

    def read(self, args: Mapping[str, Any], *, captured: int = 1) -> Any:
        return [args["path"], captured]


def of_typed_dict(args: Path) -> Any:
    return [args["path"]]


@pytest.mark.parametrize(
    ("handler", "value"),
    [
        (Reader(), ["p", "u"]),
        (Reader().read, ["p", 1]),
        (partial(Reader().read, captured=2), ["p", 2]),
        (of_typed_dict, ["p"]),
        (lambda args, meta: [args["path"], meta.user], ["p", "u"]),
        (lambda args, *, captured=3: [args["path"], captured], ["p", 3]),
        (lambda: ["nothing"], ["nothing"]),
    ],
)
def test_a_handler_receives_the_parameters_it_declares(handler: Handler, value: Any) -> None:
    catalog = Catalog()
    catalog.tool("own.a", description="x", input_schema=SCHEMA)(handler)
    assert run(catalog, "own.a", '{"path":"p", "first": {"number": 1}}', ToolCallMeta(user="u")).value == value


def test_the_docstring_of_a_callable_object_is_the_one_of_its_call() -> None:
    catalog = Catalog()
    catalog.tool("own.a")(Reader())
    catalog.tool("own.b")(partial(Reader(), meta=None))
    assert [catalog.definition(name).description for name in catalog] == ["Read lines."] * 2


def test_reg_12_a_pydantic_model_is_the_schema_of_results_too() -> None:
    catalog = Catalog()

    @catalog.tool("own.good", description="x", result_schema=Line)
    def good() -> Line:
        return Line(number=2)

    @catalog.tool("own.plain", description="x", result_schema=Line)
    def plain() -> Any:
        return {"number": 2}

    @catalog.tool("own.bad", description="x", result_schema=Line)
    def bad() -> Any:
        return {"number": 0}

    number = {"type": "integer", "minimum": 1}
    schema = {"type": "object", "properties": {"number": number}, "required": ["number"]}
    assert catalog.definition("own.good").result_schema == schema
    for name in ("own.good", "own.plain"):
        result = run(catalog, name, "{}")
        assert (result.value, result.payload) == (Line(number=2), b'{"number":2}')
    error = run(catalog, "own.bad", "{}").error
    assert error is not None
    assert error.message == "the result of the tool does not fit its schema"


@pytest.mark.parametrize("schema", ["string", ["string"], int, 5])
def test_an_invalid_schema_is_reported(schema: Any) -> None:
    for given in ({"input_schema": schema}, {"result_schema": schema}):
        with pytest.raises(
            CatalogError, match=r"the (input|result)_schema of .* is .*: pass a JSON Schema as a dict, or a p"
        ):
            Catalog().tool("own.a", description="x", **given)(lambda: None)
        definition = ToolDefinition(name="own.a", description="x", **{"input_schema": SCHEMA, **given})
        with pytest.raises(CatalogError, match=r"the (input|result)_schema of own.a is .*model_json_schema\(\)"):
            Catalog().register(definition, lambda _args: None)


def test_a_decorator_needs_a_name_and_a_list_of_tags() -> None:
    decorator: Any = Catalog().tool
    with pytest.raises(
        CatalogError, match=r'needs the name of the tool: write `@catalog\.tool\("weather\.forecast"\)`'
    ):
        decorator(of_a_number)
    with pytest.raises(CatalogError, match=r"the tags of own.a must be a list: write `tags=\['slow'\]`"):
        Catalog().tool("own.a", tags="slow")


@pytest.mark.parametrize("package", ["", None])
def test_loading_nothing_is_refused(package: Any) -> None:
    with pytest.raises(CatalogError, match="load takes the import name of a generated package"):
        load(package)


@pytest.mark.parametrize(("adapter", "name"), [(Files, "Files"), (object(), "a object"), (None, "a NoneType")])
def test_an_invalid_adapter_is_refused(adapter: Any, name: str) -> None:
    with pytest.raises(
        CatalogError,
        match=rf"{name} is not an adapter: pass an object \(not a class\) with a method `execute\(request, meta\)`",
    ):
        Catalog().register_adapter(adapter)


def test_an_adapter_gets_canonical_json_under_the_ident() -> None:
    catalog = Catalog()
    catalog.register_adapter(Files())
    result = run(catalog, "own__read_file", '{"path":"p", "first": {"number": 1}}', ToolCallMeta(user="u"))
    assert result.value == ["own.read_file", '{"first":{"number":1},"path":"p"}', "u"]
    assert (result.tool_name, result.metadata) == ("own.read_file", {"raw_tool_name": "own__read_file"})


def test_fields_marked_as_secret_work_for_registered_tools_too() -> None:
    schema = {
        "type": "object",
        "properties": {"note": {"type": "string", "writeOnly": True}, "more": {"type": "string"}},
    }
    result = {"type": "array", "items": {"type": "string", "format": "password"}}
    catalog = Catalog()
    definition = ToolDefinition(
        name="a.b",
        description="x",
        input_schema=schema,
        result_schema=result,
        metadata={"args_secrets": ["/more"]},
    )
    catalog.register(definition, lambda _args: [], profile="full")
    metadata = catalog.definition("a.b").metadata
    assert (metadata["args_secrets"], metadata["result_secrets"]) == (["/more", "/note"], ["/*"])
