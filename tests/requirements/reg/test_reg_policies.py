"""Requirements of the tool registry on names in policies, and on tools without an executor."""

from __future__ import annotations

import asyncio
import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from tests.properties.package import imported
from tests.unit.compiler.specs import resolved, toolset
from tests.unit.runtime.tools import call_now, catalog_of, code_of, runtime_of
from toolgen.contract.records import (
    ToolCallMeta,
    ToolRequest,
    ToolResult,
    ToolsetRegistration,
)
from toolgen.providers.stubs import python_function_name
from toolgen.providers.table import PROVIDERS, provider, provider_tool_name
from toolgen.record.memory import MemoryStore
from toolgen.runtime import Catalog, Runtime, allow_all, deny_all, load
from toolgen.runtime.base.errors import CatalogError, ExecutorError
from toolgen.runtime.policy.effective import ExclusionReason, ToolsNotGranted
from toolgen.runtime.policy.permission import Decision, PermissionRequest
from toolgen.runtime.policy.policy import Policies

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


NOTES = toolset(
    {
        "add": {"args": {"text?": "string"}},
        "list-all": {"permission": "readonly"},
        "keep": {"wire_name": "keep_note", "tag": {"prefix": "KEEP"}},
    },
    name="team.notes",
)
ISSUES = toolset(
    {"close_issue": {"remote": "close.issue", "args": {"id?": "string"}}},
    name="mcp.issues",
    kind="mcp",
    server={"http": "https://issues.example.com"},
)
IDENTS = ["mcp.issues.close_issue", "team.notes.add", "team.notes.keep", "team.notes.list-all"]
ACTIONS = json.dumps({
    "toolgen": 1,
    "catalog": "all",
    "from": "team.notes",
    "categories": {
        "note": {"description": "x", "actions": {"add": "add"}},
        "old": {"description": "x", "actions": {"keep": {"target": "keep", "args": {"raw_arg": "$args.text"}}}},
        "issue": {
            "description": "x", "target": "mcp.issues.close_issue", "args": {"id": "$entry"}, "invoke": "Closes it.",
        },
    },
})  # fmt: skip
FORMS = {
    "team.notes.add": ["team.notes.add", "team__notes__add", "note__add", "team__notes__add+write", "team__notes__a*"],
    "team.notes.list-all": [
        "team__notes__list-all",
        "team.notes.list_all",
        python_function_name("team__notes__list-all"),
    ],
    "team.notes.keep": ["keep_note", "KEEP", "old__keep", "ol*__keep"],
    "mcp.issues.close_issue": [
        *("mcp__issues__close_issue", "close.issue", "issues__close.issue", "issue__any", "issue__*", "mcp__*"),
    ],
}
"""Every form of the names of these tools: wire names, Python names, actions, those of a server, and tags."""


@contextmanager
def notes(rules: Mapping[str, str], *agents: str) -> Iterator[Catalog]:
    """Return a package with these tools and a policy `p` with these rules."""
    found = resolved(NOTES, ISSUES, ACTIONS, *agents, policy(rules=rules))
    assert not found.has_errors, found.messages
    with imported(found.catalog) as catalog:
        yield catalog


def agent(*use: str) -> str:
    return json.dumps({"toolgen": 1, "agent": "ann", "use": use})


def policy(**keys: Any) -> str:
    return json.dumps({"toolgen": 1, "policy": "p", **keys})


class Ran:
    """Runs all tools and records which."""

    def __init__(self) -> None:
        self.idents: list[str] = []

    def execute(self, request: ToolRequest, _meta: ToolCallMeta, /) -> Any:
        self.idents.append(request.name)
        return ToolResult(value=None)

    def of(self, catalog: Catalog, **settings: Any) -> Runtime:
        executors = [
            ToolsetRegistration(toolset=name, executor=self, decode_in_executor=True) for name in catalog.toolsets
        ]
        return Runtime(catalog, executors=executors, **{"permission": allow_all, **settings})


PAYLOAD = {**dict.fromkeys(FORMS, "{}"), "team.notes.keep": '{"raw_arg": "x"}'}
FORMS_OF_TOOLS = [(ident, form) for ident, forms in FORMS.items() for form in forms]


@pytest.mark.parametrize(("ident", "form"), FORMS_OF_TOOLS)
@pytest.mark.parametrize(("answer", "code"), [("deny", "permission_denied"), ("exclude", "tool_not_available")])
@pytest.mark.variants(12)
def test_reg_05_a_deny_rule_for_any_form_of_a_name_applies_to_every_form(
    ident: str, form: str, answer: str, code: str
) -> None:
    with notes({form: answer}) as catalog:
        ran = Ran()
        runtime = ran.of(catalog)
        names = {ident, *(provider_tool_name(ident, catalog.wire_name(ident), provider(name)) for name in PROVIDERS)}
        assert len(names) >= 2
        for run in (None, runtime.start_run()):
            codes = {name: code_of(call_now(runtime, name, PAYLOAD[ident], run=run)) for name in names}
            assert codes == dict.fromkeys(names, code)
        assert ran.idents == []


