"""Running: what models that are known beforehand are found to be."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.project.checkout import ROOT
from tests.unit.evaluate.world import call, cases, catalog_of, model, right_with
from toolgen.contract.records import ToolRequest
from toolgen.evaluate import running
from toolgen.evaluate.exchanges import Exchanges, ExchangesError
from toolgen.evaluate.matching import ArgsReader, Verdict, secrets_of
from toolgen.evaluate.models import EvaluatedModel, SearchModel
from toolgen.evaluate.page import render_page
from toolgen.evaluate.rendering import render_junit, render_markdown, render_text
from toolgen.evaluate.reports import Report, compared, summaries_of, to_json
from toolgen.evaluate.running import Limits, Outcome, evaluate
from toolgen.execute.python.modules import HandlerModules
from toolgen.testing import ScriptedModel

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from toolgen.evaluate.cases import Case
    from toolgen.testing import ModelRequest, ModelTurn

LOGIN = """
toolgen: 1
toolset: door
tools:
  login:
    description: Log a user in.
    args: {user: string, pin: {type: string, format: password}}
    result: {done: boolean}
"""
REFUND = {"question": "Refund o-1", "expect": [{"call": "shop.refund", "args": {"order_id": "o-1"}}]}


def run(found: Sequence[Any], *models: EvaluatedModel, **more: Any) -> list[Outcome]:
    return asyncio.run(evaluate(found, models, **more))


def one(folder: Path, case: Mapping[str, Any], *turns: ModelTurn) -> Outcome:
    """Run one case with a script."""
    found = cases(folder, catalog_of(), case=case)
    (outcome,) = run(found, EvaluatedModel(name="fake", ask=ScriptedModel(*turns)))
    return outcome


def test_the_right_call_passes(tmp_path: Path) -> None:
    outcome = one(tmp_path, REFUND, call("shop.refund", order_id="o-1", amount=2))
    assert (outcome.state, outcome.problems) == ("passed", ())
    assert outcome.pairs == (("shop.refund", "shop.refund"),)


def test_another_tool_is_confused(tmp_path: Path) -> None:
    outcome = one(tmp_path, REFUND, call("shop.cancel", order_id="o-1"))
    assert outcome.state == "failed"
    assert outcome.pairs == (("shop.refund", "shop.cancel"),)
    assert outcome.problems == ('shop.refund is expected, and shop.cancel {"order_id":"o-1"} was called',)


def test_several_turns_get_the_results_of_the_case(tmp_path: Path) -> None:
    case = {
        "question": "Refund the order of Ann",
        "turns": 3,
        "results": [
            {"call": "shop.find", "args": {"customer": "ann"}, "result": ["o-7"]},
            {"call": "shop.find", "error": "there is no such customer"},
        ],
        "expect": [
            {"call": "shop.find", "args": {"customer": "ann"}},
            {"call": "shop.refund", "args": {"order_id": "o-7"}},
        ],
    }

    def play(request: ModelRequest) -> ModelTurn:
        last = request.messages[-1]
        if request.number == 0:
            return call("shop.find", customer="ann")
        if request.number == 1:
            return call("shop.refund", order_id="o-7" if "o-7" in str(last) else "o-0")
        return "done"

    outcome = one(tmp_path, case, play)  # type: ignore[arg-type]  # a function is a script too
    assert (outcome.state, outcome.problems, outcome.turns) == ("passed", (), 3)


def test_a_failing_result_is_told_to_the_model(tmp_path: Path) -> None:
    seen: list[str] = []

    def play(request: ModelRequest) -> ModelTurn:
        seen.append(str(request.messages[-1]))
        return call("shop.find", customer="bob") if request.number == 0 else "none"

    case = {
        "question": "Find the orders of Bob",
        "turns": 2,
        "results": [{"call": "shop.find", "error": "there is no such customer"}],
        "expect": [{"call": "shop.find"}],
    }
    assert one(tmp_path, case, play).state == "passed"  # type: ignore[arg-type]  # see above
    assert "there is no such customer" in seen[1]


def test_a_model_that_fails_is_asked_again_and_then_an_error(tmp_path: Path) -> None:
    waited: list[float] = []
    asked: list[int] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    def ask(_messages: Any, _request: Any) -> Any:
        asked.append(1)
        raise ConnectionError("the network is down")

    found = cases(tmp_path, catalog_of(), case=REFUND)
    (outcome,) = run(found, EvaluatedModel(name="fake", ask=ask), sleep=sleep)
    assert (outcome.state, outcome.problems) == ("error", ("ConnectionError: the network is down",))
    assert (len(asked), waited) == (3, [1.0, 2.0])
    assert summaries_of([outcome])[0].judged == []


def test_reg_66_no_report_has_a_credential_of_a_model_that_fails_or_a_secret_of_a_call(tmp_path: Path) -> None:
    catalog = catalog_of(LOGIN)
    password, key = "TopSecretPw9", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl"
    sent = call("door.login", user="ann", pin="wrong-778-pin")

    def ask(_messages: Any, _request: Any) -> Any:
        raise ConnectionError(f"POST https://svc:{password}@proxy.example/v1; Authorization: Bearer {key}")

    case = {"question": "Log in.", "expect": [{"call": "door.login", "args": {"user": "bob"}}]}
    found = cases(tmp_path, catalog, failing=case)
    models = (
        EvaluatedModel(name="down", ask=ask),
        EvaluatedModel(name="wrong", ask=ScriptedModel(sent)),
    )
    outcomes = run(found, *models, limits=Limits(retries=0))
    assert [each.state for each in outcomes] == ["error", "failed"]
    assert "POST https://[redacted]@proxy.example/v1" in outcomes[0].problems[0]
    report = Report(summaries=summaries_of(outcomes))
    texts = [render(report) for render in (render_text, render_markdown, render_junit, render_page)]
    for text in (*texts, json.dumps(to_json(report))):
        assert not [each for each in (password, key, "wrong-778-pin") if each in text], text


@pytest.mark.parametrize("check", ["tells_args", "asserts_args", "breaks_with_args"])
def test_reg_66_no_report_has_a_secret_arg_that_a_check_or_a_model_tells(tmp_path: Path, check: str) -> None:
    sent = call("door.login", user="ann", pin="wrong-778-pin", api_key="s3cr3t-1")
    case = {"question": "Log in.", "turns": 2, "check": f"tests.unit.evaluate.checks:{check}"}
    found = cases(tmp_path, catalog_of(LOGIN), failing=case)
    asked = EvaluatedModel(name="wrong", ask=ScriptedModel(sent, "I have sent wrong-778-pin and s3cr3t-1."))
    outcomes = run(found, asked, modules=HandlerModules(named=["tests.unit.evaluate.checks"]))
    assert outcomes[0].state == ("error" if check == "breaks_with_args" else "failed")
    assert "'user': 'ann'" in outcomes[0].problems[0]
    report = Report(summaries=summaries_of(outcomes))
    texts = [render(report) for render in (render_text, render_markdown, render_junit, render_page)]
    for text in (*texts, json.dumps(to_json(report))):
        assert not [each for each in ("wrong-778-pin", "s3cr3t-1") if each in text], text


def test_reg_66_the_secrets_of_a_call_are_known_whatever_it_names() -> None:
    reader = ArgsReader(catalog_of(LOGIN), HandlerModules())
    cut = ToolRequest(name="door.login", payload=b'{"user": "ann", "pin": "wrong-778-pin"')
    calls = [reader.called(call("door.none", password="s3cr3t-1"), ""), reader.called(cut, "door.login")]  # noqa: S106  # it is made up
    values = secrets_of(calls).values
    assert values is not None
    assert values.hide("s3cr3t-1, wrong-778-pin, ann") == "[redacted], [redacted], ann"


def test_no_case_begins_once_the_cost_is_used_up(tmp_path: Path) -> None:
    def ask(_messages: Any, _request: Any) -> Any:
        message = {"role": "assistant", "content": "no"}
        usage = {"prompt_tokens": 1_000, "completion_tokens": 500}
        return {"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage}

    found = cases(tmp_path, catalog_of(), **{f"case{number}": REFUND for number in range(5)})
    asked = EvaluatedModel(name="fake", ask=ask, input_price=10.0, output_price=20.0)
    outcomes = run(found, asked, limits=Limits(concurrency=1, max_cost=0.03))
    assert [each.state for each in outcomes] == ["failed", "failed", "skipped", "skipped", "skipped"]
    assert [each.cost for each in outcomes] == pytest.approx([0.02, 0.02, 0, 0, 0])
    assert summaries_of(outcomes)[0].tokens("input_tokens") == 2_000


def test_no_case_begins_once_the_cost_is_unknown(tmp_path: Path) -> None:
    def ask(_messages: Any, _request: Any) -> Any:
        return {"choices": [{"message": {"role": "assistant", "content": "no"}, "finish_reason": "stop"}]}

    found = cases(tmp_path, catalog_of(), **{f"case{number}": REFUND for number in range(3)})
    priced = EvaluatedModel(name="fake", ask=ask, input_price=10.0, output_price=20.0)
    free = EvaluatedModel(name="free", ask=ask)
    limits = Limits(concurrency=1, max_cost=0.03)
    assert [each.state for each in run(found, free, limits=limits)] == ["failed"] * 3
    assert [(each.state, each.problems[0]) for each in run(found, priced, limits=limits)][1:] == [
        ("skipped", "the cost is unknown: a request before failed, or its reply did not tell its tokens")
    ] * 2


def test_recorded_replies_cost_nothing(tmp_path: Path) -> None:
    asked: list[int] = []

    def ask(_messages: Any, _request: Any) -> Any:
        asked.append(1)
        usage = {"prompt_tokens": 1_000, "completion_tokens": 500}
        message = {"role": "assistant", "content": "no"}
        return {"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage}

    questions = {f"case{number}": {**REFUND, "question": f"Refund {number}"} for number in range(4)}
    found = cases(tmp_path, catalog_of(), **questions)
    model = EvaluatedModel(name="fake", ask=ask, input_price=10.0, output_price=20.0)
    limits = Limits(concurrency=1, max_cost=0.03)
    for left in (2, 0):  # the second time goes on where the first one stopped
        outcomes = run(found, model, limits=limits, exchanges=Exchanges(tmp_path / "kept.jsonl", asks=True))
        assert [each.state for each in outcomes].count("skipped") == left
    assert len(asked) == 4


def answer(*calls: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return a response of the API of OpenAI."""
    message = {"role": "assistant", "content": None, **({"tool_calls": list(calls)} if calls else {})}
    return {"choices": [{"message": message, "finish_reason": "stop"}], **more}


