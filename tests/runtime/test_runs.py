"""Runs and sessions: what a run may call, what policies do to it, and what a person's grant covers."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.runtime.tools import add, call, catalog_of, code_of, must_not_run, runtime_of
from toolgen.contract.records import FailureKind, ToolCallMeta, ToolRequest
from toolgen.runtime import Catalog, Runtime, deny_all, load
from toolgen.runtime.effective import OutsideBase
from toolgen.runtime.errors import UnknownAgent
from toolgen.runtime.permission import Decision, PermissionRequest
from toolgen.runtime.policy import Answer, Policies
from toolgen.runtime.run import Run, Session

if TYPE_CHECKING:
    from pathlib import Path

OPEN = {"type": "object"}
PATH_ARGS = {"type": "object", "properties": {"path": {"type": "string", "default": "."}}}


class Asked:
    """A callback that notes what it is asked, and gives one answer."""

    def __init__(self, answer: Any = Decision.ALLOW_FOR_SESSION) -> None:
        self.answer = answer
        self.requests: list[PermissionRequest] = []

    async def __call__(self, request: PermissionRequest) -> Any:
        self.requests.append(request)
        return self.answer


def run_of(
    catalog: Catalog, rules: Any = None, *, role: str = "main", session: Session | None = None
) -> tuple[Any, Run]:
    """A policy of these rules, and a run under it that uses all tools. Registered tools have no compiled agent."""
    from toolgen.runtime.effective import effective_set

    policies = Policies({"p": {"rules": rules or {}}}, ["p"])
    effective = effective_set(catalog.entries, {"use": ["*"]}, policies, role=role)
    return policies, Run(agent="a", role=role, mode="", effective=effective, session=session or Session())


def calls(
    catalog: Catalog, run: Run, *payloads: str, permission: Any, name: str = "code.tool", **more: Any
) -> list[str]:
    async def all_of_them() -> list[str]:
        runtime = runtime_of(catalog, permission=permission, **more)
        return [code_of(await call(runtime, name, payload, run=run)) for payload in payloads]

    return asyncio.run(all_of_them())


def test_a_run_of_a_compiled_agent_calls_its_tools_only() -> None:
    runtime = Runtime(load("generated"), permission=deny_all, policies=["coding"])
    run = runtime.start_run("default_worker", meta=ToolCallMeta(user="ann"))
    assert (run.role, "code.read_file" in run, "code.write_file" in run) == ("worker", True, False)
    result = asyncio.run(runtime.invoke(ToolRequest(name="code__write_file", payload="{}"), run=run))
    assert result.error is not None
    assert (result.error.kind, result.error.code) == (FailureKind.TOOL_NOT_AVAILABLE, "tool_not_available")
    assert (result.tool_name, result.metadata["raw_tool_name"]) == ("code.write_file", "code__write_file")
    with pytest.raises(UnknownAgent, match="there is no agent 'worker'; did you mean default_worker"):
        runtime.start_run("worker")
    with pytest.raises(OutsideBase):
        runtime.start_run("default_worker", requested=["agent.task_list"])


@pytest.mark.parametrize("name", ["code.hidden", "code__hidden", "code.hiden", "code.nothing"])
def test_reg_29_what_a_run_may_not_call_is_not_available_and_not_named(name: str) -> None:
    catalog = add(catalog_of(), must_not_run, "code.hidden")
    _, run = run_of(catalog, {"code.hidden": "exclude"})

    async def error() -> Any:
        return (await call(runtime_of(catalog), name, run=run)).error

    found = asyncio.run(error())
    assert (found.message, found.code) == ("unknown tool", "tool_not_available")
    assert "hidden" not in found.hint


def test_a_tool_that_policies_exclude_cannot_be_called_outside_a_run_either() -> None:
    runtime = Runtime(load("generated"), permission=deny_all, policies=["coding"])
    name = "mcp.assets.put_asset"
    assert name in load("generated")
    result = asyncio.run(runtime.invoke(ToolRequest(name=name, payload="{}")))
    assert code_of(result) == "tool_not_available"


def test_reg_05_a_rule_holds_in_every_spelling() -> None:
    catalog = catalog_of(must_not_run)
    _, run = run_of(catalog, {"code.tool": "deny"})
    for name in ("code.tool", "code__tool"):
        assert calls(catalog, run, "{}", permission=Asked(), name=name) == ["permission_denied"]


def test_a_policy_that_denies_asks_nobody() -> None:
    catalog, asked = catalog_of(must_not_run), Asked()
    assert calls(catalog, run_of(catalog, {"+write": "deny"})[1], "{}", permission=asked) == ["permission_denied"]
    assert asked.requests == []


def test_a_policy_that_allows_asks_nobody_about_a_write() -> None:
    catalog, asked = catalog_of(), Asked()
    assert calls(catalog, run_of(catalog, {"code.*": "allow"})[1], "{}", permission=asked) == ["ok"]
    assert asked.requests == []


def test_reg_88_a_grant_covers_one_tool_and_one_scope(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    catalog = catalog_of(input_schema=PATH_ARGS, metadata={"access": {"write": ["path"]}})
    add(catalog, lambda _args: "ran", "code.other", input_schema=PATH_ARGS, metadata={"access": {"write": ["path"]}})
    asked, session = Asked(), Session()
    run = run_of(catalog, session=session)[1]
    payloads = ['{"path": "a/x"}', '{"path": "a/y"}', '{"path": "b/../a/z"}', '{"path": "b/x"}', "{}"]
    assert calls(catalog, run, *payloads, permission=asked, project=tmp_path) == ["ok"] * 5
    scopes = [request.scope for request in asked.requests]
    assert scopes == [(("write", str(tmp_path / "a")),), (("write", str(tmp_path / "b")),), (("write", str(tmp_path)),)]
    assert calls(catalog, run, payloads[0], permission=asked, name="code.other", project=tmp_path) == ["ok"]
    assert len(asked.requests) == 4, "the name is part of a grant"


def test_reg_87_a_new_session_asks_again(tmp_path: Path) -> None:
    catalog = catalog_of(input_schema=PATH_ARGS, metadata={"access": {"write": ["path"]}})
    asked = Asked()
    for _ in range(2):
        assert calls(catalog, run_of(catalog)[1], "{}", "{}", permission=asked, project=tmp_path) == ["ok", "ok"]
    assert len(asked.requests) == 2
    assert list(tmp_path.iterdir()) == []


def test_reg_76_without_a_scope_no_grant_is_kept() -> None:
    catalog, asked = catalog_of(tags={"dangerous"}), Asked()
    assert calls(catalog, run_of(catalog, {"*": "allow"})[1], "{}", "{}", permission=asked) == ["ok", "ok"]
    assert [(request.scope, request.dangerous) for request in asked.requests] == [(None, True)] * 2


def test_reg_89_a_denial_holds_for_one_call() -> None:
    catalog, asked = catalog_of(), Asked(Decision.DENY)
    assert calls(catalog, run_of(catalog)[1], "{}", "{}", permission=asked) == ["permission_denied"] * 2
    assert len(asked.requests) == 2


def test_reg_90_a_grant_for_a_command_covers_a_program_in_a_folder(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    schema = {"type": "object", "properties": {"argv": {"type": "array"}, "cwd": {"type": "string", "default": "."}}}
    access = {"exec": ["argv"], "cwd": ["cwd"]}
    catalog, asked = catalog_of(input_schema=schema, tags={"dangerous"}, metadata={"access": access}), Asked()
    payloads = [
        '{"argv": ["git", "log"]}',
        '{"argv": ["git", "show"]}',
        '{"argv": ["git"], "cwd": "a"}',
        '{"argv": ["rm"]}',
    ]
    assert calls(catalog, run_of(catalog)[1], *payloads, permission=asked, project=tmp_path) == ["ok"] * 4
    assert [request.scope for request in asked.requests] == [
        (("cwd", str(tmp_path)), ("exec", "git")),
        (("cwd", str(tmp_path / "a")), ("exec", "git")),
        (("cwd", str(tmp_path)), ("exec", "rm")),
    ]


def test_reg_91_every_request_says_in_whose_name() -> None:
    catalog, asked = catalog_of(), Asked()
    meta = ToolCallMeta(
        user="ann", run_id="r2", agent_id="a2", agent_role="worker", parent_agent_id="a1", parent_run_id="r1"
    )
    run = run_of(catalog)[1]
    child = Run(agent="a", role="worker", mode="", effective=run.effective, session=run.session, meta=meta)
    runtime = runtime_of(catalog, permission=asked)
    asyncio.run(runtime.invoke(ToolRequest(name="code.tool", tool_call_id="c"), run=child))
    assert asked.requests[0].meta == meta.for_call("c")


@pytest.mark.parametrize(
    ("network", "host", "answer"),
    [
        ({}, "example.com", "ask"),
        ({"*": "allow"}, "example.com", "allow"),
        ({"*.example.com": "allow"}, "api.example.com", "allow"),
        ({"*.example.com": "allow"}, "API.Example.COM.", "allow"),
        ({"*.example.com": "allow"}, "example.com", "ask"),
        ({"*.example.com": "allow"}, "evilexample.com", "ask"),
        ({"*.example.com": "allow"}, "example.com.evil.org", "ask"),
        ({"*": "deny", "*.example.com": "allow", "bad.example.com": "ask"}, "bad.example.com", "ask"),
        ({"*": "deny", "*.example.com": "allow", "*.b.example.com": "ask"}, "a.b.example.com", "ask"),
        ({"*": "deny", "*.example.com": "allow"}, "x.example.com", "allow"),
    ],
)
def test_reg_75_the_closest_name_decides_about_a_host(network: dict[str, str], host: str, answer: str) -> None:
    assert Policies({"p": {"network": network}}, ["p"]).judge_hosts([host]).answer == answer


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("https://api.example.com/x", "ok"),
        ("https://other.org/", "permission_denied"),
        ("https://api.example.com@evil.org/", "permission_denied"),
        ("https://[broken", "permission_denied"),
        ("api.example.com", "permission_denied"),
    ],
)
def test_reg_75_a_network_tool_is_judged_by_the_host_of_its_url(url: str, code: str) -> None:
    schema = {"type": "object", "properties": {"url": {"type": "string"}}}
    catalog = catalog_of(
        input_schema=schema, permission="readonly", tags={"network"}, metadata={"access": {"url": ["url"]}}
    )
    policies = Policies({"p": {"network": {"*": "deny", "api.example.com": "allow"}}}, ["p"])
    runtime = runtime_of(catalog, permission=pytest.fail)
    object.__setattr__(vars(runtime)["_host"], "policies", policies)
    payload = f'{{"url": "{url}"}}'
    assert code_of(asyncio.run(call(runtime, payload=payload))) == code


@given(
    rules=st.dictionaries(
        st.sampled_from(["*", "code.*", "code.a", "web", "+write", "+dangerous", "*b"]),
        st.sampled_from(["allow", "ask", "deny", "exclude"]),
    ),
    name=st.sampled_from(["code.a", "code__a", "web.b", "web__b", "web.c__d", "nothing.there"]),
    answer=st.sampled_from(["allow_once", "allow_for_session", "deny", "yes"]),
)
def test_what_a_rule_forbids_never_runs_in_any_spelling(rules: dict[str, str], name: str, answer: str) -> None:
    ran: list[str] = []
    catalog = Catalog()
    for ident, permission, tags in (
        ("code.a", "write", ()),
        ("web.b", "readonly", ("dangerous",)),
        ("web.c__d", "write", ()),
    ):
        add(
            catalog, lambda _args, *, ident=ident: ran.append(ident), ident, permission=permission, tags=frozenset(tags)
        )
    policies, run = run_of(catalog, rules)
    code = calls(catalog, run, "{}", permission=Asked(answer), name=name)[0]
    meant = catalog.resolve(name)
    judged = policies.judge(catalog.entry(meant), "main", "").answer if meant else Answer.EXCLUDE
    is_allowed = judged == "allow" or (judged == "ask" and answer.startswith("allow"))
    assert (code == "ok") is bool(ran) is is_allowed
    assert (code == "tool_not_available") is (judged == "exclude")


def test_what_an_agent_may_call_is_worked_out_once_for_each_request() -> None:
    runtime = Runtime(load("generated"), permission=deny_all, policies=["coding"])
    first, again = runtime.start_run("main"), runtime.start_run("main")
    assert first.effective is again.effective
    assert first.effective is not runtime.start_run("main", mode="plan").effective
    narrow = runtime.start_run("default_worker", requested=iter(["agent.task_get"]))
    assert list(narrow.effective.tools) == ["agent.task_get"]
