"""Types that each refer to the next, as many as a person likes: what is built can be called, linted and shown."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.later import later
from tests.unit.cli.command_line import toolgen

if TYPE_CHECKING:
    from pathlib import Path

COMMANDS = {
    "call": ("call", "a.b.t", '{"x": {"b": "a"}}', "--stub", "--yes"),
    "lint": ("lint",),
    "prompt": ("prompt",),
    **{f"export {name}": ("export", name) for name in ("openai", "anthropic", "gemini", "bedrock", "mcp")},
    "stats": ("stats",),
    "show": ("show", "a.b.t"),
    "search": ("search", "does"),
    "docs": ("docs", "-o", "site"),
    "ir": ("ir",),
    "replay": ("replay", "calls.jsonl"),
    "diff": ("diff", "--against", "."),
}
"""What is done with a project, by name."""


LENGTHS = [(length, is_recursive) for length in (90, 130, 500, 1_020, 2_000) for is_recursive in (False, True)]
QUICK = [(130, True), (1_020, False)]
"""The longer one is above the limit of Python, which is 1,000 calls of functions in each other."""


@pytest.mark.parametrize("types", [*QUICK, *later(each for each in LENGTHS if each not in QUICK)], ids=str)
def test_a_chain_of_types_of_any_length_is_no_internal_error(tmp_path: Path, types: tuple[int, bool]) -> None:
    length, is_recursive = types
    chain = {f"T{index}": {"a?": f"T{index + 1}", "b": "string"} for index in range(length)}
    chain[f"T{length}"] = {"a?": "T0", "b": "string"} if is_recursive else {"b": "string"}
    tool = {"description": "Does it.", "permission": "readonly", "args": {"x": "T0"}, "result": "T0"}
    (tmp_path / "specs").mkdir()
    spec = {"toolgen": 1, "toolset": "a.b", "types": chain, "tools": {"t": tool}}
    (tmp_path / "specs/a.json").write_text(json.dumps(spec))
    (tmp_path / "calls.jsonl").write_text('{"tool": "a.b.t", "arguments": {"x": {"b": "a"}}}\n')
    built = toolgen(tmp_path, "build")
    assert built.code == 0, built.err

    done = {name: toolgen(tmp_path, *command) for name, command in COMMANDS.items()}
    assert {name: each.err for name, each in done.items() if each.code > 1 or "Recursion" in each.err} == {}
    assert {name: done[name].code for name in ("call", "show", "replay", "diff")} == dict.fromkeys(
        ("call", "show", "replay", "diff"), 0
    )
    nested = "is nested more than 100 levels deep"
    assert nested in done["prompt"].err
    assert nested in done["export openai"].err
    wrong = toolgen(tmp_path, "call", "a.b.t", '{"x": {"b": 3}}', "--stub", "--yes")
    assert "/x/b: use a string" in wrong.err
