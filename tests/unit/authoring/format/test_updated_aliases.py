"""Anchors and aliases in a spec that is updated: they stay where nothing changed, and never lead to other data."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.compiler.importers.importing import spec_file
from toolgen.authoring.format.update import updated_text
from toolgen.schema.json_values import canonical

if TYPE_CHECKING:
    from collections.abc import Callable

SPEC = """\
toolgen: 1
toolset: shop
types:
  Id: &id {type: string, maxLength: 9}  # of people
  Pair: {type: object, properties: {one: *id, other: *id}}
tools:
  find:
    description: &text Finds.
    args: {id: &own {type: integer}, other: *own}
  get:
    description: *text
    args: {id: *id}
  put: {description: Puts., args: &args {id: string}}
  set: {description: Sets., args: *args}
"""


def updated(change: Callable[[Any], object], text: str = SPEC) -> str:
    file = spec_file(text)
    data = file.root.to_data()
    change(data)
    made = updated_text(file, data)
    assert canonical(spec_file(made).root.to_data()) == canonical(data)
    return made


def marks(text: str) -> list[str]:
    return re.findall(r"[&*][a-z]+", text)


ALL = marks(SPEC)


@pytest.mark.parametrize(
    ("change", "gone"),
    [
        (lambda data: data["tools"]["put"].update(description="Stores."), []),
        (lambda data: data["tools"].update(new={"description": "New."}), []),
        (lambda data: data["tools"].pop("set"), ["*args"]),
        (lambda data: data["tools"]["get"]["args"].update(id={"type": "integer"}), ["*id"]),
        (lambda data: data["types"]["Pair"]["properties"].update(more={"type": "string"}), []),
        (lambda data: data["types"]["Id"].update(maxLength=8), ["&id", "*id", "*id", "*id"]),
        (lambda data: data["tools"]["find"].update(description="Searches."), ["&text", "*text"]),
        (lambda data: data["tools"]["find"]["args"]["id"].update(minimum=1), ["&own", "*own"]),
    ],
)
def test_only_what_a_change_needs_is_written_out(change: Callable[[Any], object], gone: list[str]) -> None:
    text = updated(change)
    left = list(ALL)
    for mark in gone:
        left.remove(mark)
    assert sorted(marks(text)) == sorted(left)
    assert "# of people" in text


def test_an_alias_that_would_come_before_its_anchor_is_written_out() -> None:
    def turned(data: Any) -> None:
        data["tools"] = dict(reversed(data["tools"].items()))
        data["tools"]["get"]["title"] = "Get"

    assert "*text" not in updated(turned)


def test_an_anchor_that_is_written_twice_is_written_out() -> None:
    text = SPEC.replace("&own", "&id").replace("*own", "*id")
    assert "*id" not in updated(lambda data: data["tools"].update(new={"description": "New."}), text)


def test_an_anchor_within_what_is_written_out_stays_one() -> None:
    text = SPEC.replace("put: {description: Puts., args: &args {id: string}}", "put: &put {args: &args {id: string}}")
    text = f"{text}  copy: *put\n"
    made = updated(lambda data: data["tools"]["put"].update(description="Puts."), text)
    assert sorted(marks(made)) == sorted(ALL)


VALUES: st.SearchStrategy[Any] = st.recursive(
    st.sampled_from([None, 1, "a", {}]), lambda inner: st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
)


@given(changes=st.dictionaries(st.sampled_from(["find", "get", "put", "set"]), VALUES))
def test_any_change_gives_its_data_and_leaves_other_parts(changes: dict[str, Any]) -> None:
    def change(data: Any) -> None:
        for tool, value in changes.items():
            data["tools"][tool]["args"] = {"y": value}

    made = updated(change)
    assert SPEC.partition("tools:")[0] in made.replace("\n\n", "\n")
