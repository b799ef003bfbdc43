"""Reports: the figures of an evaluation, and the comparison of two, as values; as JSON, and read from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, cast

from toolgen.evaluate.matching import NO_TOOL, WrongArg, order_of
from toolgen.evaluate.running import Outcome
from toolgen.evaluate.statistics import Interval, bootstrap, cases_needed, mcnemar, mean, wilson
from toolgen.schema.json_values import is_array, is_number, is_object
from toolgen.spec.builtin import BUILTIN_TOOLSETS

if TYPE_CHECKING:
    from toolgen.evaluate.cases import Case
    from toolgen.evaluate.running import State

LEVEL: Final = 0.05
"""How often two equal versions may be called different."""

FEWEST_PAIRS: Final = 20
"""Pairs of cases from which a mean difference has an interval.

Of 95 % that it promises, a percentile bootstrap keeps 91 to 94 % with 20 pairs of values with short tails, 85 to 91 %
with ten, 66 to 85 % with five, and 32 to 52 % with two; values that are alike give it no width at all.
"""

_VERSION: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolFigures:
    """How well calls of one tool were chosen: how often it was expected, called, and both."""

    ident: str
    expected: int
    called: int
    right: int

    @property
    def precision(self) -> float | None:
        """The share of its calls that were expected."""
        return self.right / self.called if self.called else None

    @property
    def recall(self) -> float | None:
        """The share of the expected calls that were made."""
        return self.right / self.expected if self.expected else None


@dataclass(frozen=True)
class Summary:
    """The figures of one model with one presentation. `outcomes` are those of its cases, in order."""

    model: str
    presentation: str
    outcomes: Sequence[Outcome]

    @property
    def label(self) -> str:
        """Its name in reports."""
        return f"{self.model}, {self.presentation}"

    @cached_property
    def judged(self) -> Sequence[Outcome]:
        """The outcomes of cases that the model has answered."""
        return [each for each in self.outcomes if each.is_judged]

    @property
    def passed(self) -> int:
        """The number of right cases."""
        return sum(each.state == "passed" for each in self.judged)

    @property
    def success(self) -> float:
        """The share of right cases among those that were judged; 0 without any."""
        return self.passed / len(self.judged) if self.judged else 0.0

    @property
    def interval(self) -> Interval:
        """The interval that has the real share in 95 % of evaluations."""
        return wilson(self.passed, len(self.judged))

    def of_state(self, state: State) -> list[Outcome]:
        """Return the outcomes of cases that ended so."""
        return [each for each in self.outcomes if each.state == state]

    @cached_property
    def confusion(self) -> Mapping[tuple[str, str], int]:
        """How often a tool was called where another one was expected, or the same; `NO_TOOL` stands for none."""
        counted = Counter(pair for each in self.judged for pair in each.pairs)
        return dict(sorted(counted.items(), key=lambda row: (-row[1], row[0])))

    @cached_property
    def tools(self) -> Sequence[ToolFigures]:
        """The figures of each tool that was expected or called, by ident."""
        names = sorted({name for pair in self.confusion for name in pair if name != NO_TOOL})
        return [self._figures(name) for name in names]

    def _figures(self, name: str) -> ToolFigures:
        rows = self.confusion.items()
        return ToolFigures(
            ident=name,
            expected=sum(count for (expected, _), count in rows if expected == name),
            called=sum(count for (_, called), count in rows if called == name),
            right=self.confusion.get((name, name), 0),
        )

    @cached_property
    def wrong_args(self) -> Mapping[WrongArg, int]:
        """How often an arg of a tool was wrong, by the keyword that rejects it; the most frequent first."""
        counted = Counter(wrong for each in self.judged for wrong in each.wrong_args)
        return dict(sorted(counted.items(), key=lambda row: (-row[1], order_of(row[0]))))

    @property
    def cost(self) -> float:
        """What all requests cost, as far as it is known."""
        return sum(each.cost for each in self.outcomes)

    @property
    def is_cost_known(self) -> bool:
        """Whether no request failed, or had a reply without its tokens, so that it may have cost more."""
        return all(each.is_cost_known for each in self.outcomes)

    def tokens(self, name: str) -> float:
        """Return the tokens of the input (`input_tokens`) or of the output (`output_tokens`) of all requests."""
        return sum(each.tokens.get(name, 0) for each in self.outcomes)

    @property
    def turns(self) -> float:
        """The mean number of responses of a case."""
        return mean([float(each.turns) for each in self.judged])

    @property
    def seconds(self) -> float | None:
        """The mean time that the model took for a case, where it is known."""
        known = [each.seconds for each in self.judged if each.seconds is not None]
        return mean(known) if known else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """The mean difference of a figure for each case, and its interval by a bootstrap of the cases.

    It has none with fewer than `FEWEST_PAIRS` of them.
    """

    name: str
    mean: float
    interval: Interval | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One model on two versions: the cases that both have judged, as pairs.

    `fixed` and `broken` are the cases that are right in the later or in the earlier version only. `left_out` are those
    that were not judged in both, and `removed` those of the earlier version that the later one does not have.
    """

    model: str
    presentation: str
    count: int
    before: float
    after: float
    fixed: tuple[str, ...]
    broken: tuple[str, ...]
    left_out: tuple[str, ...]
    removed: tuple[str, ...]
    differences: tuple[Difference, ...]

    @property
    def label(self) -> str:
        """Its name in reports."""
        return f"{self.model}, {self.presentation}"

    @property
    def p_value(self) -> float:
        """How probable a difference like this is between versions that do not differ: McNemar's exact test."""
        return mcnemar(len(self.fixed), len(self.broken))

    @property
    def verdict(self) -> str:
        """`better`, `worse`, or `no difference seen`."""
        if self.p_value >= LEVEL:
            return "no difference seen"
        return "better" if len(self.fixed) > len(self.broken) else "worse"

    @property
    def needed(self) -> int:
        """How many cases it would take to see a difference of five points."""
        return cases_needed((len(self.fixed) + len(self.broken)) / self.count if self.count else 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What an evaluation found. `uncovered` are the tools that no case expects; `questions` are by case.

    `against` names the version that it was compared with, and `comparisons` has one for each model.
    """

    summaries: tuple[Summary, ...]
    uncovered: tuple[str, ...] = ()
    questions: Mapping[str, str] = field(default_factory=dict[str, str])
    against: str = ""
    comparisons: tuple[Comparison, ...] = ()

    @property
    def unjudged(self) -> list[Outcome]:
        """The outcomes of cases that no model has answered: they are neither right nor wrong."""
        return [each for summary in self.summaries for each in summary.outcomes if not each.is_judged]


def summaries_of(outcomes: Iterable[Outcome]) -> tuple[Summary, ...]:
    """Return the figures of each model with each presentation, in their order."""
    found: dict[tuple[str, str], list[Outcome]] = {}
    for each in outcomes:
        found.setdefault((each.model, each.presentation), []).append(each)
    return tuple(Summary(*key, rows) for key, rows in found.items())


def uncovered_tools(cases: Sequence[Case]) -> tuple[str, ...]:
    """Return the tools that cases may call and that none of them expects."""
    covered = {ident for case in cases for ident in case.idents}
    catalogs = {id(case.catalog): case.catalog for case in cases}
    known = {
        ident for catalog in catalogs.values() for toolset in catalog.toolsets for ident in catalog.toolsets[toolset]
    }
    return tuple(sorted(ident for ident in known - covered if ident.rpartition(".")[0] not in BUILTIN_TOOLSETS))


def compared(before: Iterable[Outcome], after: Iterable[Outcome]) -> tuple[Comparison, ...]:
    """Compare the outcomes of two versions, by model, as pairs of the same cases."""
    earlier = {(each.case, each.model, each.presentation): each for each in before}
    return tuple(_comparison(summary, earlier) for summary in summaries_of(after))


def _comparison(summary: Summary, earlier: Mapping[tuple[str, str, str], Outcome]) -> Comparison:
    pairs: list[tuple[Outcome, Outcome]] = []
    left_out: list[str] = []
    for now in summary.outcomes:
        then = earlier.get((now.case, summary.model, summary.presentation))
        if then is None or not then.is_judged or not now.is_judged:
            left_out.append(now.case)
        else:
            pairs.append((then, now))
    count = len(pairs)
    asked = {each.case for each in summary.outcomes}
    own = (summary.model, summary.presentation)
    return Comparison(
        model=summary.model,
        presentation=summary.presentation,
        count=count,
        before=mean([float(then.state == "passed") for then, _ in pairs]),
        after=mean([float(now.state == "passed") for _, now in pairs]),
        fixed=tuple(now.case for then, now in pairs if then.state == "failed" and now.state == "passed"),
        broken=tuple(now.case for then, now in pairs if then.state == "passed" and now.state == "failed"),
        left_out=tuple(left_out),
        removed=tuple(case for case, *version in earlier if tuple(version) == own and case not in asked),
        differences=tuple(_differences(pairs)),
    )


def _differences(pairs: Sequence[tuple[Outcome, Outcome]]) -> Iterable[Difference]:
    """Yield the differences of figures that are not binary, where both versions have them."""
    for name in ("turns", "input tokens", "output tokens", "cost", "seconds"):
        both = [(_figure(one, name), _figure(other, name)) for one, other in pairs]
        values = [[now - then] for then, now in both if then is not None and now is not None]
        if any(each[0] for each in values):
            interval = bootstrap(values) if len(values) >= FEWEST_PAIRS else None
            yield Difference(name=name, mean=mean([each[0] for each in values]), interval=interval)


def _figure(outcome: Outcome, name: str) -> Any:
    if name == "seconds":
        return outcome.seconds
    if name.endswith("tokens"):
        return outcome.tokens.get(name.replace(" ", "_"))
    return outcome.cost if name == "cost" else outcome.turns


# As JSON: what programs read, and what `--against FILE` reads back.


class ReportError(ValueError):
    """A file is no report of an evaluation. The message says what is wrong with it."""


def to_json(report: Report) -> dict[str, Any]:
    """Return a report as JSON."""
    return {
        "toolgen_eval": _VERSION,
        "models": [_summary_json(each) for each in report.summaries],
        "uncovered": list(report.uncovered),
        **({"against": report.against} if report.against else {}),
        **({"comparisons": [_comparison_json(each) for each in report.comparisons]} if report.comparisons else {}),
    }


def _summary_json(summary: Summary) -> dict[str, Any]:
    low, high = summary.interval
    return {
        "model": summary.model,
        "presentation": summary.presentation,
        "cases": len(summary.outcomes),
        "judged": len(summary.judged),
        "passed": summary.passed,
        "success": summary.success,
        "interval": [low, high],
        "turns": summary.turns,
        "input_tokens": summary.tokens("input_tokens"),
        "output_tokens": summary.tokens("output_tokens"),
        "cost": summary.cost,
        "is_cost_known": summary.is_cost_known,
        "seconds": summary.seconds,
        "tools": [asdict(each) | {"precision": each.precision, "recall": each.recall} for each in summary.tools],
        "confusion": [
            {"expected": expected or None, "called": called or None, "count": count}
            for (expected, called), count in summary.confusion.items()
        ],
        "wrong_args": [
            {"tool": wrong.ident, "field": wrong.field, "keyword": wrong.keyword, "count": count}
            for wrong, count in summary.wrong_args.items()
        ],
        "outcomes": [_outcome_json(each) for each in summary.outcomes],
    }


def _outcome_json(outcome: Outcome) -> dict[str, Any]:
    return {
        "case": outcome.case,
        "state": outcome.state,
        "problems": list(outcome.problems),
        "calls": [{"tool": each.ident or each.name, "arguments": each.hidden_args} for each in outcome.calls],
        "text": outcome.text,
        "turns": outcome.turns,
        "tokens": dict(outcome.tokens),
        "cost": outcome.cost,
        "is_cost_known": outcome.is_cost_known,
        "seconds": outcome.seconds,
    }


def _comparison_json(comparison: Comparison) -> dict[str, Any]:
    return {
        "model": comparison.model,
        "presentation": comparison.presentation,
        "cases": comparison.count,
        "before": comparison.before,
        "after": comparison.after,
        "p_value": comparison.p_value,
        "verdict": comparison.verdict,
        "cases_to_see_five_points": comparison.needed,
        "fixed": list(comparison.fixed),
        "broken": list(comparison.broken),
        "left_out": list(comparison.left_out),
        "removed": list(comparison.removed),
        "differences": [
            {"figure": each.name, "mean": each.mean, "interval": each.interval and list(each.interval)}
            for each in comparison.differences
        ],
    }


def outcomes_of(value: Any) -> list[Outcome]:
    """Read the outcomes of a report in JSON, as far as comparisons need them. Raises `ReportError`."""
    if not is_object(value) or value.get("toolgen_eval") != _VERSION or not is_array(value.get("models")):
        raise ReportError("it is no report of `toolgen eval --format json`")
    summaries = [each for each in value["models"] if is_object(each) and is_array(each.get("outcomes"))]
    return [_outcome(summary, row) for summary in summaries for row in summary["outcomes"]]


def _outcome(summary: Mapping[str, Any], row: Any) -> Outcome:
    names = (summary.get("model"), summary.get("presentation"))
    case, state = (row.get("case"), row.get("state")) if is_object(row) else (None, None)
    is_state = isinstance(state, str) and state in _STATES
    if not all(isinstance(each, str) for each in (*names, case)) or not is_state:
        raise ReportError("an outcome has no `case`, `state`, or model")
    given = row.get("tokens")
    tokens = given if is_object(given) else {}
    cost, turns, seconds = row.get("cost"), row.get("turns"), row.get("seconds")
    return Outcome(
        case=str(case),
        model=str(names[0]),
        presentation=str(names[1]),
        state=cast("State", state),
        tokens={name: _checked(count) for name, count in tokens.items() if is_number(count)},
        cost=_checked(cost) if is_number(cost) else 0.0,
        is_cost_known=row.get("is_cost_known") is not False,
        turns=int(_checked(turns)) if is_number(turns) else 0,
        seconds=_checked(seconds) if is_number(seconds) else None,
    )


_LARGEST: Final = 10.0**15


def _checked(value: float) -> float:
    if not -_LARGEST <= value <= _LARGEST:
        raise ReportError(f"a figure of an outcome is beyond {_LARGEST:.0e}")
    return float(value)


_STATES: Final = frozenset({"passed", "failed", "error", "stale", "skipped"})
