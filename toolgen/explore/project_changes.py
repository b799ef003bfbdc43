"""Changes of the project: `toolgen diff` and `toolgen lint`, with the text of each place."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from toolgen.explore.project_process import json_of_process
from toolgen.spec.files import read_file_inside
from toolgen.spec.text import cut, lines_of, visible

if TYPE_CHECKING:
    from pathlib import Path

_SPEC_BYTES: Final = 10 * 1024 * 1024
_LINE: Final = 500
"""Characters of a source line that are shown."""

_SHOWN: Final = 1_000
"""Changes, and findings, that are shown; the rest is for the commands."""


@dataclass(frozen=True)
class ProjectChanges:
    """What has changed in the project in a folder, and what lint finds there. One comparison runs at a time."""

    root: Path
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def since(self, against: str) -> dict[str, Any]:
        """Compare the specs with another version, as `toolgen diff --against` names it; empty for its default.

        Returns `before`, `after`, `changes`, `findings`, and how many of each are not shown. `problem` says why nothing
        was compared, or linted.
        """
        async with self._turn:
            compared, problem = await self._command("diff", *([f"--against={against}"] if against else []))
            linted, other = await self._command("lint")
        report = compared if isinstance(compared, dict) else {}
        changes = report.get("changes", [])
        findings = linted if isinstance(linted, list) else []
        texts: dict[str, list[str]] = {}
        return {
            "before": report.get("before", ""),
            "after": report.get("after", ""),
            "changes": [self._change(each, texts) for each in changes[:_SHOWN]],
            "findings": [self._finding(each, texts) for each in findings[:_SHOWN]],
            "left_out": max(len(changes) - _SHOWN, 0) + max(len(findings) - _SHOWN, 0),
            "problem": problem or other,
        }

    async def _command(self, word: str, *options: str) -> tuple[Any, str]:
        """Return what a command prints as JSON, and why it does not."""
        return await json_of_process(self.root, f"`toolgen {word}`", "toolgen", word, *options, "--format=json")

    def _change(self, change: dict[str, Any], texts: dict[str, list[str]]) -> dict[str, Any]:
        place = change["after"]["place"] or {}
        return {
            **{name: str(change[name] or "") for name in ("code", "name", "category", "level", "subject", "message")},
            "evidence": str(change["evidence"] or ""),
            "before": _shown(change["before"]["value"]),
            "after": _shown(change["after"]["value"]),
            **self._place(place, texts),
        }

    def _finding(self, finding: dict[str, Any], texts: dict[str, list[str]]) -> dict[str, Any]:
        known = {name: str(finding[name] or "") for name in ("code", "name", "severity", "message", "fix")}
        return {**known, **self._place(finding, texts)}

    def _place(self, place: dict[str, Any], texts: dict[str, list[str]]) -> dict[str, Any]:
        """Return the file, the line and its text; empty for a place that is not in this folder."""
        file, line = place.get("file", ""), place.get("line", 0)
        if file and file not in texts:
            try:
                content = read_file_inside(self.root / file, self.root, _SPEC_BYTES)
                texts[file] = lines_of(content.decode(errors="replace"))
            except OSError:
                texts[file] = []
        lines = texts.get(file, [])
        source = lines[line - 1] if 0 < line <= len(lines) else ""
        return {"file": file, "line": line, "source": cut(visible(source), _LINE)}


def _shown(value: Any) -> str:
    if value is None:
        return ""
    return cut(visible(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)), _LINE)
