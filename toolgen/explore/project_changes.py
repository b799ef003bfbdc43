"""Changes of the project: `toolgen diff` and `toolgen lint` in processes of their own, with the text of each place.

They compile the specs, which would hold up the pages if it were done here.
"""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from toolgen.spec.files import read_file_inside
from toolgen.spec.lines import lines_of
from toolgen.spec.visible import cut, visible

if TYPE_CHECKING:
    from pathlib import Path

_SECONDS: Final = 300.0
_OUTPUT_BYTES: Final = 16 * 1024 * 1024
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

    async def _command(self, *words: str) -> tuple[Any, str]:
        """Return what a command prints as JSON, and why it does not."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "toolgen", *words, "--format=json"),
            cwd=self.root,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            async with asyncio.timeout(_SECONDS):
                out, err = await asyncio.gather(_bounded(process.stdout), _bounded(process.stderr))
                await process.wait()
        except TimeoutError:
            return None, f"`toolgen {words[0]}` takes longer than {_SECONDS:g} seconds: run it in a terminal"
        except _TooLong:
            return None, f"`toolgen {words[0]}` prints more than {_OUTPUT_BYTES:,} bytes: run it in a terminal"
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        try:
            return json.loads(out), ""
        except ValueError:
            return None, cut(err.decode(errors="replace").strip() or f"`toolgen {words[0]}` printed no JSON", 10_000)

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


class _TooLong(Exception):
    """A stream has more than its bound."""


async def _bounded(stream: asyncio.StreamReader | None) -> bytes:
    assert stream is not None
    read = bytearray()
    while chunk := await stream.read(65_536):
        read += chunk
        if len(read) > _OUTPUT_BYTES:
            raise _TooLong
    return bytes(read)


def _shown(value: Any) -> str:
    if value is None:
        return ""
    return cut(visible(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)), _LINE)
