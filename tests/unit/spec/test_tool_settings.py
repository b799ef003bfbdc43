"""The keys of a tool: one table, from which the catalog, its form, `diff` and the lists for people are made."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from typing import Any, get_type_hints

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from toolgen.authoring.diff.sides import damage_of
from toolgen.changes.catalogs import compare_tools
from toolgen.changes.rules import RULES
from toolgen.compiler.documents.base import Spec, field_descriptions
from toolgen.compiler.documents.toolset import ONLY_FOR, ToolSpec
from toolgen.compiler.ir.catalog import ToolsetKind
from toolgen.runtime.base.errors import CatalogError
from toolgen.runtime.catalog.definition_check import check_metadata
from toolgen.spec.tool_settings import (
    KEYS,
    Access,
    Bounded,
    CommandSettings,
    Example,
    Limits,
    Tag,
    ToolSettings,
    settings_of,
    written,
)

IN_SPECS_ALONE = {"args", "result", "rename", "disabled", "source", "kept"}
"""Keys of a spec that are schemas, or that decide how it is compiled and imported."""

BY_THE_COMPILER = {"validate_responses"}
"""Keys of a catalog that follow from the toolset."""

BY_RULES_OF_THEIR_OWN = {"tags", "roles", "one_of", "wire_name"}
"""Keys that two versions of a tool are compared by, and no row of the table."""

NOT_COMPARED = {"imported"}
"""The digest of the source's texts: its change changes no tool."""

TOOL = {"title": "", "description": "It.", "permission": "write", "args": {"type": "object"}, "result": True}

TEXTS = st.text(max_size=4)
NAMES = st.lists(TEXTS, max_size=2).map(tuple)
JSON = st.dictionaries(TEXTS, st.integers() | TEXTS | st.lists(st.booleans(), max_size=2), max_size=2)
COUNTS = st.none() | st.integers(min_value=0, max_value=9)
HINTS = get_type_hints(ToolSettings)
OWN: dict[str, st.SearchStrategy[Any]] = {
    "annotations": st.none() | JSON,
    "icons": st.lists(JSON, max_size=2).map(tuple),
    "access": st.builds(Access, *[NAMES] * len(fields(Access))),
    "limits": st.builds(Limits, st.integers(0, 9) | st.floats(0, 9), st.integers(0, 9), COUNTS, COUNTS),
    "examples": st.lists(
        st.builds(Example, JSON) | st.builds(Example, JSON, st.just(value=True), st.none() | JSON), max_size=2
    ).map(tuple),
    "tag": st.none() | st.builds(Tag, TEXTS, TEXTS, NAMES, TEXTS, st.booleans()),
    "command": st.none()
    | st.builds(
        CommandSettings, st.lists(TEXTS | NAMES, max_size=2).map(tuple), TEXTS, TEXTS, NAMES, st.integers(0, 9999)
    ),
    "http": st.none() | JSON,
    "bounded": st.none() | st.builds(Bounded, TEXTS, TEXTS, TEXTS),
    "hints": st.dictionaries(TEXTS, TEXTS, max_size=2),
    "server_data": st.dictionaries(TEXTS, st.booleans() | JSON, max_size=2),
}
"""Strategies for keys whose values are records, mappings, or any JSON."""

SETTINGS = st.builds(
    ToolSettings, **{each.name: OWN.get(each.name, st.from_type(HINTS[each.name])) for each in fields(ToolSettings)}
)


@given(SETTINGS)
def test_what_a_catalog_has_is_what_the_runtime_reads(settings: ToolSettings) -> None:
    assert settings_of(written(settings)) == settings
    assert written(ToolSettings()) == {}


def test_members_that_are_no_keys_are_left_to_the_host() -> None:
    assert settings_of({"own": object(), "gate": True, "roles": None}) == ToolSettings(gate=True)


def test_every_key_of_a_spec_is_in_the_table_by_its_name() -> None:
    of_catalog = {key.spec or name for name, key in KEYS.items()}
    assert of_catalog - {"args", "result"} == {*ToolSpec.model_fields} - IN_SPECS_ALONE | BY_THE_COMPILER


def test_the_description_of_a_key_names_the_kinds_that_have_it() -> None:
    kinds = {str(kind) for kind in ToolsetKind}
    for name, text in field_descriptions(ToolSpec, Spec).items():
        words = [set(each.split(", ")) for each in re.findall(r"\(([a-z, ]+)\)", text)]
        found = {kind for each in words if each <= kinds for kind in each}
        assert found in (set(), {*ONLY_FOR.get(name, ())}), name
    assert {kind for each in ONLY_FOR.values() for kind in each} <= kinds


@given(SETTINGS)
def test_what_is_written_has_the_form_of_a_catalog_and_of_a_definition(settings: ToolSettings) -> None:
    tool = {**TOOL, "tags": [], **written(settings)}
    document = {"toolsets": {"shop": {"kind": "service", "package": "shop"}}, "tools": {"shop.find": tool}}
    assert damage_of(json.dumps(document).encode()) == ""
    named = {name for key, names in settings.access.named.items() if key != "hosts" for name in names}
    assume(not named & set(settings.inject))  # a compiler gives no such tool
    check_metadata("shop.find", written(settings))


@pytest.mark.parametrize("name", [each.name for each in fields(ToolSettings)])
def test_a_value_of_another_type_is_damage_and_no_definition(name: str) -> None:
    document = {
        "toolsets": {"shop": {"kind": "service", "package": "shop"}},
        "tools": {"shop.find": {**TOOL, name: 5}},
    }
    assert damage_of(json.dumps(document).encode()).startswith(f"at `/tools/shop.find/{name}`: ")
    with pytest.raises(CatalogError, match=f"^the metadata of shop.find, at `{name}"):
        check_metadata("shop.find", {name: 5})


@pytest.mark.parametrize("name", KEYS)
def test_another_value_of_a_key_is_a_change(name: str) -> None:
    key = KEYS[name]
    others: dict[str, Any] = {"permission": "readonly", "validate_responses": False, "roles": ["main"], "tags": ["a"]}
    after = {**TOOL, name: others.get(name, {"other": 1})}
    changes = list(compare_tools("shop.find", TOOL, after))
    if name in NOT_COMPARED or name in ("one_of", "wire_name"):  # in the schema of the args, and in a section
        assert (changes, key.change) == ([], None)
    else:
        assert [change.after_path for change in changes] == [("tools", "shop.find", name)]
        assert (key.change is None) is (name in BY_RULES_OF_THEIR_OWN)
        assert changes[0].code in RULES
