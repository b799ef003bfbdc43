"""Counts of members: those of fast counters are those of the plain one, and counters are made in linear time."""

from __future__ import annotations

from types import GenericAlias
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, create_model

from tests.work import at_most_calls
from toolgen.runtime.codec.given_members import given_members, member_counter

if TYPE_CHECKING:
    from collections.abc import Callable


class Leaf(BaseModel):
    x: int = 0


SHAPES: dict[str, Callable[[Any], Any]] = {
    "fields": lambda below: below,
    "optional": lambda below: below | None,
    "lists": lambda below: GenericAlias(list, (below,)),
    "maps": lambda below: GenericAlias(dict, (str, below)),
    "unions": lambda below: below | int,
}


def lattice(shape: Callable[[Any], Any], levels: int) -> type[BaseModel]:
    """Return a class whose values have each class below it twice."""
    model: type[BaseModel] = Leaf
    for level in range(levels):
        of = shape(model)
        model = create_model(f"T{level}", __config__=ConfigDict(), a=(of, ...), b=(of, ...))
    return model


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_counters_of_classes_that_many_paths_lead_to_are_made_once(shape: Callable[[Any], Any]) -> None:
    model = lattice(shape, 40)
    with at_most_calls(20_000):
        member_counter(model)


class One(BaseModel):
    model_config = ConfigDict(extra="allow")

    again: One | None = None
    other: Other | None = None
    leaf: Leaf | None = None


class Other(BaseModel):
    one: One | None = None
    ones: list[One] = []
    other: Other | None = None
    leaf: Leaf | None = None


One.model_rebuild()

LEAVES = st.sampled_from([{}, {"x": 1}])
VALUES = st.recursive(
    st.fixed_dictionaries({}, optional={"leaf": LEAVES}),
    lambda below: st.fixed_dictionaries(
        {}, optional={"again": below, "other": below, "one": below, "leaf": LEAVES, "ones": st.lists(below, max_size=2)}
    ),
    max_leaves=8,
)


@pytest.mark.parametrize("model", [One, Other])
@given(value=VALUES)
def test_classes_that_contain_each_other_are_counted_in_full(model: type[BaseModel], value: Any) -> None:
    made = model.model_validate(value)
    assert member_counter(model)(made) == given_members(made)


@pytest.mark.parametrize("shape", [SHAPES[name] for name in ("fields", "optional", "unions")])
def test_a_lattice_is_counted_in_full(shape: Callable[[Any], Any]) -> None:
    model = lattice(shape, 3)
    value: Any = {"x": 1}
    for _ in range(3):
        value = {"a": value, "b": value}
    made = model.model_validate(value)
    assert member_counter(model)(made) == given_members(made) == 22
