"""Checked: what another import of a toolset would change, as the changes of its package."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import click

from toolgen.changes.catalogs import Version, compare_versions
from toolgen.cli.output import echo, show_diagnostics, show_json
from toolgen.compiler.compile import compile_files, read_files
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.emit.catalog_json import emit_catalog_json
from toolgen.compiler.source.nodes import MappingNode
from toolgen.compiler.source.read import SpecFile, parse
from toolgen.runtime.issues.issue_text import counted
from toolgen.schema.references import pointer_of
from toolgen.spec.visible import visible

if TYPE_CHECKING:
    from toolgen.changes.rules import Change
    from toolgen.changes.suspicions import Suspicion
    from toolgen.cli.importers.spec_place import SpecPlace
    from toolgen.compiler.importers.imported import Imported

_SELECTING: Final = ("agent", "catalog", "policy")
"""The heads of files that only select tools: they play no part in what a source changes."""

_OF_PEOPLE: Final = frozenset({"TG807", "TG808", "TG809", "TG822"})
"""Codes of what a person has to look at."""


@dataclass(frozen=True, slots=True)
class Checked:
    """One toolset, and how the tools that its source offers differ."""

    toolset: str
    tools: int
    changes: tuple[Change, ...]
    suspicions: tuple[Suspicion, ...] = ()
    left_out: tuple[str, ...] = ()
    """Offered tools that an import would not add: a person removed or disabled them in the spec, or they are broken."""

    error: str = ""
    """Why it could not be compared."""

    def to_json(self) -> dict[str, Any]:
        """Return the outcome for programs."""
        if self.error:
            return {"toolset": self.toolset, "error": self.error}
        changes = [
            {
                "tool": each.subject,
                "code": each.code,
                "level": each.level.value,
                "summary": each.summary(),
                "diff": each.diff(),
            }
            for each in self.changes
        ]
        suspicions = [
            {"tool": each.tool, "code": each.code, "pointer": pointer_of(each.pointer), "message": each.message}
            for each in self.suspicions
        ]
        return {
            "toolset": self.toolset,
            "tools": self.tools,
            "changes": changes,
            "suspicions": suspicions,
            "left_out": list(self.left_out),
        }

    def show(self) -> None:
        """Print the outcome for people."""
        if self.error:
            echo(visible(f"{self.toolset}: {self.error}"), err=True)
            return
        for change in self.changes:
            for line in change.diff().split("\n"):
                echo(visible(line))
        for each in self.suspicions:
            echo(visible(f"{each.tool}{pointer_of(each.pointer)}: {each.code}: {each.message}"), err=True)
        changes = counted(len(self.changes), "change") if self.changes else "unchanged"
        left_out = f" ({len(self.left_out):,} left out)" if self.left_out else ""
        echo(f"{self.toolset}: {counted(self.tools, 'tool')}{left_out}, {changes}")


def checked_import(place: SpecPlace, toolset: str, imported: Imported | None, sink: Diagnostics) -> Checked:
    """Compare the spec of a toolset with what an import would make of it. Nothing is written.

    Raises click.UsageError for a source without tools or that cannot be read, and for a spec that does not compile.
    """
    if place.present is None:
        raise click.UsageError(f"There is no spec of {toolset}: import its tools first.")
    is_unread = any(found.code == "TG840" for found in sink)
    if imported is None or is_unread:
        show_diagnostics(sink, {**sink.sources, place.path: place.present.text})
        problem = f"A source of {toolset} cannot be read." if is_unread else f"The source of {toolset} offers no tool."
        raise click.UsageError(problem)
    show_diagnostics(
        [found for found in sink if found.code in _OF_PEOPLE], {**sink.sources, place.path: place.present.text}
    )
    text = place.text_of(imported)
    root = parse(text, place.path, Diagnostics())
    assert root is not None, "the text was parsed when it was written"
    before, after = _version(place, place.present), _version(place, SpecFile(place.path, text, root))
    prefix = f"{toolset}."
    changes = tuple(
        change
        for change in compare_versions(before, after)
        if change.subject.startswith(prefix) or change.subject == toolset
    )
    offered = [tool for tool in imported.data["tools"].values() if not tool.get("disabled")]
    return Checked(toolset, len(offered), changes)


def show_checked(checked: Sequence[Checked], output_format: str) -> int:
    """Print the outcomes, and return the exit code: 2 if a toolset could not be compared, and 1 if anything changed."""
    if output_format == "json":
        show_json({"toolsets": [each.to_json() for each in checked]})
    else:
        for each in checked:
            each.show()
    return max((2 if each.error else bool(each.changes) for each in checked), default=0)


def _version(place: SpecPlace, spec: SpecFile) -> Version:
    sink = Diagnostics()
    files = [file for file in read_files(place.root, place.target, Diagnostics()) if file.path != place.path]
    chosen = [file for file in files if not _selects(file)]
    compiled = compile_files([*chosen, spec], place.target, sink, is_complete=False)
    if sink.has_errors:
        show_diagnostics(sink, sink.sources)
        raise click.UsageError(f"{place.path} does not compile. Run `toolgen build` to see why.")
    return Version(json.loads(emit_catalog_json(compiled.catalog)))


def _selects(file: SpecFile) -> bool:
    return isinstance(file.root, MappingNode) and any(key in file.root.keys() for key in _SELECTING)
