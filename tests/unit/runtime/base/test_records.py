"""Records with handwritten constructors: they behave like generated dataclasses."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, asdict, fields, replace
from inspect import signature
from typing import Any, Final

import pytest

from toolgen.contract.records import ToolCallMeta, ToolRequest
from toolgen.providers.protocol import ModelReply
from toolgen.runtime.calls.call import GateDecision

REQUEST: Final = ToolRequest(name="a", payload=b"[]", tool_call_id="c")
RECORDS: Final[list[Any]] = [
    REQUEST,
    ModelReply(text="hi", calls=(REQUEST,)),
    GateDecision(approved=False, reason="no"),
]

parametrized = pytest.mark.parametrize("record", RECORDS, ids=lambda record: type(record).__name__)


@parametrized
def test_a_record_has_the_given_fields_and_defaults_for_the_others(record: Any) -> None:
    kind = type(record)
    named = {field.name: getattr(record, field.name) for field in fields(record)}
    assert kind(**named) == record
    parameters = signature(kind).parameters.values()
    assert [(each.name, each.kind, each.default) for each in parameters] == [
        (field.name, each.KEYWORD_ONLY, each.empty if each.default is each.empty else field.default)
        for field, each in zip(fields(record), parameters, strict=True)
    ]
    required = {each.name: named[each.name] for each in parameters if each.default is each.empty}
    assert all(getattr(kind(**required), each.name) == each.default for each in parameters if each.name not in required)


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        (ToolRequest, {"name": "a", "payload": b"[]", "tool_call_id": "c"}),
        (ModelReply, {"text": "hi", "calls": (REQUEST,)}),
        (GateDecision, {"approved": False, "reason": "no"}),
    ],
)
def test_a_record_keeps_the_given_objects(kind: Any, given: dict[str, Any]) -> None:
    record = kind(**given)
    assert {name: getattr(record, name) for name in given} == given


@parametrized
def test_a_record_is_immutable_and_equals_its_copies(record: Any) -> None:
    name = fields(record)[0].name
    with pytest.raises(FrozenInstanceError):
        setattr(record, name, "other")
    with pytest.raises(FrozenInstanceError):
        delattr(record, name)
    for copied in (copy.deepcopy(record), pickle.loads(pickle.dumps(record)), replace(record)):
        assert (copied, hash(copied), repr(copied)) == (record, hash(record), repr(record))
    assert replace(record, **{name: "other"}) != record
    assert asdict(record).keys() == {field.name for field in fields(record)}
    with pytest.raises(TypeError):
        type(record)("by place")


def test_each_call_has_its_own_meta() -> None:
    given = ToolCallMeta(user="ann", tool_call_id="other", granted=("/a",))
    made = given.for_call("c")
    assert (made.tool_call_id, made.user, made.granted) == ("c", "ann", ("/a",))
    assert (given.tool_call_id, given.granted) == ("other", ("/a",))
    assert made == replace(given, tool_call_id="c")
    assert pickle.loads(pickle.dumps(made)) == made
