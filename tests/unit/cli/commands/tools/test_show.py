"""`toolgen show`: one tool, with the fields of its args and its result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.unit.cli.command_line import toolgen

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


def test_fields_are_shown_with_their_bounds_and_one_level_of_nesting(tmp_path: Path) -> None:
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
        "wire_name  trips__book",
        "python     from generated.tools.trips import BOOK, BookArgs",
        "policies   ask (write ask)",
    ]
    assert toolgen(tmp_path, "show", "list").out.splitlines()[4:9] == [
        "  -> [Leg]",
        "    from: City",
        "      code: string (pattern ^[A-Z]{3}$)",
        "      name?: string",
        "    seats?: integer (minimum 1, maximum 9) = 1",
    ]


RULED = """\
toolgen: 1
toolset: shop
methods:
  insert: {payload: {sku: string, coupon: string, tenant: string}, result: integer}
tools:
  order:
    description: Order a thing.
    permission: write
    args: {sku?: string, coupon?: string, site: string, tenant?: string}
    result: integer
    one_of: [sku, coupon]
    inject: [tenant]
    bind: insert
    confirm: "Order from {{args.site}}?"
    access: {url: site, hosts: [api.example.org]}
    limits: {cooldown_seconds: 1.5, daily_limit: 3, timeout_ms: 0, result_bytes: 100}
    roles: [main, sub]
    cost: expensive
    gate: true
    reminder: Tell the number of the order.
  look: {description: Look., permission: readonly, args: {}}
"""
POLICY = """\
toolgen: 1
policy: team
rules: {shop.order: allow}
roles: {sub: {shop.order: deny}}
modes: {plan: {"shop.*": deny}}
"""


def test_fields_of_several_types_are_shown_under_the_names_of_these(tmp_path: Path) -> None:
    (tmp_path / "specs").mkdir()
    types = "types:\n  Train: {no: integer}\n  Bus: {no: string, stop: {name: string}}\n"
    tool = """tools:
  ride: {description: Ride., args: {by: {anyOf: [{$ref: "#/types/Train"}, {$ref: "#/types/Bus"}]}}}
"""
    (tmp_path / "specs/trips.yaml").write_text(f"toolgen: 1\ntoolset: trips\n{types}{tool}")
    assert toolgen(tmp_path, "show", "ride").out.splitlines()[4:11] == [
        "  by: Train | Bus",
        "    Train",
        "      no: integer",
        "    Bus",
        "      no: string",
        "      stop: BusStop",
        "  -> any",
    ]


def test_all_settings_that_affect_calls_are_shown(tmp_path: Path) -> None:
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs/shop.yaml").write_text(RULED)
    (tmp_path / "specs/policy.yaml").write_text(POLICY)

    of_sub, of_plan = "team.roles.sub: shop.order deny", "team.modes.plan: shop.* deny"
    shown = toolgen(tmp_path, "show", "order")
    assert shown.out.splitlines()[-15:] == [
        "roles      main, sub",
        "confirm    Order from {{args.site}}?",
        "limits     cooldown_seconds: 1.5, daily_limit: 3, timeout_ms: 0, result_bytes: 100",
        "cost       expensive",
        "gate       checked before it runs",
        "one_of     sku, coupon",
        "inject     tenant",
        "access     url: site, hosts: api.example.org",
        "bind       insert",
        "reminder   Tell the number of the order.",
        "python     from generated.tools.shop import ORDER, OrderArgs",
        "policies   main: ask (team.rules: shop.order allow; confirm ask)",
        "           sub: deny (team.rules: shop.order allow; team.roles.sub: shop.order deny; confirm ask)",
        "           in mode plan: main: deny (team.rules: shop.order allow; team.modes.plan: shop.* deny; confirm ask)",
        f"           in mode plan: sub: deny (team.rules: shop.order allow; {of_sub}; {of_plan}; confirm ask)",
    ]
    found = toolgen(tmp_path, "show", "order", "--format", "json").json
    judged = found.pop("policies")
    assert {key: found[key] for key in [*found][11:]} == {
        "roles": ["main", "sub"],
        "confirm": "Order from {{args.site}}?",
        "one_of": ["sku", "coupon"],
        "inject": ["tenant"],
        "bind": "insert",
        "access": {"url": ["site"], "hosts": ["api.example.org"]},
        "limits": {"cooldown_seconds": 1.5, "daily_limit": 3, "timeout_ms": 0, "result_bytes": 100},
        "cost": "expensive",
        "gate": True,
        "retry_hints": False,
        "handler": "",
        "command": None,
        "http": None,
        "bounded": None,
        "reminder": "Tell the number of the order.",
        "approvers": None,
    }
    assert [(each["mode"], each["role"], each["answer"]) for each in judged] == [
        ("", "main", "ask"),
        ("", "sub", "deny"),
        ("plan", "main", "deny"),
        ("plan", "sub", "deny"),
    ]
    assert judged[0]["reasons"] == [
        {"answer": "allow", "source": "team.rules: shop.order"},
        {"answer": "ask", "source": "confirm"},
    ]


def test_tools_without_a_rule_are_shown_with_the_default(tmp_path: Path) -> None:
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs/shop.yaml").write_text(RULED)

    assert toolgen(tmp_path, "show", "look").out.splitlines()[-2:] == [
        "python     from generated.tools.shop import LOOK, LookArgs",
        "policies   allow (readonly allow)",
    ]
    found = toolgen(tmp_path, "show", "look", "--format", "json").json
    assert (found["roles"], found["access"], found["limits"]["result_bytes"]) == (None, {}, None)
    assert {(each["answer"], each["role"]) for each in found["policies"]} == {
        ("allow", role) for role in ("main", "sub", "fork", "worker")
    }
