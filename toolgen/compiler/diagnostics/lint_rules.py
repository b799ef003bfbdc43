"""The table of lint rules: id, name and severity, and for some a threshold. Their pages are beside the rules.

It is here because the configuration names rules, and is checked without importing them. Ids are never reused; the first
digit is the group.
"""

from __future__ import annotations

from dataclasses import dataclass

from toolgen.compiler.diagnostics.codes import Severity


@dataclass(frozen=True, slots=True)
class LintRule:
    """One rule. `threshold` is the default of the figure beyond which it reports; None if it has none."""

    code: str
    name: str
    severity: Severity
    threshold: float | None = None


GROUPS = {
    "0": "lint itself",
    "1": "texts",
    "2": "schemas",
    "3": "names",
    "4": "portability",
    "5": "policy",
    "6": "presentation",
    "7": "imports",
}
"""What the rules are about, by the first digit of their ids."""

_E, _W, _N = Severity.ERROR, Severity.WARNING, Severity.NOTE

LINT_RULES = {
    rule.code: rule
    for rule in (
        LintRule("TL001", "unused-suppression", _W),
        LintRule("TL002", "unknown-suppression", _W),
        LintRule("TL003", "suppression-without-reason", _W),
        LintRule("TL004", "fixed-baseline-entry", _N),
        LintRule("TL101", "undescribed-parameter", _N),
        LintRule("TL102", "duplicate-description", _W),
        LintRule("TL103", "description-restates-name", _W),
        LintRule("TL104", "terse-description", _W),
        LintRule("TL105", "parameter-restates-name", _N),
        LintRule("TL106", "placeholder-description", _W),
        LintRule("TL107", "undescribed-toolset", _N),
        LintRule("TL108", "long-first-line", _N, 300),
        LintRule("TL109", "duplicate-parameter-description", _W),
        LintRule("TL110", "markup-in-description", _W),
        LintRule("TL111", "stray-blanks", _N),
        LintRule("TL112", "duplicate-toolset-description", _W),
        LintRule("TL121", "enum-in-prose", _W),
        LintRule("TL122", "bound-in-prose", _W),
        LintRule("TL123", "default-in-prose", _N),
        LintRule("TL124", "contradicted-requirement", _W),
        LintRule("TL125", "unit-in-doubt", _W),
        LintRule("TL126", "date-without-form", _W),
        LintRule("TL201", "free-form-object", _W),
        LintRule("TL202", "untyped-parameter", _W),
        LintRule("TL203", "unbounded-text", _N),
        LintRule("TL204", "unbounded-array", _N),
        LintRule("TL205", "array-without-items", _W),
        LintRule("TL206", "negated-boolean", _W),
        LintRule("TL207", "alike-enum-values", _W),
        LintRule("TL208", "boolean-as-text", _W),
        LintRule("TL209", "invalid-example", _W),
        LintRule("TL210", "default-breaks-format", _W),
        LintRule("TL211", "required-with-default", _N),
        LintRule("TL212", "deep-args", _W, 5),
        LintRule("TL213", "many-parameters", _W, 30),
        LintRule("TL214", "type-list-of-one", _W),
        LintRule("TL215", "open-args", _W),
        LintRule("TL216", "loose-pattern", _N),
        LintRule("TL217", "undescribed-required", _W),
        LintRule("TL301", "near-duplicate-tools", _W),
        LintRule("TL302", "parameter-types-differ", _W),
        LintRule("TL303", "parameter-spelling-differs", _W),
        LintRule("TL304", "mixed-tool-names", _W),
        LintRule("TL305", "repeated-prefix", _N),
        LintRule("TL306", "vague-tool-name", _W),
        LintRule("TL307", "vague-parameter-name", _W),
        LintRule("TL308", "odd-parameter-name", _W),
        LintRule("TL401", "hashed-wire-name", _W),
        LintRule("TL402", "refused-by-provider", _W),
        LintRule("TL403", "refused-parameter-name", _W),
        LintRule("TL404", "too-many-tools", _W),
        LintRule("TL405", "too-many-properties", _W),
        LintRule("TL406", "too-deep-for-strict", _N),
        LintRule("TL407", "too-many-enum-values", _W),
        LintRule("TL408", "unenforced-schema", _N),
        LintRule("TL409", "refused-by-strict-mode", _N),
        LintRule("TL501", "destructive-without-confirm", _W),
        LintRule("TL502", "writes-allowed-by-pattern", _W),
        LintRule("TL503", "dangerous-without-scope", _W),
        LintRule("TL504", "undeciding-rule", _W),
        LintRule("TL505", "redundant-rule", _N),
        LintRule("TL506", "access-arg-is-object", _W),
        LintRule("TL507", "readonly-that-changes", _W),
        LintRule("TL508", "write-by-default", _N),
        LintRule("TL509", "unmarked-secret", _W),
        LintRule("TL510", "path-without-access", _W),
        LintRule("TL511", "unused-tool", _N),
        LintRule("TL512", "permission-against-hint", _W),
        LintRule("TL601", "costly-tool", _W, 6000),
        LintRule("TL602", "costly-surface", _W, 100_000),
        LintRule("TL603", "tool-without-category", _W),
        LintRule("TL604", "repeated-example", _W),
        LintRule("TL701", "hidden-characters", _W),
        LintRule("TL702", "instructs-model", _W),
        LintRule("TL703", "hidden-markup", _W),
        LintRule("TL704", "encoded-text", _W),
        LintRule("TL705", "unreviewable-text", _W),
        LintRule("TL706", "names-other-tool", _W),
        LintRule("TL707", "shadows-tool", _W),
        LintRule("TL708", "asks-for-more", _W),
        LintRule("TL709", "names-private-file", _W),
        LintRule("TL710", "unencrypted-server", _W),
        LintRule("TL711", "credential-in-spec", _E),
        LintRule("TL712", "drift-only-warned", _W),
        LintRule("TL713", "unconfirmed-result", _N),
    )
}
"""All rules, by id."""