@pytest.mark.parametrize(("ident", "form"), FORMS_OF_TOOLS)
def test_reg_05_an_ask_rule_for_any_form_of_a_name_applies_to_every_form(ident: str, form: str) -> None:
    asked: list[str] = []

    def permission(request: PermissionRequest) -> Decision:
        asked.append(request.tool_name)
        return Decision.DENY

    with notes({form: "ask", "*": "allow"}) as catalog:
        runtime = Ran().of(catalog, permission=permission)
        for name in (ident, catalog.wire_name(ident)):
            assert code_of(call_now(runtime, name, PAYLOAD[ident])) == "permission_denied"
    assert asked == [ident, ident], "the request contains the canonical name"


@pytest.mark.parametrize(
    ("ident", "form"), [("team.notes.add", form) for form in ("team__notes__add", "note__add", "team.notes.add")]
)
def test_reg_05_an_allow_rule_for_any_unambiguous_form_applies_to_the_tool(ident: str, form: str) -> None:
    with notes({form: "allow"}, agent(form)) as catalog:
        runtime = Ran().of(catalog, permission=deny_all)
        run = runtime.start_run("ann", requested=[form])
        assert set(run.effective.tools) == {ident}
        assert run.effective.tools[ident].answer == "allow"


@pytest.mark.parametrize("form", ["old__keep", "issue__any", "issue__*", "team__notes__*", "mcp__*"])
def test_reg_05_an_allow_rule_does_not_apply_to_tools_that_its_name_may_also_mean(form: str) -> None:
    """An action with preset args leads to a tool that also accepts others."""
    with notes({form: "allow"}, agent(form)) as catalog:
        runtime = Ran().of(catalog, permission=deny_all)
        assert set(runtime.start_run("ann").effective.tools) == set()
        assert {judged.answer.value for judged in runtime.start_run().effective.tools.values()} <= {"ask", "allow"}
        assert runtime.start_run().effective.tools["team.notes.keep"].answer == "ask"


def judged(catalog: Catalog) -> dict[str, str]:
    """Return the answer of the policy `p` for each tool."""
    policies = Policies(catalog.section("policies"), catalog.names)
    return {ident: policies.judge(entry, "main", "").answer.value for ident, entry in catalog.entries.items()}


def test_reg_05_an_ambiguous_name_restricts_all_its_tools_and_permits_none() -> None:
    servers = [
        toolset({"find": {"remote": "search"}}, name=f"mcp.{name}", kind="mcp", server={"http": "https://x.example"})
        for name in ("one", "two")
    ]
    saves = [toolset({"it": {}}, name="save"), toolset({"file": {"wire_name": "save"}}, name="code")]
    for rules, answers in (
        ({"search": "deny"}, {"mcp.one.find": "deny", "mcp.two.find": "deny"}),
        ({"search": "allow"}, {}),
        ({"one__search": "allow"}, {"mcp.one.find": "allow"}),
        ({"save": "deny"}, {"save.it": "deny", "code.file": "deny"}),
        ({"save": "allow"}, {"save.it": "allow"}),
    ):
        found = resolved(*servers, *saves, policy(rules=rules), agent("search", "save"))
        assert not found.has_errors, found.messages
        with imported(found.catalog) as catalog:
            asks = dict.fromkeys(catalog, "ask")
            assert judged(catalog) == {**asks, **answers}
            run = Ran().of(catalog).start_run("ann")
            assert set(run.effective.tools) == {"save.it"}
            with pytest.raises(ToolsNotGranted, match="cannot be granted search"):
                Ran().of(catalog).start_run(requested=["search", "one__search"])


def test_reg_05_a_pattern_matches_idents_unless_it_contains_the_wire_name_separator() -> None:
    tools = toolset({"add": {}, "quick_add": {}, "a__dd": {}}, name="team.notes")
    for pattern, denied in (
        ("*_add", ["quick_add"]),
        ("*__add", ["add"]),
        ("team__notes__*", ["a__dd", "add", "quick_add"]),
        ("team_*__a*", ["a__dd", "add"]),
        ("team.*__dd", ["a__dd"]),
        ("*__*", ["a__dd", "add", "quick_add"]),
    ):
        found = resolved(tools, policy(rules={pattern: "deny"}))
        assert not found.has_errors, found.messages
        with imported(found.catalog) as catalog:
            answers = {f"team.notes.{key}" for key in denied}
            assert {ident for ident, answer in judged(catalog).items() if answer == "deny"} == answers, pattern


