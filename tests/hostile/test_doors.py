"""Doors: every way to make a call and to be shown tools. All policies are in force at each, with the same decisions."""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import sys
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

import pytest
from agents.tool_context import ToolContext as OpenAiContext
from fastmcp import Client as FastMcpClient
from fastmcp import FastMCP
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types import ElicitResult
from pydantic_ai import Agent
from pydantic_ai.models.test import TestModel

from tests.project.checkout import ROOT
from tests.unit.cli.command_line import toolgen
from tests.unit.cli.forked_python import forked_python
from tests.unit.engine.engines import until
from toolgen.adapters import fastmcp, langchain, openai_agents, pydantic_ai
from toolgen.adapters.bridge import Bridge
from toolgen.agents import Message, ScriptedPlanner, run_agent
from toolgen.contract.records import ToolRequest
from toolgen.engine import EngineHost, LocalEngine, RunRequest
from toolgen.engine.calls import run_by_workers
from toolgen.engine.dbos import DbosEngine, DbosWorker, database_url, prepare_database
from toolgen.engine.protocol import NotApprover
from toolgen.llm import ToolUse, ToolUseConfig
from toolgen.llm.tags import TagRegistry, ToolContext
from toolgen.llm.tool_use import RunOps
from toolgen.providers.protocol import ModelReply
from toolgen.runtime import Catalog, Runtime, load
from toolgen.runtime.policy.approval import ask_before_call
from toolgen.runtime.policy.permission import Decision, PermissionDecision, PermissionRequest
from toolgen.serve import mcp_server
from toolgen.spec.tool_use import LAYERS
from toolgen.toolsets.actions import ActionTools

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
    from pathlib import Path

    from toolgen.agents.planner import Planner
    from toolgen.runtime.runs.run import Run
    from toolgen.spec.tool_use import PresentationName

    Make = Callable[[str], Awaitable[object]]
    Door = Callable[["World"], "AsyncIterator[Make]"]

pytestmark = pytest.mark.xdist_group("doors")

PACKAGE: Final = "doors_package"

DECISIONS: Final = {
    "look": "ran",  # readonly, without a rule
    "add": "ran",  # a write that a policy allows
    "note": "asked",  # a write without a rule
    "mail": "asked",  # a read that a policy asks about
    "send": "asked",  # a read with a question of its own
    "wipe": "asked",  # a dangerous read that a policy allows
    "visit": "asked",  # a network tool, whose host no policy names
    "pay": "asked in vain",  # only someone with a role may allow it, and nobody at these doors has that
    "burn": "refused",  # a policy denies it
    "hide": "refused",  # the other policy excludes it
    "remote": "refused",  # a network tool, whose host the other policy denies
    "slow": "timed out",  # the policy has a timeout
}
"""The tools of the desk, and what the two policies decide about a call of each."""

OFFERED: Final = {"look", "add", "note", "mail", "send", "wipe", "visit", "pay", "slow", "delegate"}

_TOOLS: Final = {
    "look": "permission: readonly",
    "add": "permission: write",
    "note": "permission: write",
    "mail": "permission: readonly",
    "send": "permission: readonly, confirm: Send it?",
    "wipe": "permission: readonly, tags: [dangerous]",
    "visit": "permission: readonly, access: {hosts: other.example}",
    "pay": "permission: readonly",
    "burn": "permission: readonly",
    "hide": "permission: readonly",
    "remote": "permission: readonly, access: {hosts: api.evil.example}",
    "slow": "permission: readonly",
}

_TAGGED: Final = (
    "  {name}: {{description: The {name} of the desk., args: {{word: string}}, result: string, "
    "tag: {{prefix: {prefix}}}, {fields}}}\n"
)

