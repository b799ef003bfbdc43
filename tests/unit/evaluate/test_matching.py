"""Matching: which calls are right, and what is said of those that are not."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.project.checkout import ROOT
from tests.unit.evaluate.world import call, cases, catalog_of
from toolgen.evaluate import matching
from toolgen.evaluate.matching import ArgsReader, CaseRun, CheckError, Verdict, WrongArg, judge
from toolgen.execute.python.modules import HandlerModules

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgen.contract.records import ToolRequest


@pytest.fixture
def verdict_of(tmp_path: Path) -> Any:
    catalog = catalog_of()
    reader = ArgsReader(catalog, HandlerModules(str(ROOT)))

    def verdict(case: Mapping[str, Any], *calls: ToolRequest, text: str = "") -> Verdict:
        (found,) = cases(tmp_path, catalog, case={"question": "?", **case})
        called = tuple(reader.called(each, each.name if each.name in catalog else "") for each in calls)
        return judge(found, CaseRun(case=found.name, calls=called, text=text), reader)

    return verdict


REFUND, CANCEL = call("shop.refund", order_id="o-1"), call("shop.cancel", order_id="o-1")
BOTH = [{"call": "shop.refund"}, {"call": "shop.cancel"}]


def test_calls_are_expected_in_their_order_unless_the_case_says_otherwise(verdict_of: Any) -> None:
    assert verdict_of({"expect": BOTH}, REFUND, CANCEL).problems == ()
    assert verdict_of({"expect": BOTH}, CANCEL, REFUND).problems == (
        "the calls are right, and in another order than is expected",
    )
    assert verdict_of({"expect": BOTH, "any_order": True}, CANCEL, REFUND).problems == ()


def test_alternatives_are_given_to_the_calls_so_that_most_are_right(verdict_of: Any) -> None:
    either = {"one_of": [{"call": "shop.refund"}, {"call": "shop.cancel"}]}
    case = {"expect": [either, {"call": "shop.refund"}], "any_order": True}
    assert verdict_of(case, REFUND, CANCEL).problems == ()
    assert verdict_of(case, CANCEL, REFUND).problems == ()
    assert verdict_of(case, CANCEL, CANCEL).problems == (
        'shop.refund is expected, and shop.cancel {"order_id":"o-1"} was called',
    )


def test_equal_calls_in_a_row_are_assigned_in_order(verdict_of: Any) -> None:
    expect = [{"call": "shop.refund"}, {"call": "shop.cancel"}, {"call": "shop.refund"}]
    assert verdict_of({"expect": expect}, REFUND, CANCEL, REFUND).problems == ()
    assert len(verdict_of({"expect": expect}, REFUND, REFUND, CANCEL).problems) == 1


def test_one_call_is_not_two_where_order_counts(verdict_of: Any) -> None:
    either = {"one_of": [{"call": "shop.refund"}, {"call": "shop.cancel"}]}
    found = verdict_of({"expect": [either, {"call": "shop.refund"}]}, REFUND, CANCEL)
    assert found.problems == ("the calls are right, and in another order than is expected",)


def test_no_tool_fits(verdict_of: Any) -> None:
    right, wrong = verdict_of({"expect": []}), verdict_of({"expect": []}, REFUND)
    assert (right.problems, right.pairs) == ((), (("", ""),))
    assert (wrong.problems, wrong.pairs) == (
        ('no tool fits, and shop.refund {"order_id":"o-1"} was called',),
        (("", "shop.refund"),),
    )


def test_other_calls_are_wrong_unless_they_are_allowed(verdict_of: Any) -> None:
    case, find = {"expect": [{"call": "shop.refund"}]}, call("shop.find", customer="ann")
    assert verdict_of(case, find, REFUND).pairs == (("shop.refund", "shop.refund"), ("", "shop.find"))
    assert verdict_of({**case, "allow": ["*+readonly"]}, find, REFUND).problems == ()
    assert verdict_of({**case, "allow": ["shop"], "avoid": ["shop.find"]}, find, REFUND).problems == (
        "shop.find must not be called",
    )


def test_without_expectations_all_may_be_called_but_what_is_to_be_avoided(verdict_of: Any) -> None:
    assert verdict_of({"avoid": ["*+write"]}, call("shop.find", customer="ann")) == Verdict()
    assert verdict_of({"avoid": ["*+write"]}, REFUND, REFUND).problems == ("shop.refund must not be called",)


@pytest.mark.parametrize(
    ("expected", "args", "wrong"),
    [
        ({"args": {"order_id": "o-1"}}, {"order_id": "o-1", "amount": 3}, []),
        ({"args": {"amount": 3}}, {"order_id": "o-1", "amount": 3.0}, []),
        ({"args": {"amount": 3}}, {"order_id": "o-1"}, [("amount", "missing")]),
        ({"args": {"order_id": "o-1"}}, {"order_id": "o-2"}, [("order_id", "value")]),
        ({"args": {"reason": "none"}}, {"order_id": "o-1"}, []),
        ({"args": {}}, {"order_id": "x"}, [("order_id", "pattern")]),
        ({"args": {}}, {"order_id": "o-1", "amount": "2"}, [("amount", "type")]),
        ({"args": {}}, {"amount": 2}, [("order_id", "required")]),
        ({"fields": {"amount": {"maximum": 5}}}, {"order_id": "o-1", "amount": 6}, [("amount", "maximum")]),
        ({"fields": {"amount": {"maximum": 5}}}, {"order_id": "o-1"}, [("amount", "missing")]),
        ({"fields": {"amount": False}}, {"order_id": "o-1", "amount": 1}, [("amount", "unexpected")]),
        ({"fields": {"amount": False, "reason": True}}, {"order_id": "o-1"}, []),
        ({"fields": {"amount": "tests.unit.evaluate.checks:is_even"}}, {"order_id": "o-1", "amount": 4}, []),
        (
            {"fields": {"amount": "tests.unit.evaluate.checks:is_even"}},
            {"order_id": "o-1", "amount": 5},
            [("amount", "function")],
        ),
        (
            {"fields": {"amount": "tests.unit.evaluate.checks:is_large"}},
            {"order_id": "o-1", "amount": 5},
            [("amount", "function")],
        ),
        ({"args": {"order_id": "o-1"}, "exact": True}, {"order_id": "o-1", "reason": "none"}, []),
        (
            {"args": {"order_id": "o-1"}, "exact": True},
            {"order_id": "o-1", "amount": 1},
            [("amount", "unexpected")],
        ),
    ],
)
def test_args_are_wrong_by_field_and_keyword(
    verdict_of: Any, expected: dict[str, Any], args: dict[str, Any], wrong: list[tuple[str, str]]
) -> None:
    found = verdict_of({"expect": [{"call": "shop.refund", **expected}]}, call("shop.refund", **args))
    assert [(each.field, each.keyword) for each in found.wrong_args] == wrong
    assert bool(found.problems) == bool(wrong)
    assert found.pairs == (("shop.refund", "shop.refund"),)


def test_args_that_are_no_object_are_wrong_and_an_unknown_tool_is_named(verdict_of: Any) -> None:
    from toolgen.contract.records import ToolRequest

    case = {"expect": [{"call": "shop.refund"}]}
    found = verdict_of(case, ToolRequest(name="shop.refund", payload=b"[1"))
    assert found.wrong_args == (WrongArg("shop.refund", None, "type"),)
    assert found.problems[0].endswith("are wrong: type")
    assert verdict_of(case, call("delete_all")).pairs == (("shop.refund", "delete_all"),)


def test_a_function_looks_at_the_end(verdict_of: Any) -> None:
    case = {"check": "tests.unit.evaluate.checks:ends_politely"}
    assert verdict_of(case, text="thank you").problems == ()
    assert (
        verdict_of(case, text="bye")
        .problems[0]
        .startswith("tests.unit.evaluate.checks:ends_politely: 'bye' does not thank")
    )


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("tests.unit.evaluate.checks:breaks", "RuntimeError: it is broken"),
        ("tests.unit.evaluate.checks:exits", "SystemExit: 3"),
        ("tests.unit.evaluate.checks:fails", "Failed: it is wrong"),
        ("tests.unit.evaluate.checks:is_async", "it is async, and its result is not awaited"),
        ("tests.unit.evaluate.checks:is_generated", "it returned generator, and must return bool"),
        ("tests.unit.evaluate.checks:are_generated", "it returned async_generator, and must return bool"),
        ("tests.unit.evaluate.checks:counts", "it returned int, and must return bool"),
        ("tests.unit.evaluate.checks:gone", "has no attribute 'gone'"),
        ("os:system", "it is not one of the project's own"),
        ("string:digits", "it is not one of the project's own"),
    ],
)
@pytest.mark.parametrize("key", ["check", "fields"])
def test_a_function_that_cannot_be_used_is_no_verdict(verdict_of: Any, key: str, place: str, message: str) -> None:
    case = {"check": place} if key == "check" else {"expect": [{"call": "shop.refund", "fields": {"order_id": place}}]}
    with pytest.raises(CheckError, match=message):
        verdict_of(case, REFUND)


def test_only_a_check_may_return_nothing_or_a_reason(verdict_of: Any) -> None:
    silent = "tests.unit.evaluate.checks:is_silent"
    assert verdict_of({"check": silent}).problems == ()
    with pytest.raises(CheckError, match="it returned NoneType, and must return bool"):
        verdict_of({"expect": [{"call": "shop.refund", "fields": {"order_id": silent}}]}, REFUND)


def test_an_assertion_of_a_module_is_no_verdict(verdict_of: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_module: str) -> None:
        raise AssertionError("as it is imported")

    monkeypatch.setattr(matching, "import_module", fails)
    with pytest.raises(CheckError, match="AssertionError: as it is imported"):
        verdict_of({"check": "tests.unit.evaluate.checks:ends_politely"})


CATALOG = catalog_of()
SOME_CALLS = {
    (tool, order): call(f"shop.{tool}", order_id=order) for tool in ("refund", "cancel") for order in ("o-1", "o-2")
}
EXPECTED = st.sampled_from([*SOME_CALLS, ("refund", None), ("cancel", None)])


def fits(wanted: tuple[str, str | None], made: tuple[str, str]) -> bool:
    return wanted[0] == made[0] and wanted[1] in (None, made[1])


@st.composite
def nearly_right(draw: st.DrawFn) -> tuple[list[list[tuple[str, str | None]]], list[tuple[str, str]]]:
    """Return expected groups, and a call for each, in any order, with one or two that may be too many."""
    groups = draw(st.lists(st.lists(EXPECTED, min_size=1, max_size=2), min_size=1, max_size=3))
    chosen = [draw(st.sampled_from(group)) for group in groups]
    made = [(tool, order or draw(st.sampled_from(["o-1", "o-2"]))) for tool, order in chosen]
    made += draw(st.lists(st.sampled_from([*SOME_CALLS]), max_size=2))
    return groups, draw(st.permutations(made))


@given(nearly_right(), st.booleans(), st.sampled_from([[], ["refund"], ["cancel"]]))
@example(([[("refund", None), ("cancel", None)]], [("refund", "o-1"), ("cancel", "o-1")]), False, ["refund"])
@example(([[("refund", None), ("cancel", None)]], [("refund", "o-1"), ("cancel", "o-1")]), True, ["refund"])
@example(
    (
        [[("cancel", None), ("refund", None)], [("cancel", None)]],
        [("cancel", "o-1"), ("refund", "o-2"), ("cancel", "o-1")],
    ),
    False,
    ["cancel"],
)
def test_calls_are_right_if_they_can_be_assigned_so_that_only_allowed_ones_are_left(
    both: tuple[list[list[tuple[str, str | None]]], list[tuple[str, str]]], any_order: bool, allowed: list[str]
) -> None:
    """As all assignments show that there are."""
    groups, made = both
    each_call = [
        [{"call": f"shop.{tool}", **({"args": {"order_id": order}} if order else {})} for tool, order in group]
        for group in groups
    ]
    expect = [group[0] if len(group) == 1 else {"one_of": group} for group in each_call]
    case = {"question": "?", "expect": expect, "any_order": any_order, "allow": [f"shop.{tool}" for tool in allowed]}
    with TemporaryDirectory() as folder:
        (found,) = cases(Path(folder), CATALOG, case=case)
    reader = ArgsReader(CATALOG, HandlerModules())
    called = tuple(reader.called(SOME_CALLS[each], f"shop.{each[0]}") for each in made)
    verdict = judge(found, CaseRun(case=found.name, calls=called), reader)
    is_right = any(
        (any_order or list(order) == sorted(order))
        and all(any(fits(wanted, made[at]) for wanted in group) for group, at in zip(groups, order, strict=True))
        and all(at in order or made[at][0] in allowed for at in range(len(made)))
        for order in permutations(range(len(made)), len(groups))
    )
    assert (not verdict.problems) == is_right, verdict.problems
    assert sum(bool(expected) for expected, _ in verdict.pairs) == len(groups)
