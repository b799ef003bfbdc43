"""Changes: what differs between two versions of a tool, or of what is around it, and by which rule."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from toolgen.changes.rules import RULES
from toolgen.schema.json_values import compact_json

if TYPE_CHECKING:
    from toolgen.changes.rules import Category, Level, Rule

Path: TypeAlias = "tuple[str, ...]"
"""A place in a catalog: `("tools", "shop.orders.find", "args", "properties", "limit")`."""


_LONGEST: Final = 200
_LISTED: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One change. `subject` is the ident of a tool, or the name of what else changed; `message` a sentence about it.

    `before_path` and `after_path` are the places in the two catalogs, None where it is not there. `before` and `after`
    are the JSON values that differ. `evidence` shows the change by an example, such as a value that is rejected now.
    """

    code: str
    subject: str
    message: str
    before_path: Path | None = None
    after_path: Path | None = None
    before: Any = None
    after: Any = None
    evidence: str = ""

    @property
    def rule(self) -> Rule:
        """The rule by which it is a change."""
        return RULES[self.code]

    @property
    def category(self) -> Category:
        """The category of its rule."""
        return self.rule.category

    @property
    def level(self) -> Level:
        """The level of its rule."""
        return self.rule.severity

    def summary(self) -> str:
        """Return the change in one line: `shop.orders.find: the arg `tenant` is required`."""
        return f"{self.subject}: {self.message}"

    def diff(self) -> str:
        """Return the change as a unified diff of its values, with its summary as first line."""
        lines = difflib.unified_diff(_lines(self.before), _lines(self.after), lineterm="", n=2)
        return "\n".join([self.summary(), *(f"  {line}" for line in list(lines)[2:])])


def quoted(value: Any) -> str:
    """Return a JSON value as text of at most 200 characters."""
    text = compact_json(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def names(listed: Iterable[str]) -> str:
    """Return names in a sentence, the first ten of many: "`a`, `b`"."""
    every = list(listed)
    shown = ", ".join(f"`{name}`" for name in every[:_LISTED])
    return f"{shown} and {len(every) - _LISTED} more" if len(every) > _LISTED else shown


def _lines(value: Any) -> list[str]:
    if value is None:
        return []
    if isinstance(value, str):
        return value.split("\n")
    return json.dumps(value, indent=2, ensure_ascii=False, sort_keys=True).split("\n")