def called(name: str, arguments: str) -> dict[str, Any]:
    return {"id": "c1", "type": "function", "function": {"name": name, "arguments": arguments}}


@pytest.mark.parametrize("name", ["nope", "shop__refnd", "\u202e\x1b[31m"])
def test_a_call_of_a_tool_that_there_is_not_is_wrong_and_no_error(tmp_path: Path, name: str) -> None:
    outcome = one(tmp_path, REFUND, answer(called(name, "{}")))
    assert outcome.state == "failed"
    assert outcome.pairs == (("shop.refund", f"{name} (not offered)"),)


def _circle() -> dict[str, Any]:
    made = answer()
    made["self"] = made
    return made


def _deep() -> dict[str, Any]:
    made: dict[str, Any] = {}
    for _ in range(50_000):
        made = {"a": made}
    return answer(more=made)


def _exit() -> Any:
    raise SystemExit(3)


@pytest.mark.parametrize(
    ("respond", "message"),
    [
        (_circle, "ValueError: the response is no JSON: Circular reference detected"),
        (_deep, "ValueError: the response is no JSON: maximum recursion depth"),
        (lambda: answer(text="\ud800"), "ValueError: the response is no JSON: 'utf-8' codec"),
        (lambda: answer(data=b"1"), "ValueError: the response is no JSON: Object of type bytes"),
        (lambda: answer(usage={"prompt_tokens": float("nan")}), "ValueError: the response is no JSON: Out of range"),
        (lambda: answer(called("shop__refund", "x" * 17_000_000)), "ValueError: the response has 17,0"),
        (_exit, "SystemExit: 3"),
    ],
    ids=["circle", "deep", "surrogate", "bytes", "nan", "huge", "exit"],
)
def test_a_hostile_response_is_an_error_of_its_case_alone(tmp_path: Path, respond: Any, message: str) -> None:
    def ask(messages: Any, _request: Any) -> Any:
        return answer() if messages[-1]["content"] == "Hello" else respond()

    found = cases(tmp_path, catalog_of(), bad=REFUND, good={"question": "Hello", "expect": []})
    exchanges = Exchanges(tmp_path / "kept.jsonl", asks=True)
    limits = Limits(retries=0)
    bad, good = run(found, EvaluatedModel(name="fake", ask=ask), limits=limits, exchanges=exchanges)
    assert bad.state == "error"
    assert bad.problems[0].startswith(message)
    assert good.state == "passed"
    assert len(Exchanges(tmp_path / "kept.jsonl", asks=False)) == 1


