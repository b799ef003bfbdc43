"""Published sets of tasks: their questions, and the calls that are right, in the forms in which they are published.

A set is JSON, an array or a record per line. These forms are known by their keys:

- a question, with its calls under `ground_truth`, in the record or in answers: BFCL, whose args list all values that
  are right, and ACEBench, whose args have one (github.com/ShishirPatil/gorilla, github.com/ACEBench/ACEBench);
- a task of a simulated user, with `actions`: tau-bench and tau2-bench (github.com/sierra-research);
- a recorded call: `tool`, `arguments` and, optionally, `question` and `accept`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from toolgen.compiler.documents.evaluation import MOST_TURNS
from toolgen.runtime.base.received import TooMuch, json_of
from toolgen.schema.json_values import is_array, is_object
from toolgen.spec.text import visible

if TYPE_CHECKING:
    from typing import TypeGuard

_MOST_TASKS: Final = 100_000
"""Tasks of a set."""

_MOST_VALUES: Final = 5_000_000
"""JSON values of a set, and of its answers."""

_DEEPEST: Final = 20
"""Levels of args with alternatives."""

_SPEAKER: Final = re.compile(r"^(user|system|assistant): ?", re.MULTILINE)
"""Begins what somebody says in a conversation of ACEBench, whose `system` is the model."""

_FORMS: Final = (
    "a question with `ground_truth` (BFCL, ACEBench), `actions` (tau-bench), "
    "`evaluation_criteria` (tau2-bench), or `tool` and `arguments`"
)


class PublishedError(ValueError):
    """A set cannot be read. The message names the place, and what is wrong."""


class PublishedCall(NamedTuple):
    """A call that is right: args with their values, and args with a JSON Schema of the values that are right."""

    tool: str
    args: Mapping[str, Any]
    fields: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedTask:
    """A task: what is said, each time by the user or not; and its calls, if any is right.

    `name` is its id, if it has one. Without messages nothing is asked, as in a recorded call. `problem` is why there is
    no case in it.
    """

    name: str
    place: str
    messages: tuple[tuple[bool, str], ...] = ()
    calls: tuple[PublishedCall, ...] = ()
    any_order: bool = False
    turns: int = 1
    problem: str = ""


def read_tasks(text: bytes, name: str, answers: bytes | None = None) -> list[PublishedTask]:
    """Return the tasks of a set. `answers` is the file of its answers, by `id`. Raises `PublishedError`."""
    by_id = {_name(record): record for _, record in _records(answers or b"[]", f"the answers to {name}")}
    tasks: list[PublishedTask] = []
    for place, record in _records(text, name):
        answer = by_id.get(_name(record), {}) if _name(record) else {}
        truth = answer.get("ground_truth", answer.get("possible_answer"))
        read = {**record, "ground_truth": truth} if truth is not None else record
        try:
            tasks.append(_task(read, place))
        except _Unknown as error:
            tasks.append(PublishedTask(name=_name(record), place=place, problem=str(error)))
    return tasks


class _Unknown(Exception):
    """A record has another form. The message says what is wrong."""


def _records(text: bytes, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the records of a file, with their places."""
    try:
        shown = text.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise PublishedError(f"{name} is no UTF-8 text: {error.reason} at byte {error.start}") from None
    found: Any
    try:
        found = _parsed(shown, name)
    except json.JSONDecodeError:
        lines = [(number, line) for number, line in enumerate(shown.split("\n"), 1) if line.strip()]
        found = [_line(line, f"{name}:{number}") for number, line in lines[: _MOST_TASKS + 1]]
        places = [f"{name}:{number}" for number, _ in lines]
    else:
        is_list = is_array(found)
        found = found if is_list else [found]
        places = [f"{name}#{index}" if is_list else f"{name}:1" for index in range(len(found))]
    if len(found) > _MOST_TASKS:
        raise PublishedError(f"{name} has more than {_MOST_TASKS:,} tasks")
    for place, record in zip(places, found, strict=True):
        if not is_object(record):
            raise PublishedError(f"{place} is no JSON object")
        yield place, dict(record)


def _line(line: str, place: str) -> Any:
    try:
        return _parsed(line, place)
    except json.JSONDecodeError as error:
        raise PublishedError(f"{place}:{error.colno} is no JSON: {error.msg}") from None


def _parsed(text: str, place: str) -> Any:
    try:
        return json_of(text, _MOST_VALUES)
    except json.JSONDecodeError:
        raise
    except (TooMuch, ValueError) as error:
        raise PublishedError(f"{place} cannot be read: {error}") from None


def _task(record: Mapping[str, Any], place: str) -> PublishedTask:
    if "evaluation_criteria" in record:
        return _of_tau2(record, place)
    if "actions" in record:
        said = _text(record.get("instruction", record.get("question")), "instruction")
        return _of_actions(record, place, said, record["actions"])
    if "question" in record and "tool" not in record:
        return _of_question(record, place)
    if isinstance(tool := record.get("tool"), str):
        return _of_call(record, place, tool)
    raise _Unknown(f"its form is not known; a task has {_FORMS}")


def _of_call(record: Mapping[str, Any], place: str, tool: str) -> PublishedTask:
    if record.get("accept") is False:
        raise _Unknown("it is a call that its tool rejects")
    if not is_object(args := record.get("arguments")):
        raise _Unknown("its `arguments` are no object")
    asked = _text(record.get("question", ""), "question")
    return PublishedTask(
        name=_name(record),
        place=place,
        messages=((True, asked),) if asked else (),
        calls=(PublishedCall(tool, args, {}),),
    )


