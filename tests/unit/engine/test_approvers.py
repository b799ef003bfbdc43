"""Who may answer is checked at every door by one rule of policies, and who did, when and from where is on record."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.engine.app import add_policy, request, write
from tests.unit.engine.test_commands import Shell
from tests.unit.record.sample import KEY
from tests.unit.runtime.tools import add, idle_executors
from toolgen.contract.records import ToolCallMeta, ToolRequest
from toolgen.engine.calls import call_by_engine, call_request
from toolgen.engine.protocol import AlreadyAnswered, ApprovalAnswer, NeedsOthers, NotApprover
from toolgen.explore.settings import ExploreSettings
from toolgen.record.chain import verify_chain
from toolgen.record.sqlite import SqliteReader, SqliteStore
from toolgen.runtime import Runtime, load
from toolgen.runtime.policy.approvers import ANONYMOUS_CLIENT, Approver, Approvers, combined
from toolgen.runtime.policy.permission import Decision, PermissionDecision

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.unit.engine.engines import Engines, Running
    from toolgen.engine.protocol import Approval

ALLOW = PermissionDecision(decision=Decision.ALLOW_ONCE, reason="checked")
SESSION = PermissionDecision(decision=Decision.ALLOW_FOR_SESSION)
DENY = PermissionDecision(decision=Decision.DENY, reason="no")
TWO = {"code.write_file": {"people": 2, "roles": ["finance"]}}
ANN, BOB = Approver("ann", ("finance",), "chat"), Approver("bob", ("finance", "other"), "mail")


def test_only_the_user_of_the_run_answers_where_a_policy_says_so(engines: Engines) -> None:
    async def body(running: Running) -> None:
        engine = running.engine
        for user in ("ann", None):
            run_id = await engine.start(request([write(f"of-{user}")], user=user))
            (asked,) = await running.questions(run_id)
            for decision in (ALLOW, DENY):
                with pytest.raises(NotApprover, match="may answer"):
                    await engine.decide(run_id, asked.id, decision, by="bob")
            with pytest.raises(NotApprover, match="nobody"):
                await engine.decide(run_id, asked.id, ALLOW, by="")
            assert await engine.answers(run_id) == []
            if user is None:
                await engine.cancel(run_id)
                continue
            await engine.decide(run_id, asked.id, ALLOW, by="ann")
            await engine.result(run_id, 300)
        assert running.marks() == ["of-ann"]

    engines.run(body, approvers={"code.write_file": {"user": True}})


def test_two_people_with_a_role_must_allow_and_one_can_deny(engines: Engines) -> None:
    async def body(running: Running) -> None:
        engine = running.engine
        for number, (first, second) in enumerate([(ANN, BOB), (BOB, ANN)]):
            run_id = await engine.start(request([write(f"f{number}")]))
            (asked,) = await running.questions(run_id)
            with pytest.raises(NotApprover, match="only finance may answer"):
                await engine.decide(run_id, asked.id, ALLOW, by=Approver("eve", ("other",)))
            for _ in range(2):  # the same person twice is one person
                with pytest.raises(NeedsOthers, match="2 people must allow it, and 1 did"):
                    await engine.decide(run_id, asked.id, SESSION, by=first)
            assert [each.id for each in await engine.approvals(run_id)] == [asked.id]
            assert running.marks() == [f"f{each}" for each in range(number)]
            answer = await engine.decide(run_id, asked.id, ALLOW, by=second)
            assert (answer.by, answer.decision, answer.via) == (second.name, Decision.ALLOW_ONCE, second.via)
            assert [(each["by"], each["via"]) for each in answer.others] == [(first.name, first.via)]
            assert await engine.answers(run_id) == [answer]
            assert f"by {first.name} and {second.name}, at 20" in str(answer)
            await engine.result(run_id, 300)
        run_id = await engine.start(request([write("denied")]))
        (asked,) = await running.questions(run_id)
        await engine.decide(run_id, asked.id, DENY, by=ANN)
        await engine.result(run_id, 300)
        assert running.marks() == ["f0", "f1"]

    engines.run(body, approvers=TWO)


def test_of_two_people_at_once_both_are_noted_and_one_gives_the_answer(engines: Engines) -> None:
    async def body(running: Running) -> None:
        for number in range(5):
            run_id = await running.engine.start(request([write(f"f{number}")]))
            (asked,) = await running.questions(run_id)
            given = await asyncio.gather(
                *(running.engine.decide(run_id, asked.id, ALLOW, by=each) for each in (ANN, BOB, ANN)),
                return_exceptions=True,
            )
            if not any(isinstance(each, ApprovalAnswer) for each in given):  # each saw itself alone
                pytest.fail(str(given))
            assert all(isinstance(each, ApprovalAnswer | NeedsOthers | AlreadyAnswered) for each in given)
            (answer,) = await running.engine.answers(run_id)
            assert {each.name for each in answer.people} == {"ann", "bob"}
            await running.engine.result(run_id, 300)
        assert len(running.marks()) == 5

    engines.run(body, approvers=TWO)


def test_who_answered_when_and_from_where_is_in_the_record_and_its_chain(engines: Engines) -> None:
    place = engines.folder / "record.sqlite"
    store = SqliteStore(place, key=KEY)

    async def body(running: Running) -> None:
        engine = running.engine
        run_id = await engine.start(request([write("a")], run_id="r1"))
        (asked,) = await running.questions(run_id)
        with pytest.raises(NeedsOthers):
            await engine.decide(run_id, asked.id, ALLOW, by=ANN)
        await engine.decide(run_id, asked.id, ALLOW, by=BOB)
        await engine.result(run_id, 300)
        await store.close()

    engines.run(body, approvers=TWO, store=store)
    reader = SqliteReader(place)
    (given,) = [event.data["permission"] for event in reader.page("r1", 0, 100).events if "permission" in event.data]
    assert given["reason"] == "checked"
    about = given["metadata"]
    (other,) = about["others"]
    assert (about["by"], about["via"], other["by"], other["via"]) == ("bob", "mail", "ann", "chat")
    assert other["at"] <= about["at"]
    head = reader.head("r1")
    assert verify_chain(reader.chain("r1"), head, KEY) == []
    with closing(sqlite3.connect(place)) as connection:
        rows = connection.execute("SELECT sequence, body FROM events").fetchall()
    ((sequence, noted),) = [(number, bytes(written)) for number, written in rows if b'"via"' in written]
    for written in ("bob", "mail", "ann", "chat", about["at"], other["at"]):
        with closing(sqlite3.connect(place)) as connection, connection:
            forged = noted.replace(json.dumps(written).encode(), b'"eve"')
            connection.execute("UPDATE events SET body = ? WHERE sequence = ?", (forged, sequence))
        (found,) = verify_chain(SqliteReader(place).chain("r1"), head, KEY)
        assert found.message.startswith(f"event {sequence} does not follow from the one before it")


def test_commands_answer_as_the_user_of_the_system_with_its_groups(
    durable: Engines, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOGNAME", "ann")
    monkeypatch.setenv("USER", "ann")
    shell = Shell(durable)

    async def body(running: Running) -> None:
        run_id = await running.engine.start(request([write("a")]))
        await running.questions(run_id)
        assert "may be answered by 2 people, each of them finance" in await shell("show", run_id)
        assert "only finance may answer" in await shell("approve", run_id, code=2)
        assert await running.engine.answers(run_id) == []
        assert running.marks() == []

    durable.run(body, approvers=TWO)


@pytest.mark.parametrize("people", [(), (Approver("eve"),), (ANN, ANN)], ids=["nobody", "without role", "one"])
def test_a_callback_that_does_not_say_who_has_answered_allows_nothing(people: tuple[Approver, ...]) -> None:
    catalog = add(load("generated"), lambda _args: pytest.fail("it ran"), "own.tool", permission="write")
    add_policy(catalog, {"approvers": {"own.tool": TWO["code.write_file"]}})
    runtime = Runtime(
        catalog,
        executors=idle_executors(catalog),
        permission=lambda _request: PermissionDecision(decision=Decision.ALLOW_ONCE, people=people),
    )
    result = asyncio.run(runtime.invoke(ToolRequest(name="own.tool", payload="{}"), meta=ToolCallMeta(user="ann")))
    assert result.error is not None
    assert result.error.kind == "permission_denied"


RULES = st.fixed_dictionaries(
    {},
    optional={
        "user": st.booleans(),
        "roles": st.lists(st.sampled_from(["a", "b", "c"]), max_size=2, unique=True),
        "people": st.integers(1, 3),
    },
)
PEOPLE = st.lists(
    st.builds(
        Approver,
        st.sampled_from(["ann", "bob", "eve", ""]),
        st.lists(st.sampled_from(["a", "b", "c"]), max_size=2, unique=True).map(tuple),
    ),
    max_size=4,
)


@given(rules=st.lists(RULES, min_size=1, max_size=3), people=PEOPLE, user=st.sampled_from(["ann", "bob", None]))
def test_a_call_is_allowed_exactly_if_each_rule_is_met_by_everyone(
    rules: list[dict[str, Any]], people: list[Approver], user: str | None
) -> None:
    approvers = combined(rules)
    assert approvers is not None
    assert Approvers.from_json(json.loads(json.dumps(approvers.as_json()))) == approvers
    is_met = bool(people) and all(
        each.name
        and all(not rule.get("user") or each.name == user for rule in rules)
        and all(not rule.get("roles") or {*rule["roles"]} & {*each.roles} for rule in rules)
        for each in people
    )
    enough = len({each.name for each in people}) >= max(rule.get("people", 1) for rule in rules)
    assert (approvers.missing(user, people) == "") == (is_met and enough)


SPELLINGS: tuple[Callable[[str], str], ...] = (
    str.upper,
    str.title,
    lambda name: f" {name}\t",
    lambda name: f"{name}\u200b",
    lambda name: f"\u2066{name}\u2069",
    lambda name: name.replace(" ", "\u00a0 "),
    partial(normalize, "NFD"),
    partial(normalize, "NFKC"),
)


@given(
    name=st.text(st.characters(min_codepoint=32, max_codepoint=0x24F, exclude_characters="\u0131"), min_size=1),
    spelled=st.lists(st.sampled_from(SPELLINGS), max_size=3),
)
def test_one_person_is_not_two_people_by_another_spelling_of_the_name(
    name: str, spelled: list[Callable[[str], str]]
) -> None:
    other = name
    for spelling in spelled:
        other = spelling(other)
    people = [Approver(name), Approver(other)]
    assert Approvers(people=2).missing("eve", people) != ""
    assert Approver(f"{name} b").identity != Approver(f"{other} c").identity


def test_no_rule_allows_what_names_nobody(tmp_path: Path) -> None:
    assert combined([]) is None
    assert Approvers().missing("ann", [])
    assert not Approvers().missing("ann", [Approver("bob")])


@pytest.mark.parametrize("rule", [Approvers(user=True), Approvers(roles=(("finance",),)), Approvers(people=2)], ids=str)
def test_who_answers_without_a_name_meets_no_rule(rule: Approvers) -> None:
    """Doors that do not know who answers have a name for them all the same, which the record shows."""
    doors = [Approver(""), Approver(ANONYMOUS_CLIENT), Approver("(caller)"), ExploreSettings().person]
    for each in doors:
        person = Approver(each.name, ("finance",), each.via)
        assert rule.refusal(each.name, person) == "nobody knows who answers"
        assert "nobody knows who answers" in rule.missing(each.name, [person])
        assert Approvers().refusal("ann", person) == ("" if each.name else "nobody knows who answers")


def test_a_caller_without_a_user_is_not_one_of_two_people(engines: Engines) -> None:
    async def allow(_asked: Approval) -> PermissionDecision:
        return ALLOW

    async def body(running: Running) -> None:
        made = ToolRequest(name="code.write_file", payload=json.dumps({"path": "a", "content": ""}))
        meta, agent = ToolCallMeta(idempotency_key="k"), request([]).agent
        calling = asyncio.create_task(call_by_engine(running.engine, made, meta, agent=agent, ask=allow))
        run_id = call_request(made, meta, agent=agent).run_id
        await running.engine.start(call_request(made, meta, agent=agent))  # the same, whichever of them comes first
        (asked,) = await running.questions(run_id)
        with pytest.raises(NeedsOthers, match="2 people must allow it, and 1 did"):
            await running.engine.decide(run_id, asked.id, ALLOW, by=BOB)
        assert not calling.done()
        await running.engine.decide(run_id, asked.id, ALLOW, by=ANN)
        assert (await calling).error is None

    engines.run(body, approvers={"code.write_file": {"people": 2}})
