"""Every rule: its bad example is reported by this rule alone, its good one by none, and its page is complete."""

from __future__ import annotations

import pytest

from tests.unit.authoring.lint.examples import codes, files_of, linted
from toolgen.authoring.lint.lint import WITHOUT_PLACE
from toolgen.authoring.lint.registry import all_rules
from toolgen.compiler.diagnostics.codes import GROUPS, LINT_RULES

RULES = all_rules()


@pytest.mark.parametrize("code", RULES)
def test_the_bad_example_is_reported_by_this_rule_alone(code: str) -> None:
    found = codes(linted(files_of(RULES[code].bad)))
    assert set(found) == {code, *RULES[code].beside}


@pytest.mark.parametrize("code", RULES)
def test_the_good_example_is_reported_by_no_rule(code: str) -> None:
    assert codes(linted(files_of(RULES[code].good))) == []


def test_every_rule_of_the_table_is_there_and_has_a_page() -> None:
    assert LINT_RULES.keys() == RULES.keys() | WITHOUT_PLACE
    assert len(LINT_RULES) >= 40
    assert len({rule.name for rule in LINT_RULES.values()}) == len(LINT_RULES)
    for code, rule in RULES.items():
        assert rule.explanation.partition("\n")[0].endswith("."), code
        assert code[2] in GROUPS
        check = rule.check or rule.check_tool
        assert check is not None
        assert check.__name__.replace("_", "-") == rule.row.name


def test_each_url_that_calls_and_credentials_are_sent_to_is_encrypted() -> None:
    outcome = linted(
        files_of(
            """
            toolset: shop.api
            kind: http
            description: Orders of the web shop.
            api:
              base_url: "http://api.example/v1"
              auth:
                safe: {type: oauth2, token_url: "https://a.example/t", client_id: $env.ID, client_secret: $env.SECRET}
                plain: {type: oauth2, token_url: "http://b.example/t", client_id: $env.ID, client_secret: $env.SECRET}
              security: [[safe]]
            tools:
              list_orders: {description: Lists all orders., http: {method: GET, path: /orders}, permission: readonly}
              list_carts:
                description: Says what is in each cart.
                http: {method: GET, path: /carts, base_url: "HTTP://c.example"}
                permission: readonly
              list_returns:
                description: Tells which goods came back.
                http: {method: GET, path: /returns, base_url: "HTTP://c.example"}
                permission: readonly
              list_here:
                description: Names the machines of this network.
                http: {method: GET, path: /here, base_url: "http://localhost:80"}
                permission: readonly
            """
        )
    )
    assert not outcome.errors
    plain = [found for found in outcome.findings if found.code == "TL710"]
    assert [(found.span.line, found.message) for found in plain] == [
        (line, "`shop.api` is reached without encryption") for line in (6, 9, 15)
    ]
