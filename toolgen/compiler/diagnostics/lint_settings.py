"""The settings of `toolgen lint`: which rules report, how severely, and from which figures on."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeGuard

from toolgen.compiler.diagnostics.codes import LINT_RULES, Severity
from toolgen.compiler.diagnostics.diagnostic import nearest
from toolgen.providers.table import PROVIDERS

DEFAULT_PROVIDERS: Final = ("openai", "openai-strict", "anthropic", "anthropic-strict", "gemini", "bedrock")
"""The providers whose limits tools are checked against by default: each API once, with its strict mode."""

_SETTINGS: Final = ("select", "ignore", "severity", "thresholds", "providers")


@dataclass(frozen=True, slots=True)
class LintSettings:
    """Which rules report: those of `select`, or all, without those of `ignore`; ids.

    `severity` and `thresholds` replace the defaults of rules. `providers` are those that tools have to fit.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severity: Mapping[str, Severity] = field(default_factory=dict[str, Severity])
    thresholds: Mapping[str, float] = field(default_factory=dict[str, float])
    providers: tuple[str, ...] = DEFAULT_PROVIDERS

    def reports(self, code: str) -> bool:
        """Whether a rule is in use."""
        return code not in self.ignore and (not self.select or code in self.select)

    def severity_of(self, code: str) -> Severity:
        """Return the severity of a rule's findings."""
        return self.severity.get(code, LINT_RULES[code].severity)

    def threshold(self, code: str) -> float:
        """Return the figure beyond which a rule reports. Raises KeyError for a rule without one."""
        default = LINT_RULES[code].threshold
        if default is None:
            raise KeyError(code)
        return self.thresholds.get(code, default)


def rule_named(text: str) -> str:
    """Return the id of a rule, given by id or name; empty for an unknown one."""
    names = {rule.name: code for code, rule in LINT_RULES.items()}
    return text.upper() if text.upper() in LINT_RULES else names.get(text.lower(), "")


def near_rule(text: str) -> str:
    """Return "did you mean …?" with the closest rule; empty if none is close."""
    return nearest(text.upper(), LINT_RULES) if text.upper().startswith("TL") else nearest(text.lower(), _names())


def read_lint_settings(table: object, report: Callable[[str, str, str], None]) -> LintSettings:
    """Read the table `lint`. `report` takes each problem: the setting, the message, and how to fix it."""
    return _LintSettingsReader(report).read(table)


class _LintSettingsReader:
    def __init__(self, report: Callable[[str, str, str], None]) -> None:
        self._report = report

    def read(self, table: object) -> LintSettings:
        if not _is_table(table):
            self._report("lint", "`lint` must be a table", "write `[lint]`, and its settings below")
            return LintSettings()
        for key in table:
            if key not in _SETTINGS:
                self._report(f"lint.{key}", f"`lint` has no setting `{key}`", nearest(key, _SETTINGS))
        return LintSettings(
            self._rules(table, "select"),
            self._rules(table, "ignore"),
            self._severities(table.get("severity", {})),
            self._thresholds(table.get("thresholds", {})),
            self._providers(table.get("providers", list(DEFAULT_PROVIDERS))),
        )

    def _rules(self, table: Mapping[str, Any], key: str) -> tuple[str, ...]:
        found = self._words(f"lint.{key}", table.get(key, []), "rules")
        return tuple(code for text in found if (code := self._rule(f"lint.{key}", text)))

    def _severities(self, table: object) -> dict[str, Severity]:
        found: dict[str, Severity] = {}
        for text, value in self._table("lint.severity", table).items():
            code = self._rule("lint.severity", text)
            if value not in set(Severity):
                choices = ", ".join(f"`{each}`" for each in Severity)
                message = f"the severity of `{text}` must be one of {choices}, not {value!r:.50}"
                self._report(f"lint.severity.{text}", message, "to turn the rule off, add it to `lint.ignore`")
            elif code:
                found[code] = Severity(value)
        return found

    def _thresholds(self, table: object) -> dict[str, float]:
        found: dict[str, float] = {}
        for text, value in self._table("lint.thresholds", table).items():
            code = self._rule("lint.thresholds", text)
            if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
                self._report(f"lint.thresholds.{text}", f"`{text}` must be a number, 0 or more", "")
            elif code and LINT_RULES[code].threshold is None:
                having = ", ".join(rule.code for rule in LINT_RULES.values() if rule.threshold is not None)
                self._report(f"lint.thresholds.{text}", f"{code} has no threshold", f"these have one: {having}")
            elif code:
                found[code] = value
        return found

    def _providers(self, value: object) -> tuple[str, ...]:
        found = self._words("lint.providers", value, "providers")
        for name in found:
            if name not in PROVIDERS:
                fix = nearest(name, PROVIDERS) or f"there are {', '.join(PROVIDERS)}"
                self._report("lint.providers", f"there is no provider `{name}`", fix)
        return tuple(name for name in found if name in PROVIDERS)

    def _words(self, setting: str, value: object, of: str) -> list[str]:
        if isinstance(value, list) and all(isinstance(each, str) for each in value):
            return value
        self._report(setting, f"`{setting}` must be an array of {of}", "")
        return []

    def _table(self, setting: str, value: object) -> Mapping[str, Any]:
        if _is_table(value):
            return value
        self._report(setting, f"`{setting}` must be a table", "")
        return {}

    def _rule(self, setting: str, text: str) -> str:
        code = rule_named(text)
        if not code:
            self._report(setting, f"there is no lint rule `{text}`", near_rule(text) or "`toolgen explain` lists them")
        return code


def _names() -> Collection[str]:
    return [rule.name for rule in LINT_RULES.values()]


def _is_table(value: object) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict)
