"""Save: a recorded call as a case of an evaluation, an example of its tool, or in a recording of the project."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from toolgen.explore.project_process import json_of_process
from toolgen.explore.screens.runs import args_of, records_of, seen
from toolgen.explore.visit import Refused
from toolgen.schema.json_values import number_of

if TYPE_CHECKING:
    from toolgen.explore.visit import Data, Visit
    from toolgen.record.calls import RecordedCall

_LARGEST: Final = 1024 * 1024
"""Characters of what is saved, as JSON."""

_FIELDS: Final = ("kind", "name", "key", "question")
_KINDS: Final = ("case", "example", "recording")


async def saving(visit: Visit) -> Data:
    """Return the forms for a recorded call. Nothing is saved."""
    call = await _call(visit)
    last = call.tool.rpartition(".")[2]
    return _data(visit, call, {**dict.fromkeys(_FIELDS, ""), "key": last})


async def save(visit: Visit) -> Data:
    """Save a recorded call. What was typed is returned with the `problem` for which it was not saved."""
    call = await _call(visit)
    typed = {name: visit.fields.get(name, "").strip() for name in _FIELDS}
    if typed["kind"] not in _KINDS:
        raise Refused(400, f"`kind` must be one of {', '.join(_KINDS)}")
    line, problem = _line(call, typed)
    order = json.dumps({**typed, "call": line, "place": f"run {visit.path['run']} call {visit.path['number']}"})
    if not problem and len(order) > _LARGEST:
        problem = f"this is more than {_LARGEST:,} characters"
    shown = _data(visit, call, typed)
    if problem:
        return {**shown, "problem": problem}
    saved, problem = await _saved(visit, order.encode())
    return {**shown, **(saved if saved is not None else {"problem": problem})}


async def _saved(visit: Visit, order: bytes) -> tuple[Any, str]:
    """Save within bounds, one call at a time: what another one has added must be read first."""
    explorer = visit.explorer
    assert explorer.project is not None
    async with explorer.saving:
        return await json_of_process(explorer.project.root, "saving", "toolgen.authoring.saving", given=order)


def _line(call: RecordedCall, typed: dict[str, str]) -> tuple[Data, str]:
    """Return a call as a line of a recording, and why it cannot be saved."""
    args = args_of(call)
    arguments = None if args is None else json.loads(args)
    content: dict[str, Any] = {} if call.result is None else dict(call.result.content)
    ended = {"error": content["error"]} if content.get("error") else {}
    if not ended and "value" in content:
        ended = {"result": content["value"]}
    if not isinstance(arguments, dict):
        return {}, "the args are not on record"
    if typed["kind"] != "case" and not ended:
        return {}, "the result is not on record"
    if typed["kind"] == "case" and not typed["question"]:
        return {}, "write what a user asks: a record has no question"
    return {"tool": call.tool, "arguments": arguments, **ended}, ""


def _data(visit: Visit, call: RecordedCall, typed: dict[str, str]) -> Data:
    content: dict[str, Any] = {} if call.result is None else dict(call.result.content)
    result, left = visit.cut(json.dumps(content.get("value"), ensure_ascii=False)) if "value" in content else ("", 0)
    args, args_left = visit.cut(args_of(call) or "")
    return {
        **typed,
        "run": visit.path["run"],
        "number": int(visit.path["number"]),
        "tool": call.tool,
        "state": call.state,
        "args": args,
        "args_left_out": args_left,
        "result": result,
        "left_out": left,
        "problem": "",
        "file": "",
        "line": 0,
    }


async def _call(visit: Visit) -> RecordedCall:
    """Return the call of the path. Raises `Refused` where none can be saved, as if there were none."""
    if not visit.may_save:
        raise Refused(404, "calls are saved only in a project at this machine, and not where all is only read")
    number, records = number_of(visit.path["number"]) or 0, records_of(visit)
    await seen(visit, records)
    found = await records.calls(visit.path["run"], max(number, 1), 1)
    if found.page != number or not found.calls:
        raise Refused(404, "there is no such call")
    if found.is_cut:
        raise Refused(409, "the call ends too far behind its start to be saved")
    return found.calls[0]
