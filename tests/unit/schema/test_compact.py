"""Compact schemas: what is removed and kept; they are equivalent for validators, and nothing is missing for models."""

from __future__ import annotations

import copy
import json
from collections import Counter
from random import Random
from typing import TYPE_CHECKING, Any, Literal

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from tests.data.sets import OWN, calls_of, of_sets, tools_of
from tests.properties.schemas import DIALECTS, Toolset, toolsets
from tests.properties.values import values
from tests.work import assert_linear
from toolgen.schema.compact import compact, model_args_schema

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

NULL = {"type": "null"}
DRAFT_7 = DIALECTS["draft-07"]


def field(schema: Any, **beside: Any) -> Any:
    """Return the compact schema of the only field `a` of an object."""
    return compact({"type": "object", "properties": {"a": schema}, **beside})["properties"]["a"]


class Filters(BaseModel):
    """Extra filters."""

    author: str | None = None
    created_after: str | None = None
    min_comments: int = 0


class Args(BaseModel):
    query: str = Field(description="Words to look for.")
    limit: int = Field(default=10, description="Most rows to return.")
    labels: list[str] | None = Field(default=None, description="Labels an issue must carry.")
    state: Literal["open", "closed", "all"] = "open"
    filters: Filters | None = Field(default=None, description="Extra filters.")


def test_output_of_pydantic_becomes_a_concise_schema() -> None:
    assert compact(Args.model_json_schema()) == {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "Words to look for."},
            "limit": {"type": "integer", "default": 10, "description": "Most rows to return."},
            "labels": {
                "type": ["array", "null"],
                "items": {"type": "string"},
                "description": "Labels an issue must carry.",
            },
            "state": {"type": "string", "enum": ["open", "closed", "all"], "default": "open"},
            "filters": {
                "type": ["object", "null"],
                "description": "Extra filters.",
                "properties": {
                    "author": {"type": ["string", "null"]},
                    "created_after": {"type": ["string", "null"]},
                    "min_comments": {"type": "integer", "default": 0},
                },
            },
        },
        "required": ["query"],
    }


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "string", "title": "A"}, {"type": "string"}),
        ({"type": "string", "title": ""}, {"type": "string"}),
        ({"type": "string", "title": "The answer"}, {"type": "string", "title": "The answer"}),
        ({"type": "string", "description": "Ends here. \n"}, {"type": "string", "description": "Ends here."}),
        ({"type": "string", "description": " "}, {"type": "string"}),
        ({"type": "string", "$comment": "for authors"}, {"type": "string"}),
        ({"type": "object", "required": [], "additionalProperties": True}, {"type": "object"}),
        ({"type": "object", "additionalProperties": {}}, {"type": "object"}),
        ({"type": "object", "additionalProperties": False}, {"type": "object", "additionalProperties": False}),
        ({"type": "string", "x-order": 1}, {"type": "string", "x-order": 1}),
        ({"enum": [{"title": "A", "required": []}]}, {"enum": [{"title": "A", "required": []}]}),
        ({"const": {"$comment": 1}, "default": {"anyOf": []}}, {"const": {"$comment": 1}, "default": {"anyOf": []}}),
        (True, True),
        (False, False),
    ],
)
def test_redundant_keywords_are_removed(schema: Any, expected: Any) -> None:
    assert field(schema) == expected


@pytest.mark.parametrize("name", ["title", "required", "$comment", "$ref", "$defs", "anyOf", "additionalProperties"])
def test_fields_named_like_keywords_are_kept(name: str) -> None:
    schema = {"type": "object", "properties": {name: {"type": "string"}}, "required": [name]}
    assert compact(schema) == schema
    assert compact({"patternProperties": {name: True}, "dependentSchemas": {name: False}}) == {
        "patternProperties": {name: True},
        "dependentSchemas": {name: False},
    }


