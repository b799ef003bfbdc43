"""Requirements on questions to a person, for every kind of tool, and on networks: servers as a whole."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.case import write
from tests.unit.execute.http.api import package_of
from tests.unit.runtime.tools import idle_executors
from toolgen.compiler.compile import compile_specs, generate
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.project.config import Target
from toolgen.contract.records import ToolRequest, ToolsetRegistration
from toolgen.execute import CommandHost, load_user_tools
from toolgen.execute.command import command_executor as command_executor
from toolgen.execute.http import HttpHost
from toolgen.execute.http import http_executor as http_executor
from toolgen.execute.mcp import McpHost, McpServer, mcp_executor
from toolgen.runtime import Runtime, allow_all, load
from toolgen.runtime.policy.approval import question_data, question_id
from toolgen.runtime.policy.paths import PathPolicy
from toolgen.runtime.policy.permission import Decision, PermissionRequest
from toolgen.runtime.policy.terminal import described
from toolgen.runtime.runs.run import Session
from toolgen.toolsets.code import CodeTools

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from toolgen.runtime import Catalog

LANG = ("PATH", "TZ", "LANG")
HOST = "api.shop.example"

KINDS = [
    """
toolgen: 1
toolset: local
kind: command
tools:
  count:
    description: Count.
    args: {word: string, max?: integer}
    command: {exec: [grep, -c, [--max-count, "{{args.max}}"], "{{args.word}}", notes.txt], cwd: sub, env: [LANG]}
  log: {description: Log., args: {n: integer}, command: {shell: "git log -n {{args.n}} | cat"}}
""",
    """
toolgen: 1
toolset: shop.api
kind: http
api: {base_url: "https://api.shop.example/v1"}
tools:
  refund:
    description: Refund.
    args: {id: string}
    http: {method: POST, path: "/orders/{id}/refund", params: {id: path}}
""",
    """
toolgen: 1
toolset: mcp.files
kind: mcp
server: {stdio: [npx, -y, "@example/files@1.0.0"], env: [FILES_TOKEN]}
tools: {move: {description: Move., args: {path: string}}}
""",
    """
toolgen: 1
toolset: mcp.remote
kind: mcp
server: {http: "https://mcp.example.com/mcp"}
tools: {send: {description: Send., args: {text: string}}}
""",
    """
toolgen: 1
toolset: lab.research
kind: agent
tools: {run: {description: Research., args: {q: string}, user: "{{args.q}}"}}
""",
    "toolgen: 1\nagent: lab.researcher\nrole: sub\nuse: []\nexport: [lab.research]\n",
    """
