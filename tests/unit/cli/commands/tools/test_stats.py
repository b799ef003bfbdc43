"""`toolgen stats`: the cost of each presentation, as a table and as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.cli.command_line import toolgen
from toolgen.llm.costs import costs
from toolgen.runtime import ToolDefinition, load
from toolgen.spec.tool_use import PRESENTATIONS, ToolUseConfig

if TYPE_CHECKING:
    from pathlib import Path

SPEC = """\
toolgen: 1
toolset: notes
defaults: {permission: readonly}
tools:
  find: {description: Find notes., args: {text: string}, result: [string]}
  unlisted:
    description: Has an arg that Anthropic takes no name of.
    args: {type: object, properties: {"ü b": {type: string}}}
"""
AGENT = "toolgen: 1\nagent: finder\ndescription: Finds.\nrole: sub\nuse: [notes.find, actions.*]\n"
CONFIG = """\
[[targets]]
builtin = ["actions"]
[tool_use]
chat = "codeact"
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stats")
    (folder / "specs").mkdir()
    (folder / "specs/notes.yaml").write_text(SPEC)
    (folder / "specs/finder.agent.yaml").write_text(AGENT)
    (folder / "toolgen.toml").write_text(CONFIG)
    built = toolgen(folder, "build")
    assert built.code == 0, built.out + built.err
    return folder


def test_tus_24_each_presentation_has_a_cost_for_each_provider(project: Path) -> None:
    done = toolgen(project, "stats", "--provider", "openai", "--provider", "bedrock", "--format", "json")
    assert done.code == 0, done.err
    costs = done.json["costs"]
    assert [(cost["presentation"], cost["provider"]) for cost in costs] == [
        (presentation, provider) for presentation in PRESENTATIONS for provider in ("openai", "bedrock")
    ]
    flat = costs[0]
    tools = flat["tools"], flat["tools_bytes"], flat["prompt_bytes"], flat["bytes"]
    assert tools == (2, len(json.dumps(FLAT, ensure_ascii=False, separators=(",", ":")).encode()), 0, tools[1])
    assert {cost["presentation"]: cost["layers"] for cost in costs} == {
        "enumerate-all": [],
        "universal-category": ["step", "phase"],
        "retrieval": [],
        "codeact": ["chat"],
    }
    for cost in costs:
        assert cost["bytes"] == cost["tools_bytes"] + cost["prompt_bytes"]
        assert (cost["bytes"] == 0) is bool(cost["problem"])


def test_tus_24_for_67_tools_the_flat_list_costs_more_than_three_times_the_wrappers(tmp_path: Path) -> None:
    args = {"order_id": "string", "limit?": "integer", "since?": {"type": "string", "description": "A date."}}
    tools = {f"tool_{n}": {"description": f"Look up the entries of table {n}.", "args": args} for n in range(67)}
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs/notes.json").write_text(json.dumps({"toolgen": 1, "toolset": "notes", "tools": tools}))
    (tmp_path / "toolgen.toml").write_text('[[targets]]\nbuiltin = ["actions"]\n')
    assert toolgen(tmp_path, "build").code == 0
    costs = toolgen(tmp_path, "stats", "--provider", "openai", "--format", "json").json["costs"]
    flat, wrapped = (cost for cost in costs if cost["presentation"] in ("enumerate-all", "universal-category"))
    assert (flat["tools"], wrapped["tools"]) == (67, 3)
    assert flat["bytes"] >= 3.2 * wrapped["bytes"] > 0
    assert flat["tokens"] >= 3.2 * wrapped["tokens"] > 0
    table = toolgen(tmp_path, "stats", "--provider", "openai").out
    for cost in (flat, wrapped):
        row = next(line for line in table.splitlines() if line.startswith(cost["presentation"]))
        assert row.split()[-3:] == [f"{cost[name]:,}" for name in ("tools", "bytes", "tokens")]


FLAT: list[dict[str, Any]] = [
    {
        "type": "function",
        "function": {
            "name": "notes__find",
            "description": "Find notes.",
            "parameters": {
                "type": "object",
                "properties": {"text": {"type": "string"}},
                "required": ["text"],
                "additionalProperties": False,
            },
        },
    },
    {
        "type": "function",
        "function": {
            "name": "notes__unlisted",
            "description": "Has an arg that Anthropic takes no name of.",
            "parameters": {"type": "object", "properties": {"ü b": {"type": "string"}}},
        },
    },
]


def test_the_default_output_is_a_table(project: Path) -> None:
    done = toolgen(project, "stats", "--provider", "openai", "--provider", "anthropic")
    lines = [line.split() for line in done.out.splitlines()]
    assert lines[0] == ["generated"]
    assert lines[2][:5] == ["presentation", "provider", "layers", "tools", "bytes"]
    assert lines[3][:3] == ["enumerate-all", "openai", "2"]
    assert ["enumerate-all", "anthropic"] in lines
    reason = "cannot represent 1 tool, such as notes__unlisted at /properties: the arg 'ü b'"
    (reported,) = [line for line in done.out.splitlines() if reason in line]
    assert reported.startswith("enumerate-all with anthropic, ")
    assert ["universal-category", "openai", "step,", "phase", "3"] in [line[:5] for line in lines]
    assert done.out.endswith("\n")


def test_only_the_tools_of_a_named_agent_are_counted(project: Path) -> None:
    done = toolgen(project, "stats", "--agent", "finder", "--provider", "anthropic", "--format", "json")
    flat = done.json["costs"][0]
    assert (flat["tools"], flat["problem"]) == (1, "")
    missed = toolgen(project, "stats", "--agent", "findr")
    assert (missed.code, missed.out) == (2, "")
    assert "There is no agent `findr`. Did you mean `finder`?" in missed.err


def test_an_unbuilt_package_is_not_measured(tmp_path: Path) -> None:
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs/notes.yaml").write_text("toolgen: 1\ntoolset: notes\ntools: {a: {description: A.}}\n")
    done = toolgen(tmp_path, "stats")
    assert done.code == 2
    assert "Run `toolgen build` first." in done.err


def test_a_presentation_whose_tools_are_missing_is_reported(tmp_path: Path) -> None:
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs/notes.yaml").write_text("toolgen: 1\ntoolset: notes\ntools: {a: {description: A., args: {}}}\n")
    assert toolgen(tmp_path, "build").code == 0
    done = toolgen(tmp_path, "stats", "--provider", "openai", "--format", "json")
    problems = {cost["presentation"]: cost["problem"] for cost in done.json["costs"]}
    assert "needs the built-in toolset `actions`" in problems["universal-category"]
    assert problems["enumerate-all"] == problems["codeact"] == ""
    table = toolgen(tmp_path, "stats").out
    assert table.count("built-in toolset") == 1
    assert (
        "\n\nuniversal-category, retrieval: needs the built-in toolset `actions`: add it to `builtin` of the target, "
        "and run `toolgen build`\n" in table
    )


def test_tokens_count_both_texts() -> None:
    catalog = load("toolgen.toolsets.generated")
    catalog.register(
        ToolDefinition(name="a.b", description="Über", input_schema={"type": "object"}), lambda _args: None
    )
    found = list(costs("p", catalog, ToolUseConfig(), "", ["openai"], lambda text: len(text.encode())))
    assert [cost.tokens for cost in found] == [cost.bytes for cost in found]
    assert all(cost.tokens for cost in found)