def test_a_title_that_repeats_the_name_is_removed() -> None:
    titles = {"created_after": "Created After", "createdAt": "Createdat", "from": "Source", "ü_b": "Ü B", "$": "€"}
    schema = {"properties": {name: {"title": title} for name, title in titles.items()}, "title": "SearchArguments"}
    assert compact(schema) == {
        "properties": {
            "created_after": {},
            "createdAt": {},
            "from": {"title": "Source"},
            "ü_b": {},
            "$": {"title": "€"},
        }
    }
    assert compact({"title": "What to look for"}) == {"title": "What to look for"}
    assert compact({"title": "Args", "allOf": [{"type": "object", "title": "SearchArguments"}]}) == {"type": "object"}


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"anyOf": [{"type": "string"}, NULL]}, {"type": ["string", "null"]}),
        ({"oneOf": [NULL, {"type": "string", "minLength": 1}]}, {"type": ["string", "null"], "minLength": 1}),
        ({"anyOf": [{"type": ["string", "null"]}, NULL]}, {"type": ["string", "null"]}),
        ({"anyOf": [{"type": "string"}, {"const": None}]}, {"type": ["string", "null"]}),
        ({"anyOf": [{"type": "string", "enum": ["a"]}, NULL]}, {"type": ["string", "null"], "enum": ["a", None]}),
        ({"anyOf": [{"enum": ["a", "b"]}, NULL]}, {"enum": ["a", "b", None]}),
        ({"anyOf": [{"const": [1], "description": "One."}, NULL]}, {"enum": [[1], None], "description": "One."}),
        ({"anyOf": [{"type": "string", "description": "D"}, NULL]}, {"type": ["string", "null"], "description": "D"}),
        ({"anyOf": [{"const": "a"}, {"const": "b"}, {"const": "a"}]}, {"enum": ["a", "b"]}),
        (
            {"oneOf": [{"type": "string", "const": "a"}, {"type": "integer", "enum": [1, 2]}]},
            {"type": ["string", "integer"], "enum": ["a", 1, 2]},
        ),
        ({"oneOf": [{"const": True}, {"const": 1}]}, {"enum": [True, 1]}),
        ({"anyOf": [{"type": "string"}, {"type": "number"}, NULL]}, {"type": ["string", "number", "null"]}),
        ({"anyOf": [{"type": "string"}]}, {"type": "string"}),
        ({"allOf": [{"type": "string", "title": "A"}], "default": "x"}, {"type": "string", "default": "x"}),
        ({"anyOf": [{"anyOf": [{"type": "string"}, NULL]}, NULL]}, {"type": ["string", "null"]}),
    ],
)
def test_a_union_becomes_one_schema_if_that_is_equivalent(schema: Any, expected: Any) -> None:
    assert field(schema, required=["a"]) == expected


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param({"oneOf": [{"type": ["string", "null"]}, NULL]}, id="null is both"),
        pytest.param({"oneOf": [{"const": "a"}, {"const": "a"}]}, id="a is both"),
        pytest.param({"oneOf": [{"type": "integer"}, {"type": "number"}]}, id="1 is both"),
        pytest.param({"oneOf": [{"const": 1}, {"const": 1.0}]}, id="1 is 1.0"),
        pytest.param({"anyOf": [{"const": 1}, {"const": 1e300}]}, id="numbers that not all compare alike"),
        pytest.param({"oneOf": [{"type": ["string", "null"], "minLength": 1}, NULL]}, id="null is both, with a bound"),
        pytest.param({"oneOf": [{"enum": [[1], None]}, NULL]}, id="null is both, as a value"),
        pytest.param({"oneOf": [{"type": "string", "minLength": 1}, NULL, NULL]}, id="null is both, twice"),
        pytest.param({"allOf": [{"type": "string"}, NULL]}, id="all of"),
        pytest.param({"anyOf": [{"not": {"type": "object"}, "type": "string"}, NULL]}, id="not"),
        pytest.param({"anyOf": [{"minLength": 1}, NULL]}, id="no type"),
        pytest.param({"anyOf": [{"const": "a", "enum": ["a"]}, NULL]}, id="const and enum"),
        pytest.param({"anyOf": [{"type": "string", "const": 1}, {"const": 2}]}, id="a value of no type"),
        pytest.param({"anyOf": [{"type": "string", "x-new": 1}, NULL]}, id="an unknown keyword"),
        pytest.param({"anyOf": [{"type": "string"}, NULL], "minLength": 1}, id="a keyword beside it"),
        pytest.param({"anyOf": [{"type": "string", "default": "x"}, NULL]}, id="a default of one alternative"),
        pytest.param({"anyOf": [{"type": "string", "default": "x"}]}, id="a default of the one alternative"),
        pytest.param({"anyOf": [{"type": "string", "deprecated": True}, NULL]}, id="one alternative is deprecated"),
        pytest.param({"anyOf": [{"type": "string"}, {**NULL, "description": "None."}]}, id="null says something"),
        pytest.param({"anyOf": [{"type": "string", "description": "In."}, NULL], "description": "Out."}, id="two say"),
        pytest.param({"allOf": [{"type": "integer", "examples": [1]}], "examples": [True]}, id="two examples"),
        pytest.param({"oneOf": [{"const": "a", "title": "The a"}, {"const": "b"}]}, id="a title for a value"),
        pytest.param({"anyOf": [{"type": "string", "maxLength": 1}, {"type": "integer"}]}, id="two with bounds"),
        pytest.param({"anyOf": []}, id="nothing"),
        pytest.param({"anyOf": [True, NULL]}, id="true"),
        pytest.param({"anyOf": {"type": "string"}}, id="no list"),
        pytest.param({"anyOf": [{"type": [{}]}, {"type": 1}]}, id="no types"),
        pytest.param({"anyOf": [{"type": []}, NULL]}, id="no type at all"),
        pytest.param({"anyOf": [{"enum": 1}, {"enum": "ab"}]}, id="no values"),
    ],
)
def test_a_union_is_kept_if_it_is_not_equivalent(schema: Any) -> None:
    assert field(schema, required=["a"]) == schema


