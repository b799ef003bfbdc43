from __future__ import annotations

import asyncio
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.runtime.package import write_package
from tests.unit.runtime.shop import FIND_ARGS, FIND_RESULT, REFUND_ARGS
from tests.unit.runtime.tools import add, code_of, idle_executors
from toolgen.contract.ident import Ident
from toolgen.contract.records import ToolRequest
from toolgen.runtime import Catalog, Runtime, ToolNotFound, allow_all, load
from toolgen.runtime.base.errors import CatalogError
from toolgen.runtime.catalog.definition import ToolDefinition

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.runtime.package import Shop


def test_a_catalog_contains_the_compiled_tools(shop: Shop) -> None:
    catalog = load(shop.name)
    assert len(catalog) == 5
    assert "shop.orders.refund" in catalog
    assert set(catalog.toolsets["shop.orders"]) == {"shop.orders.refund", "shop.orders.find"}
    assert catalog.toolset_of("mcp.files.read") == "mcp.files"


def test_a_package_in_an_archive_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "archived_package"
    package.mkdir()
    for name in ("__init__.py", "catalog.json"):
        (package / name).write_text("")
    monkeypatch.syspath_prepend(shutil.make_archive(str(tmp_path / "app"), "zip", tmp_path, package.name))
    shutil.rmtree(package)

    with pytest.raises(CatalogError, match=r"'archived_package' is in an archive, .*: unpack it"):
        load("archived_package")


def test_loading_imports_no_module_of_the_package(shop: Shop) -> None:
    import sys

    load(shop.name).definition("shop.orders.refund")
    assert [module for module in sys.modules if module.startswith(f"{shop.name}.")] == []


def test_goa_34_definitions_and_schemas_are_found_by_ident(shop: Shop) -> None:
    runtime = Runtime(load(shop.name), permission=allow_all, missing=load(shop.name).toolsets)
    spec = runtime.tool_spec(shop.module("shop.tools.orders").REFUND)
    assert (spec.name, spec.title, spec.permission) == ("shop.orders.refund", "Refund an order", "write")
    assert spec.tags == {"write", "billing"}
    limits = {"timeout_ms": 5000}
    about = {"kind": "service", "source": "code", "toolset": "shop.orders", "limits": limits}
    assert spec.metadata == {**about, "wire_name": "shop__orders__refund"}
    schema = runtime.tool_schema(shop.module("shop.tools.orders").REFUND)
    assert schema == spec.input_schema == REFUND_ARGS
    find = Ident[Any, Any]("shop.orders.find")
    assert (runtime.tool_schema(find), runtime.tool_spec(find).result_schema) == (FIND_ARGS, FIND_RESULT)
    schema.clear()
    assert runtime.tool_schema(Ident("shop.orders.refund"))["required"] == ["order_id"]


def test_goa_34_a_lookup_of_an_unknown_tool_raises_with_suggestions(shop: Shop) -> None:
    runtime = Runtime(load(shop.name), permission=allow_all, missing=load(shop.name).toolsets)
    with pytest.raises(ToolNotFound, match=r"did you mean shop\.orders\.refund") as missing:
        runtime.tool_spec(Ident("shop.orders.refnd"))
    assert missing.value.suggestions[0] == "shop.orders.refund"


@pytest.mark.parametrize(
    ("name", "ident"),
    [
        ("shop.orders.refund", "shop.orders.refund"),
        ("shop__orders__refund", "shop.orders.refund"),
        ("find_orders", "shop.orders.find"),
        ("shop__orders__find", None),
        ("shop_orders_refund", None),
        ("read file", None),
    ],
)
def test_reg_07_names_are_looked_up_exactly(shop: Shop, name: str, ident: str | None) -> None:
    assert load(shop.name).resolve(name) == ident


