"""Helpers for tests of importers."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from toolgen.authoring.format.update import new_text, updated_text
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.documents import read_documents
from toolgen.compiler.importers.mcp import import_mcp
from toolgen.compiler.resolve import resolve
from toolgen.compiler.source.nodes import Source
from toolgen.compiler.source.read import SpecFile, parse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgen.compiler.importers.imported import Imported
    from toolgen.compiler.ir.catalog import Tool

SPEC = "specs/shop.yaml"


@dataclass(frozen=True)
class Import:
    """An import and its diagnostics. `messages` are `code file:line:column message`."""

    outcome: Imported | None
    messages: list[str]
    spec: str | SpecFile = SPEC

    @property
    def text(self) -> str:
        assert self.outcome is not None, self.messages
        return written(self.outcome, self.spec)

    @property
    def data(self) -> dict[str, Any]:
        """Return the spec as data."""
        data: dict[str, Any] = spec_file(self.text).root.to_data()
        return data

    @property
    def tools(self) -> dict[str, Any]:
        tools: dict[str, Any] = self.data["tools"]
        return tools

    def resolved(self) -> Mapping[str, Tool]:
        """Resolve the spec as a build does, without diagnostics: key to tool."""
        sink = Diagnostics()
        documents = read_documents([spec_file(self.text)], sink)
        catalog = resolve(documents, sink, profile="full", formats="annotate")
        assert not [found.message for found in sink if found.code != "TG203"], list(sink)
        return {tool.key: tool for tool in catalog.tools}


def written(outcome: Imported, spec: str | SpecFile) -> str:
    """Return the text of a spec after an import, as the command line writes it."""
    if isinstance(spec, str):
        return new_text(spec, outcome.data, outcome.comment)
    return updated_text(spec, outcome.data)


def without_fingerprints(text: str) -> str:
    """Return the text of a spec without what the next import reads."""
    return text.partition("\nimported:\n")[0]


def spec_file(text: str, path: str = SPEC) -> SpecFile:
    """Read the text of a spec."""
    sink = Diagnostics()
    root = parse(text, path, sink)
    assert root is not None, [found.message for found in sink]
    assert len(sink) == 0
    return SpecFile(path, text, root)


def import_text(text: str, spec: str | SpecFile = SPEC, *, dialect: str | None = None, profile: str = "full") -> Import:
    """Import the answer of a server."""
    sink = Diagnostics()
    outcome = import_mcp(Source("answer.json", text), spec, "mcp.shop", sink, dialect=dialect, profile=profile)
    return Import(outcome, [f"{found.code} {found.span} {found.message}" for found in sink], spec)


def import_tools(*tools: Any, spec: str | SpecFile = SPEC, dialect: str | None = None) -> Import:
    """Import tools described by a server."""
    return import_text(json.dumps({"tools": tools}), spec, dialect=dialect)


def tool(name: str, args: Any = None, **more: Any) -> dict[str, Any]:
    """Return one tool as described by a server."""
    return {"name": name, "description": f"Does {name}.", "inputSchema": {} if args is None else args, **more}