def _of_question(record: Mapping[str, Any], place: str) -> PublishedTask:
    question, truth = record["question"], record.get("ground_truth")
    messages = tuple(_messages(question))
    if not messages or not messages[-1][0]:
        raise _Unknown("it has no question of a user")
    if truth is None:
        raise _Unknown("it has no `ground_truth`: --answers names the file that has it")
    lists_values = not isinstance(question, str)
    calls = tuple(_true_call(tool, args, lists_values) for tool, args in _true_calls(truth))
    return PublishedTask(name=_name(record), place=place, messages=messages, calls=calls, any_order=True)


def _messages(question: Any) -> Iterator[tuple[bool, str]]:
    """Yield what was said before the answer: by the user, or by the model."""
    if isinstance(question, str):
        starts = [*_SPEAKER.finditer(question)]
        if not starts:
            yield True, question.strip()
        ends = [*(each.start() for each in starts[1:]), len(question)]
        for start, end in zip(starts, ends, strict=False):
            yield start[1] == "user", question[start.end() : end].strip()
    elif is_array(question):
        if len(question) > 1 and all(is_array(turn) for turn in question):
            raise _Unknown("it has several turns, each with calls of its own")
        turn: Sequence[Any] = question[0] if question and is_array(question[0]) else question
        for message in turn:
            if not is_object(message) or message.get("role") not in ("user", "assistant", "system"):
                raise _Unknown("its question has something that is no message of a user or a model")
            if message["role"] != "system":
                yield message["role"] == "user", _text(message.get("content"), "content")
    else:
        raise _Unknown("its question is no text and no list of messages")


def _true_calls(truth: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the calls of an answer: tools with their args."""
    for each in truth if is_array(truth) else [truth]:
        if not is_object(each):
            raise _Unknown("its answer has something that is no call: a call is an object of a tool with its args")
        for tool, args in each.items():
            if not is_object(args):
                raise _Unknown(f"its answer has args of {visible(tool)} that are no object")
            yield tool, args


def _true_call(tool: str, args: Mapping[str, Any], lists_values: bool) -> PublishedCall:
    if not lists_values:
        return PublishedCall(tool, args, {})
    exact: dict[str, Any] = {}
    fields: dict[str, Any] = {}
    for name, values in args.items():
        if not is_array(values):
            raise _Unknown(f"its answer does not list the values of `{visible(name)}`")
        if "" in values:
            continue  # it may be left out
        if len(values) == 1 and not _has_objects(values[0]):
            exact[name] = values[0]
        else:
            fields[name] = _schema_of(values)
    return PublishedCall(tool, exact, fields)


def _schema_of(values: Sequence[Any], depth: int = 0) -> dict[str, Any]:
    """Return a schema of values that are right; those of an object list theirs in turn."""
    if depth > _DEEPEST:
        raise _Unknown("its answer is nested too deeply")
    schemas = [_schema_of_value(value, depth) for value in values if _has_objects(value)]
    plain = [value for value in values if not _has_objects(value)]
    if plain:
        schemas.append({"enum": plain})
    return schemas[0] if len(schemas) == 1 else {"anyOf": schemas}


def _schema_of_value(value: Any, depth: int) -> dict[str, Any]:
    if is_object(value):
        if not all(is_array(each) for each in value.values()):
            return {"const": value}
        return {
            "type": "object",
            "properties": {name: _optional(each, depth) for name, each in value.items()},
            "required": [name for name, each in value.items() if "" not in each],
            "additionalProperties": False,
        }
    if is_array(value):
        items = [_schema_of([each], depth + 1) for each in value]
        return {"type": "array", "prefixItems": items, "minItems": len(items), "maxItems": len(items)}
    return {"const": value}


def _optional(values: Sequence[Any], depth: int) -> Any:
    return True if "" in values else _schema_of(values, depth + 1)


def _has_objects(value: Any) -> TypeGuard[Mapping[str, Any] | Sequence[Any]]:
    return is_object(value) or (is_array(value) and any(_has_objects(each) for each in value))


def _of_tau2(record: Mapping[str, Any], place: str) -> PublishedTask:
    criteria, scenario = record["evaluation_criteria"], record.get("user_scenario")
    actions = criteria.get("actions") if is_object(criteria) else None
    told = scenario.get("instructions") if is_object(scenario) else None
    if is_object(told):
        parts = [told.get(key) for key in ("reason_for_call", "known_info", "task_instructions")]
        told = "\n".join(each.strip() for each in parts if isinstance(each, str) and each.strip())
    return _of_actions(record, place, _text(told, "instructions"), actions or [])


def _of_actions(record: Mapping[str, Any], place: str, said: str, actions: Any) -> PublishedTask:
    if not said:
        raise _Unknown("it has no instruction")
    if not (calls := tuple(_actions(actions))):
        raise _Unknown("it has no actions of the agent, which does not say that every call is wrong")
    return PublishedTask(
        name=_name(record),
        place=place,
        messages=((True, said),),
        calls=calls,
        any_order=True,
        turns=min(len(calls) + 1, MOST_TURNS),
    )


def _actions(actions: Iterable[Any]) -> Iterator[PublishedCall]:
    if not is_array(actions):
        raise _Unknown("its `actions` are no list")
    for action in actions:
        args = action.get("arguments", action.get("kwargs")) if is_object(action) else None
        if not is_object(args) or not isinstance(tool := action.get("name"), str):
            raise _Unknown("it has an action without `name` and `arguments`")
        if action.get("requestor", "assistant") == "assistant":  # else it is the simulated user's
            yield PublishedCall(tool, args, {})


def _text(value: Any, key: str) -> str:
    if not isinstance(value, str):
        raise _Unknown(f"its `{key}` is no text")
    return value.strip()


def _name(record: Mapping[str, Any]) -> str:
    found = record.get("id")
    return str(found) if isinstance(found, str | int) else ""
