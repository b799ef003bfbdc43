"""Checked access to the JSON of responses, args of calls as APIs have them, and pairing of answers with calls."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, cast

from toolgen.providers.protocol import MalformedResponse
from toolgen.schema.json_values import args_of, compact_json, is_array, is_object, kind_of

if TYPE_CHECKING:
    from toolgen.contract.records import ToolRequest
    from toolgen.providers.protocol import CallAnswer, Incomplete

_ID_BITS: Final = 64


def response_of(value: Any) -> Mapping[str, Any]:
    """Return a response if it is a JSON object. Raises `MalformedResponse`."""
    if not isinstance(value, dict):
        raise MalformedResponse(f"the response has the wrong type ({kind_of(value)}); it must be an object")
    return cast("dict[str, Any]", value)


def object_of(value: Any, where: str) -> Mapping[str, Any]:
    """Return a value if it is a JSON object. Raises `MalformedResponse`."""
    if not isinstance(value, dict):
        raise _unexpected(value, where, "an object")
    return cast("dict[str, Any]", value)


def list_of(value: Any, where: str) -> Sequence[Any]:
    """Return a value if it is a JSON array, an empty one for null. Raises `MalformedResponse`."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise _unexpected(value, where, "an array")
    return cast("list[object]", value)


def text_of(value: Any, where: str) -> str:
    """Return a value if it is a JSON string, an empty one for null. Raises `MalformedResponse`."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise _unexpected(value, where, "a string")
    return value


def name_of(value: Any, where: str) -> str:
    """Return a value if it is a non-empty JSON string. Raises `MalformedResponse`."""
    name = text_of(value, where)
    if not name:
        raise MalformedResponse(f"{where} of the response is missing")
    return name


def id_of(value: Any, where: str) -> str:
    """Return the id of a JSON-RPC request as text, empty for null. Raises `MalformedResponse`."""
    if isinstance(value, bool) or not isinstance(value, str | int | None):
        raise _unexpected(value, where, "a string or an integer")
    if isinstance(value, int) and value.bit_length() > _ID_BITS:
        raise MalformedResponse(f"{where} of the response is an integer of more than {_ID_BITS} bits")
    return "" if value is None else str(value)


def incomplete_of(reason: str, finished: Collection[str], incomplete: Mapping[str, Incomplete]) -> Incomplete | None:
    """Return why a response is incomplete, by the reason for its end; None if it is complete.

    `finished` are the reasons of complete responses; a response without a reason is one. An unknown reason is
    `stopped`: a call must not be made because an API has a new reason for cutting it off.
    """
    return None if not reason or reason in finished else incomplete.get(reason, "stopped")


def reason_for(incomplete: Incomplete, reasons: Mapping[str, Incomplete]) -> str:
    """Return the reason for the end of an incomplete response, as an API has it, or one for `stopped`."""
    return next(reason for why in (incomplete, "stopped") for reason, each in reasons.items() if each == why)


def arguments_text(value: Any, where: str) -> str:
    """Convert an object of args to JSON text; null, which some models send without args, is an empty object.

    Text is that of a stream in which a model wrote no object; the runtime tells the model so.

    Raises `MalformedResponse`, also for a value that cannot be encoded as JSON: an integer with more digits than Python
    converts (4,300), values nested beyond Python's recursion limit, a type that JSON does not have.
    """
    if isinstance(value, str):
        return value
    args = object_of({} if value is None else value, where)
    try:
        return compact_json(args)
    except (ValueError, TypeError, RecursionError):
        raise MalformedResponse(f"{where} of the response cannot be written as JSON") from None


def payload_text(payload: bytes | str) -> str:
    """Return the args of a call as text."""
    return payload if isinstance(payload, str) else payload.decode(errors="replace")


def payload_object(payload: bytes | str) -> dict[str, Any]:
    """Return the args of a call as an object, as some APIs have them.

    Text that is not an object is kept under `invalid_args`.
    """
    args = streamed_args(payload_text(payload))
    return args if is_object(args) else {"invalid_args": args}


def streamed_args(text: str) -> dict[str, Any] | str:
    """Return the args that a stream has as text: an object, or the text if the runtime would take it for none."""
    try:
        args = args_of(text or "{}")
    except (ValueError, RecursionError):
        args = None
    return args if is_object(args) else text


class Growing:
    """A value of a streamed message, to which deltas add: texts, lists and objects are joined, others replaced.

    They are joined once, when the value is asked for, so that many of them take linear time.
    """

    def __init__(self, value: Any = None) -> None:
        self._parts: list[Any] = [value]

    def add(self, added: Any) -> None:
        """Take what a delta adds."""
        if added is None:
            return
        first = self._parts[0]
        if any(isinstance(first, kind) and isinstance(added, kind) for kind in (str, list, dict)):
            self._parts.append(added)
        else:
            self._parts = [added]

    def value(self) -> Any:
        """Return the value."""
        first = self._parts[0]
        if len(self._parts) == 1:
            return first
        if isinstance(first, str):
            return "".join(self._parts)
        if is_array(first):
            return [*chain.from_iterable(self._parts)]
        members: dict[str, Growing] = {}
        for part in self._parts:
            for name, added in part.items():
                members.setdefault(name, Growing()).add(added)
        return {name: member.value() for name, member in members.items()}


def without_nulls(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object without null members: SDKs add them for absent members, and APIs reject some of them."""
    return {name: member for name, member in value.items() if member is not None}


def answers_to(calls: Iterable[ToolRequest], answers: Iterable[CallAnswer]) -> list[CallAnswer]:
    """Return the answer to each call, in the order of the calls: by id, or by order if ids are missing or not unique.

    Raises ValueError for a call without an answer, which every API would reject, and for an answer without a call.
    """
    waiting: dict[str, deque[CallAnswer]] = {}
    for answer in answers:
        waiting.setdefault(answer.tool_call_id, deque()).append(answer)
    asked = list(calls)
    found = [waiting[call.tool_call_id].popleft() for call in asked if waiting.get(call.tool_call_id)]
    if len(found) < len(asked) or any(waiting.values()):
        raise ValueError("there must be exactly one answer to each call of the response")
    return found


def _unexpected(value: Any, where: str, expected: str) -> MalformedResponse:
    found = "missing" if value is None else f"of the wrong type ({kind_of(value)})"
    return MalformedResponse(f"{where} of the response is {found}; it must be {expected}")
