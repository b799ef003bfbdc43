"""The effective set of a run: the tools that an agent may call. Agents and policies are those of the coding example."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.compiler.specs import resolved, toolset
from toolgen.compiler.resolve.selectors import Selectable
from toolgen.providers.spellings import SpelledTool, ToolNames
from toolgen.runtime import load
from toolgen.runtime.base.errors import CatalogError
from toolgen.runtime.catalog.definition import PolicyEntry
from toolgen.runtime.policy.effective import EffectiveSet, ExclusionReason, ToolsNotGranted, effective_set
from toolgen.runtime.policy.policy import Policies, PolicyAnswer

if TYPE_CHECKING:
    from collections.abc import Iterable

CATALOG = load("generated")
TASK_TOOLS = {"agent.task_get", "agent.task_query_steps", "agent.task_claim_step", "agent.task_update_step"}
READING = {"code.read_file", "code.list_dir", "code.search"}
CHILDREN_NEVER_HOLD = {
    "agent.plan_template", "agent.task_template", "agent.task_create", "agent.task_update", "agent.task_complete",
    "agent.task_fail", "agent.task_cancel", "agent.task_list", "agent.create_sub_agent", "agent.fork_agent",
    "agent.list_agent_definitions", "agent.list_workers", "agent.dispatch_worker",
}  # fmt: skip
"""The tools named in REG-32, and the task tools excluded by REG-33."""

WRITING = {"code.write_file", "code.edit_file", "code.run_command"}


def policies(*names: str) -> Policies:
    return Policies({name: CATALOG.section("policies")[name] for name in names})


def tools_of(
    agent: str, *, role: str = "", mode: str = "", requested: Iterable[str] | None = None, under: str = "coding"
) -> EffectiveSet:
    return effective_set(
        CATALOG.entries,
        CATALOG.section("agents")[agent],
        policies(*filter(None, [under])),
        role=role,
        mode=mode,
        requested=requested,
    )


def entry(ident: str = "a.b", *, permission: Any = "readonly", tags: Iterable[str] = (), **more: Any) -> PolicyEntry:
    toolset = ident.rpartition(".")[0]
    return PolicyEntry(
        ident, toolset, frozenset({permission, *tags}), permission, **{"roles": None, "confirm": "", **more}
    )


def test_reg_22_the_set_depends_on_agent_role_mode_and_policies() -> None:
    assert tools_of("main").tools.keys() >= READING | WRITING | {"agent.task_create", "internal.recall_memory"}
    assert tools_of("main", mode="plan").tools.keys() >= READING
    assert not tools_of("main", mode="plan").tools.keys() & WRITING
    assert tools_of("main") == tools_of("main")
    everything = {*tools_of("main").tools, *tools_of("main").excluded, *tools_of("main").discovery}
    assert everything == set(CATALOG)


@pytest.mark.parametrize(
    ("agent", "policy", "given", "expected"),
    [
        ({"use": ["*"]}, {}, {}, {"a.read", "a.write", "a.danger"}),
        ({"use": ["a.*+write"]}, {}, {}, {"a.write"}),
        ({"use": ["*"], "role": "worker"}, {}, {}, {"a.read", "a.write"}),
        ({"use": ["*"]}, {}, {"role": "worker"}, {"a.read", "a.write"}),
        ({"use": ["*"]}, {"rules": {"+dangerous": "exclude"}}, {}, {"a.read", "a.write"}),
        ({"use": ["*"]}, {"rules": {"a.write": "ask"}}, {}, {"a.read", "a.write", "a.danger"}),
        ({"use": ["*"]}, {"roles": {"main": {"+write": "exclude"}}}, {}, {"a.read", "a.danger"}),
        ({"use": ["*"]}, {"roles": {"sub": {"+write": "exclude"}}}, {}, {"a.read", "a.write", "a.danger"}),
        ({"use": ["*"], "role": "worker"}, {"roles": {"worker": {"+write": "exclude"}}}, {}, {"a.read"}),
        ({"use": ["*"]}, {"roles": {"main": {"+write": "exclude"}}}, {"role": "sub"}, {"a.read", "a.write"}),
        ({"use": ["*"]}, {"modes": {"plan": {"+write": "exclude"}}}, {"mode": "plan"}, {"a.read", "a.danger"}),
        ({"use": ["*"]}, {"modes": {"plan": {"+write": "exclude"}}}, {"mode": "go"}, {"a.read", "a.write", "a.danger"}),
        ({"use": ["a.read"]}, {}, {"requested": ["a.read"]}, {"a.read"}),
        ({"use": ["*"]}, {}, {"requested": ["a.write"]}, {"a.write"}),
        ({"use": ["a.read"], "on_request": ["a.write"]}, {}, {}, {"a.read"}),
        ({"use": ["a.read"], "on_request": ["a.write"]}, {}, {"requested": ["a.write"]}, {"a.write"}),
        (
            {"use": ["*"]},
            {"roles": {"main": {"+write": "exclude"}}, "modes": {"plan": {"+dangerous": "exclude"}}},
            {"mode": "plan", "requested": ["a.read"]},
            {"a.read"},
        ),
    ],
)
def test_reg_22_the_set_is_a_function_of_agent_role_mode_policy_and_request(
    agent: dict[str, Any], policy: dict[str, Any], given: dict[str, Any], expected: set[str]
) -> None:
    listed = [
        entry("a.read"),
        entry("a.write", permission="write"),
        entry("a.danger", tags=["dangerous"], roles=frozenset({"main"})),
    ]
    entries = {each.ident: each for each in listed}
    agent = {"role": "main", **agent}
    before = deepcopy((entries, agent, policy, given))
    found = [effective_set(entries, agent, Policies({"p": policy}), **given) for _ in range(2)]
    assert [set(each.tools) for each in found] == [expected] * 2
    assert [set(each.excluded) for each in found] == [entries.keys() - expected] * 2
    assert (entries, agent, policy, given) == before


def test_discovery_tools_are_in_every_set_unless_a_policy_excludes_them() -> None:
    lists = entry("actions.list_actions")
    entries = {each.ident: each for each in (lists, entry("a.b"))}
    found = effective_set(entries, {"use": ["a.b"]}, policies())
    assert (set(found.tools), set(found.discovery), found.excluded) == ({"a.b"}, {lists.ident}, {})
    assert lists.ident in found
    assert found.policy_decision(lists.ident).answer is PolicyAnswer.ALLOW
    nothing = effective_set(entries, {"use": []}, policies())
    assert (set(nothing.tools), set(nothing.discovery)) == (set(), {lists.ident})
    closed = Policies({"p": {"rules": {"actions.*": "exclude"}}})
    kept_out = effective_set(entries, {"use": ["*"]}, closed)
    assert (set(kept_out.tools), set(kept_out.discovery)) == ({"a.b"}, set())
    assert kept_out.excluded == {lists.ident: ExclusionReason.EXCLUDED}


@pytest.mark.parametrize("other", [entry("actions.list_actions", permission="write"), entry("evil.list_actions")])
def test_no_other_tool_is_added_to_a_set_regardless_of_its_name(other: PolicyEntry) -> None:
    found = effective_set({other.ident: other}, {"use": []}, policies())
    assert (found.tools, found.discovery) == ({}, {})


def test_reg_23_a_suggestion_grants_no_permission() -> None:
    agent = {"use": ["code.read_file"], "suggest": ["code.write_file"]}
    assert set(effective_set(CATALOG.entries, agent, policies()).tools) == {"code.read_file"}


def test_reg_24_a_child_without_a_request_has_its_own_default() -> None:
    parent = tools_of("main", requested=["code.read_file", "agent.dispatch_worker"])
    assert set(parent.tools) == {"code.read_file", "agent.dispatch_worker"}
    assert set(tools_of("default_worker").tools) == TASK_TOOLS | READING


def test_reg_25_a_request_only_narrows() -> None:
    assert set(tools_of("default_worker", requested=["code.search"]).tools) == {"code.search"}
    with pytest.raises(ToolsNotGranted, match=r"the agent cannot be granted agent\.task_list, code\.nothing"):
        tools_of("default_worker", requested=["code.search", "agent.task_list", "code.nothing"])
    assert (
        tools_of("default_worker", requested=["code.search"]).excluded["code.read_file"]
        is ExclusionReason.NOT_REQUESTED
    )


def test_reg_28_no_tool_can_select_tools() -> None:
    for catalog in (CATALOG, load("toolgen.toolsets.generated")):
        assert [ident for ident in catalog if "select" in ident.rpartition(".")[2]] == []
        assert catalog.resolve("tool.select") is catalog.resolve("tool__select") is None


def test_reg_30_a_worker_reads_files_and_works_on_its_step() -> None:
    assert set(tools_of("default_worker").tools) == TASK_TOOLS | READING


def test_reg_31_a_worker_writes_only_on_request_and_within_every_filter() -> None:
    asked = [*TASK_TOOLS, *READING, *WRITING]
    assert set(tools_of("default_worker", requested=asked).tools) == TASK_TOOLS | READING | WRITING
    assert not tools_of("default_worker", requested=asked, mode="plan").tools.keys() & WRITING
    by_config = {"role": "worker", "use": ["code.*+readonly"], "on_request": ["code.*"]}
    no_writes = Policies({"strict": {"roles": {"worker": {"+write": "exclude"}}}})
    assert set(effective_set(CATALOG.entries, by_config, no_writes, requested=READING | WRITING).tools) == READING
    for_others = Policies({"strict": {"roles": {"sub": {"+write": "exclude"}}}})
    held = effective_set(CATALOG.entries, by_config, for_others, requested=READING | WRITING)
    assert set(held.tools) == READING | WRITING
    for_main = {"a.b": entry(roles=frozenset({"main"}))}
    assert not effective_set(for_main, {"role": "worker", "use": ["*"]}, policies()).tools


@pytest.mark.parametrize("agent", ["default_sub", "default_fork", "default_worker"])
def test_reg_32_33_children_neither_plan_nor_start_agents(agent: str) -> None:
    widest = {**CATALOG.section("agents")[agent], "on_request": ["*"]}
    found = effective_set(CATALOG.entries, widest, policies(), requested=[*CHILDREN_NEVER_HOLD, *TASK_TOOLS])
    assert set(found.tools) == TASK_TOOLS
    assert {found.excluded[ident] for ident in CHILDREN_NEVER_HOLD} == {ExclusionReason.ROLE}
    task_tools = {ident for ident in CATALOG if ident.startswith(("agent.task_", "agent.plan_"))}
    anybody = {ident: entry(ident) for ident in CHILDREN_NEVER_HOLD | task_tools}
    for use in ({"use": ["*"]}, {"use": [], "on_request": ["*"]}):
        held = effective_set(anybody, {**widest, **use}, policies(), requested=anybody)
        assert set(held.tools) == TASK_TOOLS, "regardless of roles in the spec"


def test_reg_34_only_the_main_agent_recalls_memories() -> None:
    assert "internal.recall_memory" in tools_of("main")
    for agent in ("default_sub", "default_fork", "default_worker"):
        assert "internal.recall_memory" not in tools_of(agent)
    anybody = {"internal.recall_memory": entry("internal.recall_memory")}
    widest = {"use": ["*"], "on_request": ["*"]}
    for role in ("sub", "fork", "worker"):
        assert not effective_set(anybody, {**widest, "role": role}, policies()).tools
        assert not effective_set(anybody, {**widest, "role": "main"}, policies(), role=role, requested=anybody).tools
    assert effective_set(anybody, {**widest, "role": "main"}, policies()).tools


def test_reg_10_rules_match_by_pattern_and_tags() -> None:
    asks = Policies({"p": {"rules": {"mcp.*+network": "deny"}}})
    entries = [
        entry("mcp.web.get", tags=["mcp", "network"]),
        entry("mcp.web.get_all", tags=["mcp", "network", "dangerous"], permission="write"),
        entry("mcp.local.read", tags=["mcp"]),
        entry("web.get", tags=["network"]),
        entry("mcpx.web.get", tags=["network"]),
        entry("code.mcp", tags=["network"]),
    ]
    denied = {each.ident for each in entries if asks.judge(each, "main", "").answer is PolicyAnswer.DENY}
    assert denied == {"mcp.web.get", "mcp.web.get_all"}


def test_an_excluded_tool_is_left_out_with_a_reason_in_the_audit() -> None:
    found = tools_of("main", role="worker")
    assert found.excluded["mcp.github.create_issue"] is ExclusionReason.EXCLUDED
    assert "mcp.github.create_issue" not in found


@pytest.mark.parametrize(
    ("tool", "answer"),
    [
        (entry(), "allow"),
        (entry(permission="write"), "ask"),
        (entry(tags=["dangerous"]), "ask"),
        (entry(confirm="Really?"), "ask"),
    ],
)
def test_reg_85_without_a_rule_only_readonly_tools_are_allowed(tool: PolicyEntry, answer: str) -> None:
    assert policies().judge(tool, "main", "").answer == answer


def test_reg_76_no_rule_overrides_dangerous_and_the_strictest_rule_wins() -> None:
    rules = {"a.*": "allow", "a.c": "deny"}
    both = Policies({"p": {"rules": rules}, "q": {"rules": {"a.d": "ask"}, "modes": {"plan": {"*": "exclude"}}}})
    assert both.judge(entry(permission="write"), "main", "").answer is PolicyAnswer.ALLOW
    assert both.judge(entry(permission="write", tags=["dangerous"]), "main", "").answer is PolicyAnswer.ASK
    assert both.judge(entry("a.c"), "main", "").answer is PolicyAnswer.DENY
    assert both.judge(entry("a.d"), "main", "").answer is PolicyAnswer.ASK
    planned = both.judge(entry("a.c"), "main", "plan")
    assert [reason.source for reason in planned.reasons] == ["p.rules: a.*", "p.rules: a.c", "q.modes.plan: *"]
    assert planned.answer is PolicyAnswer.EXCLUDE


def test_an_unknown_policy_is_reported() -> None:
    with pytest.raises(CatalogError, match=r"no policy codin in the catalog; did you mean coding\?"):
        Policies(CATALOG.section("policies"), disabled=["codin"])


def test_all_policies_are_in_force_but_for_those_that_are_disabled() -> None:
    given = {"p": {"rules": {"a.*": "deny"}}, "q": {"rules": {"a.c": "ask"}}}
    answers = [
        Policies(given, disabled=disabled).judge(entry("a.c"), "main", "").answer
        for disabled in ([], ["p"], ["q"], ["p", "q"])
    ]
    assert answers == [PolicyAnswer.DENY, PolicyAnswer.ASK, PolicyAnswer.DENY, PolicyAnswer.ALLOW]
    with pytest.raises(TypeError, match=r"write \['p'\]"):
        Policies(given, disabled="p")


@given(
    st.lists(st.sampled_from(sorted(CATALOG)), max_size=8),
    st.sampled_from(["main", "sub", "fork", "worker"]),
    st.dictionaries(
        st.sampled_from(["*", "code.*", "agent", "+write", "mcp.*+network", "code.search"]),
        st.sampled_from(list(PolicyAnswer)),
    ),
)
def test_a_request_never_widens_the_set(requested: list[str], role: str, rules: dict[str, PolicyAnswer]) -> None:
    under = Policies({"p": {"rules": rules}})
    agent = {"use": ["code", "agent"], "on_request": ["mcp.*"]}
    widest = effective_set(CATALOG.entries, {"use": ["code", "agent", "mcp.*"]}, under, role=role)
    within = {ident for ident in requested if ident.startswith(("code.", "agent.", "mcp."))}
    if within != set(requested):
        with pytest.raises(ToolsNotGranted):
            effective_set(CATALOG.entries, agent, under, role=role, requested=requested)
    found = effective_set(CATALOG.entries, agent, under, role=role, requested=within)
    assert found.tools.keys() == widest.tools.keys() & within


def names_of(*idents: str) -> ToolNames:
    tools = [SpelledTool(each, each.replace(".", "__"), each.rpartition(".")[2], each, ()) for each in idents]
    return ToolNames(dict.fromkeys(idents), {each.rpartition(".")[0] for each in idents}, lambda: tools, tuple)


@pytest.mark.parametrize(("used", "held"), [("web__get", {"web.get"}), ("web.get", {"web.get", "web.get.raw"})])
def test_another_name_of_a_tool_does_not_name_the_toolset_that_is_called_like_it(used: str, held: set[str]) -> None:
    entries = {ident: entry(ident) for ident in ("web.get", "web.get.raw")}
    names = names_of(*entries)
    found = effective_set(entries, {"use": [used]}, Policies({}), names)
    assert set(found.tools) == held
    for answer, other in (("allow", "deny"), ("deny", "allow")):
        rules = {"p": {"rules": {"*": other, used: answer}}}
        judged = {ident: Policies(rules, names).judge(each, "main", "").answer.value for ident, each in entries.items()}
        expected = {ident for ident, found in judged.items() if found == answer}
        assert expected == (held if answer == "deny" else set())


@pytest.mark.parametrize(("used", "held"), [("web__get", {"web.get"}), ("web.get", {"web.get", "web.get.raw"})])
def test_compiled_selectors_mean_the_same(used: str, held: set[str]) -> None:
    specs = (toolset({"get": {"args": {}}}, name="web"), toolset({"raw": {"args": {}}}, name="web.get"))
    catalog = resolved(*specs).catalog
    assert {each.ident for each in Selectable.of(catalog.toolsets, (), ()).select(used)} == held
