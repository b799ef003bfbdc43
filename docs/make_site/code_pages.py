"""A page for each code: diagnostics of the compiler, rules of `toolgen lint`, and rules of `toolgen diff`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from toolgen.authoring.lint.registry import examples_of, rule_texts
from toolgen.changes.rules import RULES
from toolgen.compiler.diagnostics.codes import CODES

if TYPE_CHECKING:
    from toolgen.changes.rules import Rule
    from toolgen.compiler.diagnostics.codes import Code

DIAGNOSTICS: Final = "Diagnostics"
LINT: Final = "Rules of lint"
DIFF: Final = "Rules of diff"
GROUPS: Final = (DIAGNOSTICS, LINT, DIFF)
NO_EXAMPLES: Final[Mapping[str, str]] = MappingProxyType({})


@dataclass(frozen=True)
class CodePage:
    """What the page of a code shows: the texts of `toolgen explain`."""

    code: str
    name: str
    severity: str
    explanation: str
    group: str
    examples: Mapping[str, str]

    @property
    def path(self) -> str:
        return f"codes/{self.code}.html"


def code_pages() -> list[CodePage]:
    """Return the pages of all codes, by group, then code."""
    return [
        *(_page(DIAGNOSTICS, row) for _, row in sorted(CODES.items())),
        *(_page(LINT, row, examples_of(row.code)) for _, row in sorted(rule_texts().items())),
        *(_page(DIFF, row) for _, row in sorted(RULES.items())),
    ]


def _page(group: str, row: Code | Rule, examples: Mapping[str, str] = NO_EXAMPLES) -> CodePage:
    paragraphs = (" ".join(paragraph.split()) for paragraph in row.explanation.split("\n\n"))
    return CodePage(row.code, row.name, row.severity.value, "\n\n".join(paragraphs), group, examples)
