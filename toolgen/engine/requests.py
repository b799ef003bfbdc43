"""Requests of runs, and how runs end, as JSON: what an engine stores."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from dataclasses import fields as dataclass_fields
from typing import Any, Final, Literal, TypeAlias

from toolgen.agents.loop import MAX_TURNS
from toolgen.agents.planner import Message, check_message, message_as_json, messages_from_json
from toolgen.contract.records import NOTHING, Ancestor, ToolCallMeta
from toolgen.execute.trace_context import outgoing_headers
from toolgen.runtime.base.field_types import (
    JSON_OBJECT,
    OPTIONAL_NUMBER,
    OPTIONAL_TEXT,
    OPTIONAL_TEXTS,
    TEXT,
    TEXTS_BY_NAME,
    WHOLE_NUMBER,
    FieldType,
    array,
    array_of,
    check_fields,
    record_of,
    shown,
)
from toolgen.schema.json_values import is_array

Json: TypeAlias = "dict[str, Any]"
"""A JSON object."""

DEFAULT_PLANNER: Final = "default"

_RUN_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,254}")
"""Ids of runs are in URLs, on command lines, and in keys of databases."""

_NAME_LENGTH: Final = 1000
"""Characters of other ids and names at most; the indexes of Postgres take about 2,700 bytes."""

_LONGEST_TIMEOUT: Final = 10 * 365 * 24 * 3600.0
"""Ten years, in seconds: databases have the end of the timeout as a date."""

MOST_TURNS: Final = 1_000_000_000
"""How many turns a run has at most, also after it was resumed with more."""

_PLAIN: Final = (
    "agent",
    "planner",
    "user",
    "session_id",
    "mode",
    "role",
    "agent_id",
    "parent_agent_id",
    "parent_run_id",
    "parent_tool_call_id",
    "max_turns",
    "timeout",
)


def is_run_id(text: str) -> bool:
    """Whether a run can have this id."""
    return _RUN_ID.fullmatch(text) is not None


def new_run_id() -> str:
    """Return an id that cannot be guessed: it gives access to what the run did."""
    return f"run_{os.urandom(16).hex()}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """A run of an agent, to be executed by any worker of an engine.

    Without an `agent` it has all tools. Calls at the end of the messages that have no answers yet are made first.
    `planner` is the name of one of the host's planners; a run without one (`""`) only makes these calls, and its answer
    is the list of their whole results, as `result_as_json` writes them. `requested` are the idents that it may have at
    most, by default those of the agent. A run that takes more than `timeout` seconds is cancelled. A request with the
    id of a run that was started before starts nothing. `trace_context` has the headers that link the spans of the run
    to the span in which the request was made.

    Raises ValueError for fields of other types, for a `run_id` with other characters than letters, digits and `_.:-` or
    with more than 255, for other ids and names that databases cannot have, for `max_turns` below 1 or above a billion,
    for a `timeout` that is not between 0 and ten years, and without a planner for messages that end without calls.
    """

    messages: tuple[Message, ...]
    agent: str = ""
    run_id: str = field(default_factory=new_run_id)
    planner: str = DEFAULT_PLANNER
    user: str | None = None
    session_id: str | None = None
    mode: str = ""
    role: str = ""
    agent_id: str | None = None
    parent_agent_id: str | None = None
    parent_run_id: str | None = None
    parent_tool_call_id: str | None = None
    ancestors: tuple[Ancestor, ...] = ()
    requested: tuple[str, ...] | None = None
    attributes: Mapping[str, Any] = NOTHING
    max_turns: int = MAX_TURNS
    timeout: float | None = None
    trace_context: Mapping[str, str] = field(default_factory=outgoing_headers)

    def __post_init__(self) -> None:
        check_fields(self, _TYPES)
        for place, message in enumerate(self.messages):
            check_message(message, f"messages[{place}]")
        for place, ancestor in enumerate(self.ancestors):
            check_fields(ancestor, _ANCESTOR, f"ancestors[{place}].")
        for name in _PLAIN:
            value = getattr(self, name)
            if isinstance(value, str) and (problem := text_problem(value)):
                raise ValueError(f"{name} {problem}: {shown(value)}")
        if not 1 <= self.max_turns <= MOST_TURNS:
            raise ValueError(f"max_turns is {shown(self.max_turns)}; it must be at least 1, and at most {MOST_TURNS}")
        if self.timeout is not None and not 0 < self.timeout <= _LONGEST_TIMEOUT:
            raise ValueError(f"timeout is {self.timeout}; it must be more than 0 seconds, and at most ten years")
        if not self.planner and not (self.messages and self.messages[-1].calls):
            raise ValueError("a run without a planner needs messages that end with the calls to make")

    @property
    def meta(self) -> ToolCallMeta:
        """The meta of its calls."""
        return ToolCallMeta(
            user=self.user,
            session_id=self.session_id,
            run_id=self.run_id,
            agent_id=self.agent_id or f"agent_{self.run_id}",
            parent_agent_id=self.parent_agent_id,
            parent_run_id=self.parent_run_id,
            parent_tool_call_id=self.parent_tool_call_id,
            ancestors=self.ancestors,
            attributes=self.attributes,
        )

    def as_json(self) -> Json:
        """Return it as a JSON object, without its id, by which engines keep it, and fields that have their default."""
        given: Json = {name: value for name in _PLAIN if (value := getattr(self, name)) != _DEFAULTS[name]}
        given["messages"] = [message_as_json(message) for message in self.messages]
        if self.ancestors:
            given["ancestors"] = [asdict(ancestor) for ancestor in self.ancestors]
        if self.requested is not None:
            given["requested"] = list(self.requested)
        given |= {name: dict(value) for name in ("attributes", "trace_context") if (value := getattr(self, name))}
        return given

    @classmethod
    def from_json(cls, run_id: str, fields: Mapping[str, Any]) -> RunRequest:
        """Return the request that `as_json` wrote. Raises TypeError or ValueError for anything else."""
        # Without headers it was made in no span, and the current one has another purpose.
        given: Json = {"trace_context": NOTHING, **fields, "run_id": run_id}
        if "messages" in given:
            given["messages"] = messages_from_json(given["messages"])
        if "ancestors" in given:
            ancestors = enumerate(array(given["ancestors"], "ancestors"))
            given["ancestors"] = tuple(record_of(Ancestor, each, f"ancestors[{at}]") for at, each in ancestors)
        if is_array(given.get("requested")):
            given["requested"] = tuple(given["requested"])
        return record_of(cls, given, "the request")


_DEFAULTS: Final = {each.name: each.default for each in dataclass_fields(RunRequest)}

_TYPES: Final[Mapping[str, FieldType]] = {
    "run_id": FieldType(
        "begin with a letter or digit, and have at most 255 letters, digits, and _ . : -",
        lambda value: isinstance(value, str) and is_run_id(value),
    ),
    "messages": array_of(Message, "messages"),
    **dict.fromkeys(("agent", "planner", "mode", "role"), TEXT),
    **dict.fromkeys(("user", "session_id", "agent_id", "parent_agent_id"), OPTIONAL_TEXT),
    **dict.fromkeys(("parent_run_id", "parent_tool_call_id"), OPTIONAL_TEXT),
    "ancestors": array_of(Ancestor, "ancestors"),
    "requested": OPTIONAL_TEXTS,
    "attributes": JSON_OBJECT,
    "max_turns": WHOLE_NUMBER,
    "timeout": OPTIONAL_NUMBER,
    "trace_context": TEXTS_BY_NAME,
}
_ANCESTOR: Final = {each.name: TEXT for each in dataclass_fields(Ancestor)}


def text_problem(text: str, most: int = _NAME_LENGTH) -> str:
    """Return why databases cannot have a text of `most` characters at most; empty if they can."""
    if len(text) > most:
        return f"has {len(text)} characters; there may be {most}"
    if "\0" in text:
        return "has a NUL"
    return "" if text.isascii() or not re.search("[\ud800-\udfff]", text) else "has half of a surrogate pair"


Stopped: TypeAlias = Literal["completed", "max_turns", "aborted", "tool_changed", "failed"]
"""Why a run ended.

It has an answer; it had none after its turns; it was aborted; a tool that it had asked for has changed, and does not
take the args any more; its planner failed.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEnd:
    """How a run ended. `value` is its answer, as JSON, if it was completed; else `reason` says what happened."""

    stopped: Stopped
    messages: tuple[Message, ...]
    turns: int
    value: Any = None
    reason: str = ""
    telemetry: Mapping[str, Any] = NOTHING

    def as_json(self) -> Json:
        """Return it as a JSON object."""
        return {
            "stopped": self.stopped,
            "messages": [message_as_json(message) for message in self.messages],
            "turns": self.turns,
            "value": self.value,
            "reason": self.reason,
            "telemetry": dict(self.telemetry),
        }

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> RunEnd:
        """Return what `as_json` wrote. Raises KeyError, TypeError or ValueError for anything else."""
        return cls(**{**fields, "messages": messages_from_json(fields["messages"])})
