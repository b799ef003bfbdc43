"""Rules on policies and selectors: rules that decide nothing, or more than they should, and tools that none selects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from toolgen.authoring.lint.registry import Finding, rule
from toolgen.authoring.lint.surface import selectable
from toolgen.authoring.lint.view import SpecPlace
from toolgen.runtime.issues.issue_text import counted

if TYPE_CHECKING:
    from toolgen.authoring.lint.view import Project
    from toolgen.compiler.ir.catalog import Policy, Tool

_STRICTNESS: Final = {"allow": 0, "ask": 1, "deny": 2, "exclude": 3}
"""As `toolgen.runtime.policy.policy.Answer` orders answers: the strictest wins."""


@rule(
    "TL502",
    bad="""
        toolset: shop
        tools:
          add_note:
            description: Add a note to an order of this shop.
            args: {number: {type: integer, description: The number on the invoice.}}
        ---
        policy: office
        rules: {"shop.*": allow}
    """,
    good="""
        toolset: shop
        tools:
          add_note:
            description: Add a note to an order of this shop.
            args: {number: {type: integer, description: The number on the invoice.}}
        ---
        policy: office
        rules: {shop.add_note: allow}
    """,
)
def writes_allowed_by_pattern(project: Project) -> Iterator[Finding]:
    """A pattern of a policy allows write tools that have no `confirm`, so nobody is asked, now or for later tools.

    Name the tools, or add `+readonly` to the pattern.
    """
    for policy in project.catalog.policies:
        for selector, answer, place in _rules(project, policy):
            name, *tags = selector.split("+")
            if answer != "allow" or "readonly" in tags or ("*" not in name and name):
                continue
            writes = [
                tool.ident
                for tool in selectable(project).select(selector)
                if tool.permission.value == "write" and not tool.confirm and "dangerous" not in tool.tags
            ]
            if writes:
                many = counted(len(writes), "write tool")
                message = f"`{selector}` allows {many} without a question, such as `{writes[0]}`"
                yield Finding(place.of_key, message, f"name them, or write `{selector}+readonly`")


@rule(
    "TL504",
    bad="""
        toolset: shop
        tools:
          find_order: {description: Find an order by its number., permission: readonly}
        ---
        policy: office
        rules: {"shop.*": deny, shop.find_order: allow}
    """,
    good="""
        toolset: shop
        tools:
          find_order: {description: Find an order by its number., permission: readonly}
        ---
        policy: office
        rules: {shop.find_order: allow}
    """,
)
def undeciding_rule(project: Project) -> Iterator[Finding]:
    """A rule of a policy can never decide: for each of its tools another rule, which always applies, is stricter.

    The strictest answer wins, wherever it is written: `allow` is no exception from `deny`. A tool that is tagged
    `dangerous` or has `confirm` asks in any case, so `allow` does not decide for it either.
    """
    for policy in project.catalog.policies:
        always = list(policy.rules.items())
        chosen = {each: _idents(project, each, answer) for each, answer in always}
        for selector, answer, place in _rules(project, policy):
            tools = _selected(project, selector, answer)
            over = [
                next(
                    (
                        other
                        for other, stricter in always
                        if _STRICTNESS[stricter] > _STRICTNESS[answer] and tool.ident in chosen[other]
                    ),
                    "",
                )
                or ("its `confirm`" if answer == "allow" and tool.confirm else "")
                or ("its tag `dangerous`" if answer == "allow" and "dangerous" in tool.tags else "")
                for tool in tools
            ]
            if over and all(over):
                message = f"`{selector}: {answer}` never decides: {_stated(over[0])} is stricter"
                stricter_rule = SpecPlace(place.document, ("rules", over[0]))
                related = ((stricter_rule.of_key, "the stricter rule"),) if stricter_rule.exists else ()
                yield Finding(place.of_key, message, "remove it, or narrow the other one", related)


def _stated(why: str) -> str:
    return why if why.startswith("its ") else f"`{why}`"


def _selected(project: Project, selector: str, answer: str) -> list[Tool]:
    return selectable(project).select(selector, restricts=answer != "allow")


def _rules(project: Project, policy: Policy) -> Iterator[tuple[str, str, SpecPlace]]:
    """Yield every rule of a policy: selector, answer, place."""
    for selector, answer in policy.rules.items():
        yield selector, answer, project.place(policy, "rules", selector)
    for kind, groups in (("roles", policy.roles), ("modes", policy.modes)):
        for name, rules in groups.items():
            for selector, answer in rules.items():
                yield selector, answer, project.place(policy, kind, name, selector)


@rule(
    "TL505",
    bad="""
        toolset: shop
        tools:
          find_order: {description: Find an order by its number., permission: readonly}
        ---
        policy: office
        rules: {"shop.*": ask, shop.find_order: ask}
    """,
    good="""
        toolset: shop
        tools:
          find_order: {description: Find an order by its number., permission: readonly}
        ---
        policy: office
        rules: {"shop.*": ask}
    """,
)
def redundant_rule(project: Project) -> Iterator[Finding]:
    """A rule of a policy has the answer of a wider one for all its tools, so it changes nothing."""
    for policy in project.catalog.policies:
        always = [(each, answer, _idents(project, each, answer)) for each, answer in policy.rules.items()]
        for selector, answer, place in _rules(project, policy):
            tools = _idents(project, selector, answer)
            before = list(policy.rules).index(selector) if place.path[0] == "rules" else len(always)
            for index, (other, same, covered) in enumerate(always):
                if tools and same == answer and (tools < covered or (tools == covered and index < before)):
                    message = f"`{selector}: {answer}` is part of `{other}: {answer}`"
                    yield Finding(place.of_key, message, "remove it, or narrow the wider one")
                    break


def _idents(project: Project, selector: str, answer: str) -> set[str]:
    return {tool.ident for tool in _selected(project, selector, answer)}


@rule(
    "TL511",
    bad="""
        toolset: shop
        tools:
          find_order: {description: Find an order by its number., permission: readonly}
          close_month: {description: Books what is left of a month., permission: readonly}
        description: Orders of the shop.
        ---
        agent: clerk
        use: [shop.find_order]
    """,
    good="""
        toolset: shop
        tools:
          find_order: {description: Find an order by its number., permission: readonly}
        ---
        agent: clerk
        use: [shop.find_order]
    """,
)
def unused_tool(project: Project) -> Iterator[Finding]:
    """No agent uses a tool, and no action of a catalog leads to it, in a project that has agents.

    Programs may still call it. Remove it if nothing does.
    """
    if not project.catalog.agents:
        return
    used = {
        tool.ident
        for agent in project.catalog.agents
        for selector in (*agent.use, *agent.on_request)
        for tool in selectable(project).select(selector)
    }
    for catalog in project.catalog.catalogs:
        for category in catalog.categories:
            used |= {action.target for action in (*category.actions.values(), category.resource) if action}
    for tool in project.tools:
        if tool.tool.ident not in used:
            yield Finding(tool.key, f"no agent uses `{tool.tool.ident}`", "add it to `use` of an agent, or remove it")
