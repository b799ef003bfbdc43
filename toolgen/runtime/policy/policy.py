"""Policies: what may be called, and who is asked. They stack, and the strictest answer wins."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from toolgen.runtime.base.errors import CatalogError
from toolgen.runtime.base.suggest import nearest
from toolgen.spec.selector import Selector, names_one_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from toolgen.providers.spellings import ToolNames
    from toolgen.runtime.catalog.definition import Entry


class Answer(StrEnum):
    """What a policy says of a tool, from the mildest to the strictest."""

    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"
    EXCLUDE = "exclude"


ENVIRONMENT: Final = ("PATH", "HOME", "TMPDIR")
"""The variables that commands see, where no policy says."""

RESULT_BYTES: Final = 65_536
"""How much of a result is shown, where no policy says; as in the spec language."""

_NO_POLICY: Final = "no policy"
_STRICTNESS: Final = {answer: number for number, answer in enumerate(Answer)}


@dataclass(frozen=True, slots=True)
class Reason:
    """One thing that had a say: a rule of a policy, or what holds without one. `source` says where it is written."""

    answer: Answer
    source: str


@dataclass(frozen=True, slots=True)
class PolicyDecision:
    """What policies say of a tool for a role and a mode, before anything is known of a call. The reasons say why."""

    answer: Answer
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class _Rule:
    """A rule, with the selectors by ident that its own selector means."""

    selectors: tuple[Selector, ...]
    reason: Reason
    role: str | None = None
    mode: str | None = None

    def holds_for(self, tool: Entry, role: str, mode: str) -> bool:
        return (
            self.role in (None, role)
            and self.mode in (None, mode)
            and any(selector.matches(tool.ident, tool.toolset, tool.tags) for selector in self.selectors)
        )


class Policies:
    """The policies that a host names, as compiled into a catalog.

    `may_continue` says whether readonly calls of a turn still run after a person's no. `children_per_run` agents may be
    started by one run, and `children_per_session` run at the same time in one session. `timeout_ms` is for tools that
    say nothing, `max_timeout_ms` for all, and `result_bytes` of a result are shown of tools that say nothing; 0 is no
    bound. `env` names the variables that commands see. `paths` are the path rules of each. `modes` are those that
    any of them has rules for.
    """

    def __init__(
        self, policies: Mapping[str, Mapping[str, Any]], names: Sequence[str], tools: ToolNames | None = None
    ) -> None:
        """Take them by name. `tools` tells what their rules call the tools; without it, idents alone.

        Raises `CatalogError` for a name that no policy has and for a rule that restricts nothing, because no tool is
        called so, and TypeError for a text.
        """
        if isinstance(names, str):
            raise TypeError(f"policies are a list of names: write [{names!r}]")
        for name in names:
            if name not in policies:
                meant = nearest(name, policies, count=1)
                question = f"; did you mean {meant[0]}?" if meant else ""
                raise CatalogError(f"there is no policy {name} in the catalog{question}")
        stack = [policies[name] for name in names]
        self.may_continue = bool(stack) and all(each.get("on_permission_deny") == "continue_readonly" for each in stack)
        self.timeout_ms = _least_bound(stack, "timeout_ms")
        self.max_timeout_ms = _least_bound(stack, "max_timeout_ms")
        self.result_bytes = _least_bound(stack or [{}], "result_bytes", RESULT_BYTES)
        self.children_per_run = _least(stack, "children_per_run", 4)
        self.children_per_session = _least(stack, "children_per_session", 8)
        self.env = _common([policy["env"] for policy in stack if "env" in policy], ENVIRONMENT)
        self.paths = [_paths(each) for each in stack]
        self.modes = frozenset(mode for policy in stack for mode in policy.get("modes", {}))
        self._rules = [rule for name in names for rule in _rules(name, policies[name], tools)]
        self._networks = {name: policies[name].get("network", {}) for name in names} or {_NO_POLICY: {}}
        self._some = bool(names)

    def __bool__(self) -> bool:
        return self._some

    def judge(self, tool: Entry, role: str, mode: str) -> PolicyDecision:
        """Judge a tool. Without a rule, readonly is allowed and write asks; `allow` never lifts `dangerous`.

        Hosts and paths are judged beside this, when a call names them.
        """
        reasons = [rule.reason for rule in self._rules if rule.holds_for(tool, role, mode)]
        if not reasons:
            reasons = [Reason(Answer.ALLOW, "readonly")] if tool.permission == "readonly" else [_asks("write")]
        if "dangerous" in tool.tags:
            reasons.append(_asks("dangerous"))
        if tool.confirm:
            reasons.append(_asks("confirm"))
        return PolicyDecision(strictest(reason.answer for reason in reasons), tuple(reasons))

    def judge_hosts(self, hosts: Sequence[str]) -> PolicyDecision:
        """Judge the hosts that a call reaches; `*` where it names none. In each policy the closest name decides."""
        reasons = [
            _host_reason(name, network, host) for host in hosts or ["*"] for name, network in self._networks.items()
        ]
        return PolicyDecision(strictest(reason.answer for reason in reasons), tuple(reasons))

    def judge_unknown_host(self) -> PolicyDecision:
        """Judge a URL whose host cannot be known: it may be any that the policies name, and is asked about at least."""
        reasons = [
            Reason(Answer(answer), f"{name}.network: {host} for a URL whose host is not plain")
            for name, network in self._networks.items()
            for host, answer in (*network.items(), ("*", Answer.ASK))
        ]
        return PolicyDecision(strictest(reason.answer for reason in reasons), tuple(reasons))


def strictest(answers: Iterable[Answer]) -> Answer:
    """Give the answer that wins; without any, `ALLOW`."""
    return max(answers, key=_STRICTNESS.__getitem__, default=Answer.ALLOW)


def _paths(policy: Mapping[str, Any]) -> Mapping[str, Any]:
    """The path rules of a policy, as the arguments of `PathRules`."""
    return {
        "tmp": policy.get("tmp", False),
        **{key: policy[key] for key in ("write_roots", "sensitive") if key in policy},
    }


def _least(policies: Sequence[Mapping[str, Any]], name: str, default: int) -> int:
    return min((policy.get("limits", {}).get(name, default) for policy in policies), default=default)


def _least_bound(policies: Sequence[Mapping[str, Any]], name: str, default: int = 0) -> int:
    """The strictest bound, of which 0 is none."""
    bounds = [policy.get("limits", {}).get(name, default) for policy in policies]
    return min((bound for bound in bounds if bound), default=0)


def _common(lists: Sequence[Sequence[str]], default: Sequence[str]) -> tuple[str, ...]:
    """What all of them name."""
    first, *others = lists or [default]
    return tuple(name for name in first if all(name in other for other in others))


def _host_reason(policy: str, network: Mapping[str, str], host: str) -> Reason:
    """Find the closest name: the host itself, then the longest `*.domain` that it is below, then `*`, which asks."""
    host = host.lower().rstrip(".")
    labels = host.split(".")
    above = (f"*.{'.'.join(labels[start:])}" for start in range(1, len(labels)))
    found = next((name for name in (host, *above, "*") if name in network), None)
    return Reason(Answer(network[found]) if found else Answer.ASK, f"{policy}.network: {found or '*'} for {host}")


def _rules(name: str, policy: Mapping[str, Any], tools: ToolNames | None) -> Iterable[_Rule]:
    registered = policy.get("registered", ())
    places: list[tuple[str, Mapping[str, str], str | None, str | None]] = [
        (f"{name}.rules", policy.get("rules", {}), None, None),
        *((f"{name}.roles.{role}", rules, role, None) for role, rules in policy.get("roles", {}).items()),
        *((f"{name}.modes.{mode}", rules, None, mode) for mode, rules in policy.get("modes", {}).items()),
    ]
    for place, rules, role, mode in places:
        for text, given in rules.items():
            reason = Reason(Answer(given), f"{place}: {text}")
            yield _Rule(_selectors(text, reason, registered, tools), reason, role, mode)


def _selectors(text: str, reason: Reason, registered: Sequence[str], tools: ToolNames | None) -> tuple[Selector, ...]:
    """Read the selector of a rule. Raises `CatalogError` for one that restricts tools that there are not.

    Tools that the policy expects to be registered may be missing.
    """
    if tools is None:
        return (Selector.parse(text),)
    restricts = reason.answer is not Answer.ALLOW
    meant = tools.meant(text, restricts=restricts)
    if not meant and restricts and not names_one_of(text, registered):
        name = text.partition("+")[0]
        near = nearest(name, tools.known, count=1)
        question = f"; did you mean {near[0]!r}?" if near else ""
        raise CatalogError(
            f"{reason.source}: the answer {reason.answer.value!r} is for no tool, because none is called {name!r}"
            f"{question}; where hosts register such tools, list them under `registered` of the policy"
        )
    return tuple(map(Selector.parse, meant))


def _asks(why: str) -> Reason:
    return Reason(Answer.ASK, why)