toolgen: 1
toolset: shop
tools: {erase: {description: Erase., args: {id: integer}, handler: "shop_app.orders:erase"}}
""",
    "toolgen: 1\npolicy: team\nenv: [PATH, TZ]\n",
]

USER_TOOL = {
    "name": "mine.say",
    "description": "Say.",
    "input_schema": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
    "command": "./say",
    "args": ["--loud", "{{args.text}}"],
    "working_dir": "sub",
    "env_allowlist": ["VOICE"],
}


@pytest.fixture(scope="module")
def kinds(tmp_path_factory: pytest.TempPathFactory) -> str:
    package_of(tmp_path_factory.mktemp("kinds"), "asked_kinds", *KINDS)
    return "asked_kinds"


def question(catalog: Catalog, project: Path, tool: str, args: Any, *own: ToolsetRegistration) -> PermissionRequest:
    """Return what a call in a run asks, by the callback itself."""
    asked: list[PermissionRequest] = []

    def callback(request: PermissionRequest) -> Decision:
        asked.append(request)
        return Decision.DENY

    idle = idle_executors(catalog, *(each.toolset for each in own))
    runtime = Runtime(catalog, executors=[*own, *idle], permission=callback, project=project)
    request = ToolRequest(name=tool, payload=json.dumps(args))
    asyncio.run(runtime.invoke(request, run=runtime.start_run()))
    (found,) = asked
    return found


@pytest.mark.parametrize(
    ("tool", "args", "shown"),
    [
        ("local.count", {"word": "a b; rm -rf /"}, ("grep -c 'a b; rm -rf /' notes.txt", "sub", LANG, ())),
        ("local.count", {"word": "x", "max": 2}, ("grep -c --max-count 2 x notes.txt", "sub", LANG, ())),
        ("local.log", {"n": 3}, ("git log -n 3 | cat", ".", ("PATH", "TZ"), ())),
        ("mine.say", {"text": "hi you"}, ("./say --loud 'hi you'", "sub", ("PATH", "TZ", "VOICE"), ())),
        ("shop.api.refund", {"id": "5"}, ("POST http://app/orders/5/refund", None, (), (HOST,))),
        ("mcp.files.move", {"path": "a"}, ("npx -y @example/files@1.0.0", None, ("FILES_TOKEN",), ())),
        ("mcp.remote.send", {"text": "x"}, ("https://mcp.example.com/mcp", None, (), ("mcp.example.com",))),
        ("lab.research.run", {"q": "x"}, ("agent lab.researcher", None, (), ())),
        ("shop.erase", {"id": 1}, ("shop_app.orders:erase", None, (), ())),
    ],
)  # fmt: skip
def test_reg_94_a_question_shows_what_runs_where_and_with_what_for_every_kind_of_tool(
    tmp_path: Path, kinds: str, tool: str, args: Any, shown: tuple[str, str | None, tuple[str, ...], tuple[str, ...]]
) -> None:
    (tmp_path / "project" / "sub").mkdir(parents=True)
    project = tmp_path / "project"
    catalog = load(kinds)
    host = CommandHost(paths=PathPolicy(project, home=tmp_path))
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "say.json").write_text(json.dumps(USER_TOOL))
    load_user_tools(catalog, tmp_path, host)
    own = command_executor(catalog, "local", host), http_executor(catalog, "shop.api", HttpHost(app=print))

    asked = question(catalog, project, tool, args, *own)

    runs, cwd, env, hosts = shown
    folder = "" if cwd is None else str(project / cwd).removesuffix("/.")
    assert (asked.program or asked.request, asked.cwd, asked.env, asked.hosts) == (runs, folder, env, hosts)
    data = question_data(asked)
    assert (data["program"] or data["request"], data["cwd"], data["env"], data["hosts"]) == (
        runs, folder, list(env), list(hosts),
    )  # fmt: skip
    person = described(asked, 1000)
    assert all(text in person for text in (runs, folder, *env, *hosts))


@pytest.mark.parametrize(
    ("server", "shown"),
    [
        (McpServer(http="https://own.example.net/mcp"), ("https://own.example.net/mcp", ("own.example.net",), ())),
        (McpServer(stdio=("own-server", "--fast"), env=("OWN",)), ("own-server --fast", (), ("OWN",))),
    ],
    ids=["http", "stdio"],
)
def test_reg_94_a_question_shows_the_server_that_a_host_gives_instead_of_that_of_the_spec(
    tmp_path: Path, kinds: str, server: McpServer, shown: tuple[str, tuple[str, ...], tuple[str, ...]]
) -> None:
    catalog = load(kinds)
    of_spec = question(catalog, tmp_path, "mcp.remote.send", {"text": "x"})
    own = mcp_executor(catalog, "mcp.remote", McpHost(environment={"OWN": "1"}), server=server)

    asked = question(load(kinds), tmp_path, "mcp.remote.send", {"text": "x"}, own)

    assert (asked.program, asked.hosts, asked.env) == shown
    assert of_spec.program == "https://mcp.example.com/mcp"
    assert question_id(of_spec) != question_id(asked)


def test_reg_94_a_question_shows_the_handler_that_a_host_passes_instead_of_that_of_the_spec(
    tmp_path: Path, kinds: str
) -> None:
    def erase(_args: Any, _meta: Any) -> None: ...

    own = ToolsetRegistration(toolset="shop", handlers={"shop.erase": erase})
    asked = question(load(kinds), tmp_path, "shop.erase", {"id": 1}, own)
    assert asked.program == f"{__name__}:{erase.__qualname__}"


def test_reg_94_a_question_about_a_command_of_the_built_in_tool_shows_its_program_folder_and_variables(
    tmp_path: Path,
) -> None:
    (tmp_path / "sub").mkdir()
    catalog = load("toolgen.toolsets.generated")
    args = {"argv": ["rm", "-rf", "a b"], "cwd": "sub"}
    asked = question(catalog, tmp_path, "code.run_command", args, CodeTools(tmp_path).registration())
    assert (asked.program, asked.cwd) == ("rm -rf 'a b'", str(tmp_path / "sub"))
    assert asked.env == ("PATH", "HOME", "TMPDIR")
    asked = question(catalog, tmp_path, "code.run_command", {"argv": ["ls"]}, CodeTools(tmp_path).registration())
    assert (asked.program, asked.cwd) == ("ls", str(tmp_path))


def test_reg_94_a_program_is_shown_in_one_line_of_bounded_length_without_secrets(tmp_path: Path, kinds: str) -> None:
    (tmp_path / "sub").mkdir()
    catalog = load(kinds)
    own = command_executor(catalog, "local", CommandHost(paths=PathPolicy(tmp_path)))
    word = "\x1b[2J\u202e" + "x" * 5000 + "\n[y] allowed"
    asked = question(catalog, tmp_path, "local.count", {"word": word}, own)
    assert asked.program.isprintable()
    assert len(asked.program) <= 2100
    assert asked.program.startswith("grep -c ")
    assert asked.program.endswith(" notes.txt"), "the arg hides nothing after it"


def test_reg_55_a_user_tool_has_exactly_these_fields(tmp_path: Path) -> None:
    from toolgen.execute.user_tools import UserToolFile

    assert set(UserToolFile.model_fields) == {
        "name", "description", "input_schema", "permission", "tags", "command_type", "command", "args", "working_dir",
        "env_allowlist", "timeout_ms", "stdout_limit_bytes", "stderr_limit_bytes",
    }  # fmt: skip


# Executors that apply policies themselves.

GOVERNED = [
    """
