"""Table: every page and every endpoint. A row makes both: `/surface` is a page, and `/api/surface` its data."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from toolgen.explore.screens.call import answer, call, cancel, result, start_call
from toolgen.explore.screens.changes import changes, compared
from toolgen.explore.screens.find import find
from toolgen.explore.screens.inbox import answer_run, inbox
from toolgen.explore.screens.models import models, models_against
from toolgen.explore.screens.replay import replay, replay_against
from toolgen.explore.screens.runs import run, run_at_first, runs, summary, verified
from toolgen.explore.screens.save import save, saving
from toolgen.explore.screens.servers import check_server, server, servers
from toolgen.explore.screens.surface import surface
from toolgen.explore.screens.tool import tool, tool_args

if TYPE_CHECKING:
    from toolgen.explore.visit import Visit

Answer: TypeAlias = "Callable[[Visit], Awaitable[dict[str, Any]]]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One page and its endpoint.

    `changes` marks what a read-only explorer refuses, checks of servers too; what else is sent by POST only takes much.
    `takes` describes the fields of the query or of the body, `returns` are the members of the answer with their JSON
    types.
    `template` is the page; without one there is only the endpoint, and a form leads to the `location` of the answer.
    `form` is the path of the page that has the form: one that is not valid is shown there again, as it was typed.
    `first` is what a new page shows where the answer takes long. A live page has a `part` that is fetched again when
    its own data, the first of `live`, has changed; what else of it changes is said by the others.
    """

    path: str
    answer: Answer
    summary: str
    returns: Mapping[str, str]
    method: str = "GET"
    template: str = ""
    form: str = ""
    part: str = ""
    changes: bool = False
    first: Answer | None = None
    live: tuple[Answer, ...] = ()
    takes: Mapping[str, str] = field(default_factory=dict[str, str])


_VIEW: Final = {
    "agent": "The agent that is looked at; empty for all tools.",
    "user": "The user in whose name it is looked at.",
    "role": "The role of the agent.",
    "mode": "The mode of the policies.",
}
_PAGE: Final = {"page": "The number of the page, from 1."}
_ARGS: Final = {
    "source": "`json` if `text` counts, else `form`.",
    "text": "The args as JSON.",
    "base": "The last args that were JSON, from which the form was made.",
    "action": "`add`, `remove` or `choose`, for the field `at`.",
    "at": "The pointer of that field, percent-encoded as in a fragment of a URI.",
}
_DECISION: Final = {
    "question": "The id of the question.",
    "decision": "`allow_once`, `allow_for_session` or `deny`.",
    "reason": "Why; a model is told the reason of a denial.",
    "proposal": "Args, as JSON, that would be allowed; with a denial only.",
}
_MODELS: Final = {
    "provider": "string",
    "presentation": "string",
    "tools": "array",
    "payload_bytes": "integer",
    "comparison_problem": "string",
}
_REPLAYED: Final = {
    "run": "string",
    "against": "string",
    "label": "string",
    "problem": "string",
    "calls": "array",
    "changed": "integer",
    "left_out": "integer",
    "has_more": "boolean",
}
_SAVED: Final = {
    "run": "string",
    "number": "integer",
    "tool": "string",
    "args": "string",
    "result": "string",
    "problem": "string",
    "file": "string",
    "line": "integer",
}