@pytest.mark.parametrize(
    ("schema", "beside", "has_default"),
    [
        ({"type": ["string", "null"], "default": None}, {}, False),
        ({"enum": ["a", None], "default": None}, {}, False),
        ({"anyOf": [{"type": "string", "title": "T"}, {"minLength": 1}, NULL], "default": None}, {}, False),
        ({"type": ["string", "null"], "default": None}, {"required": ["a"]}, True),
        ({"type": ["string", "null"], "default": "x"}, {}, True),
        ({"type": "string", "default": None}, {}, True),
        ({"$ref": "#", "default": None}, {}, True),
        ({"enum": 1, "default": None}, {}, True),
        ({"anyOf": 1, "default": None}, {"required": 1}, True),
        ({"default": None}, {}, True),
    ],
)
def test_a_default_of_null_of_an_optional_nullable_field_is_removed(
    schema: Any, beside: Any, *, has_default: bool
) -> None:
    assert ("default" in field(schema, **beside)) is has_default


def test_a_definition_with_one_reference_is_inlined() -> None:
    definitions = {
        "Outer": {"properties": {"b": {"$ref": "#/$defs/x%20~1~0y"}}, "title": "Outer"},
        "x /~y": {"type": "integer"},
        "Unused": {"$ref": "#/$defs/Shared"},
        "Shared": {"type": "string", "minLength": 1, "title": "Shared"},
    }
    schema = {"properties": {"a": {"$ref": "#/$defs/Outer", "description": "An a."}}, "$defs": definitions}
    assert compact(schema) == {"properties": {"a": {"properties": {"b": {"type": "integer"}}, "description": "An a."}}}
    listed = {"items": [{"$ref": "#/definitions/A"}], "definitions": {"A": {"type": "null"}}, "$schema": DRAFT_7}
    assert compact(listed) == {"items": [{"type": "null"}], "$schema": DRAFT_7}
    shared = {"properties": {name: {"$ref": "#/$defs/Shared"} for name in "ab"}, "$defs": definitions}
    assert compact(shared) == {
        "properties": {name: {"$ref": "#/$defs/Shared"} for name in "ab"},
        "$defs": {"Shared": {"type": "string", "minLength": 1}},
    }


def test_a_definition_referenced_at_the_root_is_inlined() -> None:
    node: dict[str, Any] = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}
    assert compact({"$ref": "#/$defs/Node", "$defs": {"Node": node}}) == {
        "$ref": "#/$defs/Node",
        "$defs": {"Node": node},
    }
    leaf = {"type": "object", "properties": {"next": {"$ref": "#"}}}
    assert compact({"$ref": "#/$defs/Leaf", "$defs": {"Leaf": leaf}}) == leaf


def test_one_definition_of_a_cycle_is_kept() -> None:
    definitions = {
        "A": {"properties": {"b": {"$ref": "#/$defs/B"}}},
        "B": {"properties": {"a": {"$ref": "#/$defs/A"}}},
    }
    assert compact({"items": {"$ref": "#/$defs/A"}, "$defs": definitions}) == {
        "items": {"$ref": "#/$defs/A"},
        "$defs": {"A": {"properties": {"b": {"properties": {"a": {"$ref": "#/$defs/A"}}}}}},
    }


