"""A program with durable runs, for tests: planners follow a script, and tools leave marks in a folder.

The script of a run is the JSON text of its first user message: `{"turns": [[["code.read_file", {"path": "a"}]]],
"answer": 1}`.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.unit.runtime.endings import IN_OWN_LOOPS
from tests.unit.runtime.tools import add, idle_executors
from toolgen.agents import Message, PlannedCalls, RunOutcome, agent_executor
from toolgen.contract.records import NOTHING, FailureKind, ToolRequest, ToolResult, ToolsetRegistration
from toolgen.engine import EngineHost, RunRequest
from toolgen.engine.children import run_children
from toolgen.engine.dbos import DbosWorker
from toolgen.engine.signals import wait_for_signal
from toolgen.runtime import Runtime, load
from toolgen.runtime.base.errors import CallFailed
from toolgen.runtime.policy.approval import ask_before_call
from toolgen.runtime.runs.run import run_of
from toolgen.toolsets.agent import agent_registration
from toolgen.toolsets.agent.agents import AgentTools
from toolgen.toolsets.agent.tasks import TaskTools
from toolgen.toolsets.agent.tasks.task import TaskGraph

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from toolgen.agents.planner import Plan
    from toolgen.contract.records import ToolCallMeta
    from toolgen.engine.protocol import Engine
    from toolgen.runtime.catalog.definition import ToolDefinition

FOLDER = "ENGINE_APP_FOLDER"
MARKS = "effects.sqlite"
"""The file in that folder where each attempt of a tool leaves a mark."""
SEARCH = "orchestrator.research.search"
WORKER_POLL = 0.3
"""Seconds between looks at the queue of a worker process: most tests of them wait for other things, and for long."""
ANSWER = {"answer": "yes", "sources": []}


def script(*turns: Sequence[tuple[str, Mapping[str, Any]]], answer: Any = "done", **more: Any) -> tuple[Message, ...]:
    """Return the messages of a run that makes the calls of each turn."""
    return (Message(role="user", content=json.dumps({"turns": turns, "answer": answer, **more})),)


def request(*turns: Sequence[tuple[str, Mapping[str, Any]]], answer: Any = "done", **fields: Any) -> RunRequest:
    return RunRequest(agent="main", messages=script(*turns, answer=answer), **fields)


def read(path: str = "a") -> tuple[str, dict[str, Any]]:
    """A call that changes nothing and asks nobody."""
    return ("code.read_file", {"path": path})


def write(path: str, content: str = "x") -> tuple[str, dict[str, Any]]:
    """A call that a person has to allow."""
    return ("code.write_file", {"path": path, "content": content})


def search(*turns: Sequence[tuple[str, Mapping[str, Any]]]) -> tuple[str, dict[str, Any]]:
    """A call that starts an agent, which follows a script of its own."""
    return (SEARCH, {"query": json.dumps({"turns": turns, "answer": ANSWER})})


def built_in(name: str, *turns: Sequence[tuple[str, Mapping[str, Any]]]) -> tuple[str, dict[str, Any]]:
    """A call of a built-in tool that starts an agent, which follows a script of its own."""
    text = json.dumps({"turns": turns, "answer": "done"})
    args = {"create_sub_agent": {"agent_definition_id": "default_sub", "prompt": text}, "fork_agent": {"prompt": text}}
    return (f"agent.{name}", args.get(name, {"task_id": "t", "step_id": text}))


AGENT = search([("router.web_search", {"query": "x"})])
"""A call that starts an agent which makes one call, and asks for it."""


class ScriptPlanner:
    """Follows the script of the run. `plans` counts how often it was asked."""

    def __init__(self) -> None:
        self.plans = 0

    async def plan(
        self, messages: Sequence[Message], _tools: Mapping[str, ToolDefinition], _meta: ToolCallMeta, /
    ) -> Plan:
        self.plans += 1
        text = next(message.content for message in messages if message.role == "user")
        script_: dict[str, Any] = json.loads(text[text.index("{") : text.rindex("}") + 1])
        turn = sum(bool(message.calls) for message in messages)
        if turn == len(script_["turns"]):
            return RunOutcome(value=script_["answer"])
        calls = tuple(
            ToolRequest(name=name, payload=json.dumps(args), tool_call_id=f"c{turn}{place}")
            for place, (name, args) in enumerate(script_["turns"][turn])
        )
        return PlannedCalls(message=Message(role="assistant", calls=calls))


class Effects:
    """Runs the tools of `code` and `router`: a service that honours idempotency keys. Every attempt is noted as well.

    A path `slow-N` takes N seconds, and `until-FILE` until there is such a file in the folder; `poison` kills the
    process, until a file `cured` is in the folder; one that contains `down` fails until a file `up` is in the folder;
    one that contains `flaky` fails at the first attempt. A path `waits-NAME-N` waits N seconds for a signal, and has it
    as text. A path `ends-HOW` ends as `IN_OWN_LOOPS` says; `revokes` revokes the grants of the session.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with closing(self._open()) as database:
            database.execute(
                "CREATE TABLE IF NOT EXISTS attempts "
                "(key TEXT, tool TEXT, path TEXT, user TEXT, run TEXT, token INTEGER, pid INTEGER)"
            )
            database.execute("CREATE TABLE IF NOT EXISTS effects (key TEXT PRIMARY KEY, path TEXT)")

    async def execute(self, call: ToolRequest, meta: ToolCallMeta, /) -> ToolResult[Any]:
        args = json.loads(call.payload)
        path = args["path"] if "path" in args else args["query"]
        text = f"text of {path}"
        if path.startswith("waits-"):
            name, seconds = path.removeprefix("waits-").split("-")
            sent = wait_for_signal(name, float(seconds))
            text = json.dumps(None if sent is None else [sent.value, sent.by])
        about = (meta.idempotency_key, call.name, path, meta.user, meta.run_id, meta.fencing_token, os.getpid())
        is_down = "down" in path and not (self._folder / "up").exists()  # who sees the attempt may let it come up
        self._note("INSERT INTO attempts VALUES (?, ?, ?, ?, ?, ?, ?)", *about)
        run = run_of(meta)
        if path == "revokes" and run is not None:
            run.session.grants.revoke()
        if path.startswith("slow-"):
            await asyncio.sleep(float(path.removeprefix("slow-")))
        if path.startswith("ends-"):
            await IN_OWN_LOOPS[path.removeprefix("ends-")]()
        while path.startswith("until-") and not (self._folder / path.removeprefix("until-")).exists():
            await asyncio.sleep(0.02)
        if path == "poison" and not (self._folder / "cured").exists():
            os.kill(os.getpid(), signal.SIGKILL)
        is_first = self._count("SELECT count(*) FROM attempts WHERE key = ?", meta.idempotency_key) == 1
        if is_down or ("flaky" in path and is_first):
            raise CallFailed(FailureKind.UNAVAILABLE, "down", "the service is down", "")
        if call.name == "code.write_file":
            self._note("INSERT OR IGNORE INTO effects VALUES (?, ?)", meta.idempotency_key, path)
            return ToolResult(value={"bytes_written": 1, "created": True})
        if call.name == "router.web_search":
            return ToolResult(value=[])
        return ToolResult(value={"content": text, "start_line": 1, "truncated": False, "truncated_lines": []})

    def _note(self, statement: str, *values: Any) -> None:
        with closing(self._open()) as database:
            database.execute(statement, values)

    def _count(self, statement: str, *values: Any) -> int:
        with closing(self._open()) as database:
            return int(database.execute(statement, values).fetchone()[0])

    def _open(self) -> sqlite3.Connection:
        database = sqlite3.connect(self._folder / MARKS, timeout=30, isolation_level=None)
        database.execute("PRAGMA synchronous=OFF")  # what a killed process has written is there all the same
        return database


