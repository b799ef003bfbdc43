"""`toolgen show`: one tool, with the fields of its args and its result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cli.command_line import toolgen

if TYPE_CHECKING:
    from pathlib import Path

SPEC = """\
toolgen: 1
toolset: trips
types:
  City: {code: {type: string, pattern: "^[A-Z]{3}$"}, name?: string}
  Leg: {from: City, seats: {type: integer, minimum: 1, maximum: 9, default: 1}}
tools:
  book:
    description: |
      Book a trip.
      It can be cancelled.
    args:
      legs: {type: array, items: {$ref: "#/types/Leg"}, minItems: 1, description: "Where\\n to go."}
      class?: {enum: [first, second]}
      note?: {type: [string, "null"], maxLength: 80}
      odd?: {enum: [1, a]}
      long?: {type: string, pattern: "^(a-word|another-word|a-third-word|a-fourth-word|a-fifth-word)$"}
    result: {price: {type: number, exclusiveMinimum: 0}, leg?: {anyOf: [{$ref: "#/types/Leg"}, {type: "null"}]}}
  list: {description: List trips., args: {}, result: [Leg]}
"""


def test_fields_are_shown_with_their_bounds_one_level_into_their_types(tmp_path: Path) -> None:
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs/trips.yaml").write_text(SPEC)

    assert toolgen(tmp_path, "show", "book").out.splitlines() == [
        "trips.book (service, write)",
        "",
        "Book a trip.",
        "It can be cancelled.",
        "",
        "  legs: [Leg] (minItems 1)  Where to go.",
        "    from: City",
        "    seats?: integer (minimum 1, maximum 9) = 1",
        '  class?: ("first" | "second")',
        "  note?: string | null (maxLength 80)",
        "  odd?: any (one of 1, a)",
        "  long?: string",
        "  -> BookResult",
        "    price: number (exclusiveMinimum 0)",
        "    leg?: Leg | null",
        "      from: City",
        "      seats?: integer (minimum 1, maximum 9) = 1",
        "",
        "tags       write",
        "wire name  trips__book",
        "python     from generated.tools.trips import BOOK, BookArgs",
    ]
    assert toolgen(tmp_path, "show", "list").out.splitlines()[4:9] == [
        "  -> [Leg]",
        "    from: City",
        "      code: string (pattern ^[A-Z]{3}$)",
        "      name?: string",
        "    seats?: integer (minimum 1, maximum 9) = 1",
    ]
