"""Constraints: pydantic refuses nothing that jsonschema-rs accepts, and checks its keywords completely."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Annotated, Any, Final

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from jsonschema_rs import validator_for
from pydantic import Field, ValidationError

from toolgen.compiler.emit.python.annotations import checked
from toolgen.compiler.ir.shapes import Array, Map, Scalar, ScalarKind
from toolgen.compiler.resolve.shapes.algebra import constraints, satisfies
from toolgen.runtime.codec.building import build_typed
from toolgen.runtime.codec.pydantic_types import adapter_of

SHAPES: Final[dict[str, Scalar | Array | Map]] = {
    "string": Scalar(ScalarKind.STRING),
    "integer": Scalar(ScalarKind.INTEGER),
    "number": Scalar(ScalarKind.NUMBER),
    "array": Array(Scalar(ScalarKind.INTEGER)),
    "object": Map(Scalar(ScalarKind.INTEGER)),
}
NUMBERS: Final = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
SIZES: Final = {
    "string": ("minLength", "maxLength"), "array": ("minItems", "maxItems"),
    "object": ("minProperties", "maxProperties"),
}  # fmt: skip
KEPT: Final = {
    "minimum": "ge", "maximum": "le", "exclusiveMinimum": "gt", "exclusiveMaximum": "lt", "multipleOf": "multiple_of",
    "minLength": "min_length", "maxLength": "max_length", "minItems": "min_length", "maxItems": "max_length",
    "minProperties": "min_length", "maxProperties": "max_length", "pattern": "pattern",
}  # fmt: skip

whole = st.integers(-20, 20) | st.integers() | st.sampled_from([2**53, 2**53 + 1, 2**63, 2**64, -(2**53), 10**30])
numbers = whole | st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([0.1, 0.3, 0.5, 1.0, -0.0, 1e300])
factors = st.integers(1, 20) | st.sampled_from([0.1, 0.5, 2.0, 2**53, 2**60])
sizes = st.integers(0, 4) | st.sampled_from([1.0, 2.0, 2**60])
texts = st.text(max_size=5) | st.sampled_from(["", "é", "e\u0301", "👩‍👩‍👧", "a\n", "\u2028", "ORD-1", "ORD-1\n", "٣"])
atoms = st.sampled_from([
    *("a", "b", "-", "[a-c]", "[0-9]", "[A-Za-z0-9_.-]", r"\.", r"\$", " ", "\u00e9"),
    *(r"\d", r"\w", r"\s", ".", "(a|b)", "[^a]", "[z-a]"),
])  # fmt: skip
counts = st.sampled_from(["", "*", "+", "?", "{2}", "{1,3}", "{0,}", "{3,1}", "+?", "**"])
patterns = st.builds(
    lambda start, parts, end: start + "".join(map("".join, parts)) + end,
    st.sampled_from(["", "^"]),
    st.lists(st.tuples(atoms, counts), min_size=1, max_size=4),
    st.sampled_from(["", "$"]),
)


@st.composite
def cases(draw: st.DrawFn) -> tuple[str, dict[str, Any], Any]:
    """Draw a JSON type, a schema of it, and a value that nearly or exactly matches the schema."""
    kind = draw(st.sampled_from(list(SHAPES)))
    schema: dict[str, Any] = {"type": kind}
    if kind in ("integer", "number"):
        for keyword in draw(st.sets(st.sampled_from(NUMBERS))):
            schema[keyword] = draw(factors if keyword == "multipleOf" else numbers)
        near = [schema[keyword] for keyword in schema if keyword != "type"]
        steps = st.sampled_from([-1, -0.5, 0, 0.5, 1, 1.0])
        around = [st.builds(lambda bound, step: bound + step, st.sampled_from(near), steps)] if near else []
        return kind, schema, draw(st.one_of(numbers, *around))
    for keyword in draw(st.sets(st.sampled_from(SIZES[kind]))):
        schema[keyword] = draw(sizes)
    if kind == "string" and draw(st.booleans()):
        schema["pattern"] = draw(patterns)
        return kind, schema, draw(texts | st.from_regex(r"[a-c0-9.$ -]{0,6}\n?", fullmatch=True))
    values = {
        "string": texts,
        "array": st.lists(whole, max_size=5),
        "object": st.dictionaries(texts, whole, max_size=5),
    }
    return kind, schema, draw(values[kind])


def check(case: tuple[str, dict[str, Any], Any]) -> None:
    kind, schema, value = case
    try:
        validator = validator_for(schema)
    except ValueError:
        assume(False)  # an invalid pattern
    kept = constraints(kind, schema)
    shape = replace(SHAPES[kind], constraints=kept)
    adapter = adapter_of(eval(checked(shape), {"Annotated": Annotated, "Field": Field}))  # noqa: S307  # generated text
    is_valid = validator.is_valid(value)
    if is_valid:
        build_typed(adapter.validator.validate_python, value)
        assert satisfies(value, shape)
    if {KEPT[keyword] for keyword in schema if keyword != "type"} <= dict(kept).keys():
        try:
            adapter.validator.validate_json(json.dumps(value))
        except ValidationError:
            return
        assert is_valid


@given(cases())
@example(("integer", {"type": "integer", "minimum": 0.5}, 1))
@example(("integer", {"type": "integer", "exclusiveMaximum": 1.5}, 1.0))
@example(("integer", {"type": "integer", "multipleOf": 3}, 10**20))
@example(("integer", {"type": "integer", "multipleOf": 3, "minimum": 0, "maximum": 9}, 6.0))
@example(("number", {"type": "number", "multipleOf": 0.1}, 0.3))
@example(("string", {"type": "string", "maxLength": 1}, "e\u0301"))
@example(("string", {"type": "string", "maxLength": 1}, "👩"))
@example(("string", {"type": "string", "pattern": "^ORD-[0-9]+$"}, "ORD-1\n"))
@example(("string", {"type": "string", "pattern": "^ORD-[0-9]+$"}, "ORD-٣"))
def test_pydantic_and_the_schema_agree(case: tuple[str, dict[str, Any], Any]) -> None:
    check(case)


@pytest.mark.long
@settings(max_examples=4_000)
@given(cases())
def test_pydantic_and_the_schema_agree_over_many_cases(case: tuple[str, dict[str, Any], Any]) -> None:
    check(case)


@pytest.mark.parametrize(
    ("kind", "schema", "kept"),
    [
        ("string", {"minLength": 1, "maxLength": 40.0, "pattern": "^ORD-[0-9]+$"},
         {"min_length": 1, "max_length": 40, "pattern": "^ORD-[0-9]+$"}),
        ("string", {"pattern": "[a-z0-9-]{1,63}"}, {"pattern": "[a-z0-9-]{1,63}"}),
        ("integer", {"minimum": 0.5, "exclusiveMaximum": 9.5}, {"ge": 1, "lt": 10}),
        ("integer", {"minimum": 1, "maximum": 9, "multipleOf": 3.0}, {"ge": 1, "le": 9, "multiple_of": 3}),
        ("number", {"minimum": 0.5, "exclusiveMaximum": 2.0}, {"ge": 0.5, "lt": 2}),
        ("array", {"minItems": 1, "maxItems": 2}, {"min_length": 1, "max_length": 2}),
        ("object", {"minProperties": 1, "maxProperties": 2}, {"min_length": 1, "max_length": 2}),
        ("integer", {"minimum": 2**53 + 2, "multipleOf": 3}, {}),
        ("integer", {"minimum": 0, "exclusiveMinimum": True}, {"ge": 0}),
        ("number", {"multipleOf": 0.5, "minimum": -1e17}, {}),
        *(("string", {"pattern": each}, {}) for each in
          (r"\d+", r"\w", ".", "a|b", "(a)", "[^a]", "[z-a]", "a**", "é", "a{1000}", "[a&&b]", "(?i)a", "a{3,1}", "")),
        ("boolean", {"minimum": 1, "minLength": 1}, {}),
        ("string", {"minimum": 1, "minItems": 1}, {}),
    ],
)  # fmt: skip
def test_constraints_of_a_schema_in_pydantic(kind: str, schema: dict[str, Any], kept: dict[str, Any]) -> None:
    assert dict(constraints(kind, schema)) == kept
