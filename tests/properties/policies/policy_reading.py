"""A naive model of sections 5 and 7 of the spec language: which calls run, which need permission, how each ends.

It shares no code with the runtime. What the sections leave to the requirements follows those: how a turn continues
after a failure (REG-77 to 83, 97, 98), what children never hold (REG-32, 34), and the order of the stages (REG-84).
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tests.properties.policies.policy_world import Call, Policy, Start, Step, Tool, World

STRICTEST_FIRST: Final = ("exclude", "deny", "ask", "allow")
Scope: TypeAlias = frozenset[tuple[str, str]]
Grant: TypeAlias = tuple[str, Scope]
"""An ident and the scope that a person granted."""

PLANNING: Final = {"agent.plan_template", "agent.task_create", "agent.dispatch_worker"}
"""The generated tools that children never have."""


@dataclass(frozen=True, kw_only=True)
class Expected:
    """How one call ends: its ident, if any, its code, whether it ran and whether permission was requested."""

    ident: str | None
    code: str
    ran: bool = False
    asked: bool = False
    unanswered: bool = False

    @property
    def kind(self) -> str:
        """Return the kind of its final event."""
        if self.unanswered:
            return "permission_failed"
        if not self.ran and self.code in ("permission_denied", "hook_denied", "gate_refused", "tool_not_available"):
            return "tool_denied"
        return "tool_completed" if self.code == "ok" else "tool_failed"


@dataclass(kw_only=True)
class RunSoFar:
    """A run: its role and mode, the tools it may call, the agents it started, and the grants of its session."""

    role: str
    mode: str
    tools: set[str]
    grants: set[Grant]
    children: int = 0


@dataclass
class Reading:
    """A world, as the sections describe it. `wire_names` and `python_names` are those of all tools."""

    world: World
    wire_names: Mapping[str, str]
    python_names: Mapping[str, str]
    grants: dict[int, set[Grant]] = field(default_factory=dict[int, set[Grant]])

    def start(self, start: Start) -> RunSoFar | list[str]:
        """Section 5: return the effective set of a run, or the tools that a dispatch may not request."""
        agent = self.world.agents[start.agent]
        role = start.role or agent.role
        use = self._selected(agent.use)
        wanted = use
        if start.requested is not None:
            wanted = {self._certain(name) or name for name in start.requested}
            beyond = wanted - use - self._selected(agent.on_request)
            if beyond:
                return sorted(beyond)
        held = {tool.ident for tool in self.world.tools if tool.ident in wanted and _may_hold(role, tool)}
        tools = {
            ident
            for ident in held
            if self.judge(self.tool(ident), role, start.mode) != "exclude" and not self._runs_nowhere(ident)
        }
        grants = self.grants.setdefault(start.session, set())
        return RunSoFar(role=role, mode=start.mode, tools=tools, grants=grants)

    def expect(self, step: Step, run: RunSoFar | None) -> list[Expected]:
        """Return how the calls of a step end, in order."""
        if step.way != "turn":
            return [self._one(call, run, set()) for call in step.calls]
        return self._turn(step.calls, run)

    def tool(self, ident: str) -> Tool:
        return next(tool for tool in self.world.tools if tool.ident == ident)

    def named(self, call: Call) -> str | None:
        """Return the tool that a call names, by ident or wire name."""
        text = self.text(call)
        if any(tool.ident == text for tool in self.world.tools):
            return text
        return next((ident for ident, wire in self.wire_names.items() if wire == text), None)

    def text(self, call: Call) -> str:
        from tests.properties.policies.policy_world import SPELLINGS

        return SPELLINGS[call.spelling](call.tool, self.wire_names[call.tool])

    def judge(self, tool: Tool, role: str, mode: str) -> str:
        """Section 7, before details of a call are known."""
        said = self.answers_for(tool, role, mode)
        if not said:
            said = ["allow" if tool.permission == "readonly" else "ask"]
        if "dangerous" in tool.tags or tool.confirm:
            said = [*said, "ask"]
        return strictest(said)

    def answers_for(self, tool: Tool, role: str, mode: str) -> list[str]:
        """Return the answers of all applicable rules of the policies in force."""
        said: list[str] = []
        for policy in self._in_force:
            for rules in (policy.rules, policy.roles.get(role, {}), policy.modes.get(mode, {})):
                said += [
                    answer
                    for selector, answer in rules.items()
                    if self._means(selector, tool, restricts=answer != "allow")
                ]
        return said

    @property
    def _in_force(self) -> list[Policy]:
        return [self.world.policies[name] for name in self.world.in_force]

    def _selected(self, selectors: Iterable[str]) -> set[str]:
        asked = list(selectors)
        return {
            tool.ident
            for tool in self.world.tools
            if any(self._means(selector, tool, restricts=False) for selector in asked)
        }

    def _means(self, selector: str, tool: Tool, *, restricts: bool) -> bool:
        """A restriction applies to each tool that its name may mean, a permission only to an unambiguous one."""
        if selects(selector, tool):
            return True
        name, *tags = selector.split("+")
        if not all(tag in tool.tags for tag in tags) or any(name == other.ident for other in self.world.tools):
            return False
        if restricts:
            pattern = ".*".join(map(re.escape, name.split("*"))) if "__" in name or "*" not in name else "(?!)"
            return any(re.fullmatch(pattern, spelling) for spelling in self._spellings(tool.ident))
        is_own = any(selects(name, other) for other in self.world.tools)
        return not is_own and self._certain(name) == tool.ident

    def _certain(self, name: str) -> str | None:
        """Return the only tool that a name means: an ident, or a name of no other tool."""
        if any(tool.ident == name for tool in self.world.tools):
            return name
        found = [tool.ident for tool in self.world.tools if name in self._spellings(tool.ident)]
        return found[0] if len(found) == 1 else None

    def _spellings(self, ident: str) -> set[str]:
        return {self.wire_names[ident], self.python_names[ident]}

    def _runs_nowhere(self, ident: str) -> bool:
        return self.world.runners.get(self.tool(ident).toolset) == "nobody"

    def _one(self, call: Call, run: RunSoFar | None, late: set[Grant]) -> Expected:
        """Return how a call ends. `late` has the grants that calls at the same time requested without an answer."""
        ident = self.named(call)
        if ident is None or not self._is_visible(ident, run):
            return Expected(ident=ident, code="tool_not_available")
        tool = self.tool(ident)
        if self.world.runners.get(tool.toolset) == "nobody":
            return Expected(ident=ident, code="no_executor")
        if call.payload != "fits":
            return Expected(ident=ident, code="validation_error")
        if self.world.has_hooks and call.hook != "passes":
            return Expected(ident=ident, code="hook_denied")
        return self._permission(call, tool, run, late)

    def _is_visible(self, ident: str, run: RunSoFar | None) -> bool:
        return self.judge(self.tool(ident), "main", "") != "exclude" if run is None else ident in run.tools

    def _permission(self, call: Call, tool: Tool, run: RunSoFar | None, late: set[Grant]) -> Expected:
        said = [self.judge(tool, run.role, run.mode) if run else self.judge(tool, "main", "")]
        if "network" in tool.tags:
            said += self._answers_for_hosts(call, tool)
        answer = strictest(said)
        if answer == "deny":
            return Expected(ident=tool.ident, code="permission_denied")
        scope = _scope(call, tool)
        is_granted = run is not None and scope is not None and (tool.ident, scope) in run.grants
        asked = answer == "ask" and not is_granted
        if asked:
            if run is not None and scope is not None and (tool.ident, scope) in late:  # it has waited for that answer
                return Expected(ident=tool.ident, code="permission_denied", unanswered=True)
            decision = {"allow_all": "allow_once", "deny_all": "deny"}.get(self.world.permission, call.permission)
            if decision not in ("allow_once", "allow_for_session"):
                unanswered = decision in ("raises", "late")
                if decision == "late" and scope is not None:
                    late.add((tool.ident, scope))
                return Expected(ident=tool.ident, code="permission_denied", asked=True, unanswered=unanswered)
            if decision == "allow_for_session" and run is not None and scope is not None:
                run.grants.add((tool.ident, scope))
        return self._after_permission(call, tool, run, asked=asked)

    def _after_permission(self, call: Call, tool: Tool, run: RunSoFar | None, *, asked: bool) -> Expected:
        if self.world.has_gate and tool.gate and call.gate == "refuses":
            return Expected(ident=tool.ident, code="gate_refused", asked=asked)
        if "agent" in tool.tags and run is not None:
            if run.children >= min((policy.children_per_run for policy in self._in_force), default=4):
                return Expected(ident=tool.ident, code="child_agent_limit_exceeded", asked=asked)
            run.children += 1
        code = "handler_error" if call.fails else call.says or "ok"
        return Expected(ident=tool.ident, code=code, ran=True, asked=asked)

    def _answers_for_hosts(self, call: Call, tool: Tool) -> list[str]:
        hosts = list(tool.access.get("hosts", []))
        networks = [policy.network for policy in self._in_force] or [{}]
        if "url" in tool.access and call.url is not None:
            if call.url.host is None:  # it may be any host named in a policy, or any other
                return ["ask", *(answer for network in networks for answer in network.values())]
            hosts.append(call.url.host)
        return [of_host(host, network) for host in hosts or ["*"] for network in networks]

    def _turn(self, calls: Sequence[Call], run: RunSoFar | None) -> list[Expected]:
        found: list[Expected] = []
        may_run = {"readonly", "agent", "write"}
        goes_on = bool(self._in_force) and all(
            policy.on_permission_deny == "continue_readonly" for policy in self._in_force
        )
        place = 0
        while place < len(calls):
            group = self._group(calls[place])
            end = place + 1
            while group != "write" and end < len(calls) and self._group(calls[end]) == group:
                end += 1
            if group not in may_run:
                found += [Expected(ident=self.named(call), code="skipped") for call in calls[place:end]]
            else:
                late: set[Grant] = set()
                ended = [self._one(call, run, late) for call in calls[place:end]]
                found += ended
                if any(each.code == "permission_denied" and not each.ran for each in ended):
                    may_run &= {"readonly", "agent"} if goes_on else set[str]()
                elif group == "write" and {each.code for each in ended} != {"ok"}:
                    may_run = set()
            place = end
        return found

    def _group(self, call: Call) -> str:
        ident = self.named(call)
        if ident is None or self.tool(ident).permission == "readonly":
            return "agent" if ident is not None and "agent" in self.tool(ident).tags else "readonly"
        return "write"


def strictest(answers: Iterable[str]) -> str:
    given = set(answers)
    return next(answer for answer in STRICTEST_FIRST if answer in given)


def selects(selector: str, tool: Tool) -> bool:
    """Match a toolset's name, an ident, or a pattern in which `*` is any text; then `+tag` for each required tag."""
    name, *tags = selector.split("+")
    pattern = ".*".join(re.escape(part) for part in name.split("*"))
    is_named = name == "" or name == tool.toolset or re.fullmatch(pattern, tool.ident, re.DOTALL) is not None
    return is_named and all(tag in tool.tags for tag in tags)