@pytest.mark.parametrize(
    ("function", "message"), [("exits", "SystemExit: 3"), ("is_cancelled", "CancelledError"), ("is_async", "is async")]
)
@pytest.mark.parametrize("key", ["check", "fields"])
def test_a_function_of_a_case_is_an_error_of_that_alone(tmp_path: Path, key: str, function: str, message: str) -> None:
    place = f"tests.unit.evaluate.checks:{function}"
    named = {"check": place} if key == "check" else {"expect": [{"call": "shop.refund", "fields": {"order_id": place}}]}
    found = cases(tmp_path, catalog_of(), bad={"question": "Refund o-1", **named}, good=REFUND)
    script = ScriptedModel(lambda _: call("shop.refund", order_id="o-1"))
    bad, good = run(found, EvaluatedModel(name="fake", ask=script), modules=HandlerModules(str(ROOT)))
    assert (bad.state, good.state) == ("error", "passed")
    assert message in bad.problems[0]


@pytest.mark.parametrize("error", [RecursionError("too deep"), SystemExit(3), asyncio.CancelledError()])
def test_what_nothing_foresaw_is_an_error_of_its_case_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    def judged(case: Case, *_: Any) -> Verdict:
        if case.name == "shop/bad":
            raise error
        return Verdict()

    monkeypatch.setattr(running, "judge", judged)
    found = cases(tmp_path, catalog_of(), bad=REFUND, good=REFUND)
    bad, good = run(found, model(lambda _: "no"))
    assert (bad.state, good.state) == ("error", "passed")
    assert bad.problems == (": ".join(filter(None, (type(error).__name__, str(error)))),)


