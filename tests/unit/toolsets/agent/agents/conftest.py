"""A really compiled package with many agents and a tool that takes a secret."""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING

import pytest

from tests.case import write
from tests.unit.compiler.specs import resolved
from toolgen.compiler.compile import generate

if TYPE_CHECKING:
    from collections.abc import Iterator

VAULT = """
toolgen: 1
toolset: vault
tools:
  open: {description: Open it., permission: readonly, args: {word: {type: string, format: password}}, result: string}
"""

AGENT = """
toolgen: 1
agent: {name}
description: |
  Opens the vault.
  It knows the word.
role: sub
use: [vault]
"""


@pytest.fixture(scope="session")
def many_agents(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("agents")
    agents = [AGENT.format(name=name) for name in ("ann", "bob", "cyd", "dee", "eve")]
    found = resolved(VAULT, *agents)
    assert not found.has_errors, found.messages
    write(folder / "compiled_agents", generate(found.catalog))
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    yield "compiled_agents"
    sys.path.remove(str(folder))
