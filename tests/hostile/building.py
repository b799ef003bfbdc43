"""Compile spec files in memory into a package in memory, with the diagnostics."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from toolgen.compiler.compile import generate
from toolgen.compiler.diagnostics import Diagnostics, Severity
from toolgen.compiler.diagnostics.render import render_json, render_text
from toolgen.compiler.documents import read_documents
from toolgen.compiler.resolve import resolve
from toolgen.compiler.source.read import SpecFile, parse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgen.compiler.diagnostics import Diagnostic
    from toolgen.compiler.ir.catalog import Catalog


@dataclass(frozen=True)
class Compiled:
    """A catalog, usable if `errors` is empty, and all diagnostics."""

    catalog: Catalog
    findings: tuple[Diagnostic, ...]

    @property
    def errors(self) -> list[Diagnostic]:
        """The errors."""
        return [found for found in self.findings if found.severity is Severity.ERROR]

    def package(self) -> dict[str, str]:
        """Return the files of the package by path; fails if there were errors."""
        assert not self.errors, self.errors
        return {path: content.decode() for path, content in generate(self.catalog).items()}


def compiled(files: Mapping[str, Any], *, profile: str = "full") -> Compiled:
    """Compile spec files: texts by path, or data to be written as JSON. Diagnostics are rendered in both formats."""
    sink = Diagnostics()
    texts = spec_texts(files)
    parsed = [(path, text, parse(text, path, sink)) for path, text in sorted(texts.items())]
    documents = read_documents([SpecFile(path, text, root) for path, text, root in parsed if root is not None], sink)
    catalog = resolve(documents, sink, profile=profile, formats="annotate")
    shown(sink, texts)
    return Compiled(catalog, tuple(sink))


def spec_texts(files: Mapping[str, Any]) -> dict[str, str]:
    """Return the texts of spec files, some of which are given as data."""
    return {path: file if isinstance(file, str) else json.dumps(file) for path, file in files.items()}


def shown(sink: Diagnostics, sources: Mapping[str, str]) -> str:
    """Render the diagnostics, and check that they contain no control characters."""
    text = render_text(sink, sources, color=False)
    assert all(character.isprintable() or character == "\n" for character in text)
    assert json.loads(json.dumps(render_json(sink))) == render_json(sink)
    return text


def toolset(name: str, tool: Mapping[str, Any], **keys: Any) -> dict[str, Any]:
    """Return a toolset file with one tool called `act`."""
    return {"toolgen": 1, "toolset": name, **keys, "tools": {"act": {"description": "Acts.", **tool}}}
