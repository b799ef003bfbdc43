"""Types of shared files: one class for the whole package, used by all toolsets, and clashes of its name."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

import pytest

from tests.unit.compiler.emit.generated import generate as generate
from tests.unit.compiler.specs import resolved, toolset
from toolgen.compiler.emit import emit
from toolgen.compiler.ir.shapes import PACKAGE_MODULE, ClassRef

if TYPE_CHECKING:
    from tests.unit.compiler.emit.generated import Generate

ADDRESS = '{"toolgen": 1, "types": {"Address": {"street": "string", "geo": {"lat": "number"}}}}'
USE = {"Address": {"$ref": "shared.json#/types/Address"}}


def test_two_toolsets_share_a_class(generate: Generate) -> None:
    one = toolset({"ship": {"args": {"to": "Address"}}}, "shop", types=USE)
    other = toolset({"bill": {"args": {"to": "Address"}, "result": "Address"}}, "money", types=USE)
    package = generate(one, other, **{"shared.json": ADDRESS})

    shop, money = (import_module(f"{package}.tools.{name}") for name in ("shop", "money"))
    home = import_module(f"{package}.{PACKAGE_MODULE}")

    assert shop.Address is money.Address is money.BillResult is home.Address
    assert shop.ShipArgs.model_fields["to"].annotation is home.Address


def test_an_alias_of_a_type_is_an_alias_of_its_class() -> None:
    renamed = {"Target": USE["Address"]}
    found = resolved(toolset({"ship": {"args": {"to": "Target"}}}, types=renamed), **{"shared.json": ADDRESS})

    made = {each.name: each for each in found.catalog.toolsets[0].types}

    assert found.messages == []
    assert made["Address"].module == PACKAGE_MODULE
    assert made["Target"].module == "shared"
    assert found.tools["shop.ship"].args.shape == ClassRef("ShipArgs")
    assert "Target: TypeAlias = Address" in emit(found.catalog)["tools/shop/shared.py"]


def test_an_alias_whose_name_is_taken_has_its_own_class() -> None:
    types = {"Address": "string", "Target": USE["Address"]}
    found = resolved(toolset({"ship": {"args": {"to": "Target"}}}, types=types), **{"shared.json": ADDRESS})

    made = {each.name: each.module for each in found.catalog.toolsets[0].types}

    assert found.messages == []
    assert made["Target"] == made["Address"] == "shared"


def test_a_nested_class_is_renamed_if_a_shared_type_has_its_name() -> None:
    shared = '{"toolgen": 1, "types": {"Ship": {"argsTo": {"a": "string"}}}}'
    tool = {"args": {"to": {"b": "string"}, "ship": {"$ref": "shared.json#/types/Ship"}}}
    found = resolved(toolset({"ship": tool}), **{"shared.json": shared})

    names = {each.name: each.module for each in found.catalog.toolsets[0].types}

    assert found.messages == []
    assert names["ShipArgsTo"] == PACKAGE_MODULE
    assert [name for name in names if name.startswith("ShipArgsTo_")]


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (
            {"a.json": ADDRESS, "b.json": '{"toolgen": 1, "types": {"Address": {"line": "string"}}}'},
            (
                "TG302 b.json:1:37 the types `Address` of a.json and `Address` of b.json would be one class of this "
                "package"
            ),
        ),
        (
            {"a.json": '{"toolgen": 1, "types": {"OpenModel": {"line": "string"}}}'},
            "TG302 a.json:1:26 the type `OpenModel` would hide a name that generated code uses",
        ),
        (
            {"a.json": '{"toolgen": 1, "types": {"Address": {"line": "strung"}}}'},
            "TG201 a.json:1:46 `strung` is not a type",
        ),
        (
            {"a.json": toolset({"ship": {}}, f"{PACKAGE_MODULE}.a")},
            (
                f"TG302 a.json:1:27 the package of `{PACKAGE_MODULE}.a` would hide the module `{PACKAGE_MODULE}`, "
                "which has the types of shared files"
            ),
        ),
        (
            {
                "a.json": ADDRESS,
                "b.json": toolset(
                    {"ship": {"args": {"to": {"$ref": "a.json#/types/Address"}}}}, types={"AddressGeo": {"x": "string"}}
                ),
            },
            (
                "TG302 b.json:1:130 a class of the shared type `Address` and a class of this toolset would both be "
                "`AddressGeo` in the generated code"
            ),
        ),
    ],
)
def test_clashing_names_are_an_error(files: dict[str, str], message: str) -> None:
    assert resolved(**files).messages == [message]


def test_a_type_of_a_toolset_that_shared_files_use_is_a_shared_type() -> None:
    shared = '{"toolgen": 1, "types": {"Parcel": {"order": {"$ref": "shop.json#/types/Order"}}}}'
    shop = toolset({"order": {"result": "Order"}}, types={"Order": {"id": "string"}})
    found = resolved(**{"shared.json": shared, "shop.json": shop})

    assert found.messages == []
    assert {each.name: each.module for each in found.catalog.toolsets[0].types}["Order"] == PACKAGE_MODULE


def test_a_named_enum_of_shared_files_is_imported_in_every_use() -> None:
    shared = """{"toolgen": 1, "types": {"Money": {"currency": "Currency"}, "Currency": {"enum": ["EUR", "USD"]}}}"""
    args = {name: {"$ref": f"shared.json#/types/{name.capitalize()}"} for name in ("money", "currency")}
    found = resolved(toolset({"pay": {"args": args}}), **{"shared.json": shared})

    files = emit(found.catalog)

    assert found.messages == []
    assert "currency: Currency" in files[f"{PACKAGE_MODULE}.py"]
    assert "from ...shared_types import Currency, Money" in files["tools/shop/pay.py"]
