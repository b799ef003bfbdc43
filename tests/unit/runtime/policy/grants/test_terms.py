"""The terms of a grant: it is for the tool and the approvers that a person was asked about, and for no others."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from contextlib import closing
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.execute.http.api import package_of
from tests.unit.runtime.tools import add, catalog_of, must_not_run
from toolgen.contract.records import ToolCallMeta, ToolRequest, ToolResult, ToolsetRegistration
from toolgen.execute.mcp import McpHost, McpServer, mcp_executor
from toolgen.runtime import Runtime, load
from toolgen.runtime.policy.approvers import Approver
from toolgen.runtime.policy.grants import MemoryGrants
from toolgen.runtime.policy.grants.sqlite import SqliteGrants
from toolgen.runtime.policy.permission import Decision, PermissionDecision, PermissionRequest
from toolgen.runtime.runs.run import Session

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from toolgen.runtime import Catalog
    from toolgen.runtime.policy.grants import Grants

SPECS = """
toolgen: 1
toolset: local
description: Commands.
kind: command
tools:
  count:
    description: Count.
    args: {word: string}
    access: {scope: word}
    command: {exec: [grep, -c, "{{args.word}}", notes.txt], cwd: sub, env: [LANG]}
  other: {description: Other., args: {}, command: {exec: [ls]}}
---
toolgen: 1
toolset: shop.api
kind: http
api: {base_url: "https://api.shop.example/v1"}
tools:
  refund:
    description: Refund.
    args: {word: string}
    access: {scope: word}
    http: {method: POST, path: "/orders/{id}/refund", params: {word: {in: path, name: id}}}
  other: {description: Other., args: {}, http: {method: POST, path: /other}}
---
toolgen: 1
toolset: mcp.files
kind: mcp
server: {stdio: [npx, -y, "@example/files@1.0.0"], env: [FILES_TOKEN]}
tools: {move: {description: Move., args: {word: string}, access: {scope: word}}}
---
toolgen: 1
toolset: mcp.remote
kind: mcp
server: {http: "https://mcp.example.com/mcp"}
tools: {send: {description: Send., args: {word: string}, access: {scope: word}}}
---
toolgen: 1
toolset: lab.research
kind: agent
tools: {run: {description: Research., args: {word: string}, access: {scope: word}, user: "{{args.word}}"}}
---
toolgen: 1
agent: lab.researcher
role: sub
use: []
export: [lab.research]
---
toolgen: 1
toolset: shop
tools:
  erase:
    title: Erase
    description: Erase an order.
    permission: write
    tags: [filesystem]
    args: {word: {type: string, description: Which one.}}
    result: string
    access: {scope: word}
    confirm: Erase {{args.word}}?
    handler: "shop_app.orders:erase"
  other: {description: Other., args: {}}
