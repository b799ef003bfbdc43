"""The reference of lint rules, from their table and their docstrings."""

from __future__ import annotations

from reference_folder import FOLDER

from toolgen.authoring.lint.registry import examples_of, group_of, rule_texts
from toolgen.compiler.diagnostics.codes import GROUPS, LINT_RULES


def lint_page() -> str:
    """Return the page of all rules, by group; the prose and the rates come from `lint.intro.md`."""
    parts = [(FOLDER / "lint.intro.md").read_text(encoding="utf-8").rstrip()]
    texts = rule_texts()
    for group in GROUPS.values():
        codes = [code for code in LINT_RULES if group_of(code) == group]
        parts.append(f"## Rules on {group}")
        parts += [_section(code, texts[code].explanation) for code in codes]
    return "\n\n".join(parts) + "\n"


def _section(code: str, explanation: str) -> str:
    rule = LINT_RULES[code]
    threshold = "" if rule.threshold is None else f" Threshold: {rule.threshold:,.0f}."
    lines = [f"### {code} {rule.name}", f"*{rule.severity.value}.*{threshold} {explanation}"]
    lines += [f"{kind.capitalize()}:\n\n```yaml\n{example}\n```" for kind, example in examples_of(code).items()]
    return "\n\n".join(lines)
