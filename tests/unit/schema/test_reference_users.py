"""Everything that follows a `$ref` follows it to the same part: the one that the validator does, or to none.

Each document has one reference under test, as the schema of the field `x`. Its target takes integers; what a wrong
reading could lead to takes text.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ConfigDict

from tests.unit.compiler.specs import raw, resolved, toolset
from toolgen.authoring.lint.view import SpecPlace, parts_of
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.documents import read_documents
from toolgen.compiler.ir.shapes import ClassType
from toolgen.compiler.ir.text import shape_text
from toolgen.compiler.resolve.catalogs import misfit
from toolgen.compiler.source.read import SpecFile, parse
from toolgen.pages.fields import side_of
from toolgen.providers.schema_dialects import OPENAI_STRICT
from toolgen.providers.strict import project
from toolgen.providers.stubs import SchemaTypes
from toolgen.runtime.catalog.schema_profile import with_definitions_in_place
from toolgen.runtime.codec.exact_types import compare_type_to_schema
from toolgen.runtime.codec.models import ClosedModel
from toolgen.runtime.codec.validation import is_closed
from toolgen.runtime.issues.issues import expectation
from toolgen.schema.args import secret_pointers
from toolgen.schema.compact import compact
from toolgen.schema.comparison.compare import SchemaChange, compare
from toolgen.schema.comparison.normal_form import normal_form
from toolgen.schema.drafts import as_2020_12
from toolgen.schema.graph import SchemaGraph
from toolgen.schema.references import at, behind, behind_references, definitions_reached, followed, reference_to

if TYPE_CHECKING:
    from collections.abc import Callable

INTEGER: Final = {"type": "integer"}
TEXT: Final = {"type": "string"}
UNKNOWN: Final = ""

_OF_PYTHON: Final = {"int": "integer", "str": "string"}


class Numbered(ClosedModel):
    """The class of every document, if its reference leads to the integer."""

    model_config = ConfigDict(strict=True)
    x: int


def document(reference: Any, definitions: dict[str, Any], **beside: Any) -> dict[str, Any]:
    """Return a schema whose field `x` is a reference."""
    fields = {"properties": {"x": {"$ref": reference}}, "required": ["x"], "additionalProperties": False}
    return {"type": "object", **fields, **beside, "$defs": definitions}


def by_validator(root: Any) -> str:
    """Return the type that the validator demands of `x`; empty if it demands neither, or refuses the schema."""
    try:
        validator = jsonschema_rs.Draft202012Validator(root)
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError):
        return UNKNOWN
    taken = [kind for kind, value in (("integer", 1), ("string", "text")) if validator.is_valid({"x": value})]
    return taken[0] if len(taken) == 1 else UNKNOWN


def _x(root: Any) -> Any:
    return root["properties"]["x"]


def _kind(schema: Any) -> str:
    kind = schema.get("type") if isinstance(schema, dict) else None
    return kind if kind in ("integer", "string") else UNKNOWN


def _with_decoys(root: Any, decoy: Any) -> Any:
    """Return a document with other decoys, for a reader that says no type but only yes or no."""
    return json.loads(json.dumps(root).replace(json.dumps(TEXT), json.dumps(decoy)))


def _by_class(root: Any) -> str:
    found = resolved(toolset({"get": {"args": raw(root)}}))
    if found.has_errors:
        return UNKNOWN
    (made,) = (each for each in found.catalog.toolsets[0].types if each.name == "GetArgs")
    assert isinstance(made, ClassType)
    return _kind({"type": shape_text(next(field for field in made.fields if field.wire == "x").shape)})


def _by_strict_schema(root: Any) -> str:
    sent = project("t", root, OPENAI_STRICT).schema
    found = behind(_x(sent), sent)
    return UNKNOWN if "description" in found else _kind(found)  # a part that cannot be sent is JSON text, and says so


def _by_secrets(root: Any) -> str:
    marked = _with_decoys(root, {**TEXT, "writeOnly": True})
    return UNKNOWN if secret_pointers({**marked, "x-secret": {"writeOnly": True}}) else "integer"


def _by_comparison(root: Any) -> str:
    inlined = {**root, "properties": {**root["properties"], "x": INTEGER}}
    return "integer" if compare(root, inlined, search=False).change is SchemaChange.SAME else UNKNOWN


def _by_lint(root: Any) -> str:
    text, sink = toolset({"get": {"args": raw(root)}}), Diagnostics()
    node = parse(text, "1.json", sink)
    assert node is not None
    (read,) = read_documents([SpecFile("1.json", text, node)], sink)
    parts = parts_of(root, SpecPlace(read, ("tools", "get", "args")), {})
    return _kind(next(part for part in parts if part.name == "x").schema)


def _by_site(root: Any) -> str:
    parts = next(row for row in side_of(root, "a").tables[0].rows if row.name == "x").type
    return _kind({"type": parts[0][0]})


def _by_cost(root: Any) -> str:
    graph, found = SchemaGraph(root), _x(root)
    for _ in range(5):
        found = next((each for _, each in graph.in_place(found)), found)
    return _kind(found)


def _by_definitions_reached(root: Any) -> str:
    part = {key: value for key, value in root.items() if key != "$defs"}
    return by_validator({**part, **definitions_reached(part, root)})


def _by_expectation(root: Any) -> str:
    return _kind({"type": expectation(_x(root), root)})


USERS: Final[dict[str, Callable[[Any], str]]] = {
    "at": lambda root: _kind(behind(at(root, _x(root)["$ref"]), root)),
    "followed": lambda root: _kind(followed(_x(root), root)),
    "behind": lambda root: _kind(behind({**_x(root), "description": "It."}, root)),
    "class": _by_class,
    "stub": lambda root: _OF_PYTHON.get(SchemaTypes(root).read(_x(root)), UNKNOWN),
    "strict schema": _by_strict_schema,
    "secrets": _by_secrets,
    "normal form": lambda root: _kind(normal_form(root)["properties"]["x"]),
    "comparison": _by_comparison,
    "cost": _by_cost,
    "exact types": lambda root: UNKNOWN if compare_type_to_schema(root, Numbered) is None else "integer",
    "closed schemas": lambda root: "integer" if is_closed(_with_decoys(root, {"type": "object"})) else UNKNOWN,
    "expectation": _by_expectation,
    "action args": lambda root: "integer" if "accepts integer" in misfit("$entry", "x", root) else UNKNOWN,
    "lint": _by_lint,
    "site": _by_site,
    "compact": lambda root: by_validator(compact(root)),
    "newest draft": lambda root: by_validator(as_2020_12(root)),
    "core profile": lambda root: by_validator(with_definitions_in_place(root)),
    "definitions reached": _by_definitions_reached,
}
"""What tells the type of `x` by following its reference."""

POINTERS: Final[dict[str, tuple[str, dict[str, Any], dict[str, Any]]]] = {
    "a name": ("#/$defs/T", {"T": INTEGER}, {}),
    "a space": ("#/$defs/Price%20range", {"Price range": INTEGER, "Price%20range": TEXT}, {}),
    "a slash": ("#/$defs/a~1b", {"a/b": INTEGER, "a": {"b": TEXT}, "a~1b": TEXT}, {}),
    "an encoded slash": ("#/$defs/a%2Fb", {"a/b": TEXT, "a%2Fb": TEXT, "a": {"b": INTEGER}}, {}),
    "a tilde": ("#/$defs/a~0b", {"a~b": INTEGER, "a~0b": TEXT}, {}),
    "an encoded tilde": ("#/$defs/a%7E1b", {"a/b": INTEGER, "a~1b": TEXT, "a%7E1b": TEXT}, {}),
    "a tilde, then one": ("#/$defs/~01", {"~1": INTEGER, "/": TEXT, "~01": TEXT}, {}),
    "a percent sign": ("#/$defs/a%25b", {"a%b": INTEGER, "a%25b": TEXT}, {}),
    "an encoded percent sign": ("#/$defs/%2520", {"%20": INTEGER, " ": TEXT, "%2520": TEXT}, {}),
    "a letter beyond ASCII": ("#/$defs/%C3%BC", {"ü": INTEGER, "%C3%BC": TEXT, "Ã¼": TEXT}, {}),
    "beyond the basic plane": ("#/$defs/%F0%9F%98%80", {"😀": INTEGER}, {}),
    "a number sign": ("#/$defs/a%23b", {"a#b": INTEGER, "a": TEXT}, {}),
    "an empty name": ("#/$defs/", {"": INTEGER}, {}),
    "a plus sign": ("#/$defs/a+b", {"a+b": INTEGER, "a b": TEXT}, {}),
    "encoded keywords": ("#/%24defs/T", {"T": INTEGER}, {}),
    "a name of a keyword": ("#/$defs/$ref", {"$ref": INTEGER, "items": TEXT}, {}),
    "a name of a number": ("#/$defs/0", {"0": INTEGER}, {}),
    "an index": ("#/$defs/T/anyOf/1", {"T": {"anyOf": [TEXT, INTEGER]}}, {}),
    "a field of a definition": ("#/$defs/T/properties/a%20b", {"T": {"properties": {"a b": INTEGER}}}, {}),
    "another field": ("#/properties/y", {}, {"properties": {"x": {"$ref": "#/properties/y"}, "y": INTEGER}}),
    "a reference to a reference": (
        "#/$defs/A", {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/C"}, "C": INTEGER}, {},
    ),
    "the same in two spellings": ("#/$defs/A", {"A": {"$ref": "#/%24defs/B%20"}, "B ": INTEGER}, {}),
}  # fmt: skip
"""References by pointer: everything follows them to the integer."""

OTHERS: Final[dict[str, tuple[Any, dict[str, Any], dict[str, Any]]]] = {
    "an anchor": ("#T", {"a": {"$anchor": "T", **INTEGER}, "T": TEXT}, {}),
    "an encoded anchor": ("#%54", {"a": {"$anchor": "T", **INTEGER}, "T": TEXT}, {}),
    "a dynamic anchor": ("#T", {"a": {"$dynamicAnchor": "T", **INTEGER}, "T": TEXT}, {}),
    "its own address": ("https://a.test/s#/$defs/T", {"T": INTEGER}, {"$id": "https://a.test/s"}),
    "a relative address": ("s#/$defs/T", {"T": INTEGER}, {"$id": "https://a.test/s"}),
    "a resource inside": ("other", {"T": {"$id": "other", **INTEGER}}, {"$id": "https://a.test/s"}),
    "through a resource": ("#/$defs/T/$defs/U", {"T": {"$id": "https://a.test/t", "$defs": {"U": INTEGER}}}, {}),
    "relative to a resource": (
        "#/$defs/T", {"T": {"$id": "https://a.test/t", "$ref": "#/$defs/U", "$defs": {"U": INTEGER}}, "U": TEXT}, {},
    ),
    "through a resource, and back": (
        "#/$defs/T/$defs/U",
        {"T": {"$id": "https://a.test/t", "$defs": {"U": {"$ref": "#/$defs/V"}, "V": INTEGER}}, "V": TEXT}, {},
    ),
    "nothing": ("#/$defs/missing", {"T": TEXT}, {}),
    "a step too many": ("#/$defs/T/", {"T": TEXT}, {}),
    "an encoded separator": ("#%2F$defs%2FT", {"T": TEXT}, {}),
    "a name with a false escape": ("#/$defs/a~2b", {"a2b": TEXT, "ab": TEXT}, {}),
    "half of a character": ("#/$defs/%FF", {"\ufffd": TEXT, "ÿ": TEXT, "%FF": TEXT}, {}),
    "no number sign": ("/$defs/T", {"T": TEXT}, {}),
    "a negative index": ("#/$defs/T/anyOf/-1", {"T": {"anyOf": [TEXT]}}, {}),
    "the index behind the last": ("#/$defs/T/anyOf/-", {"T": {"anyOf": [TEXT]}}, {}),
    "a huge index": (f"#/$defs/T/anyOf/{'9' * 5000}", {"T": {"anyOf": [TEXT]}}, {}),
    "a circle": ("#/$defs/A", {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}, {}),
    "itself": ("#/properties/x", {"T": TEXT}, {}),
    "a number": (5, {"5": TEXT}, {}),
    "a list": (["#/$defs/T"], {"T": TEXT}, {}),
    "an object": ({"$ref": "#/$defs/T"}, {"T": TEXT}, {}),
    "null": (None, {"T": TEXT}, {}),
}  # fmt: skip
"""References to something else, or to nothing: each is followed to the integer where the validator does, or not."""


CIRCLES: Final = [document(*OTHERS[name][:2]) for name in ("a circle", "itself")]


def _document(row: tuple[Any, dict[str, Any], dict[str, Any]]) -> dict[str, Any]:
    reference, definitions, beside = row
    return document(reference, definitions, **beside)


@pytest.mark.parametrize("row", POINTERS.values(), ids=POINTERS)
def test_everything_follows_a_pointer_to_the_same_part(row: tuple[Any, dict[str, Any], dict[str, Any]]) -> None:
    root = _document(row)
    assert by_validator(root) == "integer"
    assert {name: user(root) for name, user in USERS.items()} == dict.fromkeys(USERS, "integer")


@pytest.mark.parametrize("row", OTHERS.values(), ids=OTHERS)
def test_everything_else_is_followed_as_the_validator_does_or_not_at_all(
    row: tuple[Any, dict[str, Any], dict[str, Any]],
) -> None:
    root = _document(row)
    right = by_validator(root)
    assert right in ("integer", UNKNOWN)
    found = {name: user(root) for name, user in USERS.items()}
    if root in CIRCLES:
        del found["secrets"]  # what only refers to itself has no parts, and so no secret ones
    assert set(found.values()) <= {right, UNKNOWN}, found


NAMES: Final = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from("~01/%2F# "), max_size=6)


@settings(max_examples=60)
@given(name=NAMES, others=st.lists(NAMES, max_size=3), encoded=st.booleans())
def test_everything_finds_a_definition_of_any_name(name: str, others: list[str], encoded: bool) -> None:
    reference = reference_to(["$defs", name])
    if encoded:
        reference = "#/$defs/" + "".join(f"%{byte:02X}" for byte in reference_to([name])[2:].encode())
    encoded_names = {reference.rpartition("/")[2], *others} - {name}
    root = document(reference, {**dict.fromkeys(encoded_names, TEXT), name: INTEGER})
    if by_validator(root) != "integer":
        return
    slow = {"class", "lint"}
    found = {user: read(root) for user, read in USERS.items() if user not in slow}
    assert found == dict.fromkeys(found, "integer")


@pytest.mark.parametrize("length", [50, 5_000])
def test_a_long_chain_of_references_costs_no_more_than_its_bound(length: int) -> None:
    links = {f"D{number}": {"$ref": f"#/$defs/D{number + 1}"} for number in range(length)}
    root = document("#/$defs/D0", {**links, f"D{length}": INTEGER})
    readers = {name: user for name, user in USERS.items() if length < 100 or name in ("followed", "behind")}
    found = {name: user(root) for name, user in readers.items()}
    assert set(found.values()) <= {"integer", UNKNOWN}, found
    assert {found["followed"], found["behind"]} == ({"integer"} if length < 100 else {UNKNOWN})


def test_a_secret_behind_a_reference_of_another_resource_is_not_lost() -> None:
    inner = {"$id": "https://a.test/t", "$ref": "#/$defs/U", "$defs": {"U": {"type": "string", "writeOnly": True}}}
    assert secret_pointers(document("#/$defs/T", {"T": inner, "U": TEXT})) == ("/x",)
    assert secret_pointers(document("#/$defs/T/$defs/V", {"T": {**inner, "$defs": {"V": inner}}, "U": TEXT})) == ("/x",)


def test_references_of_a_schema_that_is_only_one_are_followed_with_its_annotations() -> None:
    schema = {"$ref": "#/%24defs/a%20b", "description": "It.", "$defs": {"a b": INTEGER}}
    assert behind_references(schema) == ({**INTEGER, "description": "It."}, "/$defs/a b")
    assert behind_references({"$ref": ["#"]}) == ({"$ref": ["#"]}, "")
