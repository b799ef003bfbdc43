"""The registry of rules: what one is, and what it finds. The first paragraph of a rule's docstring is its summary."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules
from textwrap import dedent
from typing import TYPE_CHECKING, Final, TypeAlias

from toolgen.authoring.lint import rules
from toolgen.compiler.diagnostics.lint_rules import LINT_RULES

if TYPE_CHECKING:
    from toolgen.authoring.lint.view import Project, SpecPlace
    from toolgen.authoring.text import Fix
    from toolgen.compiler.diagnostics.lint_rules import LintRule


@dataclass(frozen=True)
class Finding:
    """What a rule found: where, what, what to do about it, other places that explain it, and a fix where it is safe."""

    place: SpecPlace
    message: str
    help: str = ""
    related: tuple[tuple[SpecPlace, str], ...] = ()
    fix: Fix | None = None


Check: TypeAlias = "Callable[[Project], Iterator[Finding]]"


@dataclass(frozen=True)
class Rule:
    """One rule: its row in the table, its page, its check, and two examples.

    `bad` is a spec that only this rule reports, and those of `beside`, which cannot be avoided; `good` is one that no
    rule does. Several files of an example are divided by a line of three dashes; `toolgen: 1` is left out.
    """

    row: LintRule
    explanation: str
    bad: str
    good: str
    beside: tuple[str, ...]
    check: Check


RULES: Final[dict[str, Rule]] = {}
"""The rules that were imported, by id; `all_rules` imports them."""


def rule(code: str, *, bad: str, good: str, beside: tuple[str, ...] = ()) -> Callable[[Check], Check]:
    """Register a check as the rule of an id of the table; its docstring is the page. Raises KeyError for another id."""

    def register(check: Check) -> Check:
        explanation = inspect.cleandoc(check.__doc__ or "")
        RULES[code] = Rule(LINT_RULES[code], explanation, dedent(bad).strip(), dedent(good).strip(), beside, check)
        return check

    return register


def all_rules() -> dict[str, Rule]:
    """Import and return all rules, by id."""
    for module in iter_modules(rules.__path__):
        import_module(f"{rules.__name__}.{module.name}")
    return dict(sorted(RULES.items()))
