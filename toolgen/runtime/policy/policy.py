"""Policies: which calls are allowed, ask or are denied. Several combine, and the strictest answer wins."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from toolgen.runtime.base.errors import CatalogError
from toolgen.runtime.base.suggest import nearest
from toolgen.runtime.policy.approvers import combined
from toolgen.spec.hosts import UNCLEAR, UNNAMED, host_named
from toolgen.spec.selector import Selector, names_one_of

if TYPE_CHECKING:
    from toolgen.providers.spellings import ToolNames
    from toolgen.runtime.catalog.definition import PolicyEntry
    from toolgen.runtime.policy.approvers import Approvers


class PolicyAnswer(StrEnum):
    """The answer of a policy for a tool, from the least to the most strict."""

    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"
    EXCLUDE = "exclude"


ENVIRONMENT: Final = ("PATH", "HOME", "TMPDIR")
"""Default environment variables of commands, if no policy sets them."""

TIMEOUT_MS: Final = 120_000
"""Default `timeout_ms`, if no policy sets it: each call ends."""

AGENT_TIMEOUT_MS: Final = 24 * 3_600_000
"""The same for calls that start agents, which make many calls and wait for people; each of these has a timeout too."""

RESULT_BYTES: Final = 65_536
"""Default `result_bytes`, if no policy sets it."""

MAY_WRITE: Final = "write"
"""The reason why a tool that may write asks where no rule is about it."""

_NO_POLICY: Final = "no policy"
_DENIALS: Final = frozenset({PolicyAnswer.DENY, PolicyAnswer.EXCLUDE})
_STRICTNESS: Final = {answer: number for number, answer in enumerate(PolicyAnswer)}


@dataclass(frozen=True, slots=True)
class PolicyReason:
    """A matching rule of a policy, or a default. `source` is its location."""

    answer: PolicyAnswer
    source: str


@dataclass(frozen=True, slots=True)
class PolicyDecision:
    """The combined answer of policies for a tool in a role and a mode, independent of the call, with its reasons."""

    answer: PolicyAnswer
    reasons: tuple[PolicyReason, ...]

    @property
    def denies_every_call(self) -> bool:
        """Whether no call can run: models are not offered the tool."""
        return self.answer in _DENIALS


@dataclass(frozen=True, slots=True)
class _Rule:
    """A rule, with its selector resolved to selectors by ident."""

    selectors: tuple[Selector, ...]
    reason: PolicyReason
    role: str | None = None
    mode: str | None = None

    def holds_for(self, tool: PolicyEntry, role: str, mode: str) -> bool:
        return (
            self.role in (None, role)
            and self.mode in (None, mode)
            and any(selector.matches(tool.ident, tool.toolset, tool.tags) for selector in self.selectors)
        )


class Policies:
    """The policies in force: all of a compiled catalog, but for those that the host disables by name.

    `may_continue`: whether readonly calls of a turn still run after a denial by the user. `children_per_run`: maximum
    number of agents that a run may start; `children_per_session`: maximum number that run at the same time in a
    session. `timeout_ms` and `result_bytes` are defaults for tools without these limits, `agent_timeout_ms` for those
    that start agents, `max_timeout_ms` applies to all; 0 means no limit. `env`: environment variables of commands.
    `paths`: the path rules of each policy. `modes`: the modes that any of them has rules for.
    """

    def __init__(
        self,
        policies: Mapping[str, Mapping[str, Any]],
        tools: ToolNames | None = None,
        *,
        disabled: Collection[str] = (),
    ) -> None:
        """Take policies by name. `tools` resolves the tool names of their rules; without it, only idents are known.

        Raises `CatalogError` for an unknown policy in `disabled`, and for a restricting rule that matches no tool;
        TypeError for a str.
        """
        if isinstance(disabled, str):
            raise TypeError(f"disabled policies must be a list of names: write [{disabled!r}]")
        for name in disabled:
            if name not in policies:
                meant = nearest(name, policies, count=1)
                question = f"; did you mean {meant[0]}?" if meant else ""
                raise CatalogError(f"there is no policy {name} in the catalog{question}")
        names = [name for name in policies if name not in disabled]
        stack = [policies[name] for name in names]
        self.may_continue = bool(stack) and all(each.get("on_permission_deny") == "continue_readonly" for each in stack)
        self.timeout_ms = _least_bound(stack or [{}], "timeout_ms", TIMEOUT_MS)
        self.agent_timeout_ms = self.timeout_ms if stack else AGENT_TIMEOUT_MS
        self.max_timeout_ms = _least_bound(stack, "max_timeout_ms")
        self.result_bytes = _least_bound(stack or [{}], "result_bytes", RESULT_BYTES)
        self.children_per_run = _least(stack, "children_per_run", 4)
        self.children_per_session = _least(stack, "children_per_session", 8)
        self.env = _common([policy["env"] for policy in stack if "env" in policy], ENVIRONMENT)
        self.paths = [_paths(each) for each in stack]
        self.modes = frozenset(mode for policy in stack for mode in policy.get("modes", {}))
        self._rules = [rule for name in names for rule in _rules(name, policies[name], tools)]
        self._networks = {name: _network(policies[name]) for name in names} or {_NO_POLICY: {}}
        self._servers = {name: _for_servers(network) for name, network in self._networks.items()}
        self._some = bool(names)

        self._approvers = [rule for name in names for rule in _approvers(name, policies[name], tools)]

    def __bool__(self) -> bool:
        return self._some

    def approvers(self, tool: PolicyEntry) -> Approvers | None:
        """Return who may answer questions about a tool; None if no policy says so."""
        return combined(
            [
                who
                for selectors, who in self._approvers
                if any(selector.matches(tool.ident, tool.toolset, tool.tags) for selector in selectors)
            ]
        )

    def judge(self, tool: PolicyEntry, role: str, mode: str) -> PolicyDecision:
        """Return the decision for a tool: by default readonly is allowed, and write asks.

        `allow` never overrides `dangerous`. Hosts and paths of a call are checked separately, but a host that all calls
        reach counts here if it is denied; for a tool that is not tagged `network` also if a rule for it asks.
        """
        reasons = [rule.reason for rule in self._rules if rule.holds_for(tool, role, mode)]
        if not reasons:
            reasons = (
                [PolicyReason(PolicyAnswer.ALLOW, "readonly")] if tool.permission == "readonly" else [_asks(MAY_WRITE)]
            )
        if "dangerous" in tool.tags:
            reasons.append(_asks("dangerous"))
        if tool.confirm:
            reasons.append(_asks("confirm"))
        if tool.hosts and "network" in tool.tags:
            reasons += (each for each in self.judge_hosts(tool.hosts).reasons if each.answer in _DENIALS)
        elif self and UNNAMED not in tool.hosts:
            reasons += (
                each for each in _host_reasons(self._servers, tool.hosts) if each.answer is not PolicyAnswer.ALLOW
            )
        return PolicyDecision(strictest(reason.answer for reason in reasons), tuple(reasons))

    def judge_hosts(self, hosts: Sequence[str]) -> PolicyDecision:
        """Return the answers for the hosts of a call (`*` if none). In each policy the most specific name wins."""
        reasons = tuple(_host_reasons(self._networks, hosts or [UNNAMED]))
        return PolicyDecision(strictest(reason.answer for reason in reasons), reasons)

    def judge_unknown_host(self) -> PolicyDecision:
        """Return the answers for a URL with an unknown host: it may be any host of the policies, and at least asks."""
        return self.judge_hosts([UNCLEAR])


def strictest(answers: Iterable[PolicyAnswer]) -> PolicyAnswer:
    """Return the strictest answer; `ALLOW` if there is none."""
    return max(answers, key=_STRICTNESS.__getitem__, default=PolicyAnswer.ALLOW)


def _paths(policy: Mapping[str, Any]) -> Mapping[str, Any]:
    """The path rules of a policy, as the arguments of `PathRules`."""
    return {key: policy[key] for key in ("write_roots", "tmp", "sensitive", "hard_links") if key in policy}


def _least(policies: Sequence[Mapping[str, Any]], name: str, default: int) -> int:
    return min((policy.get("limits", {}).get(name, default) for policy in policies), default=default)


def _least_bound(policies: Sequence[Mapping[str, Any]], name: str, default: int = 0) -> int:
    """The smallest limit; 0 means none."""
    bounds = [policy.get("limits", {}).get(name, default) for policy in policies]
    return min((bound for bound in bounds if bound), default=0)


def _common(lists: Sequence[Sequence[str]], default: Sequence[str]) -> tuple[str, ...]:
    """The intersection of the lists."""
    first, *others = lists or [default]
    return tuple(name for name in first if all(name in other for other in others))


def _network(policy: Mapping[str, Any]) -> Mapping[str, str]:
    """Return the rules for hosts by the names that `host_of` gives; of two for one host, the strictest counts."""
    found: dict[str, str] = {}
    for name, answer in policy.get("network", {}).items():
        host = name.lower() if name.startswith(UNNAMED) else host_named(name)
        found[host] = strictest(PolicyAnswer(each) for each in (answer, found.get(host)) if each)
    return found


def _for_servers(network: Mapping[str, str]) -> Mapping[str, str]:
    """Return the rules for servers of tools that are not tagged `network`: no `ask` for every host is about them."""
    return {**network, UNNAMED: "deny"} if network.get(UNNAMED) == "deny" else {**network, UNNAMED: "allow"}


def _host_reasons(networks: Mapping[str, Mapping[str, str]], hosts: Sequence[str]) -> Iterable[PolicyReason]:
    for host in (each if each in (UNNAMED, UNCLEAR) else host_named(each) for each in hosts):
        for policy, network in networks.items():
            if host != UNCLEAR:
                yield _host_reason(policy, network, host)
                continue
            for name, answer in (*network.items(), (UNNAMED, PolicyAnswer.ASK)):
                yield PolicyReason(PolicyAnswer(answer), f"{policy}.network: {name} for a URL with an unclear host")


def _host_reason(policy: str, network: Mapping[str, str], host: str) -> PolicyReason:
    """Find the most specific name: the host itself, then the longest matching `*.domain`, then `*`, which asks."""
    labels = host.split(".")
    above = (f"*.{'.'.join(labels[start:])}" for start in range(1, len(labels)))
    found = next((name for name in (host, *above, "*") if name in network), None)
    return PolicyReason(
        PolicyAnswer(network[found]) if found else PolicyAnswer.ASK, f"{policy}.network: {found or '*'} for {host}"
    )


def _rules(name: str, policy: Mapping[str, Any], tools: ToolNames | None) -> Iterable[_Rule]:
    registered = policy.get("registered", ())
    places: list[tuple[str, Mapping[str, str], str | None, str | None]] = [
        (f"{name}.rules", policy.get("rules", {}), None, None),
        *((f"{name}.roles.{role}", rules, role, None) for role, rules in policy.get("roles", {}).items()),
        *((f"{name}.modes.{mode}", rules, None, mode) for mode, rules in policy.get("modes", {}).items()),
    ]
    for place, rules, role, mode in places:
        for text, given in rules.items():
            reason = PolicyReason(PolicyAnswer(given), f"{place}: {text}")
            yield _Rule(_selectors(text, reason, registered, tools), reason, role, mode)


def _approvers(
    name: str, policy: Mapping[str, Any], tools: ToolNames | None
) -> Iterable[tuple[tuple[Selector, ...], Mapping[str, Any]]]:
    for text, who in policy.get("approvers", {}).items():
        reason = PolicyReason(PolicyAnswer.ASK, f"{name}.approvers: {text}")
        yield _selectors(text, reason, policy.get("registered", ()), tools), who


def _selectors(
    text: str, reason: PolicyReason, registered: Sequence[str], tools: ToolNames | None
) -> tuple[Selector, ...]:
    """Resolve the selector of a rule. Raises `CatalogError` for a restricting rule that matches no tool.

    Tools listed under `registered` may be missing.
    """
    if tools is None:
        return (Selector.parse(text),)
    restricts = reason.answer is not PolicyAnswer.ALLOW
    meant = tools.resolve_selector(text, restricts=restricts)
    if not meant and restricts and not names_one_of(text, registered):
        name = text.partition("+")[0]
        near = nearest(name, tools.known, count=1)
        question = f"; did you mean {near[0]!r}?" if near else ""
        raise CatalogError(
            f"{reason.source}: the rule {reason.answer.value!r} restricts nothing, because there is no tool {name!r}"
            f"{question}; if hosts register such tools, list them under `registered` of the policy"
        )
    return meant


def _asks(why: str) -> PolicyReason:
    return PolicyReason(PolicyAnswer.ASK, why)
