"""Denials with a proposal: the engine checks it before it is an answer, and the model gets it with the denial."""

from __future__ import annotations

import itertools
import json
import logging
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.engine.app import request, write
from tests.unit.engine.test_calls import one
from tests.unit.engine.test_commands import Shell
from toolgen.contract.records import ToolCallMeta
from toolgen.engine.calls import call_by_engine
from toolgen.engine.protocol import AlreadyAnswered, Approval, ApprovalAnswer, NotApprover
from toolgen.record.sqlite import SqliteReader, SqliteStore
from toolgen.runtime.base.errors import InvalidPayload
from toolgen.runtime.calls.result import PROPOSED
from toolgen.runtime.policy.permission import Decision, PermissionDecision

if TYPE_CHECKING:
    from tests.unit.engine.engines import Engines, Running

ALLOW = PermissionDecision(decision=Decision.ALLOW_ONCE)
ARGS = {"path": "notes/a.md", "content": 'half "a" line\u2028\U000e0001', "overwrite": True}
ANN = ToolCallMeta(user="ann")


def deny(proposal: Any) -> PermissionDecision:
    return PermissionDecision(decision=Decision.DENY, reason="not there", proposal=proposal)


async def texts_of(running: Running, run_id: str) -> list[str]:
    """Return what the model of a run was told about its calls."""
    end = await running.engine.result(run_id, 300)
    return [str(message.content) for message in end.messages if message.role == "tool"]


def test_the_model_of_a_run_gets_the_proposal_and_a_call_with_it_asks_again(engines: Engines) -> None:
    async def body(running: Running) -> None:
        run_id = await running.engine.start(request([write("/")], [("code.write_file", ARGS)]))
        (asked,) = await running.questions(run_id)
        answer = await running.engine.decide(run_id, asked.id, deny(ARGS), by="ann")
        assert (answer.reason, answer.proposal) == ("not there", ARGS)
        assert ApprovalAnswer.from_json(json.loads(json.dumps(answer.as_json()))) == answer
        assert str(answer).startswith("deny with a proposal for code.write_file, by ann, at 20")
        assert await running.engine.answers(run_id) == [answer]
        (again,) = await running.questions(run_id)
        assert again.id != asked.id
        assert running.marks() == []
        with pytest.raises(AlreadyAnswered):
            await running.engine.decide(run_id, asked.id, deny({}), by="bob")
        await running.engine.decide(run_id, again.id, ALLOW, by="ann")
        denied, _ = await texts_of(running, run_id)
        assert "permission was denied: not there\n" in denied
        assert json.loads(denied.splitlines()[-1].removeprefix(PROPOSED)) == ARGS
        assert running.marks() == ["notes/a.md"]

    engines.run(body)


@pytest.mark.parametrize(
    ("proposal", "place"),
    [
        ({"path": 1, "content": ""}, "/path"),
        ({"path": "a"}, "content"),
        ({**ARGS, "other": 1}, "other"),
        (["a"], "propose a JSON object"),
        ({**ARGS, "content": "\ud800"}, "surrogates"),
        ({**ARGS, "content": "x" * 10_000_000}, "at most 65536 bytes"),
    ],
    ids=itertools.count(),
)
@pytest.mark.variants(4)
def test_an_invalid_proposal_is_refused_with_its_place_and_the_question_stays_open(
    engines: Engines, proposal: Any, place: str
) -> None:
    async def body(running: Running) -> None:
        run_id = await running.engine.start(request([write("a")]))
        (asked,) = await running.questions(run_id)
        with pytest.raises(InvalidPayload, match=f"^the proposal cannot be given: .*{place}"):
            await running.engine.decide(run_id, asked.id, deny(proposal), by="ann")
        assert await running.engine.answers(run_id) == []
        assert [each.id for each in await running.engine.approvals(run_id)] == [asked.id]
        await running.engine.decide(run_id, asked.id, ALLOW, by="ann")
        await running.engine.result(run_id, 300)
        assert running.marks() == ["a"]

    engines.run(body)


def test_who_may_not_answer_may_not_propose(engines: Engines) -> None:
    async def body(running: Running) -> None:
        run_id = await running.engine.start(request([write("a")], user="ann"))
        (asked,) = await running.questions(run_id)
        for proposal in (ARGS, {"path": 1}):
            with pytest.raises(NotApprover):
                await running.engine.decide(run_id, asked.id, deny(proposal), by="bob")
        assert await running.engine.answers(run_id) == []
        await running.engine.decide(run_id, asked.id, deny(ARGS), by="ann")
        (told,) = await texts_of(running, run_id)
        assert PROPOSED in told
        assert running.marks() == []

    engines.run(body, approvers={"code.write_file": {"user": True}})


