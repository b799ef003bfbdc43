"""Tool rules: what restricts the calls of a tool besides its schemas: its own keys, and the policies."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from toolgen.runtime.catalog.definition import PolicyEntry
from toolgen.runtime.policy.effective import ROLES, may_hold
from toolgen.runtime.policy.policy import Policies
from toolgen.spec.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from toolgen.compiler.ir.catalog import Policy, Tool, Toolset


def tool_rules(policies: Sequence[Policy], toolset: Toolset, tool: Tool) -> dict[str, Any]:
    """Return the rules of a tool as JSON data. Keys are those of the spec language.

    `policies` has the combined answer of all policies of the target, with its reasons, for each mode and each role that
    may hold the tool. Hosts and paths are checked for each call.
    """
    return {
        "roles": None if tool.roles is None else list(tool.roles),
        "confirm": tool.confirm,
        "one_of": list(tool.one_of),
        "inject": list(tool.inject),
        "bind": tool.binding.method if tool.binding else "",
        "access": {key: list(names) for key, names in asdict(tool.access).items() if names} if tool.access else {},
        "limits": asdict(tool.limits),
        "cost": tool.cost.value,
        "gate": tool.gate,
        "policies": list(_policy_decisions(policies, toolset, tool)),
    }


def rule_lines(rules: Mapping[str, Any]) -> list[str]:
    """Format rules: one line for each that is set."""
    limits = {name: bound for name, bound in rules["limits"].items() if bound not in (None, 0)}
    limits |= {name: "none" for name in ("timeout_ms", "result_bytes") if rules["limits"][name] == 0}
    values = {
        "roles": "none" if rules["roles"] == [] else ", ".join(rules["roles"] or ()),
        "confirm": rules["confirm"],
        "one_of": ", ".join(rules["one_of"]),
        "inject": ", ".join(rules["inject"]),
        "bind": rules["bind"],
        "access": "; ".join(f"{key} {', '.join(names)}" for key, names in rules["access"].items()),
        "limits": ", ".join(f"{name} {bound}" for name, bound in limits.items()),
        "cost": "" if rules["cost"] == "free" else rules["cost"],
        "gate": "the eval gate must approve" if rules["gate"] else "",
    }
    lines = [visible(f"{name:9}  {text}") for name, text in values.items() if text]
    answers = list(_answers(rules["policies"]))
    return lines + [visible(f"{'' if number else 'policies':9}  {answer}") for number, answer in enumerate(answers)]


def _policy_decisions(given: Sequence[Policy], toolset: Toolset, tool: Tool) -> Iterator[dict[str, Any]]:
    rules = {
        each.name: {"rules": each.rules, "roles": each.roles, "modes": each.modes, "network": each.network}
        for each in given
    }
    policies = Policies(rules)
    entry = PolicyEntry(
        ident=tool.ident,
        toolset=toolset.name,
        tags=frozenset((*tool.tags, tool.permission.value)),
        permission=tool.permission.value,
        roles=None if tool.roles is None else frozenset(tool.roles),
        confirm=tool.confirm,
        hosts=("*",) if tool.access is None else tool.access.hosts or (() if tool.access.url else ("*",)),
    )
    for mode in ("", *sorted(policies.modes)):
        for role in (each for each in ROLES if may_hold(entry, each)):
            judged = policies.judge(entry, role, mode)
            reasons = [{"answer": reason.answer.value, "source": reason.source} for reason in judged.reasons]
            yield {"role": role, "mode": mode, "answer": judged.answer.value, "reasons": reasons}


def _answers(decisions: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Each distinct answer, with its roles if not all; for a mode, only where the answer differs."""
    groups: dict[tuple[str, str], list[str]] = {}
    for each in decisions:
        reasons = "; ".join(f"{reason['source']} {reason['answer']}" for reason in each["reasons"])
        groups.setdefault((each["mode"], f"{each['answer']} ({reasons})"), []).append(each["role"])
    usual = {answer: roles for (mode, answer), roles in groups.items() if not mode}
    every = [role for roles in usual.values() for role in roles]
    for (mode, answer), roles in groups.items():
        if not mode or usual.get(answer) != roles:
            where = (f"in mode {mode}: " if mode else "") + (
                "" if len(roles) == len(every) else f"{', '.join(roles)}: "
            )
            yield f"{where}{answer}"