def test_a_catalog_knows_every_name_of_its_tools(shop: Shop) -> None:
    catalog = load(shop.name)
    known = {tool.ident: tool for tool in catalog.spelled_tools()}
    assert known["mcp.files.peek"][:3] == ("mcp.files.peek", "mcp__files__peek", "read file")
    assert known["shop.orders.find"][:3] == ("shop.orders.find", "find_orders", "find")
    assert known.keys() == {*catalog}
    assert (catalog.wire_name("shop.orders.find"), catalog.wire_name("mcp.files.read")) == (
        "find_orders",
        "mcp__files__read",
    )


def test_a_missing_package_is_reported() -> None:
    for name in ("no_such_package", "no_such.package", "json"):
        with pytest.raises(CatalogError, match=name):
            load(name)


def test_a_package_of_another_contract_version_is_refused(shop: Shop) -> None:
    write_package(shop.folder, contract=99, generator="7.0")
    with pytest.raises(CatalogError, match=r"contract 99.*: upgrade toolgen$"):
        load(shop.name)


def test_a_package_of_an_older_contract_version_is_to_be_built(shop: Shop) -> None:
    write_package(shop.folder, contract=0)
    with pytest.raises(CatalogError, match=r"contract 0.*: run `toolgen build` with this version$"):
        load(shop.name)


def test_a_damaged_catalog_is_refused(shop: Shop) -> None:
    (shop.folder / "catalog.json").write_text('{"contract": 1,')
    with pytest.raises(CatalogError, match=r"damaged.*toolgen build"):
        load(shop.name)


def test_reg_04_names_are_dotted_and_plain() -> None:
    for name in (
        "own.read_file",
        "mcp.github.create_issue",
        "agent.create_sub_agent",
        "internal.load_skill",
        "a.b-c.d_1",
    ):
        ToolDefinition(name=name, description="x", input_schema={})
    for name in (
        "read_file",
        "a..b",
        ".a.b",
        "a.b.",
        "a.1b",
        "a.b c",
        "ä.b",
        "a.b\n",
        "",
        "mcp.a__b.c",
        "mcp.a_.c",
        "a.-b",
    ):
        with pytest.raises(CatalogError, match="is not a valid tool name"):
            ToolDefinition(name=name, description="x", input_schema={})


def test_reg_08_a_definition_has_these_fields_and_no_others() -> None:
    given: dict[str, Any] = {
        "name": "own.read_file",
        "description": "Read.",
        "input_schema": {"type": "object"},
        "permission": "readonly",
        "tags": {"code"},
        "metadata": {"source": "code"},
    }
    definition = ToolDefinition.from_mapping(given)
    assert definition == ToolDefinition(**given)
    assert definition.tags == {"code", "readonly"}
    with pytest.raises(CatalogError, match="no field 'permision'; did you mean 'permission'"):
        ToolDefinition.from_mapping({**given, "permision": "write"})
    with pytest.raises(CatalogError, match="needs the field 'input_schema'"):
        ToolDefinition.from_mapping({"name": "a.b", "description": "x"})
    for wrong in ({"permission": "rw"}, {"tags": {"write"}}, {"description": ""}):
        with pytest.raises(CatalogError, match=r"own.read_file has"):
            ToolDefinition.from_mapping({**given, **wrong})


def test_an_empty_catalog_can_be_filled() -> None:
    catalog = Catalog()
    assert (len(catalog), list(catalog), catalog.resolve("a.b")) == (0, [], None)


def test_lookups_before_a_registration_do_not_hide_the_new_tool() -> None:
    catalog = load("generated")
    assert "own.tool" not in catalog.entries
    assert catalog.names.ident("own__tool") is None
    add(catalog, lambda _args: "ran", "own.tool")
    assert catalog.entries["own.tool"] == catalog.entry("own.tool")
    assert catalog.names.ident("own__tool") == "own.tool"
    runtime = Runtime(catalog, executors=idle_executors(catalog), permission=allow_all)
    run = runtime.start_run()
    assert "own.tool" in run
    assert code_of(asyncio.run(runtime.invoke(ToolRequest(name="own.tool"), run=run))) == "ok"
