"""Code of models: the calls that it makes are those of other presentations, also where they are refused."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.evaluate.world import call, cases, catalog_of, model
from toolgen.evaluate.running import Outcome, evaluate

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from toolgen.contract.records import ToolRequest
    from toolgen.spec.tool_use import PresentationName
    from toolgen.testing import ModelRequest, ModelTurn

pytest.importorskip("pydantic_monty", reason="the extra `codeact` is not installed")

FORBIDDEN = {"question": "Find", "expect": [], "avoid": ["shop.refund"], "turns": 2}


def one(folder: Path, case: Mapping[str, Any], presentation: PresentationName, *turns: ModelTurn) -> Outcome:
    """Run one case with a script, after which the model says that it is done."""

    def play(request: ModelRequest) -> ModelTurn:
        return turns[request.number] if request.number < len(turns) else "done"

    found = cases(folder, catalog_of(), case=case)
    (outcome,) = asyncio.run(evaluate(found, [model(play, presentation=presentation)]))
    return outcome


def code(text: str) -> str:
    return f"```python\n{text}\n```"


def code_of(asked: ToolRequest) -> str:
    """Return code that makes a call, whatever the type checker would say of its args."""
    args = json.loads(asked.payload)
    return code(f"from typing import Any\nargs: Any = {args!r}\n{asked.name.replace('.', '__')}(**args)")


@pytest.mark.parametrize(
    ("case", "args"),
    [
        (FORBIDDEN, {"order_id": "o-1"}),
        (FORBIDDEN, {"order_id": "zzz"}),
        ({**FORBIDDEN, "avoid": []}, {"order_id": "zzz"}),
        ({**FORBIDDEN, "expect": [{"call": "shop.refund"}], "avoid": []}, {"order_id": "zzz", "amount": 0}),
    ],
)
def test_a_call_of_code_is_judged_as_any_other_one(
    tmp_path: Path, case: Mapping[str, Any], args: Mapping[str, Any]
) -> None:
    asked = call("shop.refund", **args)
    by_code, by_call = one(tmp_path, case, "codeact", code_of(asked)), one(tmp_path, case, "enumerate-all", asked)
    assert by_code.state == by_call.state == "failed"
    assert by_code.problems == by_call.problems
    assert (by_code.pairs, by_code.wrong_args) == (by_call.pairs, by_call.wrong_args)
    assert [(each.ident, each.arguments, each.issues) for each in by_code.calls] == [
        (each.ident, each.arguments, each.issues) for each in by_call.calls
    ]


def test_a_call_that_is_not_offered_is_one_too(tmp_path: Path) -> None:
    outcome = one(tmp_path, FORBIDDEN, "codeact", code("shop__erase()"))
    assert outcome.problems == ("no tool fits, and shop__erase (not offered) {} was called",)


def test_code_with_more_calls_than_are_judged_is_wrong(tmp_path: Path) -> None:
    case = {**FORBIDDEN, "allow": ["shop.find"], "turns": 9}
    find = code("for _ in range(100):\n    shop__find(customer='ann')")
    few, many = (one(tmp_path, case, "codeact", *[find] * count) for count in (2, 3))
    assert (few.state, few.problems, few.turns, len(few.calls)) == ("passed", (), 3, 200)
    assert (many.state, many.problems, many.turns) == ("failed", ("there are more than 200 calls",), 3)
    assert len(many.calls) == 200
