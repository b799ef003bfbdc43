"""A runtime for a generated world: its package, its tools, and a host that answers as each call specifies."""

from __future__ import annotations

import asyncio
import json
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from tests.properties.package import loaded
from toolgen.contract.ident import Ident
from toolgen.contract.records import FailureKind, ToolError, ToolRequest, ToolResult, ToolsetRegistration
from toolgen.contract.version import CONTRACT_VERSION
from toolgen.providers.stubs import python_function_name
from toolgen.record.memory import MemoryStore
from toolgen.runtime import Runtime, ToolDefinition, allow_all, deny_all
from toolgen.runtime.base.errors import PermissionDenied
from toolgen.runtime.calls.call import Denial, GateDecision
from toolgen.runtime.policy.effective import ToolsNotGranted
from toolgen.runtime.policy.permission import Decision
from toolgen.runtime.runs.run import Run, Session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from tests.properties.policies.policy_world import Call, Start, Step, Tool, World
    from toolgen.contract.records import ToolCallMeta
    from toolgen.runtime import Catalog

ARGS: dict[str, Any] = {
    "type": "object",
    "properties": {"n": {"type": "integer"}, "url": {"type": "string"}, "what": {"description": "Anything."}},
    "required": ["n"],
}


class Host:
    """A host that records which calls ran and which it was asked about, by number, and answers as they specify."""

    def __init__(self, world: World, catalog: Catalog) -> None:
        self.world = world
        self.ran: list[tuple[str, int]] = []
        self.asked: list[tuple[str, int]] = []
        self.store = MemoryStore()
        self.calls = {call.number: call for step in world.steps for call in step.calls}
        self._in_turns = {call.number for step in world.steps if step.way == "turn" for call in step.calls}
        self._sessions: dict[int, Session] = {}
        for tool in world.tools:
            if tool.toolset not in world.runners:
                catalog.register(_definition(tool), self.handler(tool.ident))
        self.wire_names = {tool.ident: catalog.wire_name(tool.ident) for tool in world.tools}
        self.python_names = {ident: python_function_name(wire) for ident, wire in self.wire_names.items()}
        self.runtime = Runtime(
            catalog,
            executors=[
                registration
                for toolset, runner in world.runners.items()
                if (registration := self._registration(toolset, runner)) is not None
            ],
            missing=[toolset for toolset, runner in world.runners.items() if runner == "nobody"],
            permission={"allow_all": allow_all, "deny_all": deny_all}.get(world.permission, self._permission),
            disabled_policies=[name for name in world.policies if name not in world.in_force],
            hooks=[self] if world.has_hooks else [],
            gate=self._gate if world.has_gate else None,
            store=self.store,
        )

    def start(self, start: Start) -> Run | list[str]:
        """Start a run, or return the requested tools that are not allowed."""
        session = self._sessions.setdefault(start.session, Session())
        try:
            return self.runtime.start_run(
                start.agent, session=session, role=start.role, mode=start.mode, requested=start.requested
            )
        except ToolsNotGranted as error:
            return list(error.names)

    async def make(self, step: Step, run: Run | None, text: Callable[[Call], str]) -> list[ToolResult[Any]]:
        """Make the calls of a step; `text` returns the name used for each call."""
        if step.way == "typed":
            return [
                await self.runtime.call(Ident[Any, Any](text(call)), json.loads(_payload(call)), run=run)
                for call in step.calls
            ]
        requests = [
            ToolRequest(name=text(call), payload=_payload(call), tool_call_id=call.tool_call_id) for call in step.calls
        ]
        if step.way == "turn" and run is not None:
            return await self.runtime.turn(requests, run)
        return [await self.runtime.invoke(request, run=run) for request in requests]

    def handler(self, ident: str) -> Callable[[Any, ToolCallMeta], Any]:
        def handler(args: Any, _meta: ToolCallMeta) -> Any:
            self.ran.append((ident, args["n"]))
            call = self.calls[args["n"]]
            if call.fails:
                raise ValueError("broken")
            if call.says:
                denied = FailureKind.PERMISSION_DENIED
                error = ToolError(message="no", kind=denied, code=call.says).caused_by(PermissionDenied(ident, "no"))
                return ToolResult(error=error, metadata={"truncated": True, "aborted": True})
            return "ran"

        return handler

    def execute(self, request: ToolRequest, meta: ToolCallMeta, /) -> Any:
        given = self.handler(request.name)(json.loads(request.payload), meta)
        return given if isinstance(given, ToolResult) else ToolResult(value=given)

    def pre_tool_use(self, call: Any, /) -> Any:
        return self._answered(_hooks[self._call_of(call).hook], is_later=self.world.later)

    def post_tool_use(self, call: Any, _result: Any, /) -> None:
        """Fail where a failure must have no effect."""
        if self._call_of(call).hook == "raises":
            raise ValueError("broken")

    def _permission(self, request: Any) -> Any:
        call = self._call_of(request)
        self.asked.append((request.tool_name, call.number))
        if call.permission == "late":
            return asyncio.Event().wait()
        return self._answered(
            lambda: _permissions.get(call.permission, _raise)(call.permission), is_later=self._may_wait(call)
        )

    def _gate(self, call: Any) -> Any:
        called = self._call_of(call)
        return self._answered(_gates[called.gate], is_later=self._may_wait(called))

    def _may_wait(self, call: Call) -> bool:
        """Return whether an answer may be delayed.

        In a turn other calls pass meanwhile, so that the order is undefined.
        """
        return self.world.later and call.number not in self._in_turns

    def _call_of(self, seen: Any) -> Call:
        return self.calls[json.loads(seen.arguments)["n"]]

    def _answered(self, answer: Callable[[], Any], *, is_later: bool) -> Any:
        async def later() -> Any:
            return answer()

        return later() if is_later else answer()

    def _registration(self, toolset: str, runner: str) -> ToolsetRegistration | None:
        match runner:
            case "nobody":
                return None
            case "handlers":
                tools = [tool.ident for tool in self.world.tools if tool.toolset == toolset]
                return ToolsetRegistration(toolset=toolset, handlers={ident: self.handler(ident) for ident in tools})
            case _:
                is_raw = runner == "raw_executor"
                return ToolsetRegistration(toolset=toolset, executor=self, decode_in_executor=is_raw)