_SPECS: Final = {
    "desk.yaml": "toolgen: 1\ntoolset: desk\ndescription: A desk.\ntools:\n"
    + "".join(_TAGGED.format(name=name, prefix=name.upper(), fields=fields) for name, fields in _TOOLS.items())
    + "  delegate: {description: Let another one at the desk do it., permission: readonly, tags: [agent], "
    "args: {tool: string}, result: string}\n",
    "goods.yaml": "toolgen: 1\ncatalog: goods\nfrom: desk\ncategories:\n  desk:\n    description: The desk.\n"
    f"    actions: {{{', '.join(f'{name}: {name}' for name in (*_TOOLS, 'delegate'))}}}\n",
    "clerk.yaml": 'toolgen: 1\nagent: clerk\nuse: [desk, "actions.*"]\n',
    "helper.yaml": "toolgen: 1\nagent: helper\nrole: sub\nuse: [desk]\n",
    "team.yaml": "toolgen: 1\npolicy: team\nrules: {desk.add: allow, desk.mail: ask, desk.wipe: allow, desk.pay: ask, "
    "desk.burn: deny}\n"
    "approvers: {desk.pay: {roles: [finance]}}\nlimits: {timeout_ms: 500}\n",
    "strict.yaml": "toolgen: 1\npolicy: strict\nrules: {desk.hide: exclude}\n"
    'network: {"*.evil.example": deny}\nlimits: {timeout_ms: 0}\n',
}

_APP: Final = """\
import asyncio
from pathlib import Path

from toolgen.contract.records import ToolRequest
from toolgen.runtime.runs.children import start_child

MARKS = Path(__file__).parent / "marks"


def handler(name):
    async def run(self, args, meta):
        (MARKS / f"{name}.started").touch()
        if name == "slow":
            await asyncio.sleep(60)
        (MARKS / f"{name}.done").touch()
        return name
    return run


class Desk:
    for _name in NAMES:
        locals()[_name] = handler(_name)

    async def delegate(self, args, meta):
        child = start_child(meta, "helper")
        await child.turn([ToolRequest(name=f"desk.{args.tool}", payload='{"word": "x"}')])
        return "done"


desk = Desk()
"""


