"""Writing: the spec of one server, made or brought up to date, and what is said of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import click

from toolgen.changes.suspicions import OtherTools
from toolgen.cli.commands.specs.imported import imported_json, show_imported
from toolgen.cli.commands.specs.spec_place import spec_place
from toolgen.cli.output import diagnostics_json, show_grouped
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.importers.mcp import import_mcp
from toolgen.compiler.importers.trial import try_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgen.cli.commands.specs.spec_place import SpecPlace
    from toolgen.compiler.importers.imported import Imported
    from toolgen.compiler.project.config import Config
    from toolgen.compiler.source.nodes import Source

_LEFT_OUT: Final = frozenset({"TG803", "TG804", "TG805"})
"""Codes that report an omitted entry: one finding per entry."""


@dataclass(frozen=True, slots=True)
class Written:
    """What one import did. `imported` is None where nothing was written."""

    place: SpecPlace
    imported: Imported | None
    answer: Source
    sink: Diagnostics

    @property
    def is_incomplete(self) -> bool:
        """Whether anything was left out, or nothing written."""
        return self.sink.has_errors or self.imported is None or self.imported.is_incomplete

    def to_json(self) -> dict[str, Any]:
        """Return the outcome for programs."""
        written = {"file": self.place.path, **imported_json(self.imported)} if self.imported else {"file": None}
        return written | {"diagnostics": diagnostics_json(self.sink)}

    def show(self) -> None:
        """Print the outcome for people."""
        present = {self.place.path: self.place.present.text} if self.place.present else {}
        show_grouped(self.sink, {self.answer.path: self.answer.text, **present}, everything="--format json")
        show_imported(self.place.path, self.imported, left_out=sum(found.code in _LEFT_OUT for found in self.sink))


def place_of(config: Config, toolset: str, out: str | None) -> SpecPlace:
    """Return where the spec of a toolset is, or goes. Raises click.UsageError for a name that no server can have."""
    if problems := try_name(toolset, "mcp"):
        raise click.UsageError(f"`{toolset}` is not a valid toolset name for a server: {problems[0]}.")
    return spec_place(config, toolset, out)


def write_spec(
    place: SpecPlace,
    toolset: str,
    answer: Source,
    server: Mapping[str, Any] | None,
    dialect: str | None,
    file: str = "",
) -> Written:
    """Write the spec of a server that gave an answer, or saved it in a file. Nothing is written if no tool is left."""
    sink = Diagnostics()
    imported = import_mcp(
        answer,
        place.present or place.path,
        toolset,
        sink,
        dialect=dialect,
        profile=place.target.profile,
        server=server,
        file=file,
        others=OtherTools(place.others),
    )
    if imported is not None:
        place.write(place.text_of(imported))
    return Written(place, imported, answer, sink)
