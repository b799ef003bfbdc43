"""Action catalogs: a condition is narrower exactly where it holds for fewer values of its setting."""

from __future__ import annotations

from itertools import product

from toolgen.changes.actions import SEARCH, Condition, Routing
from toolgen.changes.python_api import read_apis, routing_of

VALUES = ["", "a", "b", "other"]
SETS = [frozenset[str](), frozenset("a"), frozenset("ab")]
CONDITIONS = [
    *(Condition(f"{each}", "tier", among=each) for each in SETS),
    *(Condition(f"not {each}", "tier", except_=each) for each in SETS),
]


def test_a_condition_implies_those_that_hold_wherever_it_does() -> None:
    for one, other in product(CONDITIONS, CONDITIONS):
        holds = all(other.holds(value) for value in VALUES if one.holds(value))
        assert one.implies(other) is holds, (one, other)


def test_a_condition_of_another_setting_or_of_unknown_form_implies_only_itself() -> None:
    one, other = Condition("bool(a)", "a"), Condition("bool(b)", "b")
    unknown = Condition("x(a)", is_read=False)
    assert not one.implies(other)
    assert not one.implies(unknown)
    assert not unknown.implies(one)
    assert unknown.implies(unknown)


MODULE = """
OPERATION_RULES: Final = {"web__search": ActionRule("router.search", passed_on)}
def is_web_available(tier): return bool(tier)
def is_mcp_available(tier): return bool(tier) and tier in ["light", "strong"]
def is_rag_available(tier): return bool(tier) and tier not in ["none"]
def is_odd_available(tier): return tier.startswith("x")
def is_any_available(tier): return bool(tier) and tier in ["a", other]
VISIBILITY: Final = {
    "web": Visibility("tier", is_web_available), "mcp": Visibility("tier", is_mcp_available),
    "rag": Visibility("tier", is_rag_available), "odd": Visibility("tier", is_odd_available),
    "own": Visibility("tier", elsewhere), "any": Visibility("tier", is_any_available),
}
SEARCH: Final = Visibility("embedding", is_web_available)
"""


def test_the_routing_of_a_module_is_read() -> None:
    sources = {"catalogs/universal.py": MODULE}
    (api, _) = read_apis(sources, sources)
    rag = "tier: bool(tier) and tier not in ['none']"
    mcp = "tier: bool(tier) and tier in ['light', 'strong']"
    assert routing_of(api)["universal"] == Routing(
        {"web__search": "passed_on"},
        {
            "web": Condition("tier: bool(tier)", "tier"),
            "mcp": Condition(mcp, "tier", among=frozenset({"light", "strong"})),
            "rag": Condition(rag, "tier", except_=frozenset({"none"})),
            "odd": Condition("tier: return tier.startswith('x')", is_read=False),
            "any": Condition("tier: return bool(tier) and tier in ['a', other]", is_read=False),
            "own": Condition("Visibility('tier', elsewhere)", is_read=False),
            SEARCH: Condition("embedding: bool(tier)", "embedding"),
        },
    )
