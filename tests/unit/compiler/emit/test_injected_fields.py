"""Injected fields: nothing that is written for models names them, or has the words about them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.unit.compiler.specs import resolved, stubs_of
from toolgen.compiler.emit.catalog_json import emit_catalog_json
from toolgen.compiler.emit.providers import emit_providers
from toolgen.providers.table import PROVIDERS
from toolgen.search.documents import documents_of_tools

TENANT = {"type": "object", "properties": {"tenant": {"$ref": "#/$defs/Tenant"}}, "required": ["tenant"]}
DEFINITIONS = {"Tenant": {"enum": ["zebracorp"], "description": "The ledger."}, "Base": TENANT}
AMOUNT = {"type": "object", "properties": {"amount": {"type": "number"}}, "required": ["amount"]}
ARGS: dict[str, Any] = {
    "properties": {**AMOUNT, "properties": {**AMOUNT["properties"], **TENANT["properties"]}},  # type: ignore[dict-item]  # plain JSON
    "allOf": {**AMOUNT, "allOf": [TENANT]},
    "$ref": {**AMOUNT, "$ref": "#/$defs/Base"},
}


@pytest.mark.parametrize("args", ARGS.values(), ids=ARGS)
def test_no_model_is_shown_an_injected_field(args: dict[str, Any]) -> None:
    pay = {"description": "Pay.", "args": {**args, "$defs": DEFINITIONS}, "inject": ["tenant"], "result": "string"}
    spec = {"toolgen": 1, "toolset": "shop", "tools": {"pay": pay}}
    catalog = resolved(json.dumps(spec)).catalog
    tools = json.loads(emit_catalog_json(catalog))["tools"]
    (document,) = documents_of_tools(tools)
    assert document.parameters == ("amount",)
    lenient = [name for name in PROVIDERS if not name.endswith("-strict")]
    shown = [stubs_of(catalog), *emit_providers(catalog, lenient).values()]
    assert len(shown) == 1 + len(lenient)
    for text in shown:
        assert "amount" in text
        assert not [word for word in ("tenant", "Tenant", "zebracorp", "ledger") if word in text], text
