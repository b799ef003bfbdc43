"""Records of agents: a short text for each, in memory and bounded."""

from __future__ import annotations

import json
import re
from collections import OrderedDict, deque
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.records import FailureKind
from toolgen.runtime.base.errors import CallFailed
from toolgen.runtime.base.json_text import NotJson, parse
from toolgen.runtime.redact.call_secrets import hide_args, secrets_of_call, secrets_of_tool
from toolgen.runtime.redact.secrets import NO_SECRETS
from toolgen.runtime.runs.run import run_of
from toolgen.schema.json_values import canonical
from toolgen.spec.visible import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolgen.contract.records import ToolCallMeta, ToolRequest, ToolResult
    from toolgen.runtime.catalog.catalog import Catalog
    from toolgen.runtime.runs.children import Child
    from toolgen.runtime.runs.run import Run

AGENTS: Final = 200
"""Maximum number of recorded agents; the oldest are dropped."""

CALLS: Final = 50
"""Maximum number of shown calls of one agent, the last ones."""

_SHOWN: Final = 120
_PLAIN_NAME: Final = re.compile(r"[\w.-]+", re.ASCII)


@dataclass(slots=True, kw_only=True)
class AgentRecord:
    """The record of one agent: its title, its run, its state, and a line for each of its last calls.

    Every entry is one line of bounded length, independent of names and args.
    """

    title: str
    run: Run
    state: str = "running"
    count: int = 0
    lines: deque[str] = field(default_factory=lambda: deque[str](maxlen=CALLS))

    def add(self, line: str) -> None:
        """Add a call."""
        self.count += 1
        self.lines.append(f"{self.count}. {line}")

    def __str__(self) -> str:
        left_out = self.count - len(self.lines)
        head = [f"{self.title}: {self.state}, calls: {self.count}"]
        return "\n".join([*head, *([f"(the first {left_out} are left out)"] if left_out else []), *self.lines])


class AgentRecords:
    """Records of agents by id. Secrets in args are redacted as in stores."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._records: OrderedDict[str | None, AgentRecord] = OrderedDict()

    def watch(self, child: Child) -> tuple[Child, AgentRecord]:
        """Start a record; return a child whose calls are recorded."""
        run = child.run
        record = AgentRecord(title=f"{_shown(run.agent)} ({run.role}), run {_shown(str(run.meta.run_id))}", run=run)
        self._records[run.meta.agent_id] = record
        if len(self._records) > AGENTS:
            self._records.popitem(last=False)

        async def turn(requests: Sequence[ToolRequest]) -> list[ToolResult[Any]]:
            results = await child.turn(requests)
            for request, result in zip(requests, results, strict=True):
                record.add(self._line(request, result))
            return results

        return replace(child, turn=turn), record

    def find(self, agent_id: str, meta: ToolCallMeta) -> AgentRecord:
        """Return the record of an agent of the caller's session. Raises `CallFailed` with `unknown_agent`."""
        record = self._records.get(agent_id)
        if record is None or not _is_of_session(record.run, meta):
            message = f"there is no record of an agent with the id {_cut(agent_id)!r}"
            hint = "use the agent_id in the result of the call that started it"
            raise CallFailed(FailureKind.INVALID_CALL, "unknown_agent", message, hint)
        return record

    def _line(self, request: ToolRequest, result: ToolResult[Any]) -> str:
        error = result.error
        ended = "ok" if error is None else _shown(f"{error.code}, {error.message}".partition("\n")[0])
        return f"{self._name(result.tool_name)} {self._args(request, result.tool_name)}: {ended}"

    def _name(self, tool: str) -> str:
        """Return the name of a tool; one with invalid characters is quoted, so that it cannot mislead."""
        return _cut(tool) if _PLAIN_NAME.fullmatch(tool) else _shown(json.dumps(tool, ensure_ascii=False))

    def _args(self, request: ToolRequest, tool: str) -> str:
        of_tool = secrets_of_tool(self._catalog.definition(tool)) if tool in self._catalog else NO_SECRETS
        try:
            args = parse(request.payload)
            return _shown(canonical(hide_args(args, secrets_of_call(of_tool, request.payload))).decode())
        except (NotJson, ValueError):
            return "(no JSON)"


def _is_of_session(run: Run, meta: ToolCallMeta) -> bool:
    """Whether a run belongs to the session of a call: the same object, or else the same id and user.

    Without either, an agent may inspect itself and the agents that it started.
    """
    caller = run_of(meta)
    if caller is not None and caller.session is run.session:
        return True
    if meta.session_id is not None:
        return (meta.session_id, meta.user) == (run.meta.session_id, run.meta.user)
    return meta.agent_id is not None and meta.agent_id in (run.meta.agent_id, run.meta.parent_agent_id)


def _shown(text: str) -> str:
    return _cut(visible(text))


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
