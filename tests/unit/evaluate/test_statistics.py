"""The statistics against published tables, against their own promises by simulation, and against scipy where it is."""

from __future__ import annotations

import importlib
import math
import random
from functools import cache
from typing import Any

import pytest

from toolgen.evaluate.statistics import bootstrap, cases_needed, mcnemar, wilson

NEWCOMBE = [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)]
"""Newcombe 1998, Statistics in Medicine 17, table I, method 3."""

SIGN_TEST = [(0, 5, 0.0625), (0, 6, 0.0313), (1, 9, 0.0215), (2, 10, 0.0386), (5, 15, 0.0414), (6, 16, 0.0525)]
"""Two-sided p-values of the sign test, as tables of the binomial distribution with a chance of one half have them."""


@cache
def scipy_stats() -> Any:
    """Return the module, which takes a second to import."""
    return importlib.import_module("scipy.stats")  # which has no types


@pytest.mark.parametrize(("successes", "count", "low", "high"), NEWCOMBE)
def test_intervals_are_those_of_the_published_table(successes: int, count: int, low: float, high: float) -> None:
    assert wilson(successes, count) == pytest.approx((low, high), abs=5e-5)


def test_an_interval_without_cases_is_everything_and_a_wrong_share_is_refused() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
    assert wilson(7, 7).high == 1.0
    with pytest.raises(ValueError, match="8 of 7 is no share"):
        wilson(8, 7)
    with pytest.raises(ValueError, match="between 0 and 1"):
        wilson(1, 7, 1.0)


@pytest.mark.parametrize(("fixed", "broken", "p_value"), SIGN_TEST)
def test_p_values_are_those_of_the_published_table(fixed: int, broken: int, p_value: float) -> None:
    assert mcnemar(fixed, broken) == mcnemar(broken, fixed) == pytest.approx(p_value, abs=6e-5)


def test_versions_that_do_not_differ_have_a_p_value_of_one() -> None:
    assert mcnemar(0, 0) == mcnemar(4, 4) == 1.0
    assert mcnemar(0, 4_000) < 1e-300 or mcnemar(0, 4_000) == 0.0
    with pytest.raises(ValueError, match="not negative"):
        mcnemar(-1, 2)


@pytest.mark.long
def test_scipy_agrees() -> None:
    for successes, count in ((0, 9), (3, 9), (87, 101), (101, 101)):
        found = scipy_stats().binomtest(successes, count).proportion_ci(method="wilson")
        assert wilson(successes, count) == pytest.approx((found.low, found.high), abs=1e-9)
        assert mcnemar(successes, count) == pytest.approx(scipy_stats().binomtest(successes, successes + count).pvalue)


def test_a_share_is_in_its_interval_in_95_percent_of_samples() -> None:
    count = 100
    inside = [wilson(successes, count) for successes in range(count + 1)]
    held: list[float] = []
    for share in (each / 100 for each in range(1, 100)):
        chances = (math.comb(count, each) * share**each * (1 - share) ** (count - each) for each in range(count + 1))
        held.append(
            sum(chance for chance, found in zip(chances, inside, strict=True) if found.low <= share <= found.high)
        )
    assert sum(held) / len(held) == pytest.approx(0.95, abs=0.005)
    assert min(held) > 0.9


def test_equal_versions_are_called_different_in_at_most_5_percent() -> None:
    for share in (0.1, 0.4):
        different = 0
        for seed in range(2_000):
            drawn = random.Random(seed)
            pairs = [(drawn.random() < share, drawn.random() < share) for _ in range(80)]
            fixed, broken = pairs.count((False, True)), pairs.count((True, False))
            different += mcnemar(fixed, broken) < 0.05
        assert different / 2_000 <= 0.05


def test_the_bootstrap_is_that_of_the_normal_distribution_where_values_are_alone() -> None:
    drawn = random.Random(1)
    values = [drawn.gauss(10, 2) for _ in range(400)]
    low, high = bootstrap([[each] for each in values])
    mean = sum(values) / 400
    spread = math.sqrt(sum((each - mean) ** 2 for each in values) / 399 / 400)
    assert (low, high) == pytest.approx((mean - 1.96 * spread, mean + 1.96 * spread), abs=0.05)
    assert bootstrap([[each] for each in values]) == (low, high)


def test_values_of_one_case_do_not_count_as_several() -> None:
    alone = bootstrap([[float(each)] for each in range(20)])
    repeated = bootstrap([[float(each)] * 10 for each in range(20)])
    assert repeated == pytest.approx(alone)
    with pytest.raises(ValueError, match="no values"):
        bootstrap([[], []])


def test_so_many_cases_see_the_difference_as_often_as_promised() -> None:
    discordant, difference = 0.2, 0.1
    needed = cases_needed(discordant, difference)
    assert needed == 165  # by hand: ((1.960 * 0.4472 + 0.8416 * 0.4359) / 0.1) ** 2 = 154.1, and 1.064 times that
    assert power(needed, discordant, difference) == pytest.approx(0.79, abs=0.01)
    for share in (0.1, 0.3, 0.5):
        assert power(cases_needed(share), share, 0.05) == pytest.approx(0.795, abs=0.005)


def power(cases: int, discordant: float, difference: float) -> float:
    """Return the chance that the exact test sees a difference, over all that may come out."""
    better = (discordant + difference) / 2 / discordant
    found = 0.0
    for differ in range(cases + 1):
        drawn = scipy_stats().binom.pmf(differ, cases, discordant)
        fewer = int(scipy_stats().binom.ppf(0.025, differ, 0.5)) if drawn > 1e-9 else -1
        while fewer >= 0 and mcnemar(fewer, differ - fewer) >= 0.05:
            fewer -= 1
        if drawn > 1e-9 and fewer >= 0:
            found += drawn * (
                scipy_stats().binom.cdf(fewer, differ, better)
                + scipy_stats().binom.sf(differ - fewer - 1, differ, better)
            )
    return found


@pytest.mark.parametrize(("fixed", "broken"), [(0, 0), (1, 1), (7, 3), (90, 130), (600, 700), (20_000, 19_500)])
def test_the_exact_test_is_the_one_of_scipy(fixed: int, broken: int) -> None:
    expected = scipy_stats().binomtest(fixed, fixed + broken).pvalue if fixed + broken else 1.0
    assert mcnemar(fixed, broken) == pytest.approx(expected, rel=1e-9)


def test_the_exact_test_of_many_cases_takes_little_work(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    comb = math.comb

    def counted(count: int, fewer: int) -> int:
        made.append(count)
        return comb(count, fewer)

    monkeypatch.setattr(math, "comb", counted)
    assert mcnemar(100_000, 100_000) == 1.0
    assert made == [200_000]


def test_a_difference_is_no_more_than_the_cases_that_differ() -> None:
    assert cases_needed(0.0) == cases_needed(0.05)
    assert cases_needed(0.3) > cases_needed(0.1)
    with pytest.raises(ValueError, match="a difference is"):
        cases_needed(0.1, 0.0)
