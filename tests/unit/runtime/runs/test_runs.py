"""Runs and sessions: which tools a run may call, the effect of policies, and the scope of grants."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.runtime.tools import add, call, catalog_of, code_of, idle_executors, must_not_run, runtime_of
from toolgen.contract.ident import Ident
from toolgen.contract.records import FailureKind, ToolCallMeta, ToolRequest
from toolgen.runtime import Catalog, Runtime, deny_all, load
from toolgen.runtime.base.errors import CatalogError, UnknownAgent
from toolgen.runtime.policy.effective import ToolsNotGranted
from toolgen.runtime.policy.permission import Decision, PermissionRequest
from toolgen.runtime.policy.policy import Policies, PolicyAnswer
from toolgen.runtime.policy.scope import accessed_resources
from toolgen.runtime.runs.run import Run, Session

if TYPE_CHECKING:
    from pathlib import Path

OPEN = {"type": "object"}
PATH_ARGS = {"type": "object", "properties": {"path": {"type": "string", "default": "."}}}


ALLOWING = (Decision.ALLOW_ONCE, Decision.ALLOW_FOR_SESSION)


class Asked:
    """A callback that records its requests and returns a fixed answer."""

    def __init__(self, answer: Any = Decision.ALLOW_FOR_SESSION) -> None:
        self.answer = answer
        self.requests: list[PermissionRequest] = []

    async def __call__(self, request: PermissionRequest) -> Any:
        self.requests.append(request)
        return self.answer


def run_of(
    catalog: Catalog, rules: Any = None, *, role: str = "main", session: Session | None = None
) -> tuple[Any, Run]:
    """Return a policy with these rules, and a run under it that uses all tools.

    Registered tools have no compiled agent.
    """
    from toolgen.runtime.policy.effective import effective_set

    policies = Policies({"p": {"rules": rules or {}}})
    effective = effective_set(catalog.entries, {"use": ["*"]}, policies, role=role)
    return policies, Run(agent="a", role=role, mode="", effective=effective, session=session or Session())


def calls(
    catalog: Catalog, run: Run, *payloads: str, permission: Any, name: str = "own.tool", **more: Any
) -> list[str]:
    async def all_of_them() -> list[str]:
        runtime = runtime_of(catalog, permission=permission, **more)
        return [code_of(await call(runtime, name, payload, run=run)) for payload in payloads]

    return asyncio.run(all_of_them())


def test_a_run_of_a_compiled_agent_can_only_call_its_tools() -> None:
    runtime = Runtime(
        load("generated"), executors=idle_executors(load("generated")), permission=deny_all, disabled_policies=["bot"]
    )
    run = runtime.start_run("default_worker", meta=ToolCallMeta(user="ann"))
    assert (run.role, "code.read_file" in run, "code.write_file" in run) == ("worker", True, False)
    result = asyncio.run(runtime.invoke(ToolRequest(name="code__write_file", payload="{}"), run=run))
    assert result.error is not None
    assert (result.error.kind, result.error.code) == (FailureKind.TOOL_NOT_AVAILABLE, "tool_not_available")
    assert (result.tool_name, result.metadata["raw_tool_name"]) == ("code.write_file", "code__write_file")
    with pytest.raises(UnknownAgent, match="there is no agent 'worker'; did you mean default_worker"):
        runtime.start_run("worker")
    with pytest.raises(ToolsNotGranted):
        runtime.start_run("default_worker", requested=["agent.task_list"])


def test_an_unknown_role_or_mode_starts_no_run() -> None:
    runtime = Runtime(
        load("generated"), executors=idle_executors(load("generated")), permission=deny_all, disabled_policies=["bot"]
    )
    with pytest.raises(ValueError, match=r"^there is no role 'wroker'; did you mean 'worker'\?$"):
        runtime.start_run("main", role="wroker")
    with pytest.raises(CatalogError, match=r"^no active policy has a mode 'Plan'; did you mean 'plan'\?$"):
        runtime.start_run("main", mode="Plan")
    with pytest.raises(CatalogError, match=r"^no active policy has a mode 'plan'; there are none$"):
        Runtime(
            load("generated"),
            executors=idle_executors(load("generated")),
            permission=deny_all,
            disabled_policies=["bot", "coding"],
        ).start_run("main", mode="plan")


def test_tools_are_requested_in_any_spelling_but_not_as_a_single_string() -> None:
    runtime = Runtime(load("generated"), executors=idle_executors(load("generated")), permission=deny_all)
    run = runtime.start_run("default_worker", requested=["agent__task_get", "code.read_file"])
    assert set(run.effective.tools) == {"agent.task_get", "code.read_file"}
    with pytest.raises(TypeError, match=r"it must be a list of names, such as \['agent.task_get'\]"):
        runtime.start_run("default_worker", requested="agent.task_get")


@pytest.mark.parametrize("role", ["", "main"])
def test_reg_32_reg_34_a_run_that_a_call_started_is_never_of_role_main(role: str) -> None:
    runtime = Runtime(load("generated"), executors=idle_executors(load("generated")), permission=deny_all)
    run = runtime.start_run("main", role=role, meta=ToolCallMeta(parent_tool_call_id="c1"))
    assert (run.role, run.meta.agent_role) == ("sub", "sub")
    mains_own = {
        "agent.create_sub_agent", "agent.dispatch_worker", "agent.fork_agent", "agent.list_agent_definitions",
        "agent.list_workers", "agent.plan_template", "agent.task_cancel", "agent.task_complete", "agent.task_create",
        "agent.task_fail", "agent.task_template", "agent.task_update", "internal.recall_memory",
    }  # fmt: skip
    assert not run.effective.tools.keys() & mains_own
    assert runtime.start_run("main", role=role).effective.tools.keys() >= mains_own


@pytest.mark.parametrize("name", ["own.hidden", "own__hidden", "own.hiden", "own.nothing"])
def test_reg_29_tools_outside_the_effective_set_are_not_available_and_not_named(name: str) -> None:
    catalog = add(catalog_of(), must_not_run, "own.hidden")
    _, run = run_of(catalog, {"own.hidden": "exclude"})

    async def error() -> Any:
        return (await call(runtime_of(catalog), name, run=run)).error

    found = asyncio.run(error())
    assert (found.message, found.code) == ("unknown tool", "tool_not_available")
    assert "hidden" not in found.hint


def test_a_tool_that_policies_exclude_cannot_be_called_outside_a_run_either() -> None:
    runtime = Runtime(
        load("generated"), executors=idle_executors(load("generated")), permission=deny_all, disabled_policies=["bot"]
    )
    name = "mcp.assets.put_asset"
    assert name in load("generated")
    result = asyncio.run(runtime.invoke(ToolRequest(name=name, payload="{}")))
    assert code_of(result) == "tool_not_available"


def test_reg_05_a_rule_applies_to_every_spelling() -> None:
    catalog = catalog_of(must_not_run)
    _, run = run_of(catalog, {"own.tool": "deny"})
    for name in ("own.tool", "own__tool"):
        assert calls(catalog, run, "{}", permission=Asked(), name=name) == ["permission_denied"]


def test_a_policy_that_denies_makes_no_request() -> None:
    catalog, asked = catalog_of(must_not_run), Asked()
    assert calls(catalog, run_of(catalog, {"+write": "deny"})[1], "{}", permission=asked) == ["permission_denied"]
    assert asked.requests == []


def test_a_policy_that_allows_a_write_makes_no_request() -> None:
    catalog, asked = catalog_of(), Asked()
    assert calls(catalog, run_of(catalog, {"own.*": "allow"})[1], "{}", permission=asked) == ["ok"]
    assert asked.requests == []


def test_reg_88_a_grant_covers_one_tool_and_one_scope(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    catalog = catalog_of(input_schema=PATH_ARGS, metadata={"access": {"write": ["path"]}})
    add(catalog, lambda _args: "ran", "own.other", input_schema=PATH_ARGS, metadata={"access": {"write": ["path"]}})
    asked, session = Asked(), Session()
    run = run_of(catalog, session=session)[1]
    payloads = ['{"path": "a/x"}', '{"path": "a/y"}', '{"path": "b/../a/z"}', '{"path": "b/x"}', "{}"]
    assert calls(catalog, run, *payloads, permission=asked, project=tmp_path) == ["ok"] * 5
    scopes = [request.scope for request in asked.requests]
    assert scopes == [(("write", str(tmp_path / "a")),), (("write", str(tmp_path / "b")),), (("write", str(tmp_path)),)]
    assert calls(catalog, run, payloads[0], permission=asked, name="own.other", project=tmp_path) == ["ok"]
    assert len(asked.requests) == 4, "the tool is part of a grant"


def test_reg_88_a_sensitive_or_outside_path_needs_its_own_grant(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "linked").write_text("")
    (tmp_path / "project/linked").hardlink_to(tmp_path / "linked")
    for key, paths in (
        ("write", {"notes.md": "write", ".env": "sensitive write", f"{tmp_path}/x": "outside roots write"}),
        ("write", {f"{tmp_path}/x": "outside roots write", f"{tmp_path}/y": "outside roots write"}),
        ("read", {"readme": "read", ".env": "sensitive read", "a.pem": "sensitive read", "linked": "hard linked read"}),
    ):
        catalog, asked = (
            catalog_of(input_schema=PATH_ARGS, metadata={"access": {key: ["path"]}}, tags={"dangerous"}),
            Asked(),
        )
        payloads = [f'{{"path": "{path}"}}' for path in paths for _ in range(2)]
        assert set(calls(catalog, run_of(catalog)[1], *payloads, permission=asked, project=tmp_path / "project")) == {
            "ok"
        }
        project = tmp_path / "project"
        assert [request.scope for request in asked.requests] == [
            ((what, str(project if what == key else project / path)),) for path, what in paths.items()
        ]
        assert all(
            request.suggested is Decision.DENY
            for request in asked.requests
            if request.scope and request.scope[0][0] != key
        )


@pytest.mark.parametrize("path", ["", "./" * 2100 + ".env", "a" * 300 + "/../.env", "a\\u0000b", "loop"])
@pytest.mark.parametrize("key", ["read", "write", "cwd"])
def test_reg_52_an_unusable_path_is_refused_without_a_request(tmp_path: Path, path: str, key: str) -> None:
    (tmp_path / "loop").symlink_to("loop")
    catalog = catalog_of(must_not_run, permission="readonly", metadata={"access": {key: ["path"]}})
    runtime = runtime_of(catalog, permission=pytest.fail, project=tmp_path)
    error = asyncio.run(call(runtime, payload=f'{{"path": "{path}"}}')).error
    assert error is not None
    assert (error.kind, error.code) == (FailureKind.INVALID_CALL, "invalid_path")
    assert error.message.startswith("a path cannot be used: ")


@pytest.mark.parametrize("key", ["scope", "read", "write", "url", "exec"])
def test_reg_88_a_grant_contains_the_arg_and_its_value(key: str, tmp_path: Path) -> None:
    catalog, asked = catalog_of(metadata={"access": {key: ["src", "dst"]}}, tags={"dangerous"}), Asked()
    one, other = ("https://a.org", "https://b.org") if key == "url" else ("a/x", "b/x")
    payloads = [f'{{"src": "{one}", "dst": "{other}"}}', f'{{"src": "{other}", "dst": "{one}"}}'] * 2
    assert calls(catalog, run_of(catalog)[1], *payloads, permission=asked, project=tmp_path) == ["ok"] * 4
    assert len(asked.requests) == 2
    what = "host" if key == "url" else key
    assert [[each for each, _ in request.scope or ()] for request in asked.requests] == [
        [f"{what}.dst", f"{what}.src"]
    ] * 2


def test_reg_88_the_order_of_a_list_is_part_of_a_scope() -> None:
    catalog, asked = catalog_of(metadata={"access": {"scope": ["route"]}}), Asked()
    payloads = ['{"route": ["prod", "backup"]}', '{"route": ["backup", "prod"]}']
    assert calls(catalog, run_of(catalog)[1], *payloads, permission=asked) == ["ok"] * 2
    assert [request.scope for request in asked.requests] == [
        (("scope", '["prod","backup"]'),),
        (("scope", '["backup","prod"]'),),
    ]


def test_reg_87_a_new_session_asks_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("HOME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
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


def test_reg_91_every_request_identifies_agent_and_user() -> None:
    catalog, asked = catalog_of(), Asked()
    meta = ToolCallMeta(
        user="ann", run_id="r2", agent_id="a2", agent_role="worker", parent_agent_id="a1", parent_run_id="r1"
    )
    run = run_of(catalog)[1]
    child = Run(agent="a", role="worker", mode="", effective=run.effective, session=run.session, meta=meta)
    runtime = runtime_of(catalog, permission=asked)
    asyncio.run(runtime.invoke(ToolRequest(name="own.tool", tool_call_id="c"), run=child))
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
def test_reg_75_the_closest_name_decides_for_a_host(network: dict[str, str], host: str, answer: str) -> None:
    assert Policies({"p": {"network": network}}).judge_hosts([host]).answer == answer


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
    policies = Policies({"p": {"network": {"*": "deny", "api.example.com": "allow"}}})
    runtime = runtime_of(catalog, permission=pytest.fail)
    object.__setattr__(vars(runtime)["_host"], "policies", policies)
    payload = f'{{"url": "{url}"}}'
    assert code_of(asyncio.run(call(runtime, payload=payload))) == code


NOT_PLAIN = [
    *(
        "http://evil.com\\@good.com/",
        "http://ev%69l.com",
        "http://evil\u3002com/",
        "http://\uff45vil.com/",
        "http:/evil.com",
    ),
    *("http:///evil.com", "http://a@good.com/", "//good.com/", "good.com/", " http://good.com/", "http://good.com\t/"),
    *(
        "http://good.com:80@evil.com/",
        "http://evil.com%2f@good.com",
        "http://127.1/",
        "http://2130706433/",
        "http://0x7f.1",
    ),
    *(
        "http://[good.com]/",
        "http://[::1%25lo]/",
        "http://good_.com/",
        "http://-good.com",
        "http://good..com/",
        "http://",
    ),
    *(
        "file://good.com/etc/passwd",
        "http://good.com/a b",
        "http://good.com/\u00e9",
        "http://good.com:x/",
        "http://good.com\n",
    ),
]


@pytest.mark.parametrize("url", NOT_PLAIN)
def test_reg_75_a_url_with_an_ambiguous_host_has_an_unknown_host(url: str) -> None:
    found = accessed_resources({"url": ["url"], "scope": ["what"]}, {"url": url, "what": "x"}, pytest.fail)
    assert (found.hosts, found.scope, found.has_unknown_host) == (("*",), None, True)


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("HTTPS://API.Good.com.:8443/a?b=@evil.com#@evil.org", "api.good.com"),
        ("ws://localhost", "localhost"),
        ("http://xn--bcher-kva.example?q", "xn--bcher-kva.example"),
        ("http://127.0.0.1:80/", "127.0.0.1"),
        ("http://[0:0:0:0:0:0:0:1]/", "::1"),
        ("http://[::FFFF:127.0.0.1]/", "127.0.0.1"),
        ("http://good.com#@evil.com/", "good.com"),
    ],
)
def test_reg_75_a_plain_url_has_the_host_that_every_client_uses(url: str, host: str) -> None:
    found = accessed_resources({"url": ["url"]}, {"url": url}, pytest.fail)
    assert (found.hosts, found.scope) == ((host,), (("host", host),))


@pytest.mark.parametrize(
    ("networks", "answer"),
    [
        ([], "ask"),
        ([{"*": "allow"}], "ask"),
        ([{"*": "allow", "good.com": "allow"}], "ask"),
        ([{"*": "allow", "evil.com": "deny"}], "deny"),
        ([{"*": "allow"}, {"*.evil.com": "deny"}], "deny"),
    ],
)
def test_reg_75_an_unknown_host_may_be_any_host_in_a_policy(networks: list[dict[str, str]], answer: str) -> None:
    policies = {str(place): {"network": network} for place, network in enumerate(networks)}
    assert Policies(policies).judge_unknown_host().answer == answer


def test_reg_75_88_an_unknown_host_needs_permission_each_time_and_is_denied_if_any_host_is() -> None:
    schema = {"type": "object", "properties": {"url": {"type": "string"}}}
    for network, codes in (
        ({"*": "allow"}, ["ok"] * 3),
        ({"*": "allow", "evil.com": "deny"}, ["permission_denied"] * 3),
    ):
        catalog, asked = (
            catalog_of(
                input_schema=schema, permission="readonly", tags={"network"}, metadata={"access": {"url": ["url"]}}
            ),
            Asked(),
        )
        runtime = runtime_of(catalog, permission=asked)
        object.__setattr__(vars(runtime)["_host"], "policies", Policies({"p": {"network": network}}))
        run = run_of(catalog, {"*": "allow"})[1]

        async def all_of_them(runtime: Runtime = runtime, run: Run = run) -> list[str]:
            urls = ("http:/evil.com", "http:/evil.com", "http:/good.com")
            return [code_of(await call(runtime, payload=f'{{"url": "{url}"}}', run=run)) for url in urls]

        assert asyncio.run(all_of_them()) == codes
        assert [request.scope for request in asked.requests] == [None] * codes.count("ok")


@given(
    rules=st.dictionaries(
        st.sampled_from(["*", "own.*", "own.a", "web", "+write", "+dangerous", "*b"]),
        st.sampled_from(["allow", "ask", "deny", "exclude"]),
    ),
    name=st.sampled_from(["own.a", "own__a", "web.b", "web__b", "web.c__d", "nothing.there"]),
    answer=st.sampled_from([*Decision, "allow_once", "yes"]),
)
def test_a_forbidden_tool_never_runs_in_any_spelling(rules: dict[str, str], name: str, answer: Any) -> None:
    ran: list[str] = []
    catalog = Catalog()
    for ident, permission, tags in (
        ("own.a", "write", ()),
        ("web.b", "readonly", ("dangerous",)),
        ("web.c__d", "write", ()),
    ):
        add(
            catalog, lambda _args, *, ident=ident: ran.append(ident), ident, permission=permission, tags=frozenset(tags)
        )
    policies, run = run_of(catalog, rules)
    code = calls(catalog, run, "{}", permission=Asked(answer), name=name)[0]
    meant = catalog.resolve(name)
    judged = policies.judge(catalog.entry(meant), "main", "").answer if meant else PolicyAnswer.EXCLUDE
    is_allowed = judged == "allow" or (judged == "ask" and answer in ALLOWING and isinstance(answer, Decision))
    assert (code == "ok") is bool(ran) is is_allowed
    assert (code == "tool_not_available") is (judged == "exclude")


def test_the_effective_set_of_an_agent_is_computed_once_for_each_request() -> None:
    runtime = Runtime(
        load("generated"), executors=idle_executors(load("generated")), permission=deny_all, disabled_policies=["bot"]
    )
    first, again = runtime.start_run("main"), runtime.start_run("main")
    assert first.effective is again.effective
    assert first.effective is not runtime.start_run("main", mode="plan").effective
    narrow = runtime.start_run("default_worker", requested=iter(["agent.task_get"]))
    assert list(narrow.effective.tools) == ["agent.task_get"]


def test_policies_must_be_a_list_of_names() -> None:
    with pytest.raises(TypeError, match=r"write \['coding'\]"):
        Runtime(
            load("generated"),
            executors=idle_executors(load("generated")),
            permission=deny_all,
            disabled_policies="coding",
        )


def test_a_typed_call_may_be_made_in_a_run() -> None:
    catalog = catalog_of(lambda args: args)
    hidden = run_of(catalog, {"own.tool": "exclude"})[1]
    runtime = runtime_of(catalog)
    results: list[Any] = [asyncio.run(runtime.call(Ident("own.tool"), {"n": 1}, run=run)) for run in (None, hidden)]
    assert [code_of(result) for result in results] == ["ok", "tool_not_available"]