def test_an_interruption_and_a_recording_that_cannot_be_written_end_the_evaluation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = cases(tmp_path, catalog_of(), case={"question": "?", "check": "tests.unit.evaluate.checks:interrupts"})
    with pytest.raises(KeyboardInterrupt):
        run(found, model(lambda _: "no"), modules=HandlerModules(str(ROOT)))

    def full(*_: Any) -> None:
        raise ExchangesError("the disk is full")

    exchanges = Exchanges(tmp_path / "kept.jsonl", asks=True)
    monkeypatch.setattr(exchanges, "add", full)
    with pytest.raises(ExchangesError, match="the disk is full"):
        run(found, model(lambda _: "no"), exchanges=exchanges)


@pytest.mark.parametrize("usage", [{"prompt_tokens": 10**400, "completion_tokens": 1}, {"prompt_tokens": -5},
                                   {"prompt_tokens": 5}, {"completion_tokens": True}])  # fmt: skip
def test_a_cost_that_a_reply_does_not_tell_in_full_is_unknown(tmp_path: Path, usage: dict[str, Any]) -> None:
    def ask(_messages: Any, _request: Any) -> Any:
        return answer(usage=usage)

    found = cases(tmp_path, catalog_of(), **{f"case{number}": REFUND for number in range(2)})
    priced = EvaluatedModel(name="fake", ask=ask, input_price=10.0, output_price=20.0)
    first, second = run(found, priced, limits=Limits(concurrency=1, max_cost=1e9))
    assert first.state == "failed"
    assert second.problems == ("the cost is unknown: a request before failed, or its reply did not tell its tokens",)


