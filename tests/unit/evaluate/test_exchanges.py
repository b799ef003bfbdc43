"""Exchanges: what is recorded is answered, what has changed is stale, and never right."""

from __future__ import annotations

import asyncio
import json
import os
import re
import threading
import time
from signal import SIGINT, raise_signal
from typing import TYPE_CHECKING, Any

import pytest

from tests.together import READY, together
from tests.unit.evaluate.world import SHOP, call, cases, catalog_of
from toolgen.evaluate import exchanges
from toolgen.evaluate.exchanges import Exchanges, ExchangesError
from toolgen.evaluate.models import EvaluatedModel
from toolgen.evaluate.reports import summaries_of
from toolgen.evaluate.running import Limits, Outcome, evaluate
from toolgen.spec.files import read_file
from toolgen.spec.locks import held
from toolgen.spec.writing import replace_inside
from toolgen.testing import ScriptedModel

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from toolgen.testing import ModelRequest, ModelTurn

EXPECT = {"expect": [{"call": "shop.refund", "args": {"order_id": "o-1"}}]}
CASES: dict[str, Any] = {f"case{number}": {"question": f"Refund {number}", **EXPECT} for number in range(3)}


class Counted:
    """A model that counts what it is asked, and fails from the third request on, if it is to."""

    def __init__(self, *, fails: bool = False) -> None:
        self.asked = 0
        self.fails = fails

    def __call__(self, messages: Any, request: Any) -> Any:
        self.asked += 1
        if self.fails and self.asked > 2:
            raise_signal(SIGINT)
        return ScriptedModel(self.play)(messages, request)

    def play(self, _request: ModelRequest) -> ModelTurn:
        return call("shop.refund", order_id="o-1")


def run(folder: Path, ask: Any, *, asks: bool, texts: Sequence[str] = (), **changed: Any) -> list[Outcome]:
    found = cases(folder, catalog_of(*texts), **(CASES | changed))
    exchanges = Exchanges(folder / "model.jsonl", asks=asks)
    one = Limits(concurrency=1)
    return asyncio.run(evaluate(found, [EvaluatedModel(name="fake", ask=ask)], limits=one, exchanges=exchanges))


def states(outcomes: Sequence[Outcome]) -> list[str]:
    return [each.state for each in outcomes]


def test_a_replay_asks_nothing_and_finds_the_same(tmp_path: Path) -> None:
    asked, replayed = Counted(), Counted()
    before, after = run(tmp_path, asked, asks=True), run(tmp_path, replayed, asks=False)
    assert (asked.asked, replayed.asked) == (3, 0)
    assert [(each.case, each.state, each.calls) for each in before] == [
        (each.case, each.state, each.calls) for each in after
    ]
    assert after[0].seconds == pytest.approx(before[0].seconds, abs=1e-5)


def test_a_file_that_another_evaluation_creates_at_the_same_moment_is_gone_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def later(folder: str, name: str, before: bytes | None, content: bytes, **settings: Any) -> None:
        (tmp_path / "model.jsonl").touch()
        replace_inside(folder, name, before, content, **settings)

    monkeypatch.setattr(exchanges, "replace_inside", later)
    assert states(run(tmp_path, Counted(), asks=True)) == ["passed"] * 3
    assert states(run(tmp_path, Counted(), asks=False)) == ["passed"] * 3


RECORDER = f"""
import sys
from types import SimpleNamespace
from toolgen.evaluate.exchanges import Exchanges
{READY}
model = SimpleNamespace(name="m", provider="openai", presentation="tools")
found = Exchanges(sys.argv[1], asks=True)
for number in range(10):
    messages = [{{"role": "user", "content": f"{{sys.argv[2]}} {{number}}"}}]
    found.add(f"case{{number}}", model, messages, {{"tools": ["t" * 100_000]}}, {{"choices": ["x" * 100_000]}}, 1.0)
"""


def test_evaluations_that_record_into_one_new_file_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "recorded" / "model.jsonl"
    assert together(RECORDER, *([str(path), name] for name in "abc")) == [(0, "")] * 3
    assert len(Exchanges(path, asks=False)) == 30
    assert [each.name for each in path.parent.iterdir()] == ["model.jsonl"]