ROWS: Final = (
    Row(
        path="/surface",
        answer=surface,
        summary="The tools of an agent, why others are missing, and what a search finds.",
        template="surface",
        takes={
            **_VIEW,
            **_PAGE,
            "query": "What a model would search.",
            "show": "`missing` for the tools that are not there.",
        },
        returns={"tools": "array", "found": "integer", "pages": "integer", "agent": "string", "role": "string"},
    ),
    Row(
        path="/find",
        answer=find,
        summary="Tools, runs and pages by a part of their names.",
        template="find",
        takes={**_VIEW, "query": "A part of a name, or what a model would search."},
        returns={"query": "string", "places": "array"},
    ),
    Row(
        path="/tools/{tool}",
        answer=tool,
        summary="A tool: its texts, schemas, rules and examples, and an empty form.",
        template="tool",
        takes=_VIEW,
        returns={"tool": "string", "schema": "object", "answer": "string", "reasons": "array", "editor": "object"},
    ),
    Row(
        path="/tools/{tool}/args",
        method="POST",
        answer=tool_args,
        summary="Check args after an edit, by the codec of the tool. Nothing is called.",
        part="editor",
        takes={**_VIEW, **_ARGS},
        returns={"tool": "string", "editor": "object"},
    ),
    Row(
        path="/tools/{tool}/calls",
        method="POST",
        answer=start_call,
        summary="Call a tool, in the name of who asks for it.",
        changes=True,
        takes={**_VIEW, **_ARGS},
        returns={"call": "string", "tool": "string"},
    ),
    Row(
        path="/calls/{call}",
        answer=call,
        summary="A call: its question, its progress, its stages and its result.",
        template="call",
        part="call_state",
        returns={"call": "string", "tool": "string", "state": "string", "progress": "array", "stages": "array"},
    ),
    Row(
        path="/calls/{call}/result",
        answer=result,
        summary="The whole result of a call.",
        returns={"call": "string", "result": "object"},
    ),
    Row(
        path="/calls/{call}/answer",
        method="POST",
        answer=answer,
        summary="Answer the question of a call.",
        form="/calls/{call}",
        changes=True,
        takes=_DECISION,
        returns={"call": "string", "decision": "string"},
    ),
    Row(
        path="/calls/{call}/cancel",
        method="POST",
        answer=cancel,
        summary="Cancel a call.",
        changes=True,
        returns={"call": "string"},
    ),
    Row(
        path="/models",
        answer=models,
        summary="The tools as a model gets them.",
        template="models",
        takes={**_VIEW, "provider": "The API.", "presentation": "How tools are presented."},
        returns=_MODELS,
    ),
    Row(
        path="/models",
        method="POST",
        answer=models_against,
        summary="The same, and how it differs from what a model gets by another version of the specs.",
        template="models",
        takes={
            **_VIEW,
            "provider": "The API.",
            "presentation": "How tools are presented.",
            "against": "A commit, a folder or a package; empty for none.",
        },
        returns={**_MODELS, "label": "string"},
    ),
    Row(
        path="/changes",
        answer=changes,
        summary="Whether there is a project to compare. Nothing is compared.",
        template="changes",
        returns={"is_compared": "boolean", "drift": "array"},
    ),
    Row(
        path="/changes/compared",
        method="POST",
        answer=compared,
        summary="What differs from another version of the specs, and what lint finds.",
        template="changes",
        takes={"against": "A commit, a folder or a package; empty for where the default branch was left."},
        returns={
            "changes": "array",
            "findings": "array",
            "problem": "string",
            "left_out": "integer",
            "drift": "array",
        },
    ),
    Row(
        path="/runs",
        answer=runs,
        summary="Recorded runs, the latest first.",
        template="runs",
        part="run_list",
        live=(runs,),
        takes={
            **_PAGE,
            "by_user": "Runs of this user.",
            "by_agent": "Runs in which this agent made calls.",
            "tool": "Runs with calls of such a tool.",
            "outcome": "`completed`, `failed` or `denied`: runs with such a call.",
            "since": "Not over before this day.",
            "until": "Not begun after this day.",
        },
        returns={"runs": "array", "found": "integer", "damaged": "array"},
    ),
    Row(
        path="/runs/{run}/replay",
        answer=replay,
        summary="The calls of a run against this build. None is made.",
        template="replay",
        takes=_VIEW,
        returns=_REPLAYED,
    ),
    Row(
        path="/runs/{run}/replay",
        method="POST",
        answer=replay_against,
        summary="The calls of a run against another version of the specs. None is made.",
        template="replay",
        takes={**_VIEW, "against": "A commit, a folder or a package; empty for this build."},
        returns=_REPLAYED,
    ),
    Row(
        path="/runs/{run}/calls/{number}/save",
        answer=saving,
        summary="A recorded call, by its number in the run from 1, to save. Nothing is saved.",
        template="save",
        returns=_SAVED,
    ),
    Row(
        path="/runs/{run}/calls/{number}/save",
        method="POST",
        answer=save,
        summary="Save a recorded call in the project; `problem` says why it was not saved.",
        template="save",
        changes=True,
        takes={
            "kind": "`case` (`evals/NAME.eval.yaml`), `example` (the spec) or `recording` (`recordings/NAME.jsonl`).",
            "name": "The name of the file, for a case and a recording.",
            "key": "The key of the case.",
            "question": "What a user asks, for a case.",
        },
        returns=_SAVED,
    ),
    Row(
        path="/runs/{run}/summary",
        answer=summary,
        summary="What a run is as a whole: its user, how its calls ended, and the runs that it started.",
        template="run_summary",
        part="run_summary",
        returns={"run": "string", "counts": "object", "events": "integer", "ended": "string", "children": "array"},
    ),
    Row(
        path="/runs/{run}/verified",
        answer=verified,
        summary="Whether the whole record of a run is intact, and which row is the first that is not.",
        template="run_verified",
        part="run_verified",
        returns={"run": "string", "chain": "object"},
    ),
    Row(
        path="/runs/{run}",
        answer=run,
        summary="One run: a page of its calls on a line of time.",
        template="run",
        part="run_calls",
        first=run_at_first,
        live=(run, summary),
        takes={**_PAGE, "whole": "`yes`: the page waits until all of the run is read, as the endpoint does."},
        returns={"run": "string", "calls": "array", "page": "integer", "has_more": "boolean"},
    ),
    Row(
        path="/servers",
        answer=servers,
        summary="The MCP servers and APIs of the tools, and what is known of them. None is asked.",
        template="servers",
        takes=_VIEW,
        returns={"servers": "array", "runs_read": "integer", "agent": "string"},
    ),
    Row(
        path="/servers/{toolset}",
        answer=server,
        summary="A server: its tools, its latest errors, and what it offered when it was last checked.",
        template="server",
        takes=_VIEW,
        returns={"toolset": "string", "state": "string", "tools": "array", "errors": "array", "answers": "integer"},
    ),
    Row(
        path="/servers/{toolset}/check",
        method="POST",
        answer=check_server,
        summary="Compare what an MCP server offers, or the description of an API has, with what was compiled.",
        changes=True,
        takes=_VIEW,
        returns={"toolset": "string", "last_check": "object"},
    ),
    Row(
        path="/inbox",
        answer=inbox,
        summary="The questions that wait for an answer.",
        template="inbox",
        part="questions",
        live=(inbox,),
        takes=_PAGE,
        returns={
            "page": "integer",
            "has_more": "boolean",
            "questions": "array",
            "problems": "array",
            "has_engine": "boolean",
        },
    ),
    Row(
        path="/inbox/{run}",
        method="POST",
        answer=answer_run,
        summary="Answer a question of a durable run: the first answer counts.",
        form="/inbox",
        changes=True,
        takes=_DECISION,
        returns={"run": "string", "question": "string", "decision": "string", "note": "string"},
    ),
)