@pytest.mark.parametrize(
    "of",
    [
        *(
            lambda each, keyword=keyword: {keyword: each}
            for keyword in ("items", "not", "if", "then", "else", "contains")
        ),
        *(lambda each, keyword=keyword: {keyword: [each]} for keyword in ("prefixItems", "items")),
        *(
            lambda each, keyword=keyword: {keyword: {"n": each}}
            for keyword in ("properties", "patternProperties", "dependentSchemas", "dependencies")
        ),
        lambda each: {"additionalProperties": each, "propertyNames": True},
        lambda each: {"anyOf": [each, {"minLength": 1}]},
    ],
)
def test_every_nested_schema_is_compacted(of: Callable[[Any], dict[str, Any]]) -> None:
    schema = {**of({"$ref": "#/$defs/D", "description": "D. "}), "$defs": {"D": {"type": "string", "required": []}}}
    assert compact(schema) == of({"type": "string", "description": "D."})


def test_values_that_look_like_references_are_values() -> None:
    field = {"$ref": "#/$defs/A", "examples": ["#/$defs/A"], "$comment": "#/$defs/A"}
    schema = {"properties": {"a": field}, "$defs": {"A": {"enum": ["#/$defs/A"]}}}
    assert compact(schema) == {"properties": {"a": {"enum": ["#/$defs/A"], "examples": ["#/$defs/A"]}}}


def test_the_title_of_an_inlined_class_is_removed() -> None:
    definitions = {"Address": {"type": "object", "title": "Address"}}
    for union in ({"$ref": "#/$defs/Address"}, {"anyOf": [{"$ref": "#/$defs/Address"}, NULL]}):
        made = compact({"properties": {"home": union}, "$defs": definitions})
        assert "title" not in made["properties"]["home"]


def test_alternatives_keep_distinguishing_titles() -> None:
    pets = {name: {"type": "object", "title": name} for name in ("Cat", "Dog")}
    union = {"anyOf": [{"$ref": "#/$defs/Cat"}, {"$ref": "#/$defs/Dog", "title": "Best friend"}, NULL]}
    assert compact({"properties": {"pet": union}, "$defs": pets}) == {
        "properties": {
            "pet": {"anyOf": [{"type": "object", "title": "Cat"}, {"title": "Best friend", "type": "object"}, NULL]}
        }
    }


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"properties": {"a": {"$ref": "#/$defs/A", "maxLength": 3}}}, id="a keyword beside it"),
        pytest.param({"properties": {"a": {"$ref": "#/$defs/A", "description": "Other."}}}, id="two descriptions"),
        pytest.param({"x-map": {"a": ["#/$defs/A"]}}, id="an unknown keyword names it"),
        pytest.param({"$defs": {"A": {"$anchor": "a", "type": "string"}}}, id="an anchor in it"),
        pytest.param({"$defs": {"A": True}}, id="no object"),
        pytest.param({"not": {"$ref": "#/properties/a"}}, id="a reference elsewhere"),
        pytest.param(
            {"not": {"$ref": "#/items/additionalProperties"}, "items": {"additionalProperties": True}}, id="of another"
        ),
        pytest.param(
            {"not": {"$ref": "#/items/anyOf/0"}, "items": {"anyOf": [{"type": "string"}, NULL]}}, id="a branch"
        ),
        pytest.param({"not": {"$ref": "other.json"}}, id="a reference outside"),
        pytest.param({"not": {"$ref": "#/$defs/B"}}, id="a reference to nothing"),
        pytest.param({"not": {"$dynamicRef": "#a"}}, id="a dynamic reference"),
        pytest.param({"not": {"$id": "https://example.com/x"}}, id="a schema of its own inside"),
    ],
)
def test_a_reference_is_kept_if_inlining_could_change_the_meaning(changes: dict[str, Any]) -> None:
    plain: dict[str, Any] = {
        "properties": {"a": {"$ref": "#/$defs/A"}},
        "$defs": {"A": {"type": "string", "minLength": 2, "description": "An A."}},
    }
    assert compact(plain) == {"properties": {"a": plain["$defs"]["A"]}}
    schema = {**plain, **changes}
    assert compact(schema) == schema


def test_open_objects_stay_explicit_beside_unevaluated_keywords() -> None:
    schema = {"allOf": [{"additionalProperties": True}], "minProperties": 1, "unevaluatedProperties": False}
    assert compact(schema) == schema


