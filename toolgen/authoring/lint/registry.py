"""The registry of rules: what one is, and what it finds. The first paragraph of a rule's docstring is its summary."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from pkgutil import iter_modules
from textwrap import dedent
from typing import TYPE_CHECKING, Final, TypeAlias

from toolgen.authoring.lint import rules
from toolgen.compiler.diagnostics.codes import GROUPS, LINT_RULES, Code
from toolgen.spec.text import cut

if TYPE_CHECKING:
    from toolgen.authoring.lint.view import LintedTool, Project, SpecPlace
    from toolgen.authoring.text import Fix
    from toolgen.compiler.diagnostics.codes import LintRule


@dataclass(frozen=True)
class Finding:
    """What a rule found: where, what, what to do about it, other places that explain it, and a fix where it is safe."""

    place: SpecPlace
    message: str
    help: str = ""
    related: tuple[tuple[SpecPlace, str], ...] = ()
    fix: Fix | None = None


Check: TypeAlias = "Callable[[Project], Iterator[Finding]]"
ToolCheck: TypeAlias = "Callable[[LintedTool], Iterator[Finding]]"


@dataclass(frozen=True)
class Rule:
    """One rule: its row in the table, its page, its check of the project or of each tool, and two examples.

    `bad` is a spec that only this rule reports, and those of `beside`, which cannot be avoided; `good` is one that no
    rule does. Several files of an example are divided by a line of three dashes; `toolgen: 1` is left out.
    """

    row: LintRule
    explanation: str
    bad: str
    good: str
    beside: tuple[str, ...]
    check: Check | None = None
    check_tool: ToolCheck | None = None


RULES: Final[dict[str, Rule]] = {}
"""The rules that were imported, by id; `all_rules` imports them."""


def rule(code: str, *, bad: str, good: str, beside: tuple[str, ...] = ()) -> Callable[[Check], Check]:
    """Register a check as the rule of an id of the table; its docstring is the page. Raises KeyError for another id."""

    def register(check: Check) -> Check:
        RULES[code] = replace(_rule(code, check, bad, good, beside), check=check)
        return check

    return register


def tool_rule(code: str, *, bad: str, good: str, beside: tuple[str, ...] = ()) -> Callable[[ToolCheck], ToolCheck]:
    """Register a check of one tool, as `rule` does. It looks at nothing else, so that what it finds is kept."""

    def register(check: ToolCheck) -> ToolCheck:
        RULES[code] = replace(_rule(code, check, bad, good, beside), check_tool=check)
        return check

    return register


def _rule(code: str, check: object, bad: str, good: str, beside: tuple[str, ...]) -> Rule:
    explanation = inspect.cleandoc(check.__doc__ or "")
    return Rule(LINT_RULES[code], explanation, dedent(bad).strip(), dedent(good).strip(), beside)


def all_rules() -> dict[str, Rule]:
    """Import and return all rules, by id."""
    for module in iter_modules(rules.__path__):
        import_module(f"{rules.__name__}.{module.name}")
    return dict(sorted(RULES.items()))


# The page of each rule: what `toolgen explain`, SARIF and the reference say about it.

_OF_LINT: Final = {
    "TL001": "A suppression, or a rule of it, silences nothing: what it is about is not reported. The fix removes it.",
    "TL002": "A suppression names a rule that does not exist, or none at all.",
    "TL003": "A suppression has no reason, and so no effect.\n\nWrite `# toolgen: ignore TL203 -- reason`.",
    "TL004": "The baseline has a finding that no longer exists.\n\nRun `toolgen lint --write-baseline`.",
}
"""The pages of the rules that are about suppressions and the baseline."""

_WIDTH: Final = 110
"""Columns of an example that are shown: some rules need a large one."""


def rule_texts() -> dict[str, Code]:
    """Return the name, severity and explanation of every rule, by id."""
    rules = all_rules()
    return {
        code: Code(code, row.name, row.severity, rules[code].explanation if code in rules else _OF_LINT[code])
        for code, row in LINT_RULES.items()
    }


def examples_of(code: str) -> Mapping[str, str]:
    """Return the bad and the good example of a rule, with long lines cut; empty for rules on lint itself."""
    rule = all_rules().get(code)
    if rule is None:
        return {}
    return {"bad": _narrowed(rule.bad), "good": _narrowed(rule.good)}


def group_of(code: str) -> str:
    """Return what a rule is about."""
    return GROUPS[code[2]]


def _narrowed(example: str) -> str:
    lines = example.removesuffix("\n").split("\n")
    return "\n".join(cut(line, _WIDTH) for line in lines)