toolgen: 1
toolset: local
kind: command
tools:
  show: {description: Show., permission: readonly, args: {}, result: string, command: {exec: [/usr/bin/env]}}
  wait: {description: Wait., permission: readonly, args: {}, command: {exec: [sleep, "60"]}}
""",
    """
toolgen: 1
policy: team
rules: {+write: allow}
paths: {sensitive: [private]}
env: [PATH, TZ]
limits: {timeout_ms: 300, max_timeout_ms: 400}
""",
]


@pytest.mark.parametrize("is_disabled", [False, True])
def test_executors_keep_to_the_policies_of_their_runtime(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_disabled: bool
) -> None:
    project = tmp_path / "project"
    (project / "private").mkdir(parents=True)
    (project / "private" / "plan.txt").write_text("needle\n")
    (project / "env").write_text('#!/bin/sh\nprintf \'{"success": true, "message": "%s"}\' "$TZ"\n')
    (project / "env").chmod(0o755)
    (tmp_path / "tools").mkdir()
    shows = {**USER_TOOL, "command": "./env", "args": [], "working_dir": ".", "env_allowlist": []}
    (tmp_path / "tools" / "say.json").write_text(json.dumps(shows))
    sink = Diagnostics()
    (tmp_path / "specs").mkdir()
    for number, text in enumerate(GOVERNED):
        (tmp_path / "specs" / f"{number}.yaml").write_text(text)
    compiled = compile_specs(tmp_path, Target(out="governed", builtin=("code",)), sink)
    assert not sink.has_errors, list(sink)
    name = f"governed_{is_disabled}"
    write(tmp_path / name, generate(compiled.catalog))
    monkeypatch.syspath_prepend(str(tmp_path))
    for variable in ("TZ", "LANG", "HOME"):
        monkeypatch.setenv(variable, "UTC")
    catalog = load(name)
    host = CommandHost(paths=PathPolicy(project, home=tmp_path), timeout_ms=900)
    load_user_tools(catalog, tmp_path, host)
    runtime = Runtime(
        catalog,
        executors=[command_executor(catalog, "local", host), CodeTools(project).registration()],
        permission=allow_all,
        disabled_policies=["team"] if is_disabled else [],
        project=project,
    )

    def call(tool: str, **args: Any) -> Any:
        return asyncio.run(runtime.invoke(ToolRequest(name=tool, payload=json.dumps(args))))

    lines = (
        str(call("local.show").value).splitlines() + call("code.run_command", argv=["env"]).value.stdout.splitlines()
    )
    names = {line.partition("=")[0] for line in lines}
    assert {"PATH", "TZ", "HOME"} & names == ({"PATH", "HOME"} if is_disabled else {"PATH", "TZ"})
    assert call("mine.say", text="x").message == ("" if is_disabled else "UTC")
    found = json.loads(call("code.search", query="needle").payload)["matches"]
    assert [match["path"] for match in found] == (["private/plan.txt"] if is_disabled else [])
    assert call("local.wait").error.message == f"the command took longer than {900 if is_disabled else 300} ms"


# A server as a whole under a policy of hosts.

SERVER = """
toolgen: 1
toolset: mcp.remote
kind: mcp
server: {{http: "{url}"}}
defaults: {{tags: [network]}}
tools:
  look: {{description: Look., permission: readonly}}
  send: {{description: Send., args: {{}}}}
