"""The search index of a build equals the one that a runtime would create for the package."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from toolgen.compiler.build import build_target
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.project.config import load_config
from toolgen.llm.search.index import search_documents_of
from toolgen.runtime import load
from toolgen.search.documents import write_index
from toolgen.spec.derived import DERIVED, INDEX_FILE, catalog_mark

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

SPEC = """\
toolgen: 1
toolset: mcp.mail
kind: mcp
types:
  Priority: {enum: [urgent, lazy]}
tools:
  send_message:
    remote: send.message
    title: Post a letter
    description: Send a message to a person.
    tags: [network]
    args: {recipient: {type: string, description: Whom it goes to.}, priority?: Priority, tenant: string}
    inject: [tenant]
  list_messages: {description: List the messages of an inbox., permission: readonly, args: {}}
"""


def test_a_build_writes_the_index_that_a_runtime_would_create(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "mail.yaml").write_text(SPEC, encoding="utf-8")
    (tmp_path / "toolgen.toml").write_text('[[targets]]\nspecs = "specs"\nout = "mail_with_search"\n', encoding="utf-8")
    config = load_config(tmp_path)
    sink = Diagnostics()
    build_target(config, config.targets[0], sink)
    assert not sink.has_errors, list(sink)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])

    package = tmp_path / "mail_with_search"
    written = (package / DERIVED / INDEX_FILE).read_text(encoding="utf-8")
    catalog = load("mail_with_search")

    mark = catalog_mark((package / "catalog.json").read_bytes())
    assert written == write_index(search_documents_of(catalog, catalog), mark)
    words = json.loads(written)["words"]
    assert {"letter", "urgent", "network", "readonli", "recipi"} <= words.keys()
    assert "tenant" not in words, "injected fields are hidden from the model"