def test_the_dialect_is_removed_if_it_makes_no_difference() -> None:
    plain = {"type": "object", "properties": {"a": {"type": "string"}}}
    for dialect in DIALECTS.values():
        assert compact({"$schema": dialect, "$id": "https://example.com/a", **plain}) == plain
    unknown = {"$schema": "http://json-schema.org/draft-04/schema#", "title": "", "id": "x", **plain}
    assert compact(unknown) == unknown


@pytest.mark.parametrize(
    "schema",
    [
        {"items": [{"type": "string"}], "additionalItems": False},
        {"items": [{"type": "string"}]},
        {"dependencies": {"a": ["b"]}},
        {"properties": {"a": {"dependentRequired": {"a": ["b"]}}}},
        {"$ref": "#/definitions/A", "minLength": 1, "definitions": {"A": {"type": "string"}}},
    ],
)
def test_the_dialect_is_kept_if_drafts_differ(schema: dict[str, Any]) -> None:
    assert compact({"$schema": DRAFT_7, **schema}) == {"$schema": DRAFT_7, **schema}


def test_siblings_of_a_reference_in_draft_7_are_removed() -> None:
    schema = {
        "$schema": DRAFT_7,
        "properties": {"a": {"$ref": "#/definitions/A", "description": "An a.", "default": "x"}},
        "definitions": {"A": {"type": "string"}},
    }
    assert compact(schema) == {"properties": {"a": {"type": "string", "description": "An a.", "default": "x"}}}


def test_nothing_is_expanded() -> None:
    doubled = {f"D{at}": {"allOf": [{"$ref": f"#/$defs/D{at + 1}"}] * 2} for at in range(60)}
    schema = {"$ref": "#/$defs/D0", "$defs": {**doubled, "D60": {"type": "string"}}}
    assert len(json.dumps(compact(schema))) <= len(json.dumps(schema))


def test_long_chains_and_deep_schemas_are_handled() -> None:
    chain = {f"D{at}": {"items": {"$ref": f"#/$defs/D{at + 1}"}} for at in range(5_000)}
    made = compact({"$ref": "#/$defs/D0", "$defs": {**chain, "D5000": {"type": "string"}}})
    assert compact(made) == made
    assert json.dumps(made).count("$ref") < 100
    deep: dict[str, Any] = {"title": ""}
    for _ in range(5_000):
        deep = {"items": deep}
    assert compact(deep)["items"] is deep["items"]


# Equivalence for a validator, over real and random schemas.


def validator(schema: Any) -> jsonschema_rs.Validator:
    return jsonschema_rs.validator_for(schema, validate_formats=False, offline=True)


def check_compact(schema: dict[str, Any]) -> dict[str, Any]:
    """Check the properties of any schema, and return the compact one."""
    before = copy.deepcopy(schema)
    made = compact(schema)
    assert schema == before
    assert json.dumps(compact(made)) == json.dumps(made)
    assert len(json.dumps(made)) <= len(json.dumps(schema))
    return made


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "recordings", "calls"),
    of_sets(
        OWN, "tau", "tau2", "kubernetes", "acebench",
        harbour=(["harbour"], 93),
        tau=(["tau"], 1_196),
        tau2=(["tau2"], 1_035),
        kubernetes=(["kubernetes", "kubernetes_real"], 1_512),
        acebench=(["acebench"], 1_002),
    ),
)  # fmt: skip
@pytest.mark.variants(2)
def test_real_calls_are_accepted_and_rejected_as_before(name: str, recordings: list[str], calls: int) -> None:
    tools = tools_of(name)
    schemas = {tool["name"]: tool["inputSchema"] for tool in tools}
    made = {tool: check_compact(schema) for tool, schema in schemas.items()}
    for tool in tools:
        check_compact(tool.get("outputSchema") or {})
    checked = 0
    for recording in recordings:
        for call in calls_of(recording):
            assert validator(made[call["tool"]]).is_valid(call["arguments"]) is call["accept"], call
            checked += 1
    assert checked == calls
    for tool, schema in schemas.items():
        assert information(schema) <= information(made[tool]), tool