"""

_numbers: Iterator[int] = iter(range(1000))


class Answers:
    """The executor of the server: it answers every call."""

    async def execute(self, _request: ToolRequest, _meta: object, /) -> Any:
        from toolgen.contract.records import ToolResult

        return ToolResult(payload=b"{}")


def outcomes(
    folder: Path, url: str, policy: str, answer: Decision = Decision.ALLOW_ONCE
) -> tuple[list[str], list[str]]:
    """Return how three calls of one session ended, and what was asked."""
    catalog = package_of(folder, f"served_{next(_numbers)}", SERVER.format(url=url), f"toolgen: 1\npolicy: p\n{policy}")
    asked: list[str] = []

    def callback(request: PermissionRequest) -> Decision:
        asked.append(f"{request.tool_name} {' '.join(request.hosts)}")
        return answer

    runtime = Runtime(
        catalog, executors=[ToolsetRegistration(toolset="mcp.remote", executor=Answers())], permission=callback
    )
    run = runtime.start_run(session=Session())

    async def calls() -> list[str]:
        found = [
            await runtime.invoke(ToolRequest(name=f"mcp.remote.{key}"), run=run) for key in ("look", "look", "send")
        ]
        return [each.error.code if each.error else "ok" for each in found]

    return asyncio.run(calls()), asked


_DOMAIN = 'network: {"*.example.com": allow, "*": deny}\nrules: {mcp.remote.send: allow}\n'


@pytest.mark.parametrize(
    ("url", "codes"),
    [
        ("https://mcp.example.com/mcp", ["ok"] * 3),
        ("https://MCP.Example.COM:8443/mcp", ["ok"] * 3),
        ("https://evilexample.com/mcp", ["permission_denied"] * 3),
        ("https://example.com.evil.org/mcp", ["permission_denied"] * 3),
        ("https://mcp.example.com@evil.org/mcp", ["permission_denied"] * 3),
        ("https://evil.org/mcp.example.com", ["permission_denied"] * 3),
        ("https://$env.MCP_HOST/mcp", ["permission_denied"] * 3),
    ],
)
def test_reg_75_a_server_as_a_whole_is_allowed_by_its_domain_alone(tmp_path: Path, url: str, codes: list[str]) -> None:
    assert outcomes(tmp_path, url, _DOMAIN) == (codes, [])


@pytest.mark.parametrize("policy", ["rules: {mcp.remote+network: exclude}", "rules: {+network: exclude}"])
def test_reg_75_a_policy_disables_all_tools_of_a_network(tmp_path: Path, policy: str) -> None:
    assert outcomes(tmp_path, "https://mcp.example.com/mcp", policy) == (["tool_not_available"] * 3, [])


def test_reg_75_a_policy_asks_before_each_call_of_a_network(tmp_path: Path) -> None:
    policy = 'network: {"*": ask}'
    assert outcomes(tmp_path, "https://mcp.example.com/mcp", policy) == (
        ["ok"] * 3,
        ["mcp.remote.look mcp.example.com"] * 2 + ["mcp.remote.send mcp.example.com"],
    )
    denied = outcomes(tmp_path, "https://mcp.example.com/mcp", policy, Decision.DENY)
    assert denied[0] == ["permission_denied"] * 3
