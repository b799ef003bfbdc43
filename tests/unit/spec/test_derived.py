"""Derived data: what one version makes of a catalog is used by that version alone, and changes with it."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

from toolgen.providers.stubs import write_stubs
from toolgen.search.documents import documents_of_tools, write_index
from toolgen.spec import derived
from toolgen.spec.derived import catalog_mark, is_derived_from

CITY = {"type": "string", "enum": ["Rome", "Oslo"], "description": "Where it is, such as `Rome`."}
TREE = {"type": "object", "properties": {"name": CITY, "below": {"type": "array", "items": {"$ref": "#/$defs/Tree"}}}}
ARGS: list[dict[str, Any]] = [
    {"type": "object", "properties": {"city": CITY, "days": {"type": "integer", "default": 3}}, "required": ["city"]},
    {"type": "object", "properties": {"root": {"$ref": "#/$defs/Tree"}}, "$defs": {"Tree": TREE}},
    {"type": "object", "properties": {"tenant": {"type": "string", "description": "A ledger."}, "amount": {}}},
    {"type": "object", "allOf": [{"properties": {"tenant": {"$ref": "#/$defs/Tree"}}}], "$defs": {"Tree": TREE}},
    {"anyOf": [{"type": "object", "properties": {"1st": {"const": 1}, "from": {"type": ["string", "null"]}}}, {}]},
]
TOOLS = {
    f"shop.find_{number}": {
        "title": "Forecast",
        "description": "Finds the weather of a city on 24 March, for Orders#7.",
        "args": args,
        "result": {"type": "object", "properties": {"tree": TREE}, "$defs": {"Tree": TREE}},
        "permission": "readonly",
        "tags": ["network"],
        "inject": ["tenant"],
    }
    for number, args in enumerate(ARGS)
}


def test_what_is_derived_changes_only_with_its_version() -> None:
    """If this fails, increment `VERSION` and note the digest: else runtimes go on with what they derived before."""
    texts = write_index(documents_of_tools(TOOLS), ""), write_stubs(TOOLS, {}, "")
    digest = sha256("".join(texts).encode()).hexdigest()[:16]
    assert (derived.VERSION, digest) == (4, "30d6feac49693a79")


def test_what_another_version_derived_is_not_used(monkeypatch: Any) -> None:
    catalog = json.dumps(TOOLS).encode()
    before = catalog_mark(catalog)
    monkeypatch.setattr(derived, "VERSION", derived.VERSION + 1)
    assert not is_derived_from(f"{{{before}}}".encode(), catalog_mark(catalog))
    assert is_derived_from(f"{{{catalog_mark(catalog)}}}".encode(), catalog_mark(catalog))