def openapi() -> dict[str, Any]:
    """Return the OpenAPI document of the endpoints."""
    paths: dict[str, Any] = {}
    for row in ROWS:
        names = [part[1:-1] for part in row.path.split("/") if part.startswith("{")]
        parameters: list[Any] = [
            {"name": name, "in": "path", "required": True, "description": _SEGMENT, "schema": _TEXT} for name in names
        ]
        operation: dict[str, Any] = {"summary": row.summary, "parameters": parameters}
        if row.method == "GET":
            parameters += [
                {"name": name, "in": "query", "description": said, "schema": _TEXT} for name, said in row.takes.items()
            ]
        else:
            parameters.append({"name": "X-CSRF-Token", "in": "header", "required": True, "schema": _TEXT})
            fields = {name: {**_TEXT, "description": said} for name, said in row.takes.items()}
            body = {"type": "object", "properties": fields, "additionalProperties": _TEXT}
            operation["requestBody"] = {"content": {"application/json": {"schema": body}}}
        members = {name: {"type": kind} for name, kind in row.returns.items()}
        answer = {"type": "object", "properties": members, "required": list(members)}
        problem = {"type": "object", "properties": {"message": _TEXT}, "required": ["message"]}
        operation["responses"] = {
            "200": {"description": row.summary, "content": {"application/json": {"schema": answer}}},
            "default": {"description": "Why not.", "content": {"application/json": {"schema": problem}}},
        }
        paths.setdefault(f"/api{row.path}", {})[row.method.lower()] = operation
    return {"openapi": "3.1.0", "info": {"title": "toolgen explore", "version": "1"}, "paths": paths}


_TEXT: Final = {"type": "string"}
_SEGMENT: Final = (
    "An id as one segment: bytes of UTF-8 that are not in A-Z a-z 0-9 _ . : - are `~` with two digits, as is a dot at "
    "the beginning."
)