---
toolgen: 1
policy: team
rules: {shop.erase: ask}
env: [PATH, TZ]
"""

COUNT, REFUND, MOVE, SEND, RUN, ERASE = TOOLS = (
    "local.count", "shop.api.refund", "mcp.files.move", "mcp.remote.send", "lab.research.run", "shop.erase",
)  # fmt: skip

CHANGES = [
    (ERASE, "title: Erase", "title: Delete"),
    (ERASE, "Erase an order.", "Erase all orders."),
    (ERASE, "permission: write", "permission: readonly"),
    (ERASE, "tags: [filesystem]", "tags: [filesystem, dangerous]"),
    (ERASE, "tags: [filesystem]", "tags: []"),
    (ERASE, "Which one.", "Any."),
    (ERASE, "word: {type: string, ", "more?: integer, word: {type: string, "),
    (ERASE, "result: string", "result: integer"),
    (ERASE, "access: {scope: word}\n    confirm", "access: {scope: word, hosts: [example.com]}\n    confirm"),
    (ERASE, "Erase {{args.word}}?", "Go on?"),
    (ERASE, "shop_app.orders:erase", "shop_app.orders:erase_all"),
    (ERASE, "rules: {shop.erase: ask}", "rules: {shop.erase: ask}\napprovers: {shop.erase: {roles: [finance]}}"),
    (ERASE, "rules: {shop.erase: ask}", "rules: {shop.erase: ask}\napprovers: {shop.erase: {people: 2}}"),
    (ERASE, "rules: {shop.erase: ask}", "rules: {shop.erase: ask}\napprovers: {shop.erase: {user: true}}"),
    (COUNT, "[grep, -c, ", "[rg, -c, "),
    (COUNT, 'exec: [grep, -c, "{{args.word}}", notes.txt]', 'shell: "grep -c {{args.word}} notes.txt"'),
    (COUNT, "cwd: sub", "cwd: ."),
    (COUNT, "env: [LANG]", "env: [LANG, TOKEN]"),
    (COUNT, "env: [PATH, TZ]", "env: [PATH]"),
    (REFUND, 'POST, path: "/orders', 'PUT, path: "/orders'),
    (REFUND, "/refund", "/cancel"),
    (REFUND, "api.shop.example/v1", "api.shop.example/v2"),
    (REFUND, "api.shop.example/v1", "api.other.example/v1"),
    (MOVE, "files@1.0.0", "files@1.0.1"),
    (MOVE, "env: [FILES_TOKEN]", "env: [FILES_TOKEN, AWS_KEY]"),
    (SEND, "mcp.example.com/mcp", "mcp.example.com/other"),
    (SEND, "mcp.example.com/mcp", "mcp.example.net/mcp"),
    (RUN, 'user: "{{args.word}}"', 'user: "Delete {{args.word}}"'),
    (RUN, "lab.researcher", "lab.other"),
]

HARMLESS = [
    "",
    "toolgen: 1\ntoolset: more\ntools: {one: {description: One more., args: {}}}",
    "toolgen: 1\npolicy: more\nenv: [PATH, TZ]\napprovers: {local.other: {people: 2}}",
]

_numbers = count()


class Answers:
    """An executor that answers every call."""

    async def execute(self, _request: ToolRequest, _meta: ToolCallMeta, /) -> ToolResult[Any]:
        return ToolResult(payload=b"{}")


class People:
    """Those who may answer, and allow everything for the session."""

    def __init__(self) -> None:
        self.requests: list[PermissionRequest] = []

    def __call__(self, request: PermissionRequest) -> PermissionDecision:
        self.requests.append(request)
        is_of_user = request.approvers is not None and request.approvers.user
        people = tuple(Approver(name, ("finance",)) for name in ("ann", *(() if is_of_user else ("bob",))))
        return PermissionDecision(decision=Decision.ALLOW_FOR_SESSION, people=people)


def compiled(folder: Path, *texts: str) -> Catalog:
    return package_of(folder, f"terms_{next(_numbers)}", *texts)


def asked_by(
    catalog: Catalog,
    grants: Grants,
    *tools: str,
    own: Sequence[ToolsetRegistration] = (),
    project: Path | None = None,
    people: People | None = None,
) -> list[str]:
    """Make a call of each tool in a new run of a session with these grants; return the tools that asked.

    What an adapter or an engine is told before the call is the same.
    """
    people = people or People()
    others = set(catalog.toolsets) - {each.toolset for each in own}
    executors = [*own, *(ToolsetRegistration(toolset=name, executor=Answers()) for name in sorted(others))]

    async def make() -> list[str]:
        runtime = Runtime(catalog, executors=executors, permission=people, project=project)
        meta = ToolCallMeta(user="ann", session_id="s1")
        run = runtime.start_run(session=Session(grants=grants), meta=meta)
        asked: list[str] = []
        for tool in tools:
            request = ToolRequest(name=tool, payload='{"word": "home"}', tool_call_id="c")
            question, before = await runtime.permission_request(request, run), len(people.requests)
            result = await runtime.invoke(request, run=run)
            assert result.error is None or result.error.code not in ("permission_denied", "invalid_request"), result
            assert (question is not None) == (len(people.requests) > before)
            asked += [tool] if question is not None else []
        return asked

    return asyncio.run(make())


@pytest.fixture(scope="module")
def unchanged(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    return compiled(tmp_path_factory.mktemp("package"), *SPECS.split("---\n"))


@pytest.mark.variants(8)
@pytest.mark.parametrize(
    ("tool", "before", "after"), CHANGES, ids=[f"{tool} {after[:40]}" for tool, _, after in CHANGES]
)
def test_a_grant_does_not_hold_for_a_tool_that_has_changed(
    tmp_path: Path, unchanged: Catalog, tool: str, before: str, after: str
) -> None:
    assert SPECS.count(before) == 1 or tool == RUN
    grants = MemoryGrants()
    assert asked_by(unchanged, grants, *TOOLS) == [*TOOLS]
    assert asked_by(unchanged, grants, *TOOLS) == []
    changed = compiled(tmp_path, *SPECS.replace(before, after).split("---\n"))
    others = [each for each in TOOLS if each != tool]
    assert asked_by(changed, grants, *others) == []
    assert asked_by(changed, grants, tool) == [tool]
    assert asked_by(changed, grants, tool) == []
    assert asked_by(unchanged, grants, *TOOLS) == [], "the grant of before is for the tool of before"


def contracts(catalog: Catalog) -> dict[str, str]:
    runtime = Runtime(catalog, missing=catalog.toolsets, permission=People())
    return {tool: runtime.contract(tool) for tool in TOOLS}


@pytest.mark.parametrize(
    ("tool", "before", "after"), CHANGES, ids=[f"{tool} {after[:40]}" for tool, _, after in CHANGES]
)
def test_a_contract_is_of_a_tool_and_what_runs_it_without_policies_and_other_tools(
    tmp_path: Path, unchanged: Catalog, tool: str, before: str, after: str
) -> None:
    """By it an engine decides whether a planned call is of the same tool."""
    found = contracts(compiled(tmp_path, *SPECS.replace(before, after).split("---\n")))
    is_of_policy = "rules: " in before or before == "env: [PATH, TZ]"
    assert found.items() ^ contracts(unchanged).items() == (
        set() if is_of_policy else {(tool, found[tool]), (tool, contracts(unchanged)[tool])}
    )


@pytest.mark.parametrize("more", HARMLESS, ids=["rebuilt", "another tool", "approvers of another tool"])
def test_a_grant_holds_for_a_tool_that_was_built_again_while_others_change(
    tmp_path: Path, unchanged: Catalog, more: str
) -> None:
    grants = MemoryGrants()
    asked_by(unchanged, grants, *TOOLS)
    texts = SPECS
    if more:
        texts = texts.replace("description: Other.", "description: Changed.").replace("Commands.", "Programs.")
        texts = texts.replace("http: {method: POST, path: /other}", "http: {method: POST, path: /another}")
        texts = texts.replace("other: {description: Changed., args: {}}", "third: {description: Third., args: {}}")
    built = compiled(tmp_path, *(each for each in (*texts.split("---\n"), more) if each))
    assert asked_by(built, grants, *TOOLS) == []
    assert contracts(built) == contracts(unchanged)


def test_calls_of_a_turn_ask_about_a_tool_that_has_changed() -> None:
    grants, people = MemoryGrants(), People()

    async def turn(catalog: Catalog) -> None:
        runtime = Runtime(catalog, permission=people)
        run = runtime.start_run(session=Session(grants=grants))
        calls = [ToolRequest(name="own.tool", payload='{"word": "home"}') for _ in range(3)]
        assert all(result.error is None for result in await runtime.turn(calls, run=run))

    access = {"access": {"scope": ["word"]}}
    for description, asked in (("x", 1), ("x", 1), ("y", 2), ("y", 2)):
        asyncio.run(turn(catalog_of(metadata=access, description=description)))
        assert len(people.requests) == asked


def test_a_grant_is_for_what_the_host_passes(tmp_path: Path, unchanged: Catalog) -> None:
    """Its handler, its server, the API that its executor names, and the folder of its project."""

    def erase(_args: Any, _meta: Any) -> str:
        return ""

    def preview(url: str) -> ToolsetRegistration:
        def sent(_ident: str, args: Any) -> str:
            return f"POST {url}/{args.get('word', '{word}')}"

        return ToolsetRegistration(toolset="shop.api", executor=Answers(), preview=sent)

    server = McpServer(http="https://own.example.net/mcp")
    of_host = [
        (ERASE, [ToolsetRegistration(toolset="shop", handlers={ERASE: erase, "shop.other": erase})]),
        (ERASE, [ToolsetRegistration(toolset="shop", executor=Answers(), hosts={ERASE: ("a.example",)})]),
        (SEND, [mcp_executor(unchanged, "mcp.remote", McpHost(environment={}), server=server)]),
        (REFUND, [preview("https://api.shop.example/v1")]),
        (REFUND, [preview("https://api.shop.example/v2")]),
        (REFUND, [ToolsetRegistration(toolset="shop.api", executor=Answers(), hosts={REFUND: ("a.example",)})]),
    ]
    grants = MemoryGrants()
    asked_by(unchanged, grants, *TOOLS)
    for tool, own in of_host:
        assert asked_by(unchanged, grants, tool, own=own) == [tool]
        assert asked_by(unchanged, grants, tool, own=own) == []
    for name in ("one", "two"):
        (tmp_path / name / "sub").mkdir(parents=True)
        assert asked_by(unchanged, grants, COUNT, ERASE, project=tmp_path / name) == [COUNT]
    assert asked_by(unchanged, grants, *TOOLS) == []


def test_a_preview_that_needs_args_keeps_no_grant_from_holding(unchanged: Catalog) -> None:
    def sent(_ident: str, args: Any) -> str:
        return str(args["word"])

    grants, own = MemoryGrants(), [ToolsetRegistration(toolset="shop.api", executor=Answers(), preview=sent)]
    assert asked_by(unchanged, grants, REFUND, own=own) == [REFUND]
    assert asked_by(unchanged, grants, REFUND, own=own) == []


def test_a_grant_is_of_a_registered_tool_as_it_was_registered() -> None:
    access = {"access": {"scope": ["word"]}}
    facts: list[dict[str, Any]] = [
        {"description": "x"},
        {"description": "y"},
        {"description": "x", "tags": {"dangerous", "filesystem"}},
        {"description": "x", "input_schema": {"type": "object", "properties": {"word": {}}}},
        {"description": "x", "metadata": {**access, "own": {1: "odd", "a": object()}}},
        {"description": "x", "metadata": {**access, "own": {1: "other", "a": object()}}},
    ]
    grants = MemoryGrants()
    for expected in (["own.tool"], []):
        for each in facts:
            assert asked_by(catalog_of(**{"metadata": access, **each}), grants, "own.tool") == expected
    catalog = add(catalog_of(metadata=access, description="x"), must_not_run, "own.other")
    assert asked_by(catalog, grants, "own.tool") == []


PROGRAM = """
import sys
from pathlib import Path
from tests.unit.runtime.policy.grants.test_terms import TOOLS, asked_in
sys.path.insert(0, sys.argv[1])
print(asked_in(Path(sys.argv[2]), sys.argv[3], *TOOLS))
"""


def asked_in(file: Path, package: str, *tools: str) -> str:
    with closing(SqliteGrants(file)) as stored:
        return json.dumps(asked_by(load(package), stored.of("ann", "s1"), *tools))


@pytest.mark.slow
def test_a_stored_grant_holds_in_another_process_until_the_tool_changes(tmp_path: Path) -> None:
    def asked(package: str, seed: str) -> Any:
        command = [sys.executable, "-c", PROGRAM, str(tmp_path), str(tmp_path / "grants.db"), package]
        ran = subprocess.run(
            command, env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)}, check=True, capture_output=True
        )
        return json.loads(ran.stdout)

    before = compiled(tmp_path, *SPECS.split("---\n"))
    after = compiled(tmp_path, *SPECS.replace("tags: [filesystem]", "tags: [filesystem, dangerous]").split("---\n"))
    assert asked(before.package, "1") == [*TOOLS]
    assert asked(before.package, "2") == []
    assert asked(after.package, "3") == [ERASE]