def test_a_line_that_another_evaluation_writes_now_is_not_taken_for_a_part_of_one(tmp_path: Path) -> None:
    run(tmp_path, Counted(), asks=True)
    path = tmp_path / "model.jsonl"
    content = path.read_bytes()
    path.write_bytes(content[:-10])
    begun = threading.Event()

    def write() -> None:
        with held(tmp_path / ".model.jsonl.lock", 1):
            begun.set()
            time.sleep(0.3)
            path.write_bytes(content)

    writer = threading.Thread(target=write)
    writer.start()
    assert begun.wait(5)
    assert len(Exchanges(path, asks=True)) == 3
    writer.join()
    assert path.read_bytes() == content


def test_an_evaluation_waits_for_another_for_a_bounded_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchanges, "_PATIENCE", 0.1)
    with held(tmp_path / ".model.jsonl.lock", 1), pytest.raises(ExchangesError, match="has been written by others"):
        Exchanges(tmp_path / "model.jsonl", asks=True)


def test_an_evaluation_that_was_stopped_goes_on(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, Counted(fails=True), asks=True)
    with (tmp_path / "model.jsonl").open("ab") as file:
        file.write(b'{"key":"half a li')
    again = Counted()
    assert states(run(tmp_path, again, asks=True)) == ["passed"] * 3
    assert 1 <= again.asked < 3
    assert "half a li" not in (tmp_path / "model.jsonl").read_text()
    assert states(run(tmp_path, Counted(), asks=False)) == ["passed"] * 3


def test_a_changed_description_makes_every_case_stale(tmp_path: Path) -> None:
    run(tmp_path, Counted(), asks=True)
    outcomes = run(tmp_path, Counted(), asks=False, texts=[SHOP.replace("Find the orders", "List the orders")])
    assert states(outcomes) == ["stale"] * 3
    why = "the tools that the model is shown have changed since it was recorded: record it again"
    assert outcomes[0].problems == (why,)
    (summary,) = summaries_of(outcomes)
    assert (summary.passed, summary.judged, summary.success) == (0, [], 0.0)


def test_a_changed_question_makes_its_case_stale_and_a_new_one_is_not_recorded(tmp_path: Path) -> None:
    run(tmp_path, Counted(), asks=True)
    outcomes = run(
        tmp_path, Counted(), asks=False, case1={"question": "Else", **EXPECT}, more={"question": "New", **EXPECT}
    )
    assert states(outcomes) == ["passed", "stale", "passed", "stale"]
    assert "its messages" in outcomes[1].problems[0]
    assert "it is not recorded for this model" in outcomes[3].problems[0]
    asked = Counted()
    assert states(run(tmp_path, asked, asks=True, case1={"question": "Else", **EXPECT})) == ["passed"] * 3
    assert asked.asked == 1


def test_the_tools_stand_in_the_file_once(tmp_path: Path) -> None:
    run(tmp_path, Counted(), asks=True)
    rows = [json.loads(line) for line in (tmp_path / "model.jsonl").read_text().splitlines()]
    assert ["request" in row for row in rows] == [True, False, False, False]


LIMITED: dict[str, Any] = {"error": {"code": 429, "message": "slow down"}}
"""An error that an API answers with the status 200."""


class Limited(Counted):
    """A model whose first requests are answered by an error, with the status of a success."""

    def __init__(self, errors: int, **usage: Any) -> None:
        super().__init__()
        self.errors = errors
        self.error = LIMITED | usage

    def __call__(self, messages: Any, request: Any) -> Any:
        answer = super().__call__(messages, request)
        return self.error if self.asked <= self.errors else answer


async def no_wait(_seconds: float) -> None:
    pass


def run_one(folder: Path, ask: Any, *, asks: bool = True, price: float = 0) -> Outcome:
    """Run one case, and record it."""
    found = cases(folder, catalog_of(), case=CASES["case0"])
    exchanges = Exchanges(folder / "model.jsonl", asks=asks)
    asked = EvaluatedModel(name="fake", ask=ask, input_price=price)
    (outcome,) = asyncio.run(evaluate(found, [asked], exchanges=exchanges, sleep=no_wait))
    return outcome