def opened(folder: Path) -> sqlite3.Connection:
    return sqlite3.connect(folder / MARKS, timeout=30, isolation_level=None)


def rows(folder: Path, statement: str) -> list[tuple[Any, ...]]:
    with closing(opened(folder)) as database:
        return database.execute(statement).fetchall()


def add_policy(catalog: Any, policy: Mapping[str, Any]) -> None:
    """Put one more policy in force. The document of a catalog is shared by all that load it."""
    catalog._document = {**catalog._document, "policies": {**catalog.section("policies"), "added": policy}}


def host(
    engine: Engine,
    folder: Path | None = None,
    own: Mapping[str, Any] | None = None,
    approvers: Mapping[str, Any] | None = None,
    changed: Mapping[str, Mapping[str, Any]] = NOTHING,
    **settings: Any,
) -> EngineHost:
    """Return what executes runs: `toolgen worker tests.unit.engine.app:host`.

    `own` is the args schema of one more tool, `own.note`, which writes and returns its args. `approvers` is one more
    policy: who may answer. `changed` are values of compiled tools, by ident, instead of those of their specs.
    """
    if folder is None:  # a process of its own
        folder = Path(os.environ[FOLDER])
        DbosWorker.__init__.__kwdefaults__ = {**(DbosWorker.__init__.__kwdefaults__ or {}), "poll": WORKER_POLL}
    catalog = load("generated")
    if approvers is not None:
        add_policy(catalog, {"approvers": approvers})
    if changed:
        tools: Any = catalog._compiled
        tools = {**tools, **{ident: {**tools[ident], **values} for ident, values in changed.items()}}
        catalog._compiled = tools
    if own is not None:
        add(catalog, lambda args: args, "own.note", input_schema=own)
    run_agent = run_children(engine)
    runtime = Runtime(
        catalog,
        executors=[
            agent_executor(catalog, "orchestrator.research", run_agent),
            *(ToolsetRegistration(toolset=name, executor=Effects(folder)) for name in ("code", "router")),
            agent_registration(agents=AgentTools(catalog, run_agent), tasks=TaskTools(TaskGraph())),
            *idle_executors(catalog, "orchestrator.research", "code", "router", "agent"),
        ],
        **{"permission": ask_before_call, **settings},
    )
    return EngineHost(runtime, ScriptPlanner())
