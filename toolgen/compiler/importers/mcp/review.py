"""Review: what in the texts of offered tools is suspicious, as diagnostics at its place in the server's answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from toolgen.changes.sources.offered import digest_of, texts_of
from toolgen.changes.suspicions import OtherTools, Reviewed, suspicions_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgen.compiler.diagnostics import Diagnostics
    from toolgen.compiler.source.nodes import Node


@dataclass(frozen=True, slots=True)
class Review:
    """What tools are held against: a spec that was reviewed, None for a new one, and the tools of other toolsets."""

    reviewed: Reviewed | None
    others: OtherTools

    def report_instructions(self, instructions: str, root: Node, sink: Diagnostics) -> None:
        """Report what is suspicious in the instructions of a server, which become the description of the toolset."""
        for found in suspicions_of({"description": instructions}, self.reviewed, self.others):
            message = f"the server's instructions: {found.message}"
            sink.report(found.code, root.span_at(("instructions",)), message, fix=found.fix)

    def report(self, entry: Node, present: Mapping[str, Any] | None, sink: Diagnostics) -> None:
        """Report what is suspicious in one tool. `present` is what a spec has of it.

        Texts that the server had at the last import were reviewed then, whatever people made of them in the spec.
        """
        tool: dict[str, Any] = entry.to_data()
        if present is not None and present.get("imported") == digest_of(*texts_of(tool)):
            tool |= {"title": None, "description": None}
        for found in suspicions_of(tool, self.reviewed, self.others):
            sink.report(found.code, entry.span_at(found.pointer), f"`{found.tool}`: {found.message}", fix=found.fix)