def test_an_error_that_comes_as_a_reply_is_tried_again_and_not_recorded(tmp_path: Path) -> None:
    limited = Limited(4)
    outcome = run_one(tmp_path, limited)
    assert (outcome.state, limited.asked) == ("error", 3)
    assert outcome.problems[0].startswith("ValueError: the response has no choices: {")
    assert "slow down" in outcome.problems[0]
    assert len(Exchanges(tmp_path / "model.jsonl", asks=False)) == 0
    assert (run_one(tmp_path, limited).state, limited.asked) == ("passed", 5)
    assert run_one(tmp_path, Counted(), asks=False).state == "passed"


def test_an_error_that_tells_its_tokens_costs_them(tmp_path: Path) -> None:
    outcome = run_one(tmp_path, Limited(2, usage={"prompt_tokens": 5}), price=1_000_000)
    assert (outcome.state, outcome.cost) == ("passed", 10)


def test_an_error_that_is_recorded_is_stale_and_asked_again(tmp_path: Path) -> None:
    run_one(tmp_path, Counted())
    shared, line = (tmp_path / "model.jsonl").read_text().splitlines()
    (tmp_path / "model.jsonl").write_text(f"{shared}\n{json.dumps(json.loads(line) | {'reply': LIMITED})}\n")
    stale = run_one(tmp_path, Counted(), asks=False)
    why = "its recorded reply cannot be read, because the response has no choices: record it again"
    assert (stale.state, stale.problems) == ("stale", (why,))
    again = Counted()
    assert (run_one(tmp_path, again).state, again.asked) == ("passed", 1)
    assert run_one(tmp_path, Counted(), asks=False).state == "passed"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 1 is not JSON"),
        ("[" * 100_000, "line 1 is not JSON"),
        ("[]", "line 1 is no exchange with a model: it has no `shared`"),
        ('{"shared": "x", "key": "y"}', "line 1 is no exchange with a model: it needs `case`"),
    ],
)
def test_a_file_that_is_none_is_refused(tmp_path: Path, line: str, message: str) -> None:
    (tmp_path / "model.jsonl").write_text(line + "\n")
    with pytest.raises(ExchangesError, match=message):
        Exchanges(tmp_path / "model.jsonl", asks=False)


@pytest.mark.parametrize("end", ["", "\n"])
@pytest.mark.parametrize("content", ['{"a": 1}', '{"a": 1}\n{"id": "2"}', '{"a":', "text", '{"shared":"x"}\n{"id":"2"'])
def test_a_file_of_somebody_else_is_refused_and_stays(tmp_path: Path, content: str, end: str) -> None:
    file = tmp_path / "model.jsonl"
    file.write_text(content + end)
    with pytest.raises(ExchangesError, match=r"model\.jsonl line [12] is n"):
        Exchanges(file, asks=True)
    assert file.read_text() == content + end


def test_a_reply_whose_line_has_no_end_is_not_asked_again(tmp_path: Path) -> None:
    run(tmp_path, Counted(), asks=True)
    file = tmp_path / "model.jsonl"
    recorded = file.read_bytes()
    file.write_bytes(recorded.removesuffix(b"\n"))
    again = Counted()
    run(tmp_path, again, asks=True)
    assert again.asked == 0
    assert file.read_bytes() == recorded


@pytest.mark.parametrize("length", [1, 3, 9, 20])
def test_a_part_of_a_line_is_removed_wherever_it_ends(tmp_path: Path, length: int) -> None:
    run(tmp_path, Counted(), asks=True)
    file = tmp_path / "model.jsonl"
    recorded = file.read_bytes()
    lines = recorded.splitlines(keepends=True)
    for line in lines[:2]:  # what is shared, and a reply
        file.write_bytes(recorded + line[:length])
        Exchanges(file, asks=True)
        assert file.read_bytes() == recorded


@pytest.mark.parametrize("length", [1, 9, 40, 300])
def test_a_part_of_a_line_that_a_stopped_evaluation_leaves_makes_no_other_reply_unreadable(
    tmp_path: Path, length: int
) -> None:
    """One evaluation is killed while it writes, and another one goes on recording."""
    file = tmp_path / "model.jsonl"
    asked = EvaluatedModel(name="fake", ask=Counted())
    reply = ScriptedModel("no")([{"role": "user", "content": "?"}], {})
    going_on = Exchanges(file, asks=True)
    for number in range(4):
        going_on.add("case", asked, [{"role": "user", "content": str(number)}], {"tools": []}, reply, 1.0)
        with file.open("ab") as other:
            other.write(file.read_bytes().splitlines()[-1][:length])
        for asks in (False, True):
            assert len(Exchanges(file, asks=asks)) == number + 1