class OfStatus(Exception):
    """An error of an SDK."""

    def __init__(self, status: int) -> None:
        super().__init__(f"status {status}")
        self.status_code = status


async def _broken_stream() -> Any:
    yield {"choices": [{"delta": {"content": "n"}}]}
    raise ConnectionResetError


USED = {"prompt_tokens": 1_000_000, "completion_tokens": 0}
PAID: dict[str, tuple[Any, float | None]] = {
    "right": (answer(usage=USED), 1),
    "no JSON": (answer(usage=USED, score=float("nan")), 1),
    "a circle": (answer(usage=USED, again=_circle()), 1),
    "too large": (answer(usage=USED, pad="x" * 17 * 2**20), 1),
    "no choices": ({"usage": USED}, 1),
    "an error that was paid": ({"error": {"message": "filtered"}, "usage": USED}, 1),
    "an error": ({"error": {"message": "slow down"}}, 0),
    "without tokens": (answer(), None),
    "unreadable": ({"choices": 5}, None),
    "no response": ("hello", None),
    "a broken stream": (_broken_stream, None),
    "a time-out": (TimeoutError(), None),
    "a reset": (ConnectionResetError(), None),
    "refused": (OfStatus(429), 0),
    "overloaded": (OfStatus(529), 0),
    "failed at the gateway": (OfStatus(504), None),
}
"""Replies to a request, or errors that it raises, and what it costs; None where that is unknown."""


@pytest.mark.parametrize("names", [(name, "right") for name in PAID] + [("an error", name) for name in PAID], ids=str)
@pytest.mark.parametrize("concurrency", [1, 3])
def test_whatever_becomes_of_a_request_its_cost_counts(
    tmp_path: Path, names: tuple[str, str], concurrency: int
) -> None:
    """Each request is asked only if the cost of all before is known, and below the bound."""
    paid: list[float | None] = []

    def ask(_messages: Any, _request: Any) -> Any:
        reply, cost = PAID[names[min(len(paid), 1)]]
        paid.append(cost)
        if isinstance(reply, Exception):
            raise reply
        return reply() if callable(reply) else reply

    async def asked(messages: Any, request: Any) -> Any:
        return ask(messages, request)

    found = cases(tmp_path, catalog_of(), **{f"case{number}": REFUND for number in range(9)})
    priced = EvaluatedModel(name="fake", ask=asked, input_price=1.0, output_price=1.0)
    outcomes = run(found, priced, limits=Limits(concurrency=concurrency, retries=2, max_cost=3.0), sleep=no_wait)
    before = paid[:-concurrency]  # requests at the same time do not know of each other
    assert None not in before
    assert sum(filter(None, before)) < 3
    assert sum(each.cost for each in outcomes) == sum(filter(None, paid))
    (summary,) = summaries_of(outcomes)
    assert summary.is_cost_known == (None not in paid)
    assert ("and what requests cost that failed" in render_text(Report(summaries=(summary,)))) == (None in paid)
    assert to_json(Report(summaries=(summary,)))["models"][0]["is_cost_known"] == summary.is_cost_known


async def no_wait(_seconds: float) -> None:
    pass