def _may_hold(role: str, tool: Tool) -> bool:
    if role != "main" and tool.ident in PLANNING:
        return False
    if role != "main" and tool.ident == "internal.recall_memory":
        return False
    return tool.roles is None or role in tool.roles


def of_host(host: str, network: Mapping[str, str]) -> str:
    """Return the answer for the closest name: the host, then its longest listed domain, then any host, which asks."""
    fitting = [name for name in network if name == host or (name[:1] == "*" and host.endswith(name[1:]))]
    if host in network:
        return network[host]
    return network[max(fitting, key=len)] if fitting else "ask"


def _scope(call: Call, tool: Tool) -> Scope | None:
    """Return the scope of a grant, or None if nothing can be named."""
    accessed_resources = {("host", host) for host in tool.access.get("hosts", [])}
    if "url" in tool.access and call.url is not None:
        if call.url.host is None:
            return None
        accessed_resources.add(("host", call.url.host))
    if "scope" in tool.access and call.what is not None:
        accessed_resources.add(("what", json.dumps(_as_number(call.what), sort_keys=True)))
    return frozenset(accessed_resources) or None


def _as_number(value: object) -> object:
    """Return a JSON value in which 1 and 1.0 are the same number."""
    match value:
        case bool():
            return value
        case int() | float():
            return float(value)
        case list():
            return [_as_number(each) for each in value]
        case dict():
            return {name: _as_number(each) for name, each in value.items()}
        case _:
            return value
