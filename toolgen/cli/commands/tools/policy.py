"""`toolgen policy`: what policies decide for a tool, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from toolgen.cli.output import CommandGroup, echo, format_option, show_json
from toolgen.cli.packages import built_catalog, check_disabled, check_known, disable_policy_option, named_tool
from toolgen.cli.project import project
from toolgen.runtime.policy.approvers import Approvers
from toolgen.runtime.policy.effective import ROLES, effective_set, may_hold
from toolgen.runtime.policy.policy import Policies, PolicyAnswer

if TYPE_CHECKING:
    from toolgen.runtime.catalog.definition import ToolDefinition
    from toolgen.runtime.policy.effective import EffectiveSet
    from toolgen.runtime.policy.policy import PolicyDecision


@click.group("policy", cls=CommandGroup)
def command() -> None:
    """Inspect policies."""


@command.command("explain")
@click.argument("tool")
@disable_policy_option
@click.option("--role", type=click.Choice(ROLES), help="The role of the run. Default: the agent's role, or main.")
@click.option("--mode", default="", help="The mode of the run.")
@click.option("--agent", help="Also report whether this agent may call the tool.")
@format_option
def explain(
    *, tool: str, disabled_policies: Sequence[str], role: str | None, mode: str, agent: str | None, output_format: str
) -> int:
    """Print what the policies decide for TOOL, given by any of its names, each matching rule, and who may answer.

    If the hosts or paths of each call are checked too, the output says so.
    """
    config = project()
    catalogs = [(target, built_catalog(config, target)) for target in config.targets]
    _, catalog, ident = named_tool(catalogs, tool)
    disabled = check_disabled(catalog, disabled_policies)
    policies = Policies(catalog.section("policies"), catalog.names, disabled=disabled)
    if mode:
        check_known("mode", mode, policies.modes)
    agents = catalog.section("agents")
    if agent is not None:
        check_known("agent", agent, agents)
    in_role: str = role or (agents[agent]["role"] if agent else "main")
    entry = catalog.entries[ident]
    answer: dict[str, Any] = {
        "tool": ident,
        "role": in_role,
        "mode": mode,
        **_judged(policies.judge(entry, in_role, mode)),
    }
    approvers = policies.approvers(entry)
    answer["approvers"] = None if approvers is None else approvers.as_json()
    answer["judged_by_call"] = _judged_by_call(catalog.definition(ident))
    answer["role_may_hold"] = may_hold(entry, in_role)
    if agent is not None:
        answer["agent"] = agent
        used = effective_set(catalog.entries, agents[agent], policies, catalog.names, role=in_role, mode=mode)
        answer["held"] = _held(used, ident)
    if output_format == "json":
        show_json(answer)
    else:
        _show(answer)
    return 0


def _held(used: EffectiveSet, ident: str) -> str:
    """Return `yes`, `denied` where policies deny every call, or why the tool is not in an effective set."""
    if ident in used.excluded:
        return used.excluded[ident].value
    return "denied" if used.policy_decision(ident).denies_every_call else "yes"


def _judged(policy_decision: PolicyDecision) -> dict[str, Any]:
    reasons = [{"answer": reason.answer.value, "source": reason.source} for reason in policy_decision.reasons]
    return {"answer": policy_decision.answer.value, "reasons": reasons}


def _judged_by_call(tool: ToolDefinition) -> list[str]:
    """What is also checked for each call of the tool."""
    found = (("hosts", "network" in tool.tags), ("paths", tool.settings.access.has_paths))
    return [what for what, is_judged in found if is_judged]


def _show(answer: Mapping[str, Any]) -> None:
    mode = f" in mode {answer['mode']}" if answer["mode"] else ""
    echo(f"{answer['tool']} for the role {answer['role']}{mode}: {answer['answer']}")
    for reason in answer["reasons"]:
        echo(f"  {reason['answer']:<8} {reason['source']}")
    if answer["approvers"]:
        echo(f"What it asks needs the answer of {Approvers.from_json(answer['approvers'])}.")
    if answer["judged_by_call"] and answer["answer"] in (PolicyAnswer.ALLOW, PolicyAnswer.ASK):
        echo(f"The {' and '.join(answer['judged_by_call'])} of each call are checked too; the strictest answer wins.")
    if not answer["role_may_hold"]:
        echo(f"Agents with the role {answer['role']} may never call it.")
    if "agent" in answer:
        held = "may call it" if answer["held"] == "yes" else f"may not call it: {answer['held']}"
        echo(f"{answer['agent']} {held}")
