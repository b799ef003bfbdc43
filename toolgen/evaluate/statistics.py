"""Statistics of evaluations: how certain a share is, and whether two versions differ."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from statistics import NormalDist, fmean
from typing import Final, NamedTuple

_NORMAL: Final = NormalDist()


class Interval(NamedTuple):
    """The bounds of an interval of confidence."""

    low: float
    high: float


def wilson(successes: int, count: int, confidence: float = 0.95) -> Interval:
    """Return Wilson's score interval of a share, without a correction of continuity; 0 to 1 without cases.

    Wilson 1927. Near 0 and 1, and for few cases, it holds what it promises where the usual one fails (Newcombe 1998).
    """
    if not 0 <= successes <= count:
        raise ValueError(f"{successes} of {count} is no share")
    if not count:
        return Interval(0.0, 1.0)
    z = _z(confidence)
    share, spread = successes / count, z * z / count
    middle = (share + spread / 2) / (1 + spread)
    half = z / (1 + spread) * math.sqrt(share * (1 - share) / count + spread / (4 * count))
    low = 0.0 if successes == 0 else max(0.0, middle - half)
    return Interval(low, 1.0 if successes == count else min(1.0, middle + half))


def mcnemar(fixed: int, broken: int) -> float:
    """Return the p-value of McNemar's exact test, two-sided: of the pairs that differ, as many in one way as that.

    It is the sign test of the pairs that differ, with a chance of one half; 1 where none differs.
    """
    if fixed < 0 or broken < 0:
        raise ValueError("a number of cases is not negative")
    count, fewer = fixed + broken, min(fixed, broken)
    part: float = math.comb(count, fewer) / 2**count
    tail = part
    for each in range(fewer, 0, -1):  # each binomial coefficient from the next one
        part *= each / (count - each + 1)
        if tail + part == tail:
            break
        tail += part
    return min(1.0, 2 * tail)


def bootstrap(
    clusters: Sequence[Sequence[float]], *, seed: int = 0, samples: int = 2_000, confidence: float = 0.95
) -> Interval:
    """Return the percentile interval of the mean of all values, by drawing whole clusters, such as those of a case.

    Values of one case are alike, so drawing single values would promise too much. Equal seeds give equal intervals.
    Raises ValueError without values.
    """
    sums = [(sum(each), len(each)) for each in clusters if each]
    if not sums:
        raise ValueError("there are no values")
    drawn = random.Random(seed)  # noqa: S311  # no secret
    means: list[float] = []
    for _ in range(samples):
        chosen = drawn.choices(sums, k=len(sums))
        means.append(math.fsum(total for total, _ in chosen) / sum(count for _, count in chosen))
    means.sort()
    outside = (1 - confidence) / 2
    return Interval(_quantile(means, outside), _quantile(means, 1 - outside))


def cases_needed(discordant: float, difference: float = 0.05, *, power: float = 0.8, level: float = 0.05) -> int:
    """Return how many paired cases it takes to see a difference between two versions, as McNemar's test sees it.

    `discordant` is the share of cases that are right in one version only; it is at least the difference. With that many
    cases, a real difference is seen with a chance of about `power`: 0.79 for 0.8 by the exact test. Connor 1987, with
    the correction of continuity of Fleiss 1981.
    """
    if not 0 < difference <= 1:
        raise ValueError(f"a difference is more than 0 and at most 1, not {difference}")
    share = min(1.0, max(discordant, difference))
    wanted = _z(1 - level) * math.sqrt(share) + _NORMAL.inv_cdf(power) * math.sqrt(share - difference**2)
    found = (wanted / difference) ** 2
    return math.ceil(found / 4 * (1 + math.sqrt(1 + 2 / (found * difference))) ** 2)


def mean(values: Sequence[float]) -> float:
    """Return the mean of values; 0 without any."""
    return fmean(values) if values else 0.0


def _z(confidence: float) -> float:
    if not 0 < confidence < 1:
        raise ValueError(f"a confidence is between 0 and 1, not {confidence}")
    return _NORMAL.inv_cdf(1 - (1 - confidence) / 2)


def _quantile(ordered: Sequence[float], share: float) -> float:
    at = share * (len(ordered) - 1)
    below = math.floor(at)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (at - below)