unhurried = settings(
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@settings(unhurried, max_examples=settings().max_examples // 2)
@given(st.data(), toolsets(tools=3, depth=3))
def test_random_schemas_accept_the_same(data: st.DataObject, toolset: Toolset) -> None:
    check_random(data, toolset)


@pytest.mark.long
@settings(unhurried, max_examples=4_000)
@given(st.data(), toolsets(tools=3, depth=4))
def test_many_more_random_schemas_accept_the_same(data: st.DataObject, toolset: Toolset) -> None:
    check_random(data, toolset)


def check_random(data: st.DataObject, toolset: Toolset) -> None:
    for side in toolset.sides:
        random = Random(data.draw(st.integers(0, 2**32)))
        schema = with_noise(with_types(toolset.document(side.schema)), random)
        if isinstance(schema, dict):
            made = check_compact(schema)
            before, after = validator(schema), validator(made)
            for _ in range(5):
                value = data.draw(values(schema))
                assert after.is_valid(value) is before.is_valid(value), (schema, made, value)


def with_types(document: Any) -> Any:
    """Return a random document with the types of its toolset among its definitions."""
    if not isinstance(document, dict):
        return document
    moved = json.loads(json.dumps(document).replace('"#/types/', '"#/$defs/'))
    types = moved.pop("types")
    return {**moved, "$defs": {**moved.get("$defs", {}), **types}}


NOISE: list[dict[str, Any]] = [
    *({"title": title} for title in ("A", "D E", "Other", "")),
    *({"description": "One. "}, {"description": "Two."}, {"default": None}, {"default": "x"}),
    *({"$comment": "C"}, {"required": []}, {"additionalProperties": True}),
]


def with_noise(node: Any, random: Random) -> Any:
    """Draw an equivalent schema with redundant keywords and annotations in random places."""
    if not isinstance(node, dict):
        return node
    made: dict[str, Any] = {}
    for keyword, value in node.items():
        match value:
            case dict() if keyword in ("properties", "patternProperties", "dependentSchemas", "$defs", "definitions"):
                made[keyword] = {name: with_noise(each, random) for name, each in value.items()}
            case dict() if keyword in ("items", "additionalProperties", "not", "if", "then", "else", "contains"):
                made[keyword] = with_noise(value, random)
            case list() if keyword in ("allOf", "anyOf", "oneOf", "prefixItems"):
                made[keyword] = [with_noise(each, random) for each in value]
            case _:
                made[keyword] = value
    for each in random.choices(NOISE, k=random.choice((0, 0, 1, 2, 3))):
        if made.keys().isdisjoint(("unevaluatedProperties", *each)):
            made.update(each)
    return made


def information(schema: Any) -> Counter[str]:
    """Count the information for a model: descriptions, defaults, examples, and names of fields."""
    return Counter(_information(schema))


def _information(node: Any) -> Iterator[str]:
    if isinstance(node, list):
        for each in node:
            yield from _information(each)
    elif isinstance(node, dict):
        for key, value in node.items():
            if key == "description" and isinstance(value, str):
                yield value.strip()
            elif key in ("default", "examples") and value is not None:
                yield f"{key} {json.dumps(value)}"
            elif isinstance(value, dict | list):
                yield from _information(value)
            if key == "properties" and isinstance(value, dict):
                yield from value


@pytest.mark.parametrize("is_open", [True, False])
def test_injected_fields_are_not_offered(is_open: bool) -> None:
    refused = {"tenant": False} if is_open else {}
    args = {
        "type": "object",
        "properties": {"name": {"type": "string"}, **refused},
        "required": ["name"],
        **({} if is_open else {"additionalProperties": False}),
    }
    before = json.dumps(args)
    information = model_args_schema(args, ["tenant"])
    assert "tenant" not in json.dumps(information)
    assert information["properties"] == {"name": {"type": "string"}}
    assert json.dumps(args) == before
    assert model_args_schema(args) == compact(args)


@pytest.mark.parametrize("args", [{"type": "object"}, {"$ref": "#/$defs/A", "$defs": {"A": {"type": "object"}}}])
def test_a_schema_without_properties_has_no_injected_fields_to_leave_out(args: dict[str, Any]) -> None:
    assert model_args_schema(args, ["tenant"]) == compact(args)


@pytest.mark.slow
def test_the_work_for_required_fields_grows_with_their_number() -> None:
    def work(size: int) -> Callable[[], object]:
        names = [f"p{number}" for number in range(size)]
        schema = {"properties": {name: {"type": "string"} for name in names}, "required": [*names, {"no": "name"}]}
        assert compact(schema) == schema
        return lambda: compact(schema)

    assert_linear(work, 40_000)
