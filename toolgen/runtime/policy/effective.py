"""The effective set: the tools that a run of an agent may call. A hard boundary, independent of prompts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.picklable import Picklable
from toolgen.runtime.policy.policy import PolicyAnswer
from toolgen.spec.builtin import DISCOVERY
from toolgen.spec.selector import Selector

if TYPE_CHECKING:
    from toolgen.providers.spellings import ToolNames
    from toolgen.runtime.catalog.definition import PolicyEntry
    from toolgen.runtime.policy.policy import Policies, PolicyDecision

ROLES: Final = ("main", "sub", "fork", "worker")

CHILD_ROLES: Final = frozenset({"sub", "fork", "worker"})
"""Roles of child agents."""

NEVER_FOR_CHILDREN: Final = frozenset({
    "agent.create_sub_agent", "agent.dispatch_worker", "agent.fork_agent", "agent.list_agent_definitions",
    "agent.list_workers", "agent.plan_template", "agent.task_cancel", "agent.task_complete", "agent.task_create",
    "agent.task_fail", "agent.task_list", "agent.task_template", "agent.task_update",
})  # fmt: skip
"""Only the main agent may plan and start agents, whatever a spec or a dispatch says."""

ONLY_FOR_MAIN: Final = frozenset({"internal.recall_memory"})


class ExclusionReason(StrEnum):
    """Why a tool is not in the effective set: for the audit, never sent to a model."""

    NOT_USED = "not_used"
    NOT_REQUESTED = "not_requested"
    ROLE = "role"
    EXCLUDED = "tool_excluded"
    NOT_OFFERED = "not_offered"
    NO_EXECUTOR = "no_executor"


class ToolsNotGranted(Picklable, ValueError):
    """A dispatch requested tools that are not in the agent's `use` or `on_request`."""

    def __init__(self, agent: str, names: Sequence[str]) -> None:
        self.agent = agent
        self.names = tuple(names)
        super().__init__(f"{agent} cannot be granted {', '.join(names)}: not in its `use` or `on_request`")


@dataclass(frozen=True, slots=True)
class EffectiveSet:
    """The tools of one run with their policy decisions, and all other tools with the reason of their exclusion.

    In addition, every run may call the tools of `discovery`, which only describe the run's tools. `offered` are the
    tools that models are shown, `offered_discovery` those of discovery: all but those that policies deny for every
    call. Whatever shows, finds, lists or suggests tools takes them from here.
    """

    tools: Mapping[str, PolicyDecision]
    excluded: Mapping[str, ExclusionReason]
    discovery: Mapping[str, PolicyDecision] = field(default_factory=dict[str, "PolicyDecision"])
    offered: tuple[str, ...] = field(init=False)
    offered_discovery: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "offered", _not_denied(self.tools))
        object.__setattr__(self, "offered_discovery", _not_denied(self.discovery))

    __hash__ = object.__hash__  # identity, because derived data is cached by it

    def __contains__(self, ident: object) -> bool:
        return ident in self.tools or ident in self.discovery

    def policy_decision(self, ident: str) -> PolicyDecision:
        """Return the policy decision for a tool of the run. Raises KeyError."""
        return self.tools[ident] if ident in self.tools else self.discovery[ident]


def effective_set(
    entries: Mapping[str, PolicyEntry],
    agent: Mapping[str, Any],
    policies: Policies,
    names: ToolNames | None = None,
    *,
    name: str = "the agent",
    role: str = "",
    mode: str = "",
    requested: Iterable[str] | None = None,
    missing: Collection[str] = (),
) -> EffectiveSet:
    """Compute the effective set of an agent, given as its catalog entry, in a role and a mode.

    Its selectors may use all `names` of tools; without these, idents, toolsets and patterns only.
    It has the tools that the agent uses, or the `requested` idents, which must be in `use` or `on_request`; without
    those that its role may not hold, that policies exclude, and the `missing` idents, which have no executor. Tools of
    discovery are added, unless a policy excludes them. `suggest` has no effect. Raises `ToolsNotGranted`.
    """
    role = role or agent.get("role", "main")
    base = _selected(entries, agent.get("use", ()), names)
    wanted = base
    if requested is not None:
        wanted = set(requested)
        beyond = sorted(wanted - base - _selected(entries, agent.get("on_request", ()), names))
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
            if policy_decision.answer is PolicyAnswer.EXCLUDE:
                excluded[ident] = ExclusionReason.EXCLUDED
            elif ident in missing:
                excluded[ident] = ExclusionReason.NO_EXECUTOR
            else:
                (discovery if is_discovery else tools)[ident] = policy_decision
    return EffectiveSet(tools, excluded, discovery)


def _not_denied(decisions: Mapping[str, PolicyDecision]) -> tuple[str, ...]:
    return tuple(ident for ident, decision in decisions.items() if not decision.denies_every_call)


def may_hold(entry: PolicyEntry, role: str) -> bool:
    """Whether agents of a role may hold a tool."""
    if role in CHILD_ROLES and entry.ident in NEVER_FOR_CHILDREN:
        return False
    if role != "main" and entry.ident in ONLY_FOR_MAIN:
        return False
    return entry.roles is None or role in entry.roles


def _selected(entries: Mapping[str, PolicyEntry], selectors: Sequence[str], names: ToolNames | None) -> Set[str]:
    asked = [
        each
        for selector in selectors
        for each in (names.resolve_selector(selector, restricts=False) if names else [Selector.parse(selector)])
    ]
    return {
        ident
        for ident, entry in entries.items()
        if any(selector.matches(ident, entry.toolset, entry.tags) for selector in asked)
    }
