"""Response JSON: looking at what an API answered, with an error that says what is not as promised, and pairing."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, Final, cast

from toolgen.providers.protocol import MalformedResponse
from toolgen.schema.json_values import compact_json, kind_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from toolgen.contract.records import ToolRequest
    from toolgen.providers.messages import CallAnswer

_ID_BITS: Final = 64


def response_of(value: Any) -> Mapping[str, Any]:
    """Return a response, which is a JSON object. Raises `MalformedResponse`."""
    if not isinstance(value, dict):
        raise MalformedResponse(f"the response is of another type ({kind_of(value)}); it must be an object")
    return cast("dict[str, Any]", value)


def object_of(value: Any, where: str) -> Mapping[str, Any]:
    """Return a JSON object. Raises `MalformedResponse`."""
    if not isinstance(value, dict):
        raise _unexpected(value, where, "an object")
    return cast("dict[str, Any]", value)


def list_of(value: Any, where: str) -> Sequence[Any]:
    """Return a JSON array; none for null. Raises `MalformedResponse`."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise _unexpected(value, where, "an array")
    return cast("list[object]", value)


def text_of(value: Any, where: str) -> str:
    """Return a JSON string; the empty one for null. Raises `MalformedResponse`."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise _unexpected(value, where, "a string")
    return value


def name_of(value: Any, where: str) -> str:
    """Return a JSON string that says something. Raises `MalformedResponse`."""
    name = text_of(value, where)
    if not name:
        raise MalformedResponse(f"{where} of the response is missing")
    return name


def id_of(value: Any, where: str) -> str:
    """Return the id of a JSON-RPC request as text, the empty one for null. Raises `MalformedResponse`."""
    if isinstance(value, bool) or not isinstance(value, str | int | None):
        raise _unexpected(value, where, "a string or an integer")
    if isinstance(value, int) and value.bit_length() > _ID_BITS:
        raise MalformedResponse(f"{where} of the response is an integer of more than {_ID_BITS} bits")
    return "" if value is None else str(value)


def arguments_text(value: Any, where: str) -> str:
    """Return args that came as an object as JSON text; null, which some send for none, is an empty object.

    Raises `MalformedResponse`, also for what cannot be written as JSON: an integer of more digits than Python writes
    (4,300), values nested deeper than it recurses, a value of a type that JSON does not have.
    """
    args = object_of({} if value is None else value, where)
    try:
        return compact_json(args)
    except (ValueError, TypeError, RecursionError):
        raise MalformedResponse(f"{where} of the response cannot be written as JSON") from None


def without_nulls(value: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out members that are null: an SDK writes them for what was not there, and APIs refuse some of them."""
    return {name: member for name, member in value.items() if member is not None}


def answers_to(calls: Iterable[ToolRequest], answers: Iterable[CallAnswer]) -> list[CallAnswer]:
    """Return the answer to each call, in the order of the calls: by id, and by order where some share one or have none.

    Raises ValueError for a call without an answer, which every API would refuse, and for an answer without a call.
    """
    waiting: dict[str, deque[CallAnswer]] = {}
    for answer in answers:
        waiting.setdefault(answer.tool_call_id, deque()).append(answer)
    asked = list(calls)
    found = [waiting[call.tool_call_id].popleft() for call in asked if waiting.get(call.tool_call_id)]
    if len(found) < len(asked) or any(waiting.values()):
        raise ValueError("there must be one answer to each call of the response, and no other")
    return found


def _unexpected(value: Any, where: str, expected: str) -> MalformedResponse:
    found = "missing" if value is None else f"of another type ({kind_of(value)})"
    return MalformedResponse(f"{where} of the response is {found}; it must be {expected}")
