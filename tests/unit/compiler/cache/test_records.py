"""Records: every part of the IR of the repository's specs survives JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.case import CASES
from tests.project.checkout import ROOT
from toolgen.compiler.cache.records import from_json, to_json
from toolgen.compiler.compile import compile_specs
from toolgen.compiler.diagnostics import Diagnostic, Diagnostics
from toolgen.compiler.emit import emit
from toolgen.compiler.ir.catalog import Catalog, Toolset
from toolgen.compiler.project.config import load_config

if TYPE_CHECKING:
    from pathlib import Path


def compiled(folder: Path) -> list[tuple[Catalog, list[Diagnostic]]]:
    found = []
    for target in load_config(folder).targets:
        sink = Diagnostics()
        catalog = compile_specs(folder, target, sink).catalog
        if not sink.has_errors:
            found.append((catalog, list(sink)))
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    "folder",
    [
        ROOT,
        *(CASES / name for name in ("http_api", "commands", "transforms_that_fit", "formats_typed", "recursion")),
        *(CASES / name for name in ("bounded_results", "server_data", "mcp_server", "tg208_default_refused")),
    ],
    ids=lambda folder: folder.name,
)
def test_toolsets_and_findings_are_the_same_after_json(folder: Path) -> None:
    for catalog, findings in compiled(folder):
        texts = [json.dumps(to_json(toolset)) for toolset in catalog.toolsets]
        toolsets = tuple(from_json(Toolset, json.loads(text)) for text in texts)

        assert toolsets == catalog.toolsets
        # Equality passes over constraints and other fields that do not distinguish shapes; text and modules do not.
        assert [json.dumps(to_json(toolset)) for toolset in toolsets] == texts
        read = Catalog(
            toolsets,
            catalog.agents,
            catalog.catalogs,
            catalog.policies,
            catalog.tags,
            catalog.formats,
            catalog.shared_types,
        )
        assert emit(read) == emit(catalog)
        assert [from_json(Diagnostic, json.loads(json.dumps(to_json(each)))) for each in findings] == findings
