"""The form of args: what it shows of a schema, and that what is typed becomes the JSON that a person means."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.properties.schemas import toolsets
from tests.work import assert_linear
from toolgen.explore import args_form
from toolgen.explore.args_form import FormField, NameTaken, changed, each_field, form_of, initial, typed

CIRCLE = {"kind": {"const": "circle"}, "r": {"type": "number"}}
SQUARE = {"kind": {"const": "square"}, "w": {"type": "number"}}
SHAPE = {
    "oneOf": [
        {"title": "Circle", "type": "object", "required": ["kind", "r"], "properties": CIRCLE},
        {"type": "object", "required": ["kind", "w"], "properties": SQUARE},
    ]
}
SCHEMA: Any = {
    "type": "object",
    "required": ["q", "shape"],
    "properties": {
        "q": {"type": "string", "minLength": 1},
        "n": {"type": ["integer", "null"]},
        "level": {"enum": ["low", "high", 3]},
        "on": {"type": "boolean"},
        "shape": SHAPE,
        "items": {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "string"}}}},
        "map": {"type": "object", "additionalProperties": {"type": "integer"}},
        "self": {"$ref": "#"},
        "id": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
        "any": {},
        "a/b~c": {"type": "string"},
    },
}


def by_pointer(value: Any, **options: Any) -> dict[str, FormField]:
    return {each.pointer: each for each in reversed([*each_field(form_of(SCHEMA, value, **options))])}


def test_each_kind_of_schema_has_a_kind_of_field() -> None:
    fields = by_pointer({})
    kinds = {pointer: each.kind for pointer, each in fields.items()}
    assert kinds == {
        "": "object",
        "/q": "text",
        "/n": "number",
        "/level": "choice",
        "/on": "boolean",
        "/shape": "union",
        "/items": "list",
        "/map": "map",
        "/self": "object",
        "/id": "union",
        "/any": "json",
        "/a~1b~0c": "text",
    }
    assert [option for _, option in fields["/level"].options] == ["low", "high", "3"]
    assert [option for _, option in fields["/shape"].options] == ['Circle (kind "circle")', 'kind "square"']
    assert not fields["/self"].present


def test_a_first_call_is_typed_into_an_empty_form() -> None:
    choices: dict[str, int] = {}
    value = initial(SCHEMA)
    value = typed(
        SCHEMA, value, {"/q": "tea", "/n": "5", "/level": "3", "/on": "false", "/a~1b~0c": "x", "/any": "[1]"}
    )
    value = changed(SCHEMA, value, "choose", "/shape", "1", choices=choices)
    value = typed(SCHEMA, value, {"/shape/w": "2.50"}, choices=choices)
    for _ in range(2):
        value = changed(SCHEMA, value, "add", "/items", choices=choices)
    value = typed(SCHEMA, value, {"/items/1/a": "second"})
    value = changed(SCHEMA, value, "remove", "/items/0", choices=choices)
    value = changed(SCHEMA, value, "add", "/map", "a/b", choices=choices)
    value = typed(SCHEMA, value, {"/map/a~1b": "7"})
    value = changed(SCHEMA, value, "add", "/self", choices=choices)
    value = typed(SCHEMA, value, {"/self/q": "inner"})
    assert value == {
        "q": "tea",
        "n": 5,
        "level": 3,
        "on": False,
        "a/b~c": "x",
        "any": [1],
        "shape": {"kind": "square", "w": 2.5},
        "items": [{"a": "second"}],
        "map": {"a/b": 7},
        "self": {"q": "inner"},
    }


def test_what_is_cleared_is_left_out_and_what_is_no_number_stays_text() -> None:
    value = {"q": "tea", "n": 5, "on": True}
    assert typed(SCHEMA, value, {"/n": "", "/on": ""}) == {"q": "tea"}
    assert typed(SCHEMA, value, {"/n": "five"})["n"] == "five"
    assert typed(SCHEMA, value, {"/q": ""})["q"] == ""


def test_what_a_form_does_not_show_and_what_was_not_touched_stays_as_it_is() -> None:
    value = {"q": "a\nb", "n": 12345678901234567890, "more": {"x": [1.0]}, "items": "none", "shape": 7}
    shown = {each.pointer: each.shown for each in each_field(form_of(SCHEMA, value))}
    assert typed(SCHEMA, value, {**shown, "/q": "a\r\nb"}) == value
    fields = by_pointer(value)
    assert fields["/items"].kind == "json"


def names(*alternatives: Any, **beside: Any) -> list[str]:
    """What the choice of a union has."""
    schema = {"type": "object", "properties": {"it": {"oneOf": [*alternatives]}}, **beside}
    return [name for _, name in form_of(schema, {}).fields[0].options]


def keys(*required: str, **properties: Any) -> Any:
    return {"type": "object", "required": [*required], "properties": {key: {} for key in required} | properties}


def test_alternatives_without_titles_are_told_apart() -> None:
    assert names({"type": "string"}, {"type": "integer"}) == ["string", "integer"]
    assert names(keys("kind", kind={"enum": ["a"]}), keys("kind", kind={"const": "b"})) == ['kind "a"', 'kind "b"']
    assert names(keys("id", note={}), keys("name", note={})) == ["id", "name"]
    assert names(keys(a={}), keys(b={})) == ["a", "b"]
    assert names({"type": "string", "format": "date"}, {"type": "string", "format": "email"}) == [
        "string (date)",
        "string (email)",
    ]
    lists = [{"type": "array", "items": {"type": each}} for each in ("string", "number")]
    assert names(*lists, {"type": "array"}) == ["list of string", "list of number", "array"]
    assert names({"enum": ["x", "y"]}, {"const": 1}, {"enum": [1, 2, 3, 4, 5]}) == [
        '"x" or "y"',
        "1",
        "1 or 2 or 3 or 4 …",
    ]
    defined = {"$defs": {"Cat": keys("name"), "Dog": keys("name")}}
    assert names({"$ref": "#/$defs/Cat"}, {"$ref": "#/$defs/Dog"}, **defined) == ["Cat", "Dog"]


def test_alternatives_of_one_name_are_told_apart_by_what_they_require_or_by_their_number() -> None:
    titled = [{"title": "Pay", **each} for each in (keys("card"), keys("account", "bank"), keys())]
    assert names(*titled) == ["Pay (with card)", "Pay (with account, bank)", "Pay (alternative 3)"]
    strings = [{"type": "string", "minLength": 1}, {"type": "string", "maxLength": 9}, {"minimum": 1}]
    assert names(*strings) == ["string (alternative 1)", "string (alternative 2)", "(alternative 3)"]
    long = [{"title": f"{'x' * 80}{number}", **keys()} for number in range(3)]
    assert len(set(names(*long))) == 3
    odd = [{"title": "Pay"}, {"title": "Pay"}, {"title": "Pay (alternative 2)"}]
    assert len(set(names(*odd))) == 3


def test_an_alternative_is_recognized_by_its_constant_and_kept_as_chosen() -> None:
    assert by_pointer({"shape": {"kind": "square"}})["/shape"].chosen == 1
    assert by_pointer({"id": "x"})["/id"].chosen == 1
    choices = {"/shape": 0}
    value = changed(SCHEMA, {"shape": {"kind": "square", "w": 1}}, "choose", "/shape", "0", choices=choices)
    assert value == {"shape": {"kind": "circle"}}
    assert changed(SCHEMA, value, "choose", "/shape", "", choices=choices) == {}


def test_secrets_are_passwords() -> None:
    schema = {
        "type": "object",
        "properties": {"key": {"type": "string"}, "word": {"type": "string", "format": "password"}},
    }
    form = form_of(schema, {"key": "k"}, secrets=["/key"])
    assert [each.input_type for each in form.fields] == ["password", "password"]


def test_a_file_is_chosen_and_its_size_is_shown_instead_of_its_base64() -> None:
    schema = {
        "type": "object",
        "required": ["photo"],
        "properties": {
            "photo": {"type": "string", "contentEncoding": "base64"},
            "old": {"type": "string", "format": "byte"},
            "raw": {"type": "string", "format": "binary"},
            "key": {"type": "string", "contentEncoding": "base64", "format": "password"},
        },
    }
    for value, size in (({}, None), ({"photo": ""}, 0), ({"photo": "aGk="}, 2), ({"photo": "aGkh" * 400}, 1_200)):
        photo, old, raw, key = form_of(schema, value).fields
        assert [each.input_type for each in (photo, old, raw, key)] == ["file", "file", "text", "password"]
        assert (photo.kind, photo.shown, photo.size) == ("text", "", size)
        assert typed(schema, value, {"/photo": ""}) == value
        assert typed(schema, value, {"/photo": "aGk="})["photo"] == "aGk="
        assert "photo" not in changed(schema, value, "remove", "/photo", choices={})
    for text in ("no base64!", "aGk", "a===", "http://127.0.0.1/a"):
        (photo, *_) = form_of(schema, {"photo": text}).fields
        assert (photo.input_type, photo.shown, photo.size) == ("text", text, None)


def test_actions_on_what_is_not_there_change_nothing() -> None:
    value = {"q": "tea"}
    for action, pointer, name in (
        ("add", "/none", ""),
        ("remove", "/items/3", ""),
        ("choose", "/shape", "9"),
        ("add", "", ""),
    ):
        assert changed(SCHEMA, value, action, pointer, name, choices={}) == value


@pytest.mark.parametrize(
    ("value", "pointer", "name"),
    [({"map": {"k": 7}}, "/map", "k"), ({"map": {str(number): 1 for number in range(200)}}, "/map", "199")],
)
def test_a_new_entry_does_not_replace_one_of_its_name(value: Any, pointer: str, name: str) -> None:
    with pytest.raises(NameTaken, match=f"there is an entry called `{name}` already"):
        changed(SCHEMA, value, "add", pointer, name, choices={})


def test_a_new_entry_is_no_field_that_the_schema_names() -> None:
    schema = {"type": "object", "properties": {"named": {}}, "additionalProperties": {"type": "string"}}
    with pytest.raises(NameTaken):
        changed(schema, {}, "add", "", "named", choices={})
    assert changed(schema, {}, "add", "", "other", choices={}) == {"other": ""}


@given(toolsets(), st.data())
@settings(max_examples=settings().max_examples // 2)
def test_a_form_that_is_sent_as_it_was_shown_changes_nothing(toolset: Any, data: st.DataObject) -> None:
    for side in toolset.sides:
        text = st.text(max_size=3)
        value = data.draw(st.dictionaries(text, st.none() | st.integers() | text, max_size=3))
        shown = {each.pointer: each.shown for each in each_field(form_of(side.schema, value))}
        assert typed(side.schema, value, shown) == value


def union_of(size: int, *, is_same: bool) -> dict[str, Any]:
    """Return a schema of many alternatives, whose keys are required or have one name for all."""
    properties = [{f"k{at}": {"type": "string"}, "same": {"type": "string"}} for at in range(size)]
    return {
        "anyOf": [
            {
                "type": "object",
                "properties": each,
                "required": ["same"] if is_same else [*each],
                "additionalProperties": False,
            }
            for each in properties
        ]
    }


@pytest.mark.parametrize(
    "items",
    [
        union_of(300, is_same=True),
        union_of(300, is_same=False),
        {"enum": [f"choice {at}" for at in range(3_000)]},
        {"type": "object", "properties": {"deep": union_of(300, is_same=True)}, "required": ["deep"]},
    ],
)
def test_the_options_of_a_list_are_found_once_and_are_bounded(items: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    for name in ("_summary", "_choices"):
        monkeypatch.setattr(args_form, name, partial(_counted, asked, getattr(args_form, name)))
    schema = {"type": "object", "properties": {"l": {"type": "array", "items": items}}}
    value = {"l": [{"deep": {"same": "x"}} if "properties" in items else {"same": "x"} for _ in range(100)]}
    form = form_of(schema, value)
    every = [*each_field(form)]
    assert len(asked) <= 300
    assert sum(len(text) + len(label) for each in every for text, label in each.options) <= args_form._MOST_OPTIONS
    kinds = {each.kind for each in every}
    assert "json" in kinds
    assert kinds & {"union", "choice"}
    assert typed(schema, value, {each.address: each.shown for each in every}) == value


def _counted(asked: list[Any], real: Any, *args: Any) -> Any:
    asked.append(args)
    return real(*args)


def test_names_of_many_alternatives_take_time_in_proportion_to_their_number() -> None:
    assert_linear(lambda size: partial(form_of, union_of(size, is_same=True), {"same": "x"}), 4_000)
