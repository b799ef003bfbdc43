"""Reports: figures known beforehand, in each format, and read back."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgen.evaluate.matching import CalledTool, WrongArg
from toolgen.evaluate.page import render_page
from toolgen.evaluate.rendering import render_junit, render_markdown, render_text
from toolgen.evaluate.reports import (
    FEWEST_PAIRS,
    Report,
    ReportError,
    compared,
    outcomes_of,
    summaries_of,
    to_json,
)
from toolgen.evaluate.running import Outcome
from toolgen.evaluate.statistics import bootstrap

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolgen.evaluate.running import State

HOSTILE = "</details><script>|`\x1b[2J\n::error::"


def outcome(case: str, state: State, **more: Any) -> Outcome:
    return Outcome(case=f"shop/{case}", model="fake", presentation="enumerate-all", state=state, **more)


def outcomes() -> list[Outcome]:
    right = ("shop.refund", "shop.refund")
    return [
        outcome("a", "passed", pairs=(right,), turns=1, tokens={"input_tokens": 10.0}, cost=0.5, seconds=1.0),
        outcome("b", "failed", pairs=(("shop.refund", "shop.cancel"),), problems=(HOSTILE,), turns=1, seconds=3.0),
        outcome(
            "c",
            "failed",
            pairs=(right,),
            problems=("args",),
            wrong_args=(
                WrongArg("shop.refund", "x", "type"),
                WrongArg("shop.refund", "", "type"),
                WrongArg("shop.refund", None, "type"),
            ),
        ),
        outcome("d", "failed", pairs=(("", "shop.refund"),), problems=("no tool fits",), calls=(CalledTool(name="r"),)),
        outcome("e", "stale", problems=("record it again",)),
    ]


def report(**more: Any) -> Report:
    return Report(summaries=summaries_of(outcomes()), uncovered=("shop.find",), questions={"shop/b": HOSTILE}, **more)


def test_figures_are_those_of_the_outcomes() -> None:
    (summary,) = summaries_of(outcomes())
    assert (summary.passed, len(summary.judged), summary.success) == (1, 4, 0.25)
    refund = next(each for each in summary.tools if each.ident == "shop.refund")
    assert (refund.expected, refund.called, refund.right) == (3, 3, 2)
    assert refund.precision == refund.recall == pytest.approx(2 / 3)
    cancel = next(each for each in summary.tools if each.ident == "shop.cancel")
    assert (cancel.precision, cancel.recall) == (0.0, None)
    assert [wrong.field for wrong in summary.wrong_args] == [None, "", "x"]
    assert (summary.cost, summary.seconds, summary.tokens("input_tokens")) == (0.5, 2.0, 10.0)


def test_text_has_what_is_wrong_and_what_is_not_judged() -> None:
    text = render_text(report())
    assert text.startswith("fake, enumerate-all: 1 of 4 cases right, 25.0 % (4.6 % to 69.9 %)\n")
    assert "  stale, a model is needed again (1):\n    shop/e: record it again\n" in text
    assert "    1 x shop.refund expected, shop.cancel called\n" in text
    assert "    1 x (none) expected, shop.refund called\n" in text
    assert "    1 x shop.refund `(all)`: type\n    1 x shop.refund ``: type\n    1 x shop.refund `x`: type\n" in text
    assert text.endswith("no case expects shop.find\n")


def test_no_name_of_a_model_makes_a_line_of_its_own() -> None:
    wrong = outcome("b", "failed", pairs=(("shop.refund", HOSTILE),), problems=(HOSTILE,))
    text = render_text(Report(summaries=summaries_of([wrong]), uncovered=(HOSTILE,)))
    assert not [line for line in text.splitlines() if line.startswith("::")]
    assert text.count("\\n::error::") >= 3


def test_junit_has_a_test_for_each_case_and_an_error_for_what_is_not_judged() -> None:
    root = ElementTree.fromstring(render_junit(report()))  # noqa: S314  # it is our own
    (suite,) = root
    assert {name: suite.get(name) for name in ("tests", "failures", "errors")} == {
        "tests": "5",
        "failures": "3",
        "errors": "1",
    }
    assert [each.get("name") for each in suite if len(each)] == ["b", "c", "d", "e"]


@pytest.mark.parametrize("render", [render_markdown, render_page])
def test_texts_of_models_and_cases_are_text_in_markdown_and_html(render: Any) -> None:
    text = render(report(against=HOSTILE, comparisons=compared(outcomes(), outcomes())))
    assert "<script>" not in text
    assert "\x1b" not in text
    assert "shop.find" in text.replace("\\", "")


def test_a_report_in_json_is_compared_with() -> None:
    before = outcomes_of(json.loads(json.dumps(to_json(report()))))
    after = [*outcomes()[:1], outcome("b", "passed"), *outcomes()[2:], outcome("new", "passed")]
    (comparison,) = compared(before, after)
    assert (comparison.count, comparison.fixed, comparison.broken) == (4, ("shop/b",), ())
    assert (comparison.left_out, comparison.removed) == (("shop/e", "shop/new"), ())
    assert (comparison.before, comparison.after) == (0.25, 0.5)
    assert (comparison.verdict, comparison.p_value) == ("no difference seen", 1.0)
    assert comparison.needed == 803  # by hand, for 0.25: ((1.960 * 0.5 + 0.8416 * 0.4975) / 0.05) ** 2 = 783, * 1.026


def test_cases_that_are_gone_are_listed_in_each_format() -> None:
    other = Outcome(case="shop/of-another", model="other", presentation="enumerate-all", state="passed")
    comparisons = compared(
        [*outcomes(), outcome("gone`<b>", "passed"), other], [*outcomes()[1:], outcome("new", "passed")]
    )
    assert [each.removed for each in comparisons] == [("shop/a", "shop/gone`<b>")]
    found = report(against="report.json", comparisons=comparisons)
    assert "  no longer there: shop/a, shop/gone`<b>\n" in render_text(found)
    assert "- no longer there: shop/a, shop/gone\\`&lt;b>\n" in render_markdown(found)
    assert "<li>no longer there: shop/a, shop/gone`&lt;b&gt;</li>" in render_page(found)
    assert "<li>not judged in both: shop/e, shop/new</li>" in render_page(found)
    assert to_json(found)["comparisons"][0]["removed"] == ["shop/a", "shop/gone`<b>"]


def test_figures_that_are_not_binary_are_compared_with_an_interval() -> None:
    before = [outcome(str(number), "passed", turns=1, seconds=float(number)) for number in range(30)]
    after = [outcome(str(number), "passed", turns=2, seconds=number + number % 3) for number in range(30)]
    (comparison,) = compared(before, after)
    found = {each.name: each for each in comparison.differences}
    assert set(found) == {"turns", "seconds"}
    assert (found["turns"].mean, found["turns"].interval) == (1.0, (1.0, 1.0))
    assert found["seconds"].mean == pytest.approx(1.0)
    interval = found["seconds"].interval
    assert interval is not None
    assert interval.low < 1.0 < interval.high


@given(st.lists(st.floats(-100, 100), min_size=1, max_size=2 * FEWEST_PAIRS))
def test_a_difference_of_few_cases_has_no_interval(changes: list[float]) -> None:
    cases = range(len(changes))
    before = [outcome(str(number), "passed", seconds=200.0) for number in cases]
    after = [outcome(str(number), "passed", seconds=200.0 + changes[number]) for number in cases]
    comparisons = compared(before, after)
    found = report(against="report.json", comparisons=comparisons)
    (shown,) = to_json(found)["comparisons"]
    for each, row in zip(comparisons[0].differences, shown["differences"], strict=True):
        assert (each.interval is None) is (len(changes) < FEWEST_PAIRS)
        assert row["interval"] == (None if each.interval is None else list(each.interval))
        assert ("no interval with fewer than 20 cases" in render_text(found)) is (each.interval is None)


@pytest.mark.parametrize(
    ("count", "least", "most"), [(FEWEST_PAIRS, 0.87, 0.97), (10, 0.8, 0.94), (5, 0.6, 0.88), (2, 0.2, 0.6)]
)
def test_an_interval_holds_what_it_promises_from_so_many_pairs_on(count: int, least: float, most: float) -> None:
    drawn = random.Random(1)
    kinds: list[tuple[float, Callable[[], float]]] = [
        (0.0, lambda: drawn.gauss(0, 1)),
        (1.0, lambda: drawn.expovariate(1)),
        (0.2, lambda: float(drawn.random() < 0.2)),  # a turn more in each fifth case
    ]
    for real, draw in kinds:
        held = 0
        for _ in range(200):
            low, high = bootstrap([[draw()] for _ in range(count)], samples=200)
            held += low <= real <= high
        assert least <= held / 200 <= most


def test_six_broken_cases_are_worse_and_five_are_not() -> None:
    for broken, verdict in ((5, "no difference seen"), (6, "worse")):
        before = [outcome(str(number), "passed") for number in range(20)]
        after = [outcome(str(number), "failed" if number < broken else "passed") for number in range(20)]
        assert compared(before, after)[0].verdict == verdict
        assert compared(after, before)[0].verdict == verdict.replace("worse", "better")


def reported(**fields: Any) -> Any:
    row = {"case": "a", "state": "passed", **fields}
    return {"toolgen_eval": 1, "models": [{"model": "m", "presentation": "p", "outcomes": [row]}]}


@pytest.mark.parametrize(
    "value",
    [
        [],
        {"toolgen_eval": 2, "models": []},
        {"toolgen_eval": 1, "models": [{"outcomes": [{"case": "a", "state": "passed"}]}]},
        {"toolgen_eval": 1, "models": [{"model": "m", "presentation": "p", "outcomes": [{"case": "a", "state": "x"}]}]},
        {"toolgen_eval": 1, "models": [{"model": "m", "presentation": "p", "outcomes": [7]}]},
        reported(state=["passed"]),
        reported(cost=10**400),
        reported(cost=1e308),
        reported(tokens={"input": float("nan")}),
        reported(turns=float("inf")),
        reported(seconds=-1e16),
    ],
)
def test_what_is_no_report_is_refused(value: Any) -> None:
    with pytest.raises(ReportError):
        outcomes_of(value)
