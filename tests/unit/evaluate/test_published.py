"""Published sets: each form becomes cases that are valid and mean the same, and what does not fit is told."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.evaluate.world import catalog_of, read
from toolgen.evaluate.drafting import drafts_of_tasks, written
from toolgen.evaluate.published import PublishedError, PublishedTask, read_tasks
from toolgen.runtime.codec.validation import Validation

if TYPE_CHECKING:
    from pathlib import Path

    from toolgen.evaluate.cases import Case

ASKED = [[{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Cancel o-1."}]]


def cases_of_set(folder: Path, records: Any, answers: Any = None) -> tuple[list[Case], list[str]]:
    """Read a set as the command does; return its cases, which are valid, and what is told of the others."""
    text = records if isinstance(records, bytes) else json.dumps(records).encode()
    tasks = read_tasks(text, "set", None if answers is None else json.dumps(answers).encode())
    drafts, problems = drafts_of_tasks(catalog_of(), tasks)
    cases, messages = read(folder, written("published", drafts), catalog_of())
    assert messages == []
    assert [each.key for each in drafts] == [each.name.partition("/")[2] for each in cases]
    return cases, problems


def calls(case: Case) -> list[tuple[str, Any, Any]]:
    return [(call.call, call.args, call.fields) for group in case.expected or () for call in group]


def said(case: Case) -> list[str]:
    return (
        [case.spec.question]
        if case.spec.question
        else [next(iter(each.model_dump().values())) for each in case.spec.messages]
    )


def test_bfcl_lists_the_values_that_are_right(tmp_path: Path) -> None:
    truth = [
        {"cancel": {"order_id": ["o-1"], "notify": ["", True]}},
        {"shop.find": {"customer": ["Ann", "ann"], "state": ["open"]}},
    ]
    (case,), problems = cases_of_set(
        tmp_path,
        [{"id": "parallel_0", "question": ASKED, "function": []}],
        [{"id": "parallel_0", "ground_truth": truth}],
    )
    assert problems == []
    assert (case.name, said(case), case.spec.any_order) == ("published/parallel_0", ["Cancel o-1."], True)
    assert calls(case) == [
        ("shop.cancel", {"order_id": "o-1"}, {}),  # `notify` may be left out
        ("shop.find", {"state": "open"}, {"customer": {"enum": ["Ann", "ann"]}}),
    ]


def test_values_of_objects_list_theirs_in_turn() -> None:
    truth = {
        "where": [{"city": ["Oslo", "Oslo, Norway"], "zip": [150, ""]}],
        "tags": [[{"name": ["a"]}, {"name": ["b", "c"]}], ["plain"]],
    }
    question = {"id": "0", "question": ASKED, "ground_truth": [{"find": truth}]}
    (task,) = read_tasks(json.dumps([question]).encode(), "set")
    fields = task.calls[0].fields
    right = Validation({"type": "object", "properties": fields}, assert_formats=False).is_valid
    assert right({"where": {"city": "Oslo"}, "tags": ["plain"]})
    assert right({"where": {"city": "Oslo, Norway", "zip": 3}, "tags": [{"name": "a"}, {"name": "c"}]})
    for wrong in ({"zip": 150}, {"city": "Bergen"}, {"city": "Oslo", "more": 1}, "Oslo"):
        assert not right({"where": wrong})
    for tags in ([{"name": "a"}], [{"name": "b"}, {"name": "a"}], [{"name": "a"}, {"name": "b"}, {}], []):
        assert not right({"tags": tags})


def test_acebench_has_one_value_for_each_arg_and_the_conversation_as_text(tmp_path: Path) -> None:
    asked = "user: Cancel my order.\nsystem: Which one?\nuser: This:\n- o-1\n"
    records = [
        {"id": "switch_0", "question": asked, "ground_truth": {"cancel": {"order_id": "o-1"}}},
        {"id": "switch_0", "question": "Nothing.", "ground_truth": []},
    ]
    (first, second), problems = cases_of_set(tmp_path, b"\n".join(json.dumps(each).encode() for each in records))
    assert problems == []
    assert (said(first), calls(first)) == (
        ["Cancel my order.", "Which one?", "This:\n- o-1"],
        [("shop.cancel", {"order_id": "o-1"}, {})],
    )
    assert (second.name, second.expected) == ("published/switch_0-2", ())


@pytest.mark.parametrize(
    "task",
    [
        {
            "user_scenario": {
                "instructions": {"reason_for_call": "Cancel it. ", "known_info": "o-1", "domain": "shop"}
            },
            "evaluation_criteria": {
                "actions": [
                    {"action_id": "1", "name": "cancel", "arguments": {"order_id": "o-1"}},
                    {"name": "look_at_the_phone", "arguments": {}, "requestor": "user"},
                ]
            },
        },
        {"instruction": "Cancel it.\no-1", "actions": [{"name": "cancel", "kwargs": {"order_id": "o-1"}}]},
    ],
    ids=["tau2-bench", "tau-bench"],
)
def test_a_task_of_a_simulated_user_has_turns_and_may_read(tmp_path: Path, task: Any) -> None:
    (case,), problems = cases_of_set(tmp_path, [{"id": 7, **task}])
    assert problems == []
    assert (case.name, said(case), case.spec.turns, case.spec.allow) == (
        "published/7",
        ["Cancel it.\no-1"],
        2,
        ["*+readonly"],
    )
    assert calls(case) == [("shop.cancel", {"order_id": "o-1"}, {})]


def test_a_call_gets_a_question_from_the_description(tmp_path: Path) -> None:
    records = [
        {"tool": "cancel", "arguments": {"order_id": "o-1"}, "accept": True},
        {"tool": "cancel", "arguments": {"order_id": "o-2"}, "question": "Undo o-2."},
        {"tool": "cancel", "arguments": {}, "accept": False},
    ]
    (first, second), problems = cases_of_set(tmp_path, records)
    assert said(first) + said(second) == ["Cancel an order before it is shipped (order_id o-1)", "Undo o-2."]
    assert problems == ["set#2: it is a call that its tool rejects"]


@pytest.mark.parametrize(
    ("record", "why"),
    [
        ({"tool": "cancle", "arguments": {}}, "there is no tool cancle; did you mean shop.cancel?"),
        (
            {"tool": "refund", "arguments": {"order_id": "7"}},
            'shop.refund: use text that matches the pattern "^o-[0-9]+$"',
        ),
        ({"tool": "refund", "arguments": 3}, "its `arguments` are no object"),
        ({"question": ASKED}, "it has no `ground_truth`: --answers names the file that has it"),
        ({"question": [*ASKED, *ASKED], "ground_truth": []}, "it has several turns, each with calls of its own"),
        ({"question": 3, "ground_truth": []}, "its question is no text and no list of messages"),
        ({"question": [[{"role": "tool"}]], "ground_truth": []}, "its question has something that is no message"),
        (
            {"question": [[{"role": "assistant", "content": "hi"}]], "ground_truth": []},
            "it has no question of a user",
        ),
        ({"question": ASKED, "ground_truth": ["cancel()"]}, "its answer has something that is no call"),
        ({"question": ASKED, "ground_truth": [{"cancel": {"order_id": "o-1"}}]}, "its answer does not list the values"),
        ({"instruction": "x", "actions": []}, "it has no actions of the agent"),
        ({"instruction": "x", "actions": [{"name": "cancel"}]}, "it has an action without `name` and `arguments`"),
        ({"evaluation_criteria": None}, "its `instructions` is no text"),
        ({"tools": "cancel"}, "its form is not known; a task has a question with `ground_truth`"),
    ],
)
def test_a_task_that_does_not_fit_is_told_with_its_place(tmp_path: Path, record: Any, why: str) -> None:
    (other,), (problem,) = cases_of_set(tmp_path, [record, {"tool": "cancel", "arguments": {"order_id": "o-1"}}])
    assert problem.startswith(f"set#0: {why}")
    assert calls(other) == [("shop.cancel", {"order_id": "o-1"}, {})]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"\xff", "set is no UTF-8 text: invalid start byte at byte 0"),
        (b'{"a": 1}\n\n{"a"\n', "set:3:5 is no JSON: Expecting ':' delimiter"),
        (b"[1]", "set#0 is no JSON object"),
        (b"[" * 100_000, "set cannot be read: "),
        (b"{}\n" * 100_001, "set has more than 100,000 tasks"),
    ],
)
def test_what_is_no_set_is_told(text: bytes, message: str) -> None:
    with pytest.raises(PublishedError) as refused:
        read_tasks(text, "set")
    assert str(refused.value).startswith(message)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from(["", "cancel", "o-1", "user: x", "assistant"]),
    lambda each: (
        st.lists(each, max_size=3)
        | st.dictionaries(st.sampled_from(["cancel", "find", "order_id", "name", "role", "content", "arguments"]), each)
    ),
    max_leaves=12,
)
_KEYS = [
    "id",
    "question",
    "ground_truth",
    "actions",
    "instruction",
    "evaluation_criteria",
    "tool",
    "arguments",
    "accept",
]


@given(st.lists(st.dictionaries(st.sampled_from(_KEYS), _JSON, min_size=1), max_size=4))
def test_every_record_is_a_valid_case_or_is_told(records: list[dict[str, Any]]) -> None:
    tasks = read_tasks(json.dumps(records).encode(), "set")
    assert all(isinstance(each, PublishedTask) for each in tasks)
    drafts, problems = drafts_of_tasks(catalog_of(), tasks)
    assert len(drafts) + len(problems) == len(records)


def test_an_answer_is_that_of_its_id(tmp_path: Path) -> None:
    truth = {"ground_truth": [{"cancel": {"order_id": "o-1"}}]}
    cases, problems = cases_of_set(tmp_path, [{"question": "Cancel!"}, {"id": 2, "question": "No."}], [truth])
    assert cases == []
    assert [each.partition(": ")[2][:24] for each in problems] == ["it has no `ground_truth`"] * 2
    ((case,), told) = cases_of_set(tmp_path, [{"id": 2, "question": "Cancel!"}], [{"id": "2", **truth}])
    assert (told, calls(case)) == ([], [("shop.cancel", {"order_id": "o-1"}, {})])


def test_tasks_that_no_file_can_have_are_told_one_by_one(tmp_path: Path) -> None:
    deep: Any = 1
    for _ in range(195):
        deep = [deep]
    records = [{"tool": "find", "arguments": {"customer": deep}}] * 300
    (case,), problems = cases_of_set(tmp_path, [*records, {"tool": "find", "arguments": {"customer": "a"}}])
    assert (len(problems), calls(case)) == (300, [("shop.find", {"customer": "a"}, {})])
