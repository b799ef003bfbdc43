"""The effective set: the tools that a run of an agent may call. It is the hard boundary, whatever a prompt says."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from toolgen.runtime.policy.policy import Answer
from toolgen.spec.discovery import DISCOVERY
from toolgen.spec.selector import Selector

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence, Set

    from toolgen.providers.spellings import ToolNames
    from toolgen.runtime.catalog.definition import Entry
    from toolgen.runtime.policy.policy import Policies, PolicyDecision

ROLES: Final = ("main", "sub", "fork", "worker")

CHILD_ROLES: Final = frozenset({"sub", "fork", "worker"})
"""Roles of agents that another agent started."""

NEVER_FOR_CHILDREN: Final = frozenset({
    "agent.create_sub_agent", "agent.dispatch_worker", "agent.fork_agent", "agent.list_agent_definitions",
    "agent.list_workers", "agent.plan_template", "agent.task_cancel", "agent.task_complete", "agent.task_create",
    "agent.task_fail", "agent.task_list", "agent.task_template", "agent.task_update",
})  # fmt: skip
"""Planning and starting agents stay with the main one, whatever a spec or a dispatch says."""

ONLY_FOR_MAIN: Final = frozenset({"internal.recall_memory"})


class ExclusionReason(StrEnum):
    """Why a tool is not in a set: for the audit, and never for a model."""

    NOT_USED = "not_used"
    NOT_REQUESTED = "not_requested"
    ROLE = "role"
    EXCLUDED = "tool_excluded"
    NOT_OFFERED = "not_offered"
    NO_EXECUTOR = "no_executor"


class ToolsNotGranted(ValueError):
    """A dispatch asked for tools beyond what the agent uses and may have on request."""

    def __init__(self, agent: str, names: Sequence[str]) -> None:
        self.agent = agent
        self.names = tuple(names)
        super().__init__(f"{agent} cannot be given {', '.join(names)}: neither `use` nor `on_request` names it")


@dataclass(frozen=True, slots=True)
class EffectiveSet:
    """The tools of one run with what policies say of each, and every other tool with why it is not among them.

    Beside them are the tools of `discovery`, which only tell of these: every run may call them.
    """

    tools: Mapping[str, PolicyDecision]
    excluded: Mapping[str, ExclusionReason]
    discovery: Mapping[str, PolicyDecision] = field(default_factory=dict[str, "PolicyDecision"])

    __hash__ = object.__hash__  # it is made once, and what follows from it is kept

    def __contains__(self, ident: object) -> bool:
        return ident in self.tools or ident in self.discovery

    def policy_decision(self, ident: str) -> PolicyDecision:
        """Give what policies say of a tool of the run. Raises KeyError."""
        return self.tools[ident] if ident in self.tools else self.discovery[ident]


def effective_set(
    entries: Mapping[str, Entry],
    agent: Mapping[str, Any],
    policies: Policies,
    *,
    name: str = "the agent",
    role: str = "",
    mode: str = "",
    requested: Iterable[str] | None = None,
    missing: Collection[str] = (),
) -> EffectiveSet:
    """Compute what an agent, as a catalog holds it, may call in a role and a mode.

    It is what the agent uses, or the `requested` idents, which must lie in what it uses and may have on request; less
    what its role may not hold, less what policies exclude, and less the `missing` idents, which nothing runs. Tools of
    discovery stand beside it, unless a policy excludes them. Suggestions have no say. Raises `ToolsNotGranted`.
    """
    role = role or agent.get("role", "main")
    base = _selected(entries, agent.get("use", ()))
    wanted = base
    if requested is not None:
        wanted = set(requested)
        beyond = sorted(wanted - base - _selected(entries, agent.get("on_request", ())))
        if beyond:
            raise ToolsNotGranted(name, beyond)
    tools: dict[str, PolicyDecision] = {}
    discovery: dict[str, PolicyDecision] = {}
    excluded: dict[str, ExclusionReason] = {}
    for ident, entry in entries.items():
        is_discovery = ident in DISCOVERY and entry.permission == "readonly"
        if ident not in wanted and not is_discovery:
            excluded[ident] = ExclusionReason.NOT_REQUESTED if ident in base else ExclusionReason.NOT_USED
        elif not may_hold(entry, role):
            excluded[ident] = ExclusionReason.ROLE
        else:
            policy_decision = policies.judge(entry, role, mode)
            if policy_decision.answer is Answer.EXCLUDE:
                excluded[ident] = ExclusionReason.EXCLUDED
            elif ident in missing:
                excluded[ident] = ExclusionReason.NO_EXECUTOR
            else:
                (discovery if is_discovery else tools)[ident] = policy_decision
    return EffectiveSet(tools, excluded, discovery)


def named_by_ident(agent: Mapping[str, Any], names: ToolNames) -> Mapping[str, Any]:
    """Give an agent, as a catalog holds it, whose selectors name tools by their idents."""
    return {
        **agent,
        **{
            key: [each for selector in agent.get(key, ()) for each in names.meant(selector, restricts=False)]
            for key in ("use", "on_request")
        },
    }


def may_hold(entry: Entry, role: str) -> bool:
    """Whether agents of a role may hold a tool at all."""
    if role in CHILD_ROLES and entry.ident in NEVER_FOR_CHILDREN:
        return False
    if role != "main" and entry.ident in ONLY_FOR_MAIN:
        return False
    return entry.roles is None or role in entry.roles


def _selected(entries: Mapping[str, Entry], selectors: Sequence[str]) -> Set[str]:
    asked = [Selector.parse(selector) for selector in selectors]
    return {
        ident
        for ident, entry in entries.items()
        if any(selector.matches(ident, entry.toolset, entry.tags) for selector in asked)
    }
