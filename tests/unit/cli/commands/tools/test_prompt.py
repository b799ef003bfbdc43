"""`toolgen prompt`: the sections equal those of conversations."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.unit.cli.command_line import toolgen

if TYPE_CHECKING:
    from pathlib import Path

CONFIGURATION = """
targets = [{specs = "specs", out = "generated", builtin = ["actions"]}]
[tool_use]
chat = "universal-category"
"""
SPEC = """
toolgen: 1
toolset: notes
description: Notes.
tools:
  keep: {description: Keep a note., args: {text: string}, tag: {prefix: KEEP}}
"""
SECTION = """## Action categories

Everything you can do is an action of one of these categories. Find actions with list_actions, which also says what \
args they take, and run one with invoke_action.

- `notes`: Notes.
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "notes.yaml").write_text(SPEC)
    (tmp_path / "toolgen.toml").write_text(CONFIGURATION)
    assert toolgen(tmp_path, "build").code == 0
    return tmp_path


def test_the_section_of_a_layer_is_printed_as_sent(project: Path) -> None:
    assert toolgen(project, "prompt", "chat").out == SECTION


def test_all_layers_and_the_tags_are_printed_one_after_the_other(project: Path) -> None:
    done = toolgen(project, "prompt")
    headings = [line for line in done.out.splitlines() if line.startswith("---")]
    assert headings == [
        "--- chat (universal-category)",
        "--- step (universal-category)",
        "--- phase (universal-category)",
        "--- tags",
    ]
    assert "KEEP: [text]" in done.out


def test_json_output(project: Path) -> None:
    (found,) = toolgen(project, "prompt", "step", "--format", "json").json
    assert found == {"layer": "step", "presentation": "universal-category", "prompt": SECTION.rstrip("\n")}


def test_unknown_names_are_usage_errors(project: Path) -> None:
    done = toolgen(project, "prompt", "step", "--agent", "nobody")
    assert (done.code, done.out) == (2, "")
    assert "There is no agent `nobody`" in done.err
    done = toolgen(project, "prompt", "--package", "generatd")
    assert done.code == 2
    assert "Did you mean `generated`?" in done.err


def test_an_unavailable_presentation_is_reported_and_the_others_are_printed(project: Path) -> None:
    (project / "toolgen.toml").write_text('targets = [{specs = "specs", out = "generated"}]')
    assert toolgen(project, "build").code == 0
    stats = toolgen(project, "stats").out
    assert stats.count("needs the built-in toolset `actions`") == 1
    (project / "toolgen.toml").write_text(CONFIGURATION.replace(', builtin = ["actions"]', ""))
    assert toolgen(project, "build").code == 0
    done = toolgen(project, "prompt", "chat")
    assert done.code == 2
    assert "add it to `builtin` of the target" in done.err
    done = toolgen(project, "prompt")
    assert done.code == 1
    assert [line for line in done.out.splitlines() if line.startswith("---")] == [
        "--- step (enumerate-all)",
        "--- phase (enumerate-all)",
        "--- tags",
    ]
    assert done.err.count("needs the built-in toolset `actions`") == 1


def test_layers_list_all_tools_by_default_where_the_toolset_of_wrappers_is_not_built(tmp_path: Path) -> None:
    assert toolgen(tmp_path, "init", ".").code == 0
    assert toolgen(tmp_path, "build").code == 0
    done = toolgen(tmp_path, "prompt")
    assert (done.code, done.err) == (0, "")
    assert [line for line in done.out.splitlines() if line.startswith("---")] == [
        *(f"--- {layer} (enumerate-all)" for layer in ("chat", "step", "phase")),
        "--- tags",
    ]
    assert toolgen(tmp_path, "prompt", "step").code == 0
    assert "enumerate-all  openai  chat, step, phase" in re.sub("  +", "  ", toolgen(tmp_path, "stats").out)
    (tmp_path / "toolgen.toml").write_text(
        'targets = [{ specs = "specs", out = "generated" }]\n[tool_use]\nstep = "universal-category"\n'
    )
    assert toolgen(tmp_path, "prompt", "step").code == 2, "it was asked for"
