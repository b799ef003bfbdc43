"""The reference of the rules of `toolgen diff`, from their table."""

from __future__ import annotations

from toolgen.changes.rules import RULES

_INTRO = """\
# Changes

The rules by which `toolgen diff` compares two versions, and the same texts as `toolgen explain CODE`. The level says
how much a change matters: *breaking* changes make something fail that worked, a *change* makes behavior differ, a
*note* is noticed only outside the public contract, and a *compatible* change is an addition. The version is the part
that `toolgen diff --bump` raises.

| category | whom it concerns |
| --- | --- |
| WIRE | callers: a recorded call or result that was valid stops being so |
| CODE | consumers: typed Python that uses the package stops type-checking |
| MODEL | models: what they see of a tool or an agent changes |
| ROUTE | operators: what runs a call, and who may make it |"""


def changes_page() -> str:
    """Return the page of all rules: what each means, its level, and the part of the version that it raises."""
    rules = [
        f"## {row.code} {row.name}\n\n*{row.severity.value}, {row.bump.value}.* {row.explanation}"
        for row in RULES.values()
    ]
    return "\n\n".join([_INTRO, *rules]) + "\n"
