"""Servers: what is on record of the calls to each MCP server and API, and what a server offered when it was checked."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Collection, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from toolgen.execute.servers import CheckedServer
from toolgen.explore.project_process import json_of_process
from toolgen.record.calls import caller_of, stages_of
from toolgen.runtime.base.errors import CallFailed
from toolgen.runtime.events.encoding import COUNTED_AS, format_time
from toolgen.runtime.events.records import EVERY_RUN, DamagedRun, RunFilter, RunNotFound
from toolgen.schema.json_values import is_object
from toolgen.schema.references import pointer_of
from toolgen.spec.text import cut

if TYPE_CHECKING:
    from pathlib import Path

    from toolgen.changes.rules import Change
    from toolgen.execute.servers import ChecksServer
    from toolgen.explore.records import Records
    from toolgen.explore.visitors import Visitor
    from toolgen.runtime.catalog.catalog import Catalog
    from toolgen.runtime.events.records import Event, StoredResult

_RUNS: Final = 100
_EVENTS: Final = 20_000
"""Runs, the latest, and events of them that are read for one page."""

_ERRORS: Final = 5
"""Errors that are kept of each server, the latest."""

_ATTEMPTS: Final = ("mcp_attempt", "http_attempt")
"""Events in which executors note each request to a server, with its `ms` and its `outcome`."""

_CHANGES: Final = 200
"""Changes, and findings, that are shown of a server."""

_TEXT: Final = 500
_DIFF: Final = 4_000
"""Characters of a message, and of a diff."""

_COMPARED: Final = 10_000
"""Characters of the values of a change: longer ones are not compared line by line."""


_NOTHING: Final = CheckedServer(tools=0, changes=(), changes_count=0, suspicions=(), suspicions_count=0)


@dataclass(slots=True)
class Traffic:
    """What is on record of the calls of one toolset: milliseconds of each answer, and the latest errors first."""

    ms: list[float] = field(default_factory=list[float])
    errors: list[dict[str, Any]] = field(default_factory=list["dict[str, Any]"])

    def to_json(self) -> dict[str, Any]:
        """Return the number of answers, and their median in microseconds; None without any."""
        return {
            "answers": len(self.ms),
            "median_us": round(median(self.ms) * 1000) if self.ms else None,
            "errors": self.errors,
        }


async def traffic_of(
    records: Records, catalog: Catalog, toolsets: Collection[str], visitor: Visitor
) -> tuple[dict[str, Traffic], int]:
    """Read the latest runs that a visitor may see; return what they have of each toolset, and how many were read.

    They are read page by page, and of a page only what is shown is kept. A run with more events than may still be
    read is left out, and so is a damaged one. Raises `StoreError`.
    """
    found = {name: Traffic() for name in toolsets}
    of_tool = {ident: name for name in toolsets for ident in catalog.toolsets[name]}
    left, read = _EVENTS, 0
    own = EVERY_RUN if visitor.sees_all else RunFilter(user=visitor.name)
    for each in (await records.latest_runs(_RUNS, which=own)).runs:
        if each.events > left:
            continue
        left -= each.events
        try:
            user, traffic = await _of_run(records, each.run_id, of_tool)
        except (DamagedRun, RunNotFound):  # it may be deleted meanwhile
            continue
        read += 1
        for name, new in traffic.items() if visitor.may_see_user(user) else ():
            found[name].ms += new.ms
            found[name].errors += new.errors[: _ERRORS - len(found[name].errors)]
    return found, read


async def _of_run(records: Records, run_id: str, of_tool: Mapping[str, str]) -> tuple[str | None, dict[str, Traffic]]:
    """Return the user of a run, None for none and for several, and what it has of each toolset.

    Raises `RunNotFound` and `StoreError`.
    """
    users: set[str] = set()
    found: dict[str, Traffic] = {}
    async for page in records.pages(run_id):
        results = {result.sequence: result for result in page.results}
        for event in page.events:
            user, _ = caller_of(event)
            if user is not None and len(users) < 2:
                users.add(user)
            if event.tool_call_id and event.tool in of_tool:
                _add(found.setdefault(of_tool[event.tool], Traffic()), event, results.get(event.sequence))
    return users.pop() if len(users) == 1 else None, found


def _add(traffic: Traffic, event: Event, result: StoredResult | None) -> None:
    """Take note of a request to the server, or of the end of a call that failed once it was sent."""
    ms, outcome = event.data.get("ms"), str(event.data.get("outcome"))
    is_answer = outcome == "answered" or outcome.isdecimal()
    if event.kind in _ATTEMPTS and is_answer and isinstance(ms, int | float):
        traffic.ms.append(ms)
    if result is None or event.kind in COUNTED_AS or all(each.stage != "execute" for each in stages_of(event)):
        return
    error = result.content.get("error")
    told = error if is_object(error) else {}
    made = {
        "at": format_time(event.at),
        "tool": event.tool,
        "run": event.run_id,
        "code": cut(str(told.get("code", "")), _TEXT),
        "message": cut(str(told.get("message", "")), _TEXT),
    }
    traffic.errors = [made, *traffic.errors[: _ERRORS - 1]]


class BeingChecked(RuntimeError):
    """The server is asked already."""


class ServerChecks:
    """What each server offered when it was last checked, by toolset. Of each server one check runs at a time."""

    def __init__(self) -> None:
        self._last: dict[str, dict[str, Any]] = {}
        self._running: set[str] = set()

    def last(self, toolset: str) -> dict[str, Any] | None:
        """Return what was found last; None before the first check."""
        return self._last.get(toolset)

    def drift(self) -> list[dict[str, Any]]:
        """Return when each server was checked, and how many changes were found, by toolset."""
        return [
            {"toolset": name, **{part: found[part] for part in ("at", "problem", "changes_count")}}
            for name, found in sorted(self._last.items())
        ]

    async def check(self, toolset: str, executor: ChecksServer, project: Path | None = None) -> dict[str, Any]:
        """Ask a server what it offers, and compare it with what was compiled; `problem` says why that failed.

        New tools that an import into the spec of the `project` would leave out are no changes; `unread` says why the
        spec does not tell. Raises `BeingChecked`.
        """
        left_out = None if project is None else _LeftOut(project, toolset)
        with self._turn(toolset):
            try:
                found, problem = await executor.check(_CHANGES, left_out), ""
            except CallFailed as error:
                found, problem = _NOTHING, str(error)
        self._last[toolset] = _shown(found, problem, "" if left_out is None else left_out.problem)
        return self._last[toolset]

    async def check_description(self, toolset: str, project: Path) -> dict[str, Any]:
        """Read the description that an API was imported from again, and compare it, by the command of the project.

        Raises `BeingChecked`.
        """
        words = ("toolgen", "import", "openapi", "--check", "--toolset", toolset, "--format", "json")
        with self._turn(toolset):
            report, problem = await json_of_process(project, "the check", *words)
        self._last[toolset] = _shown_report({} if report is None else report["toolsets"][0], problem)
        return self._last[toolset]

    @contextmanager
    def _turn(self, toolset: str) -> Generator[None]:
        """Let one check of a toolset run at a time. Raises `BeingChecked`."""
        if toolset in self._running:
            raise BeingChecked(toolset)
        self._running.add(toolset)
        try:
            yield
        finally:
            self._running.discard(toolset)


class _LeftOut:
    """What the spec of a toolset leaves out, read in a process of the project; `problem` says why it does not tell."""

    def __init__(self, project: Path, toolset: str) -> None:
        self.problem = ""
        self._project, self._toolset = project, toolset
        self._loop = asyncio.get_running_loop()

    def __call__(self, listed: Sequence[Mapping[str, Any]]) -> Collection[str]:
        return asyncio.run_coroutine_threadsafe(self._read(listed), self._loop).result()

    async def _read(self, listed: Sequence[Mapping[str, Any]]) -> Collection[str]:
        words = ("toolgen.cli.importers.left_out", self._toolset)
        found, self.problem = await json_of_process(
            self._project, "reading the spec", *words, given=json.dumps([*listed]).encode()
        )
        return found or ()


def _shown(found: CheckedServer, problem: str, unread: str) -> dict[str, Any]:
    return {
        "at": format_time(datetime.now(UTC)),
        "problem": cut(problem, _DIFF),
        "unread": cut(unread, _DIFF),
        "left_out": [cut(each, _TEXT) for each in found.left_out],
        "tools": found.tools,
        "changes": [_change(each) for each in found.changes],
        "suspicions": [
            {
                "tool": cut(each.tool, _TEXT),
                "code": each.code,
                "pointer": cut(pointer_of(each.pointer), _TEXT),
                "message": cut(each.message, _TEXT),
            }
            for each in found.suspicions
        ],
        "changes_count": found.changes_count,
        "suspicions_count": found.suspicions_count,
        "unsearched": found.unsearched,
    }


def _shown_report(report: Mapping[str, Any], problem: str) -> dict[str, Any]:
    """Return the report of a command that checked one toolset as `_shown` returns what a server offers."""
    changes = report.get("changes", [])
    shown = [
        {
            "tool": cut(each["tool"], _TEXT),
            "code": each["code"],
            "level": each["level"],
            "message": cut(each["summary"].removeprefix(f"{each['tool']}: "), _TEXT),
            "evidence": "",
            "diff": cut(each["diff"].partition("\n")[2], _DIFF),
        }
        for each in changes[:_CHANGES]
    ]
    found = {"tools": report.get("tools", 0), "changes": shown, "changes_count": len(changes)}
    return {**_shown(_NOTHING, problem or report.get("error", ""), ""), **found}


def _change(change: Change) -> dict[str, Any]:
    return {
        "tool": cut(change.subject, _TEXT),
        "code": change.code,
        "level": change.level.value,
        "message": cut(change.message, _TEXT),
        "evidence": cut(change.evidence, _TEXT),
        "diff": _diff(change),
    }


def _diff(change: Change) -> str:
    """Return the lines that differ; empty for values that are too long for a page."""
    values: Sequence[Any] = (change.before, change.after)
    if any(len(str(value)) > _COMPARED for value in values):
        return ""
    return cut(change.diff().partition("\n")[2], _DIFF)