@pytest.mark.parametrize("answer", ["deny", "exclude", "ask"])
@pytest.mark.parametrize(
    "form", ["team.notes.ad", "team__note__add", "teams.*", "Team.notes.add", "team.notes", "x__*"]
)
@pytest.mark.parametrize("place", ["rules", "roles", "modes"])
@pytest.mark.variants(18)
def test_reg_05_a_restriction_that_matches_nothing_is_an_error_when_a_runtime_is_created(
    answer: str, form: str, place: str
) -> None:
    with notes({}) as catalog:
        rules = {form: answer}
        policy_data = {"p": {place: rules if place == "rules" else {"worker": rules}}}
        vars(catalog)["_document"] = {**vars(catalog)["_document"], "policies": policy_data}
        if form == "team.notes":
            Ran().of(catalog)
            return
        with pytest.raises(CatalogError, match=rf"p\.{place}.*: {form.replace('*', '.')}.*no tool|none is called"):
            Ran().of(catalog)
        policy_data["p"]["registered"] = [form]  # type: ignore[assignment]  # a list of names
        Ran().of(catalog)


@pytest.mark.parametrize("answer", ["deny", "exclude", "ask", "allow"])
def test_reg_05_a_restriction_that_matches_nothing_is_a_compile_error_and_a_permission_a_warning(answer: str) -> None:
    specs = [toolset({"add": {}}, name="team.notes"), policy(rules={"team.notes.ad": answer})]
    assert resolved(*specs).codes == ["TG504" if answer == "allow" else "TG511"]
    assert resolved(specs[0], policy(rules={"team__notes__add": answer})).codes == []
    assert resolved(specs[0], policy(rules={"+dangerous": answer})).codes == ["TG504"], "tags are known words"
    assert resolved(specs[0], policy(rules={"host.x": answer}, registered=["host.*"])).codes == []


def test_reg_05_hooks_limits_and_the_record_use_only_the_canonical_name() -> None:
    seen: list[str] = []

    class Hook:
        def pre_tool_use(self, call: Any, /) -> None:
            seen.append(call.tool_name)

        def post_tool_use(self, call: Any, _result: Any, /) -> None:
            seen.append(call.tool_name)

    store = MemoryStore()
    catalog = catalog_of(metadata={"limits": {"daily_limit": 2}})
    runtime = runtime_of(catalog, hooks=[Hook()], store=store)
    codes = [code_of(call_now(runtime, name)) for name in ("own.tool", "own__tool", "own.tool", "own__tool")]
    assert codes == ["ok", "ok", "rate_limited", "rate_limited"]
    assert set(seen) == {"own.tool"}

    async def tools() -> set[str]:
        (summary,) = await store.runs()
        return {event.tool for event in (await store.read(summary.run_id)).events}

    assert asyncio.run(tools()) == {"own.tool"}


def test_a_runtime_reports_toolsets_without_an_executor() -> None:
    with notes({}) as catalog:
        ran = Ran()
        of_notes = ToolsetRegistration(toolset="team.notes", executor=ran)
        with pytest.raises(
            ExecutorError,
            match=r"there is no executor for the toolsets mcp\.issues, team\.notes: pass one in `executors`",
        ):
            Runtime(catalog, permission=allow_all)
        with pytest.raises(
            ExecutorError, match=r"there is no executor for the toolset mcp\.issues: .*missing=\['mcp\.issues'\]"
        ):
            Runtime(catalog, permission=allow_all, executors=[of_notes])
        with pytest.raises(
            ExecutorError, match=r"there is no toolset mcp\.isues in the catalog; did you mean mcp\.issues"
        ):
            Runtime(catalog, permission=allow_all, executors=[of_notes], missing=["mcp.isues"])
        with pytest.raises(TypeError, match=r"write \['mcp\.issues'\]"):
            Runtime(catalog, permission=allow_all, executors=[of_notes], missing="mcp.issues")
        runtime = Runtime(catalog, permission=allow_all, executors=[of_notes], missing=["mcp.issues", "team.notes"])
        run = runtime.start_run()
        assert set(run.effective.tools) == {ident for ident in IDENTS if ident.startswith("team.")}
        assert run.effective.excluded == {"mcp.issues.close_issue": ExclusionReason.NO_EXECUTOR}
        assert code_of(call_now(runtime, "mcp.issues.close_issue", run=run)) == "tool_not_available"
        assert code_of(call_now(runtime, "mcp.issues.close_issue")) == "no_executor"
        assert ran.idents == []


def test_a_toolset_without_tools_needs_no_executor() -> None:
    catalog = load("generated")
    empty = [name for name, tools in catalog.toolsets.items() if not tools]
    vars(catalog)["toolsets"] = dict.fromkeys(catalog.toolsets, ())
    assert empty == []
    Runtime(catalog, permission=allow_all)
