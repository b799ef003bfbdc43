"""Free names: each is given once; many names that are spelled alike take time and text in proportion."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.work import assert_linear
from toolgen.providers.schema_dialects import CLAUDE_STRICT
from toolgen.providers.strict import project
from toolgen.providers.stubs import parameter_names
from toolgen.schema.drafts import as_2020_12
from toolgen.schema.free_names import free_name

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

NAMES = st.sampled_from(["a", "b", "a_2", "a_3", "a_2_2", "b_2"])


@given(reserved=st.sets(NAMES), wanted=st.lists(NAMES, max_size=30))
def test_each_name_is_given_once_and_unchanged_where_it_is_free(reserved: set[str], wanted: list[str]) -> None:
    taken, numbers = set(reserved), dict[str, int]()
    for name in wanted:
        free = free_name(name, taken, numbers)
        assert free not in taken
        assert free == name if name not in taken else free.startswith(f"{name}_")
        taken.add(free)


def names(count: int) -> list[str]:
    """Return names that are one identifier but for a letter that identifiers cannot have."""
    return [f"T{chr(0x4E00 + number)}" for number in range(count)]


def definitions(count: int) -> dict[str, Any]:
    """Return args with a definition of each name."""
    properties = {f"f{number}": {"$ref": f"#/$defs/{name}"} for number, name in enumerate(names(count))}
    types = {name: {"type": "string"} for name in names(count)}
    return {"type": "object", "properties": properties, "additionalProperties": False, "$defs": types}


def twice_defined(count: int) -> dict[str, Any]:
    """Return a schema with definitions of the same names under both keywords."""
    return {"$defs": dict.fromkeys(names(count), True), "definitions": dict.fromkeys(names(count), False)}


def strict_schema(schema: dict[str, Any]) -> Mapping[str, Any]:
    return project("t", schema, CLAUDE_STRICT).schema


CONVERSIONS: dict[str, tuple[int, Callable[[int], Any], Callable[[Any], Any]]] = {
    "parameters": (800, names, parameter_names),
    "strict definitions": (800, definitions, strict_schema),
    "definitions of an older draft": (8_000, twice_defined, as_2020_12),
}


@pytest.mark.parametrize("of", CONVERSIONS)
def test_names_that_are_spelled_alike_take_time_and_text_in_proportion(of: str) -> None:
    many, given, converted = CONVERSIONS[of]
    assert_linear(lambda count: partial(converted, given(count)), many)
    assert 10 * many < len(json.dumps(converted(given(many)))) < 150 * many
