"""The page of each rule: what `toolgen explain`, SARIF and the reference say about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from toolgen.authoring.lint.registry import all_rules
from toolgen.compiler.diagnostics.codes import Code
from toolgen.compiler.diagnostics.lint_rules import GROUPS, LINT_RULES
from toolgen.spec.visible import cut

_OF_LINT: Final = {
    "TL001": "A suppression, or a rule of it, silences nothing: the line is no longer reported. The fix removes it.",
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