class World:
    """A built project, what ran in it, and which questions were asked."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.marks = folder / "marks"
        self.asked: list[str] = []

    def catalog(self) -> Catalog:
        return load(PACKAGE)

    def permit(self, request: PermissionRequest) -> Decision:
        """Allow, as a person who was asked."""
        self.asked.append(request.tool_name)
        return Decision.ALLOW_ONCE

    def runtime(self, catalog: Catalog | None = None, tool_use: ToolUse | None = None, **settings: Any) -> Runtime:
        catalog = catalog or self.catalog()
        desk = importlib.import_module("doors_app").desk
        tools = importlib.import_module(catalog.package_of("desk"))
        executors = [tools.executor(desk), ActionTools(tool_use or ToolUse(catalog)).registration()]
        return Runtime(catalog, executors=executors, **{"permission": self.permit, **settings})

    async def decide(self, door: Door) -> dict[str, str]:
        """Call each tool through a door, and return what came of it."""
        found: dict[str, str] = {}
        async with asynccontextmanager(door)(self) as make:
            for tool in DECISIONS:
                for mark in self.marks.iterdir():
                    mark.unlink()
                self.asked.clear()
                await make(tool)
                found[tool] = self._outcome(tool)
        return found

    def _outcome(self, tool: str) -> str:
        if self.asked:
            assert tool != "pay" or not (self.marks / "pay.started").exists()
            return "asked in vain" if tool == "pay" else "asked"
        if (self.marks / f"{tool}.done").exists():
            return "ran"
        return "timed out" if (self.marks / f"{tool}.started").exists() else "refused"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder = tmp_path_factory.mktemp("doors")
    (folder / "specs").mkdir()
    (folder / "marks").mkdir()
    for name, text in _SPECS.items():
        (folder / "specs" / name).write_text(text)
    (folder / "doors_app.py").write_text(_APP.replace("NAMES", repr(list(_TOOLS))))
    config = f'executors = {{"desk" = "doors_app:desk"}}\n[[targets]]\nout = "{PACKAGE}"\nbuiltin = ["actions"]\n'
    (folder / "toolgen.toml").write_text(config)
    built = toolgen(folder, "build")
    assert built.code == 0, built.err
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    yield World(folder)
    sys.path.remove(str(folder))


def request(tool: str) -> ToolRequest:
    return ToolRequest(name=f"desk.{tool}", payload='{"word": "x"}')


# Ways to make a call.


async def invoked(world: World) -> AsyncIterator[Make]:
    runtime = world.runtime()
    yield lambda tool: runtime.invoke(request(tool))


async def called_with_typed_args(world: World) -> AsyncIterator[Make]:
    runtime, desk = world.runtime(), importlib.import_module(f"{PACKAGE}.tools.desk")

    def make(tool: str) -> Awaitable[object]:
        return runtime.call(getattr(desk, tool.upper()), getattr(desk, f"{tool.title()}Args")(word="x"))

    yield make


async def in_a_run_of_all_tools(world: World) -> AsyncIterator[Make]:
    runtime = world.runtime()
    run = runtime.start_run()
    yield lambda tool: runtime.invoke(request(tool), run=run)


async def in_a_run_of_an_agent(world: World) -> AsyncIterator[Make]:
    runtime = world.runtime()
    run = runtime.start_run("clerk")
    yield lambda tool: runtime.invoke(request(tool), run=run)


async def in_a_turn(world: World) -> AsyncIterator[Make]:
    runtime = world.runtime()
    yield lambda tool: runtime.turn([request(tool)], runtime.start_run("clerk"))


async def asked_before_the_call(world: World) -> AsyncIterator[Make]:
    runtime = world.runtime(permission=ask_before_call)
    run = runtime.start_run("clerk")

    async def make(tool: str) -> None:
        question = await runtime.permission_request(request(tool), run)
        if question is not None:
            world.asked.append(question.tool_name)
        await runtime.invoke(request(tool), run=run)

    yield make


async def by_an_agent_that_a_call_starts(world: World) -> AsyncIterator[Make]:
    runtime = world.runtime()

    async def make(tool: str) -> None:
        payload = json.dumps({"tool": tool})
        await runtime.invoke(ToolRequest(name="desk.delegate", payload=payload), run=runtime.start_run("clerk"))

    yield make


async def by_an_agent(world: World) -> AsyncIterator[Make]:
    runtime = world.runtime()
    task = [Message(role="user", content="Go.")]
    yield lambda tool: run_agent(runtime, "clerk", task, ScriptedPlanner([request(tool)]))


def presented(name: PresentationName | None) -> Door:
    """Return the door of a conversation: by the name of a presentation, or None for tags."""

    async def door(world: World) -> AsyncIterator[Make]:
        catalog = world.catalog()
        tool_use = ToolUse(catalog, ToolUseConfig(presentations=dict.fromkeys(LAYERS, name or "enumerate-all")))
        runtime = world.runtime(catalog, tool_use)
        run = runtime.start_run("clerk")
        shown = tool_use.tags(run) if name is None else tool_use.presentation("chat", run)

        async def make(tool: str) -> None:
            native = ToolRequest(name=f"desk__{tool}", payload='{"word": "x"}')
            action = json.dumps({"action_name": f"desk__{tool}", "args": {"word": "x"}})
            reply = {
                None: ModelReply(text=f"{tool.upper()}: x"),
                "codeact": ModelReply(text=f'```python\nresult = desk__{tool}(word="x")\n```'),
                "universal-category": ModelReply(calls=(ToolRequest(name="invoke_action", payload=action),)),
            }.get(name, ModelReply(calls=(native,)))
            await shown.execute(shown.interpret(reply), RunOps(runtime, run))

        yield make

    return door


async def by_the_tag_registry(world: World) -> AsyncIterator[Make]:
    async for make in _by_a_tag_registry(world, TagRegistry(permission=world.permit)):
        yield make


async def by_the_tag_registry_that_asks_nobody(world: World) -> AsyncIterator[Make]:
    async for make in _by_a_tag_registry(world, TagRegistry()):
        yield make


async def _by_a_tag_registry(world: World, registry: TagRegistry) -> AsyncIterator[Make]:
    desk = importlib.import_module("doors_app").desk

    def handler(name: str) -> Any:
        async def run(_context: ToolContext) -> Any:
            from toolgen.contract.records import ToolResult

            await getattr(desk, name)(None, None)
            return ToolResult(message=name)

        return run

    registry.register_compiled(world.catalog(), {name: handler(name) for name in _TOOLS})

    async def make(tool: str) -> None:
        with suppress(LookupError):
            context = ToolContext(user_message="", user="ann", chat_id=1, raw_arg="x")
            await registry.invoke(tool, context)

    yield make


async def in_langgraph(world: World) -> AsyncIterator[Make]:
    runtime = world.runtime()
    tools = {tool.name: tool for tool in langchain.tools(runtime, runtime.start_run("clerk"))}

    async def make(tool: str) -> None:
        if found := tools.get(f"desk__{tool}"):
            call = {"name": found.name, "args": {"word": "x"}, "id": "c", "type": "tool_call"}
            await found.ainvoke(call)

    yield make


async def in_openai_agents(world: World) -> AsyncIterator[Make]:
    runtime = world.runtime()
    tools: dict[str, Any] = {tool.name: tool for tool in openai_agents.tools(runtime, runtime.start_run("clerk"))}

    async def make(tool: str) -> None:
        if found := tools.get(f"desk__{tool}"):
            payload = '{"word": "x"}'
            context: Any = OpenAiContext(context=None, tool_name=found.name, tool_call_id="c", tool_arguments=payload)
            await found.on_invoke_tool(context, payload)

    yield make


async def in_pydantic_ai(world: World) -> AsyncIterator[Make]:
    runtime = world.runtime()
    run = runtime.start_run("clerk")

    async def make(tool: str) -> None:
        with suppress(Exception):  # it has no such tool, or the call failed
            model = TestModel(call_tools=[f"desk__{tool}"])
            await Agent(model, toolsets=[pydantic_ai.toolset(runtime, run)]).run("Go.")

    yield make


async def in_fastmcp(world: World) -> AsyncIterator[Make]:
    runtime = world.runtime()
    server: FastMCP[Any] = FastMCP("mine")
    fastmcp.add_tools(server, runtime, runtime.start_run("clerk"))
    async with FastMcpClient(server) as client:
        yield lambda tool: client.call_tool(f"desk__{tool}", {"word": "x"}, raise_on_error=False)


async def by_the_bridge_of_adapters(world: World) -> AsyncIterator[Make]:
    runtime = world.runtime()
    bridge: Bridge[None] = Bridge(runtime, runtime.start_run("clerk"))

    async def make(tool: str) -> None:
        await bridge.make(await bridge.read(f"desk__{tool}", '{"word": "x"}', "c", None))

    yield make


class FromTask:
    """A planner that calls the tool that the task names."""

    async def plan(self, messages: Any, tools: Any, meta: Any, /) -> Any:
        planner: Planner = ScriptedPlanner([request(messages[0].content)])
        return await planner.plan(messages, tools, meta)


async def _run_on(world: World, engine: Any, tool: str) -> None:
    run_id = await engine.start(RunRequest(agent="clerk", messages=(Message(role="user", content=tool),)))

    async def look() -> bool:
        for asked in await engine.approvals(run_id):
            world.asked.append(asked.question["tool"])
            try:
                await engine.decide(run_id, asked.id, PermissionDecision(decision=Decision.ALLOW_ONCE), by="ann")
            except NotApprover:
                await engine.cancel(run_id)
        return bool((await engine.info(run_id)).state in ("ended", "cancelled"))

    await until(look)


async def by_the_local_engine(world: World) -> AsyncIterator[Make]:
    engine = LocalEngine(EngineHost(world.runtime(permission=ask_before_call), FromTask()))
    yield lambda tool: _run_on(world, engine, tool)


async def by_a_worker(world: World) -> AsyncIterator[Make]:
    url = database_url(str(world.folder / "runs.sqlite"))
    prepare_database(url)
    async with DbosWorker(EngineHost(world.runtime(permission=ask_before_call), FromTask()), url, poll=0.02):
        engine = DbosEngine(url, poll=0.02)
        yield lambda tool: _run_on(world, engine, tool)
        await engine.close()


async def by_a_server(world: World) -> AsyncIterator[Make]:
    async def person(context: Any, params: Any) -> Any:  # the names are the client's
        world.asked.append("by the client")
        return ElicitResult(action="accept", content={"decision": "allow_once"})

    command = [forked_python(), "-m", "toolgen", "-C", str(world.folder), "serve", "--agent", "clerk"]
    parameters = StdioServerParameters(command=command[0], args=command[1:], env={"PYTHONPATH": str(ROOT)})
    async with Client(stdio_client(parameters), cache=None, elicitation_callback=person) as client:

        async def make(tool: str) -> None:
            with suppress(Exception):  # there is no such tool
                await client.call_tool(f"desk__{tool}", {"word": "x"})

        yield make


async def by_a_server_over_http(world: World) -> AsyncIterator[Make]:
    async def person(context: Any, params: Any) -> Any:  # the names are the client's
        world.asked.append("by the client")
        return ElicitResult(action="accept", content={"decision": "allow_once"})

    command = [forked_python(), "-m", "toolgen", "-C", str(world.folder), "serve", "--http", "0", "--agent", "clerk"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    server = await asyncio.create_subprocess_exec(*command, env=environment, stderr=asyncio.subprocess.PIPE)
    assert server.stderr is not None
    try:
        said = ""
        while " at http" not in said:
            line = await asyncio.wait_for(server.stderr.readline(), 60)
            assert line, said
            said += line.decode()
        async with Client(said.split(" at ")[1].strip(), cache=None, elicitation_callback=person) as client:

            async def make(tool: str) -> None:
                with suppress(Exception):  # there is no such tool
                    await client.call_tool(f"desk__{tool}", {"word": "x"})

            yield make
    finally:
        server.terminate()
        await server.wait()


async def by_a_call_with(world: World, *words: str) -> AsyncIterator[Make]:
    """Call with options that concern something else: none of them lifts a policy."""

    async def make(tool: str) -> None:
        command = ["call", f"desk.{tool}", '{"word": "x"}', *words]
        done = await asyncio.to_thread(toolgen, world.folder, *command)
        if "asks to run" in done.err:
            world.asked.append(tool)

    yield make


def by_a_call_for_a_user(world: World) -> AsyncIterator[Make]:
    return by_a_call_with(world, "--user", "ann", "--format", "json")


def by_a_call_that_asks_nobody(world: World) -> AsyncIterator[Make]:
    return by_a_call_with(world, "--yes")


async def by_a_replay(world: World) -> AsyncIterator[Make]:
    """A replay checks recorded calls and makes none."""

    async def make(tool: str) -> None:
        recorded = json.dumps({"tool": f"desk.{tool}", "arguments": {"word": "x"}})
        done = await asyncio.to_thread(toolgen, world.folder, "replay", "-", stdin=recorded + "\n")
        assert "1 call: 1 accepted" in done.out

    yield make


async def by_the_command_line(world: World) -> AsyncIterator[Make]:
    async def make(tool: str) -> None:
        done = await asyncio.to_thread(toolgen, world.folder, "call", f"desk.{tool}", '{"word": "x"}')
        if "asks to run" in done.err:
            world.asked.append(tool)

    yield make


ASKING: Final[list[Door]] = [
    invoked,
    called_with_typed_args,
    in_a_run_of_all_tools,
    in_a_run_of_an_agent,
    in_a_turn,
    asked_before_the_call,
    by_an_agent_that_a_call_starts,
    by_an_agent,
    in_langgraph,
    in_openai_agents,
    in_pydantic_ai,
    in_fastmcp,
    by_the_bridge_of_adapters,
    by_the_tag_registry,
    by_the_local_engine,
    by_a_worker,
]

KNOWING_WHO_ANSWERS: Final[list[Door]] = [
    by_a_server,
    by_a_server_over_http,
    by_the_command_line,
    by_a_call_for_a_user,
]


@pytest.mark.parametrize("door", ASKING, ids=lambda door: door.__name__)
def test_every_policy_is_in_force_at_every_door(world: World, door: Door) -> None:
    assert asyncio.run(world.decide(door)) == DECISIONS


@pytest.mark.parametrize("door", KNOWING_WHO_ANSWERS, ids=lambda door: door.__name__)
def test_every_policy_is_in_force_at_every_door_that_asks_only_who_may_answer(world: World, door: Door) -> None:
    assert asyncio.run(world.decide(door)) == {**DECISIONS, "pay": "refused"}


def test_a_call_that_asks_nobody_runs_what_policies_ask_about_and_nothing_that_they_deny(world: World) -> None:
    ran = {tool: "ran" if found == "asked" else found for tool, found in DECISIONS.items()}
    assert asyncio.run(world.decide(by_a_call_that_asks_nobody)) == {**ran, "pay": "refused"}


def test_a_replay_runs_nothing(world: World) -> None:
    assert asyncio.run(world.decide(by_a_replay)) == dict.fromkeys(DECISIONS, "refused")


@pytest.mark.parametrize("name", [None, "enumerate-all", "universal-category", "codeact"])
def test_every_policy_is_in_force_in_every_presentation(world: World, name: PresentationName | None) -> None:
    assert asyncio.run(world.decide(presented(name))) == DECISIONS


def test_a_tag_registry_without_a_person_runs_nothing_that_must_be_asked_about(world: World) -> None:
    refused = dict.fromkeys(["mail", "send", "wipe", "visit", "pay"], "refused")
    assert asyncio.run(world.decide(by_the_tag_registry_that_asks_nobody)) == {**DECISIONS, "note": "ran", **refused}


def test_policy_explain_says_what_is_decided(world: World) -> None:
    said = {
        tool: toolgen(world.folder, "policy", "explain", f"desk.{tool}", "--format", "json").json for tool in DECISIONS
    }
    assert {tool: answer["answer"] for tool, answer in said.items()} == {
        "look": "allow", "add": "allow", "note": "ask", "mail": "ask", "send": "ask", "wipe": "ask", "visit": "allow",
        "pay": "ask", "burn": "deny", "hide": "exclude", "remote": "deny", "slow": "allow",
    }  # fmt: skip


def test_a_policy_is_out_of_force_only_where_its_name_says_so(world: World) -> None:
    async def without_strict(world: World) -> AsyncIterator[Make]:
        runtime = world.runtime(disabled_policies=["strict"])
        yield lambda tool: runtime.invoke(request(tool))

    async def on_the_command_line(world: World) -> AsyncIterator[Make]:
        async def make(tool: str) -> None:
            call = ["call", f"desk.{tool}", '{"word": "x"}', "--disable-policy", "strict"]
            done = await asyncio.to_thread(toolgen, world.folder, *call)
            if "asks to run" in done.err:
                world.asked.append(tool)

        yield make

    for door, pay in ((without_strict, "asked in vain"), (on_the_command_line, "refused")):
        found = asyncio.run(world.decide(door))
        assert found == {**DECISIONS, "hide": "ran", "remote": "asked", "pay": pay}


# Ways to be shown tools.


def _surfaces(world: World) -> dict[str, set[str]]:
    """Return the names of tools at every surface, by the surface."""
    found: dict[str, set[str]] = {}
    catalog = world.catalog()

    def of(names: Any) -> set[str]:
        return {name for each in names if (name := str(each).rpartition("desk__")[2].rpartition("desk.")[2]) in _ALL}

    def shown(presentation: PresentationName) -> tuple[ToolUse, Runtime, Run]:
        tool_use = ToolUse(
            catalog,
            ToolUseConfig(embedding_class="lexical", presentations=dict.fromkeys(LAYERS, presentation)),
        )
        runtime = world.runtime(catalog, tool_use)
        return tool_use, runtime, runtime.start_run("clerk")

    async def collect() -> None:
        tool_use, runtime, run = shown("enumerate-all")
        found["enumerate-all"] = of(tool.name for tool in tool_use.presentation("chat", run).build_presentation().tools)
        conversation = tool_use.conversation("chat", runtime, run)
        tools: Any = conversation.request()["tools"]
        found["conversation"] = of(tool["function"]["name"] for tool in tools)
        found["candidates"] = of(tool_use.candidates(run))
        found["view of actions"] = of(tool_use.view(run).operations)
        prompt = tool_use.tags(run).build_presentation().prompt
        found["tags"] = {name for name in _ALL if f"{name.upper()}: " in prompt} | {"delegate"}
        found["codeact"] = {
            name
            for name in _ALL
            if f"def desk__{name}(" in shown("codeact")[0].presentation("chat", run).build_presentation().prompt
        }
        for way, asked, key in (
            ("list_actions", ToolRequest(name="list_actions", payload='{"category": ["desk"]}'), "items"),
            ("search_actions", ToolRequest(name="search_actions", payload='{"query": "desk", "limit": 20}'), "items"),
        ):
            tool_use, runtime, run = shown("universal-category")
            result = await runtime.invoke(ToolRequest(name=f"actions.{asked.name}", payload=asked.payload), run=run)
            assert result.success, result.error
            found[way] = of(each["qualified_name"] for each in json.loads(result.payload)[key])
        tool_use, runtime, run = shown("retrieval")
        payload = '{"query": "the desk or another one", "limit": 20}'
        result = await runtime.invoke(ToolRequest(name="actions.search_tools", payload=payload), run=run)
        assert result.success, result.error
        found["search_tools"] = of(each["name"] for each in json.loads(result.payload)["tools"])
        suggested = [
            await runtime.invoke(ToolRequest(name=f"desk.{name}x"), run=in_run)
            for name in _ALL
            for in_run in (None, run)
        ]
        hints = " ".join(each.error.hint for each in suggested if each.error is not None)
        found["suggestions"] = {name for name in _ALL if f"desk.{name}" in hints}
        seen: list[Any] = []

        class Looks:
            async def plan(self, messages: Any, tools: Any, meta: Any, /) -> Any:
                seen.append(tools)
                return await ScriptedPlanner().plan(messages, tools, meta)

        await run_agent(runtime, "clerk", [Message(role="user", content="Go.")], Looks())
        found["planner"] = of(seen[0])
        registry = TagRegistry()
        registry.register_compiled(catalog, dict.fromkeys(_TOOLS, _never))
        block = registry.prompt_block()
        found["tag registry"] = {name for name in _ALL if f"{name.upper()}: " in block} | {"delegate"}
        engine = LocalEngine(EngineHost(world.runtime(permission=ask_before_call), Looks()))
        await engine.result(await engine.start(RunRequest(agent="clerk", messages=(Message(role="user"),))), 20)
        found["planner on an engine"] = of(seen[1])
        found["langchain"] = of(tool.name for tool in langchain.tools(runtime, run))
        found["openai-agents"] = of(tool.name for tool in openai_agents.tools(runtime, run))
        model = TestModel(call_tools=[])
        await Agent(model, toolsets=[pydantic_ai.toolset(runtime, run)]).run("Go.")
        assert model.last_model_request_parameters is not None
        found["pydantic-ai"] = of(tool.name for tool in model.last_model_request_parameters.function_tools)
        server: FastMCP[Any] = FastMCP("mine")
        fastmcp.add_tools(server, runtime, run)
        async with FastMcpClient(server) as client:
            found["fastmcp"] = of(tool.name for tool in await client.list_tools())
        served = mcp_server(runtime, run)
        found["serve"] = {name for name in _ALL if served._tools.find(f"desk__{name}") is not None}
        by_workers = Runtime(catalog, executors=run_by_workers(catalog), permission=ask_before_call)
        offered = mcp_server(by_workers, by_workers.start_run("clerk"))
        found["serve for workers"] = {name for name in _ALL if offered._tools.find(f"desk__{name}") is not None}

    asyncio.run(collect())
    return found


_ALL: Final = (*_TOOLS, "delegate")


async def _never(_context: ToolContext) -> Any:
    raise AssertionError("it ran")


def test_reg_26_every_surface_offers_the_same_tools(world: World) -> None:
    found = _surfaces(world)
    assert len(found) == 19
    assert found == dict.fromkeys(found, OFFERED)
