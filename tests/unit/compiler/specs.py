"""Specs: texts of spec files, resolved in memory, and their diagnostics."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.documents import read_documents
from toolgen.compiler.emit.catalog_json import emit_catalog_json
from toolgen.compiler.resolve import resolve
from toolgen.compiler.source.read import SpecFile, parse
from toolgen.providers.stubs import write_stubs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgen.compiler.ir.catalog import Catalog, Tool


@dataclass(frozen=True)
class Resolved:
    """A catalog, usable if there are no errors. `messages` are `code file:line:column message`."""

    catalog: Catalog
    messages: list[str]
    has_errors: bool

    @property
    def tools(self) -> Mapping[str, Tool]:
        """Return the tools by ident; fails if there were errors."""
        assert not self.has_errors, self.messages
        return {tool.ident: tool for tool in self.catalog.tools}

    @property
    def codes(self) -> list[str]:
        """Return the codes of all diagnostics."""
        return [message.partition(" ")[0] for message in self.messages]


def resolved(*texts: str, profile: str = "full", formats: str = "annotate", **files: str) -> Resolved:
    """Resolve spec files: texts named `1.yaml` or `1.json`, and so on, or by an explicit name."""
    sink = Diagnostics()
    numbered = {f"{number}.{'json' if text.startswith('{') else 'yaml'}": text for number, text in enumerate(texts, 1)}
    named = {**numbered, **files}
    parsed = [(path, text, parse(text, path, sink)) for path, text in named.items()]
    documents = read_documents([SpecFile(path, text, root) for path, text, root in parsed if root is not None], sink)
    catalog = resolve(documents, sink, profile=profile, formats=formats)
    return Resolved(catalog, [f"{found.code} {found.span} {found.message}" for found in sink], sink.has_errors)


def raw(schema: Any) -> Any:
    """Return the schema marked as JSON Schema: otherwise it could be the short form of an object."""
    return {"$comment": "JSON Schema", **schema} if isinstance(schema, dict) else schema


def toolset(tools: Mapping[str, Mapping[str, Any]], name: str = "shop", **keys: Any) -> str:
    """Return the text of a toolset file; a tool without a description gets one."""
    described = {key: {"description": "A tool.", **tool} for key, tool in tools.items()}
    return json.dumps({"toolgen": 1, "toolset": name, **keys, "tools": described})


def stubs_of(catalog: Catalog) -> str:
    """Return the stubs of a catalog."""
    document = json.loads(emit_catalog_json(catalog))
    return write_stubs(document["tools"], document["wire_names"], '"catalog": ""')
