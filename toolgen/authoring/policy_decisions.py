"""What the policies of a target answer about the calls of a tool, by mode and role."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from toolgen.runtime.catalog.definition import PolicyEntry
from toolgen.runtime.policy.effective import ROLES, may_hold
from toolgen.runtime.policy.policy import Policies
from toolgen.spec.text import visible

if TYPE_CHECKING:
    from toolgen.compiler.ir.catalog import Policy, Tool, Toolset
    from toolgen.runtime.policy.approvers import Approvers


def policy_decisions(given: Sequence[Policy], toolset: Toolset, tool: Tool) -> Iterator[dict[str, Any]]:
    """Yield the combined answer of policies, with its reasons, for each mode and each role that may hold a tool.

    Hosts and paths are checked for each call.
    """
    policies, entry = _policies(given), _entry(toolset, tool)
    for mode in ("", *sorted(policies.modes)):
        for role in (each for each in ROLES if may_hold(entry, each)):
            judged = policies.judge(entry, role, mode)
            reasons = [{"answer": reason.answer.value, "source": reason.source} for reason in judged.reasons]
            yield {"role": role, "mode": mode, "answer": judged.answer.value, "reasons": reasons}


def tool_approvers(given: Sequence[Policy], toolset: Toolset, tool: Tool) -> Approvers | None:
    """Return who may answer questions about a tool; None if no policy says so."""
    return _policies(given).approvers(_entry(toolset, tool))


def _policies(given: Sequence[Policy]) -> Policies:
    keys = ("rules", "roles", "modes", "network", "approvers")
    return Policies({each.name: {key: getattr(each, key) for key in keys} for each in given})


def _entry(toolset: Toolset, tool: Tool) -> PolicyEntry:
    return PolicyEntry(
        ident=tool.ident,
        toolset=toolset.name,
        tags=frozenset((*tool.tags, tool.permission.value)),
        permission=tool.permission.value,
        roles=None if tool.roles is None else frozenset(tool.roles),
        confirm=tool.confirm,
        hosts=tool.access.hosts_of_every_call,
    )


class Decision(NamedTuple):
    """One distinct answer in one mode: the roles that get it, and the reasons, each a source and its answer."""

    mode: str
    roles: tuple[str, ...]
    answer: str
    reasons: tuple[tuple[str, str], ...]


def distinct(decisions: Iterable[Mapping[str, Any]]) -> list[Decision]:
    """Return each distinct answer of a mode, with its roles; of a mode only what differs from no mode."""
    groups: dict[tuple[str, str, tuple[tuple[str, str], ...]], list[str]] = {}
    for each in decisions:
        reasons = tuple((reason["source"], reason["answer"]) for reason in each["reasons"])
        groups.setdefault((each["mode"], each["answer"], reasons), []).append(each["role"])
    return [
        Decision(mode, tuple(roles), answer, reasons)
        for (mode, answer, reasons), roles in groups.items()
        if not mode or groups.get(("", answer, reasons)) != roles
    ]


def decision_lines(decisions: Sequence[Mapping[str, Any]]) -> list[str]:
    """Format decisions: each distinct answer in a line, with its roles if not all; for a mode, where it differs."""
    every = {each["role"] for each in decisions}
    lines: list[str] = []
    for mode, roles, answer, reasons in distinct(decisions):
        where = f"in mode {mode}: " if mode else ""
        whose = "" if len(roles) == len(every) else f"{', '.join(roles)}: "
        because = "; ".join(f"{source} {said}" for source, said in reasons)
        lines.append(visible(f"{'' if lines else 'policies':9}  {where}{whose}{answer} ({because})"))
    return lines