def test_a_response_with_too_many_calls_makes_none(tmp_path: Path) -> None:
    outcome = one(tmp_path, {**REFUND, "turns": 3}, answer(*[called("shop__refund", '{"order_id": "o-1"}')] * 5_000))
    assert (outcome.state, outcome.turns, len(outcome.calls)) == ("failed", 1, 200)
    assert outcome.problems[-1] == "there are more than 200 calls"


@pytest.mark.parametrize("provider", ["openai", "anthropic", "gemini"])
def test_messages_and_system_texts_are_in_the_format_of_the_api(tmp_path: Path, provider: str) -> None:
    case = {"messages": [{"user": "hi"}, {"assistant": "hello"}, {"user": "bye"}], "expect": []}
    seen: list[ModelRequest] = []

    def play(request: ModelRequest) -> ModelTurn:
        seen.append(request)
        return "bye"

    (outcome,) = run(cases(tmp_path, catalog_of(), case=case), model(play, provider=provider))
    assert (outcome.state, outcome.pairs) == ("passed", (("", ""),))
    answering = "model" if provider == "gemini" else "assistant"
    assert [each["role"] for each in seen[0].messages] == ["user", answering, "user"]


def test_the_search_model_picks_by_words_and_fills_what_it_can(tmp_path: Path) -> None:
    found = cases(
        tmp_path,
        catalog_of(),
        refund={
            "question": "Please refund order o-17",
            "expect": [{"call": "shop.refund", "args": {"order_id": "o-17"}}],
        },
        find={
            "question": "Find the shipped orders of the customer 'ann'",
            "expect": [{"call": "shop.find", "args": {"customer": "ann", "state": "shipped"}}],
        },
        nothing={"question": "Bonjour", "expect": []},
    )
    outcomes = run(found, EvaluatedModel(name="search", ask=SearchModel()))
    assert [(each.case, each.state, each.problems) for each in outcomes] == [
        ("shop/refund", "passed", ()),
        ("shop/find", "passed", ()),
        ("shop/nothing", "passed", ()),
    ]


@pytest.fixture(scope="module")
def fifty(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """Return fifty cases, whose questions name the tool that is right."""
    tools = ["shop.refund", "shop.cancel"]
    named = {f"case{number}": tools[number % 2] for number in range(50)}
    rows = {name: {"question": tool, "expect": [{"call": tool}]} for name, tool in named.items()}
    return cases(tmp_path_factory.mktemp("evals"), catalog_of(), **rows)


@pytest.mark.slow
@pytest.mark.long
def test_a_known_accuracy_is_in_its_interval_and_equal_models_are_not_called_different(fifty: list[Any]) -> None:
    seeds = 30
    held = different = 0
    for seed in range(seeds):
        outcomes, again = (run(fifty, model(right_with(0.7, each))) for each in (seed, seeds + seed))
        for (summary,) in map(summaries_of, (outcomes, again)):
            held += summary.interval.low <= 0.7 <= summary.interval.high
        (comparison,) = compared(outcomes, again)
        different += comparison.verdict != "no difference seen"
    assert held / (2 * seeds) >= 0.93  # 0.95, but for the chance of 60 seeds
    assert different / seeds <= 0.05


def test_a_worse_model_is_called_worse(fifty: list[Any]) -> None:
    before, after = run(fifty, model(right_with(0.95, 1))), run(fifty, model(right_with(0.4, 2)))
    (comparison,) = compared(before, after)
    assert comparison.verdict == "worse"
    assert len(comparison.broken) - len(comparison.fixed) == round(50 * (comparison.before - comparison.after))
    (summary,) = summaries_of(after)
    wrong = 50 - summary.passed
    assert summary.confusion["shop.refund", "shop.cancel"] + summary.confusion["shop.cancel", "shop.refund"] == wrong
    assert {each.ident for each in summary.tools} == {"shop.refund", "shop.cancel"}
    refund = next(each for each in summary.tools if each.ident == "shop.refund")
    assert refund.expected == 25
    assert refund.recall == pytest.approx(summary.confusion["shop.refund", "shop.refund"] / 25)
