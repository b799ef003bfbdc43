"""The schema of a project's evaluations knows its tools and their args, and accepts what a build accepts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jsonschema_rs
import pytest
from jsonschema_rs import Draft202012Validator

from tests.project.checkout import ROOT
from tests.unit.evaluate.world import catalog_of, read
from toolgen.authoring.editor_schema import evaluation_json_schema
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.source.read import parse
from toolgen.runtime.catalog.catalog import Catalog

if TYPE_CHECKING:
    from pathlib import Path

SPEC = """
toolgen: 1
toolset: a
types:
  Node: {name: string, below: [Node]}
tools:
  walk:
    description: Walk a tree.
    args: {tree: Node, depth?: {type: integer, minimum: 1}, kind?: {enum: [deep, wide]}}
  open:
    description: Take anything.
    args: {type: object, properties: {n: {type: integer}}, additionalProperties: true}
  old:
    description: Of another draft.
    args:
      $schema: http://json-schema.org/draft-07/schema#
      type: object
      properties: {n: {type: integer}}
      additionalProperties: false
  mine:
    description: With a field that the host fills.
    inject: [user]
    args: {user: string, text: string}
"""
CATALOG = catalog_of(SPEC)
SCHEMA = evaluation_json_schema([CATALOG])
ACCEPTS = Draft202012Validator(SCHEMA)


@pytest.mark.parametrize(
    ("call", "is_right"),
    [
        ("{call: a.walk}", True),
        ("{call: a.wlk}", False),
        ("{call: a.walk, args: {depth: 2, kind: wide}}", True),
        ("{call: a.walk, args: {depth: 0}}", False),
        ("{call: a.walk, args: {kind: other}}", False),
        ("{call: a.walk, args: {dept: 2}}", False),
        ("{call: a.walk, args: {tree: {name: x, below: [{name: y, below: []}]}}}", True),
        ("{call: a.walk, args: {tree: {name: x, below: [{name: 1, below: []}]}}}", False),
        ("{call: a.walk, fields: {depth: {minimum: 3}, kind: false}}", True),
        ("{call: a.walk, fields: {dept: false}}", False),
        ("{call: a.open, args: {n: 1, more: 1}}", True),
        ("{call: a.open, args: {n: x}}", False),
        ("{call: a.old, args: {n: 1}}", True),
        ("{call: a.old, args: {m: 1}}", False),
        ("{call: a.mine, args: {text: x}}", True),
        ("{call: a.mine, args: {user: x}}", False),
        ("{one_of: [{call: a.walk}, {call: a.wlk}]}", False),
    ],
)
def test_calls_are_accepted_as_a_build_accepts_them(call: str, is_right: bool, tmp_path: Path) -> None:
    text = f"toolgen: 1\neval: e\ncases: {{c: {{question: q, expect: [{call}]}}}}\n"
    node = parse(text, "a.yaml", Diagnostics())
    assert node is not None
    assert ACCEPTS.is_valid(node.to_data()) == is_right
    _, reported = read(tmp_path, text, CATALOG)
    assert (reported == []) == is_right


def test_every_tool_is_offered_with_its_description() -> None:
    offered = {
        each["const"]: each["description"] for each in SCHEMA["$defs"]["CallSpec"]["properties"]["call"]["anyOf"]
    }
    assert offered.keys() == {"a.walk", "a.open", "a.old", "a.mine"}
    assert offered["a.walk"] == "Walk a tree."


def test_it_is_a_json_schema_for_large_packages_too() -> None:
    schema: dict[str, Any] = evaluation_json_schema([Catalog(text=(ROOT / "generated" / "catalog.json").read_bytes())])
    assert jsonschema_rs.meta.is_valid(schema)
    Draft202012Validator(schema)
