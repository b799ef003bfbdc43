"""`toolgen policy explain`: what policies decide for a tool."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from tests.project.checkout import ROOT
from tests.unit.cli.command_line import toolgen

if TYPE_CHECKING:
    from pathlib import Path


def test_notes_of_a_build_are_not_repeated_in_a_new_checkout(tmp_path: Path) -> None:
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for name in ("specs", "generated", "toolgen"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", "_derived"))
    for _ in range(2):
        done = toolgen(tmp_path, "policy", "explain", "code.write_file", "--agent", "default_worker")
        assert (done.code, done.err) == (0, "")


def test_each_rule_that_contributed_is_shown() -> None:
    done = toolgen(ROOT, "policy", "explain", "code.write_file", "--agent", "default_worker", "--mode", "plan")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        "code.write_file for the role worker in mode plan: exclude",
        "  exclude  coding.modes.plan: +write",
        "default_worker may not call it: not_used",
    ]


def test_a_tool_may_be_named_in_any_spelling() -> None:
    done = toolgen(
        ROOT,
        "policy",
        "explain",
        "agent__task_create",
        "--role",
        "fork",
        "--disable-policy",
        "coding",
        "--format",
        "json",
    )
    assert done.json == {
        "tool": "agent.task_create",
        "role": "fork",
        "mode": "",
        "answer": "allow",
        "reasons": [{"answer": "allow", "source": "readonly"}],
        "approvers": None,
        "judged_by_call": [],
        "role_may_hold": False,
    }
    shown = toolgen(ROOT, "policy", "explain", "agent.task_create", "--role", "fork").out
    assert shown.splitlines()[-1] == "Agents with the role fork may never call it."


def test_who_may_answer_is_shown(tmp_path: Path) -> None:
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs/shop.yaml").write_text(
        "toolgen: 1\ntoolset: shop\ntools:\n"
        "  wipe: {description: Wipe., args: {}, tags: [dangerous]}\n"
        "  find: {description: Find., args: {}, permission: readonly}\n"
    )
    (tmp_path / "specs/two.yaml").write_text(
        "toolgen: 1\npolicy: two\napprovers: {+dangerous: {people: 2}, shop.wipe: {roles: [finance, board]}}\n"
    )
    assert toolgen(tmp_path, "build").code == 0
    who = "2 people, each of them finance or board"
    explained = toolgen(tmp_path, "policy", "explain", "shop.wipe")
    assert explained.out.splitlines()[-1] == f"What it asks needs the answer of {who}."
    assert toolgen(tmp_path, "show", "shop.wipe").out.splitlines()[-1] == f"approvers  {who}"
    for command in (["policy", "explain"], ["show"]):
        shown = toolgen(tmp_path, *command, "shop.wipe", "--format", "json").json["approvers"]
        assert shown == {"user": False, "roles": [["finance", "board"]], "people": 2}
        assert toolgen(tmp_path, *command, "shop.find", "--format", "json").json["approvers"] is None
    without = toolgen(tmp_path, "policy", "explain", "shop.wipe", "--disable-policy", "two")
    assert "needs the answer" not in without.out


def test_checks_of_each_call_are_shown_if_a_call_may_run() -> None:
    last = [
        toolgen(ROOT, "policy", "explain", *arguments).out.splitlines()[-1]
        for arguments in (["code.read_file"], ["code.write_file", "--mode", "plan"], ["agent.task_list"])
    ]
    assert last == [
        "The paths of each call are checked too; the strictest answer wins.",
        "  exclude  coding.modes.plan: +write",
        "  allow    readonly",
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["code.write_fil"], "There is no tool `code.write_fil`."),
        (["code.write_file", "--disable-policy", "codin"], "There is no policy `codin`. Did you mean `coding`?"),
        (["code.write_file", "--disable-policy", "x"], "There is no policy `x`. There are bot, coding."),
        (["code.write_file", "--agent", "default_work"], "Did you mean `default_worker`?"),
        (["code.write_file", "--mode", "plann"], "There is no mode `plann`. Did you mean `plan`?"),
        (["code.write_file", "--disable-policy", "coding", "--mode", "plan"], "There is no mode `plan`."),
        (["code.write_file", "--role", "boss"], "'boss' is not one of"),
    ],
)
def test_unknown_names_are_usage_errors(arguments: list[str], message: str) -> None:
    done = toolgen(ROOT, "policy", "explain", *arguments)
    assert done.code == 2
    assert message in done.err


def denied_project(folder: Path) -> None:
    (folder / "specs").mkdir()
    for name, text in {
        "shop.yaml": "toolset: shop\ntools:\n  buy: {description: Buy it., args: {}}\n"
        "  find: {description: Find it., args: {}, permission: readonly}\n  sell: {description: Sell it., args: {}}\n",
        "helper.yaml": "agent: team.helper\nrole: sub\nuse: [shop.buy, shop.find]\n",
        "team.yaml": "policy: team\nrules: {shop.buy: deny}\n",
    }.items():
        (folder / "specs" / name).write_text(f"toolgen: 1\n{text}")


def test_an_agent_may_not_call_what_policies_deny(tmp_path: Path) -> None:
    denied_project(tmp_path)
    assert toolgen(tmp_path, "build").code == 0
    for tool, held in (("buy", "denied"), ("find", "yes"), ("sell", "not_used")):
        explain = ("policy", "explain", f"shop.{tool}", "--agent", "team.helper")
        assert toolgen(tmp_path, *explain, "--format", "json").json["held"] == held
        may = "may call it" if held == "yes" else f"may not call it: {held}"
        assert toolgen(tmp_path, *explain).out.splitlines()[-1] == f"team.helper {may}"


def test_errors_of_specs_are_shown_also_where_there_is_no_package_yet(tmp_path: Path) -> None:
    denied_project(tmp_path)
    spec = tmp_path / "specs" / "shop.yaml"
    right = spec.read_text()
    explain = ("policy", "explain", "shop.find")
    done = toolgen(tmp_path, *explain)
    assert (done.code, done.err) == (2, "Error: generated is out of date. Run `toolgen build` first.\n")
    for _ in range(2):
        spec.write_text(right.replace("args: {}", "args: {text: strin}", 1))
        done = toolgen(tmp_path, *explain)
        assert done.code == 2
        assert "error[TG201]: `strin` is not a type" in done.err
        assert done.err.endswith("Error: generated cannot be compared with its specs: fix the errors above.\n")
        spec.write_text(right)
        assert toolgen(tmp_path, "build").code == 0
