"""`toolgen policy explain`: what decides over a tool, as an operator asks."""

from __future__ import annotations

import pytest

from tests.cli.command_line import toolgen
from tests.project.checkout import ROOT


def test_each_rule_that_had_a_say_is_shown() -> None:
    done = toolgen(ROOT, "policy", "explain", "code.write_file", "--agent", "default_worker", "--mode", "plan")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        "code.write_file for the role worker in mode plan: exclude",
        "  exclude  coding.modes.plan: +write",
        "default_worker does not hold it: not_used",
    ]


def test_a_tool_may_be_named_in_any_spelling() -> None:
    done = toolgen(
        ROOT, "policy", "explain", "agent__task_create", "--role", "fork", "--policy", "bot", "--format", "json"
    )
    assert done.json == {
        "tool": "agent.task_create",
        "role": "fork",
        "mode": "",
        "answer": "allow",
        "reasons": [{"answer": "allow", "source": "readonly"}],
        "role_may_hold": False,
    }
    shown = toolgen(ROOT, "policy", "explain", "agent.task_create", "--role", "fork").out
    assert shown.splitlines()[-1] == "No agent of the role fork may hold it."


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["code.write_fil"], "There is no tool `code.write_fil`."),
        (["code.write_file", "--policy", "codin"], "There is no policy `codin`. did you mean `coding`?"),
        (["code.write_file", "--policy", "x"], "There is no policy `x`. There are bot, coding."),
        (["code.write_file", "--agent", "default_work"], "did you mean `default_worker`?"),
        (["code.write_file", "--role", "boss"], "'boss' is not one of"),
    ],
)
def test_what_is_not_there_is_a_usage_error(arguments: list[str], message: str) -> None:
    done = toolgen(ROOT, "policy", "explain", *arguments)
    assert done.code == 2
    assert message in done.err