def test_equal_questions_of_cases_are_asked_once_and_replayed_alike(tmp_path: Path) -> None:
    equal: dict[str, Any] = {name: {"question": "Refund it", **EXPECT} for name in CASES}
    asked = 0

    async def ask(messages: Any, request: Any) -> Any:
        nonlocal asked
        asked += 1
        right = asked == 1
        await asyncio.sleep(0)
        return ScriptedModel(lambda _: call("shop.refund", order_id="o-1") if right else "I cannot.")(messages, request)

    before = run(tmp_path, ask, asks=True, **equal)
    after = run(tmp_path, Counted(), asks=False, **equal)
    assert [(each.state, each.turns) for each in before] == [(each.state, each.turns) for each in after]
    assert len({(each.state, each.turns) for each in before}) == 1
    assert asked == len((tmp_path / "model.jsonl").read_text().splitlines()) - 1


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(ExchangesError, match="is missing: record it with `--record"):
        Exchanges(tmp_path / "model.jsonl", asks=False)
    with pytest.raises(ExchangesError, match="cannot be read"):
        Exchanges(tmp_path, asks=True)


def test_a_file_that_cannot_be_written_is_told_before_anything_is_asked(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ExchangesError, match=r"file/model\.jsonl cannot be written: "):
        Exchanges(tmp_path / "file" / "model.jsonl", asks=True)


@pytest.mark.parametrize(
    "text",
    ["NaN", '"\\ud800"', "[" * 950 + "]" * 950, "[" * 9_000 + "]" * 9_000],
    ids=["nan", "half", "deep", "deeper"],
)
def test_messages_that_are_no_json_are_refused_or_stale(tmp_path: Path, text: str) -> None:
    run(tmp_path, Counted(), asks=True)
    lines = (tmp_path / "model.jsonl").read_text().splitlines()
    messages = json.dumps(json.loads(lines[1])["messages"], separators=(",", ":"))
    assert messages in lines[1]
    (tmp_path / "model.jsonl").write_text(f"{lines[0]}\n{lines[1].replace(messages, text)}\n")
    try:
        outcomes = run(tmp_path, Counted(), asks=False)
    except ExchangesError as error:
        problem = re.search(r"model\.jsonl line 2 (is not JSON|has `messages` that are no JSON): remove it", str(error))
        assert problem is not None  # deep ones may be read, which depends on how deep the caller is
    else:
        assert states(outcomes) == ["stale"] * 3


@pytest.mark.parametrize("seconds", ["NaN", "Infinity", "-1", "1" + "0" * 400, "true"])
def test_seconds_that_nobody_measured_are_not_known(tmp_path: Path, seconds: str) -> None:
    run(tmp_path, Counted(), asks=True)
    lines = (tmp_path / "model.jsonl").read_text().splitlines()
    measured = json.loads(lines[1])["seconds"]
    lines[1] = lines[1].replace(f'"seconds":{measured}', f'"seconds":{seconds}')
    assert seconds in lines[1]
    (tmp_path / "model.jsonl").write_text("".join(f"{line}\n" for line in lines))
    assert [outcome.seconds is None for outcome in run(tmp_path, Counted(), asks=False)] == [True, False, False]


def test_a_file_that_was_written_meanwhile_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "model.jsonl"
    file.write_bytes(b'{"key":"half a li')

    read_before: list[bytes] = []

    def read(place: str, limit: int) -> bytes:
        read_before.append(read_file(place, limit))
        if len(read_before) == 2:  # by the one that has the lock, which editors do not know
            file.write_text('{"mine')
        return read_before[-1]

    monkeypatch.setattr(exchanges, "read_file", read)
    Exchanges(file, asks=True)
    assert file.read_text() == '{"mine\n'
    file.unlink()
    monkeypatch.undo()
    lexists = os.path.lexists

    def create(place: str | Path) -> bool:
        is_there = lexists(place)
        if str(place) == str(file) and not is_there:
            file.write_text("mine")
        return is_there

    monkeypatch.setattr(os.path, "lexists", create)
    with pytest.raises(ExchangesError, match=r"model\.jsonl line 1 is not JSON: remove it"):
        Exchanges(file, asks=True)
    assert file.read_text() == "mine"