@contextmanager
def hosted(world: World) -> Iterator[Host]:
    """Build the package of a world and host it."""
    with loaded(lambda folder: _write(folder, world)) as catalog:
        yield Host(world, catalog)


def _raise(_said: object = None) -> Any:
    raise ValueError("broken")


_hooks: Mapping[str, Callable[[], Denial | None]] = {
    "passes": lambda: None,
    "denies": lambda: Denial("no"),
    "raises": _raise,
}
_permissions: Mapping[str, Callable[[str], Any]] = {
    "allow_once": Decision,
    "allow_for_session": Decision,
    "deny": Decision,
    "yes": str,
    "nothing": lambda _said: None,
}
_gates: Mapping[str, Callable[[], Any]] = {
    "approves": lambda: GateDecision(approved=True),
    "refuses": lambda: GateDecision(approved=False, reason="too dear"),
    "raises": _raise,
    "nothing": lambda: None,
}


def _payload(call: Call) -> str:
    match call.payload:
        case "no_json":
            return "{"
        case "no_number":
            return '{"n": "one"}'
        case _:
            args = {"n": call.number, "url": call.url and call.url.text, "what": call.what}
            return json.dumps({name: value for name, value in args.items() if value is not None})


def _definition(tool: Tool) -> ToolDefinition:
    return ToolDefinition(
        name=tool.ident,
        description="x",
        input_schema=ARGS,
        permission="readonly" if tool.permission == "readonly" else "write",
        tags=tool.tags,
        metadata=_settings(tool),
    )


def _settings(tool: Tool) -> dict[str, Any]:
    roles = {} if tool.roles is None else {"roles": sorted(tool.roles)}
    return {"access": tool.access, "gate": tool.gate, "confirm": tool.confirm, **roles}


def _compiled(tool: Tool) -> dict[str, Any]:
    tags = sorted(tool.tags)
    return {"description": "x", "permission": tool.permission, "tags": tags, "args": ARGS, **_settings(tool)}


def _write(folder: Path, world: World) -> None:
    tools = [tool for tool in world.tools if tool.toolset in world.runners]
    document = {
        "contract": CONTRACT_VERSION,
        "toolsets": {toolset: {"kind": "service", "package": "tools"} for toolset in world.runners},
        "tools": {tool.ident: _compiled(tool) for tool in tools},
        "wire_names": world.wire_names,
        "agents": {name: asdict(agent) for name, agent in world.agents.items()},
        "policies": {
            name: {
                "rules": policy.rules,
                "roles": policy.roles,
                "modes": policy.modes,
                "registered": ["*"],
                "network": policy.network,
                "on_permission_deny": policy.on_permission_deny,
                "limits": {"children_per_run": policy.children_per_run},
            }
            for name, policy in world.policies.items()
        },
        "tags": {},
    }
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "catalog.json").write_text(json.dumps(document), encoding="utf-8")