def test_the_record_of_the_call_has_the_proposal_and_who_made_it(engines: Engines) -> None:
    place = engines.folder / "record.sqlite"
    store = SqliteStore(place)

    async def body(running: Running) -> None:
        run_id = await running.engine.start(request([write("a")], run_id="r1"))
        (asked,) = await running.questions(run_id)
        await running.engine.decide(run_id, asked.id, deny(ARGS), by="ann")
        await running.engine.result(run_id, 300)
        await store.close()

    engines.run(body, store=store)
    (given,) = [
        event.data["permission"]
        for event in SqliteReader(place).page("r1", -1, 100).events
        if "permission" in event.data
    ]
    assert (given["reason"], given["proposal"], given["metadata"]["by"]) == ("not there", ARGS, "ann")


def test_a_single_call_has_the_proposal_as_data(engines: Engines, caplog: pytest.LogCaptureFixture) -> None:
    async def body(running: Running) -> None:
        async def ask(_approval: Approval) -> PermissionDecision:
            return deny(ARGS)

        async def ask_wrongly(_approval: Approval) -> PermissionDecision:
            return deny({"path": 1})

        result = await call_by_engine(running.engine, one(write("a")), ANN, ask=ask)
        assert result.error is not None
        assert json.loads(result.error.proposal) == ARGS
        result = await call_by_engine(running.engine, one(write("a")), ANN, ask=ask_wrongly)
        assert result.error is not None
        assert (result.error.code, result.error.proposal) == ("permission_denied", "")
        assert running.marks() == []

    with caplog.at_level(logging.WARNING):
        engines.run(body)
    assert "the denial of code.write_file has no proposal" in caplog.text
    assert "/path" in caplog.text


def test_an_answer_of_before_proposals_is_read() -> None:
    answer = ApprovalAnswer(question="q_1", call="c", tool="t", decision=Decision.DENY, by="ann", at=1.0)
    assert "proposal" not in answer.as_json()
    assert ApprovalAnswer.from_json(answer.as_json()) == answer


def test_where_no_worker_has_told_the_args_a_proposal_is_refused(
    durable: Engines, monkeypatch: pytest.MonkeyPatch
) -> None:
    from toolgen.engine.dbos import engine as dbos_engine

    async def body(running: Running) -> None:
        run_id = await running.engine.start(request([write("a")]))
        (asked,) = await running.questions(run_id)
        monkeypatch.setattr(dbos_engine, "contract_of", lambda *_args: None)
        with pytest.raises(InvalidPayload, match="not known here: deny without a proposal"):
            await running.engine.decide(run_id, asked.id, deny(ARGS), by="ann")
        await running.engine.decide(run_id, asked.id, deny(None), by="ann")
        (told,) = await texts_of(running, run_id)
        assert PROPOSED not in told

    durable.run(body)


def test_a_question_of_before_proposals_takes_none(durable: Engines, monkeypatch: pytest.MonkeyPatch) -> None:
    async def body(running: Running) -> None:
        run_id = await running.engine.start(request([write("a")]))
        (asked,) = await running.questions(run_id)
        old = Approval(
            run_id=run_id,
            call=asked.call,
            question={name: value for name, value in asked.question.items() if name != "args_schema"},
        )

        async def approvals(_run_id: str, /) -> list[Approval]:
            return [old]

        monkeypatch.setattr(running.engine, "approvals", approvals)
        with pytest.raises(InvalidPayload, match="not known here: deny without a proposal"):
            await running.engine.decide(run_id, asked.id, deny(ARGS), by="ann")
        await running.engine.decide(run_id, asked.id, deny(None), by="ann")
        await running.engine.result(run_id, 300)

    durable.run(body)


def test_a_command_denies_with_a_proposal(durable: Engines) -> None:
    shell = Shell(durable)
    file = durable.folder / "args.json"

    async def body(running: Running) -> None:
        for number in range(2):
            await running.engine.start(request([write("a")], run_id=f"r{number}"))
            await running.questions(f"r{number}")
        for given, problem in (
            ('{"path": 1, "content": ""}', "the proposal cannot be given: /path: "),
            ("{", "--propose is not JSON: "),
            ("[1]", "--propose must be a JSON object of args"),
            (f"@{file}", "cannot be read"),
            ('{"path": "\\ud800"}', "--propose is not JSON: "),
            ('{"a":' * 300 + "1" + "}" * 300, "--propose is not JSON: "),
        ):
            assert problem in await shell("deny", "r0", "--propose", given, code=2)
        assert "--propose is about one call: name its RUN" in await shell("deny", "--propose", "{}", code=2)
        assert await running.engine.answers("r0") == []
        (done,) = await shell.json("deny", "r0", "--reason", "not there", "--propose", json.dumps(ARGS))
        assert (done["answer"]["reason"], done["answer"]["proposal"]) == ("not there", ARGS)
        file.write_text(json.dumps(ARGS))
        assert "deny with a proposal for code.write_file" in await shell("deny", "r1", "--propose", f"@{file}")
        for run_id in ("r0", "r1"):
            (told,) = await texts_of(running, run_id)
            assert json.loads(told.splitlines()[-1].removeprefix(PROPOSED)) == ARGS
            assert '  proposed: {"content":"half' in await shell("show", run_id)
            (answer,) = (await shell.json("show", run_id))["answers"]
            assert answer["proposal"] == ARGS

    durable.run(body)
