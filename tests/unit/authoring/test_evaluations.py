"""Evaluations are a kind of spec: `build`, `lint` and `fmt` check and format them beside the specs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.project.checkout import ROOT
from tests.unit.cli.command_line import toolgen
from tests.unit.compiler.specs import toolset

if TYPE_CHECKING:
    from pathlib import Path

CASES = "toolgen: 1\neval: a\ncases:\n  one:\n    question: Add x\n    expect: [{call: shop.add, args: {name: x}}]\n"
MISSPELT = CASES.replace("shop.add", "shop.ad")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "specs").mkdir()
    (tmp_path / "evals").mkdir()
    write(tmp_path, {"add": {"args": {"name": "string"}}})
    return tmp_path


def write(folder: Path, tools: dict[str, Any]) -> None:
    (folder / "specs" / "shop.yaml").write_text(toolset(tools), encoding="utf-8")


def evaluation(folder: Path, text: str, name: str = "a.eval.yaml") -> None:
    (folder / "evals" / name).write_text(text, encoding="utf-8")


def test_a_build_tells_which_cases_no_longer_fit_the_tools(project: Path) -> None:
    evaluation(project, CASES)
    assert toolgen(project, "build").code == 0
    evaluation(project, MISSPELT)
    for arguments in (["build"], ["build", "--check"]):
        found = toolgen(project, *arguments)
        assert found.code == 1
        assert "generated: up to date" in found.out
        assert "error[TG901]: there is no tool `shop.ad`\n --> evals/a.eval.yaml:6:21" in found.err
    in_json = toolgen(project, "build", "--format", "json")
    assert [(each["code"], each["line"]) for each in in_json.json["evaluations"]] == [("TG901", 6)]
    assert toolgen(project, "build", "--statistics").out.startswith("1  TG901")
    evaluation(project, CASES)
    assert toolgen(project, "build").code == 0
    write(project, {"plus": {"args": {"name": "string"}}})
    renamed = toolgen(project, "build")
    assert renamed.code == 1
    assert "there is no tool `shop.add`" in renamed.err
    assert json.loads((project / "generated" / "catalog.json").read_text("utf-8"))["tools"].keys() == {"shop.plus"}


def test_a_build_without_changes_reads_no_evaluation_and_no_catalog(project: Path) -> None:
    evaluation(project, CASES)
    assert toolgen(project, "build").code == 0
    loaded = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "toolgen", "build"],
        cwd=project,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert loaded.stdout == "generated: up to date\n"
    assert "toolgen.compiler.publish.inputs" in loaded.stderr
    for module in ("pydantic", "toolgen.evaluate", "toolgen.runtime.catalog.catalog"):
        assert module not in loaded.stderr


def test_a_check_notes_nothing(project: Path) -> None:
    assert toolgen(project, "build").code == 0
    evaluation(project, CASES)
    before = sorted((project / ".toolgen" / "cache").iterdir())
    assert toolgen(project, "build", "--check").code == 0
    assert sorted((project / ".toolgen" / "cache").iterdir()) == before


def test_an_evaluation_among_specs_is_told_where_to_go(project: Path) -> None:
    (project / "specs" / "a.eval.yaml").write_text(CASES)
    found = toolgen(project, "build")
    assert "this is an evaluation, and no spec" in found.err
    assert "move it to `evals/`, with a name that ends in `.eval.yaml`" in found.err


def test_lint_checks_evaluations_against_the_specs_without_a_build(project: Path) -> None:
    evaluation(project, MISSPELT)
    found = toolgen(project, "lint", "--format", "json")
    assert found.code == 1
    assert [each["code"] for each in found.json if each["severity"] == "error"] == ["TG901"]
    assert toolgen(project, "lint", "evals").code == 1
    assert not any(each["code"] == "TG901" for each in toolgen(project, "lint", "specs", "--format", "json").json)
    evaluation(project, CASES)
    assert toolgen(project, "lint", "evals").code == 0


def test_evaluations_are_formatted(project: Path) -> None:
    case = "        expect:\n        - args: {b: 1, a: 2}  # why\n          call: x\n        question: Add x\n"
    text = f"toolgen: 1\ncases:\n\n    one:\n{case}eval: a\n"
    evaluation(project, text)
    assert toolgen(project, "fmt", "--check", "evals").code == 1
    assert toolgen(project, "fmt", "evals/a.eval.yaml").out == "evals/a.eval.yaml: formatted\n"
    assert (project / "evals" / "a.eval.yaml").read_text() == (
        "toolgen: 1\neval: a\ncases:\n  one:\n    question: Add x\n    expect:\n      - call: x\n"
        "        args: {b: 1, a: 2}  # why\n"
    )
    assert toolgen(project, "fmt", "--check", "evals").code == 0
