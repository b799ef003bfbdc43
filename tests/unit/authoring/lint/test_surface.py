"""The bytes of a surface: what lint adds up is what `toolgen stats` measures of a real request."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.later import later
from tests.unit.authoring.lint.examples import files_of, parsed
from toolgen.authoring.lint.registry import all_rules
from toolgen.authoring.lint.surface import loaded, surfaces
from toolgen.authoring.lint.view import Project
from toolgen.compiler.compile import compile_files
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.emit.catalog_json import emit_catalog_json
from toolgen.compiler.emit.python.actions import emit_actions
from toolgen.compiler.project.config import Config, Target
from toolgen.llm.costs import costs
from toolgen.spec.tool_use import LAYERS, PRESENTATIONS, ToolUseConfig

if TYPE_CHECKING:
    from toolgen.spec.tool_use import PresentationName

RULES = all_rules()
AGENTS = """
    toolset: shop
    description: Orders of the web shop.
    tools:
      find: {description: Find the orders of a customer., args: {name: string, user: string}, inject: [user]}
      refund: {description: "Pay back what was paid, “in full”.", args: {order!: {type: string, examples: [A1]}}}
      drop: {description: Remove an order., title: Remove}
    ---
    toolset: store
    description: Shelves.
    tools:
      count: {description: Count what is on a shelf., permission: readonly, args: {shelf: integer}}
    ---
    agent: clerk
    use: [shop, store]
    ---
    agent: helper
    use: [store.count]
    ---
    policy: main
    rules: {shop.drop: exclude}
"""


def project_of(example: str, presentation: PresentationName) -> Project:
    """Compile an example."""
    sink, target = Diagnostics(), Target()
    compiled = compile_files(parsed(files_of(example)), target, sink)
    uses = ToolUseConfig(presentations=dict.fromkeys(LAYERS, presentation))
    config = Config(Path(), (target,), tool_use=uses)
    assert not sink.has_errors, list(sink)
    return Project(config, target, compiled.catalog, compiled.documents)


def measured(project: Project, agent: str, presentation: PresentationName) -> list[int]:
    with loaded(emit_catalog_json(project.catalog), emit_actions(project.catalog)) as catalog:
        found = list(costs("", catalog, project.config.tool_use, agent, ["openai"], None, [presentation]))
        return [each.bytes for each in found if not each.problem and each.bytes]


@pytest.mark.parametrize("agent", ["clerk", "helper"])
@pytest.mark.parametrize("presentation", [each for each in PRESENTATIONS if each != "retrieval"])
def test_the_bytes_of_an_agents_tools_are_those_of_stats(agent: str, presentation: PresentationName) -> None:
    project = project_of(AGENTS, presentation)
    found = [size for _, _, size in surfaces(project, agent)]
    assert found == measured(project, agent, presentation)
    assert bool(found) == (presentation in ("enumerate-all", "codeact"))  # the others need built-in tools


@pytest.mark.parametrize("code", [*(code for code in RULES if code != "TL405"), *later(["TL405"])])  # thousands of args
@pytest.mark.variants(25)
def test_the_bytes_of_a_list_of_all_tools_are_those_of_stats(code: str) -> None:
    for example in (RULES[code].bad, RULES[code].good):
        project = project_of(example, "enumerate-all")
        for agent in [each.name for each in project.catalog.agents] or [""]:
            assert [size for _, _, size in surfaces(project, agent)] == measured(project, agent, "enumerate-all")
