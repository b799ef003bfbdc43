"""Requirements of the tool registry on names in policies, on bounds, and on how a turn goes on after a failure."""

from __future__ import annotations

import asyncio
import json
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest

from tests.compiler.specs import resolved, toolset
from tests.properties.package import imported
from tests.runtime.tools import add, call_now, catalog_of, code_of, must_not_run, runtime_of
from toolgen.contract.records import (
    ContentBlock,
    FailureKind,
    ToolCallMeta,
    ToolError,
    ToolRequest,
    ToolResult,
    ToolsetRegistration,
)
from toolgen.providers.table import PROVIDERS, provider, spelled
from toolgen.providers.wire_names import python_function_name
from toolgen.runtime import Catalog, Runtime, allow_all, deny_all, load
from toolgen.runtime.artifacts import Artifacts
from toolgen.runtime.effective import LeftOut
from toolgen.runtime.errors import CallFailed, CatalogError, ExecutorError, PermissionDenied
from toolgen.runtime.permission import Decision, PermissionRequest
from toolgen.runtime.run import Session
from toolgen.runtime.stores.memory import MemoryStore
from toolgen.toolsets.code import CodeTools

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from toolgen.runtime.run import Run

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
    """A package with these tools, and a policy `p` with these rules."""
    found = resolved(NOTES, ISSUES, ACTIONS, *agents, policy(rules=rules))
    assert not found.has_errors, found.messages
    with imported(found.catalog) as catalog:
        yield catalog


def agent(*use: str) -> str:
    return json.dumps({"toolgen": 1, "agent": "ann", "use": use})


def policy(**keys: Any) -> str:
    return json.dumps({"toolgen": 1, "policy": "p", **keys})


class Ran:
    """Runs all tools, and notes which."""

    def __init__(self) -> None:
        self.idents: list[str] = []

    def execute(self, request: ToolRequest, _meta: ToolCallMeta, /) -> Any:
        self.idents.append(request.name)
        return ToolResult(value=None)

    def of(self, catalog: Catalog, **settings: Any) -> Runtime:
        executors = [
            ToolsetRegistration(toolset=name, executor=self, decode_in_executor=True) for name in catalog.toolsets
        ]
        return Runtime(catalog, executors=executors, policies=["p"], **{"permission": allow_all, **settings})


PAYLOAD = {**dict.fromkeys(FORMS, "{}"), "team.notes.keep": '{"raw_arg": "x"}'}
FORMS_OF_TOOLS = [(ident, form) for ident, forms in FORMS.items() for form in forms]


@pytest.mark.parametrize(("ident", "form"), FORMS_OF_TOOLS)
@pytest.mark.parametrize(("answer", "code"), [("deny", "permission_denied"), ("exclude", "tool_not_available")])
def test_reg_05_a_restriction_in_any_form_of_a_name_blocks_every_form(
    ident: str, form: str, answer: str, code: str
) -> None:
    with notes({form: answer}) as catalog:
        ran = Ran()
        runtime = ran.of(catalog)
        names = {ident, *(spelled(ident, catalog.wire_name(ident), provider(name)) for name in PROVIDERS)}
        assert len(names) >= 2
        for run in (None, runtime.start_run()):
            codes = {name: code_of(call_now(runtime, name, PAYLOAD[ident], run=run)) for name in names}
            assert codes == dict.fromkeys(names, code)
        assert ran.idents == []


@pytest.mark.parametrize(("ident", "form"), FORMS_OF_TOOLS)
def test_reg_05_a_rule_that_asks_in_any_form_asks_about_every_form(ident: str, form: str) -> None:
    asked: list[str] = []

    def permission(request: PermissionRequest) -> Decision:
        asked.append(request.tool_name)
        return Decision.DENY

    with notes({form: "ask", "*": "allow"}) as catalog:
        runtime = Ran().of(catalog, permission=permission)
        for name in (ident, catalog.wire_name(ident)):
            assert code_of(call_now(runtime, name, PAYLOAD[ident])) == "permission_denied"
    assert asked == [ident, ident], "who is asked is told the canonical name"


@pytest.mark.parametrize(
    ("ident", "form"), [("team.notes.add", form) for form in ("team__notes__add", "note__add", "team.notes.add")]
)
def test_reg_05_a_permission_in_any_form_that_certainly_means_a_tool_is_one_for_it(ident: str, form: str) -> None:
    with notes({form: "allow"}, agent(form)) as catalog:
        runtime = Ran().of(catalog, permission=deny_all)
        run = runtime.start_run("ann", requested=[form])
        assert set(run.effective.tools) == {ident}
        assert run.effective.tools[ident].answer == "allow"


@pytest.mark.parametrize("form", ["old__keep", "issue__any", "issue__*", "team__notes__*", "mcp__*"])
def test_reg_05_a_permission_widens_to_nothing_that_a_name_only_may_mean(form: str) -> None:
    """An action with args of its own leads to a tool that takes others too."""
    with notes({form: "allow"}, agent(form)) as catalog:
        runtime = Ran().of(catalog, permission=deny_all)
        assert set(runtime.start_run("ann").effective.tools) == set()
        assert {judged.answer.value for judged in runtime.start_run().effective.tools.values()} <= {"ask", "allow"}
        assert runtime.start_run().effective.tools["team.notes.keep"].answer == "ask"


@pytest.mark.parametrize("answer", ["deny", "exclude", "ask"])
@pytest.mark.parametrize(
    "form", ["team.notes.ad", "team__note__add", "teams.*", "Team.notes.add", "team.notes", "x__*"]
)
@pytest.mark.parametrize("place", ["rules", "roles", "modes"])
def test_reg_05_a_restriction_of_nothing_is_an_error_where_a_runtime_is_made(
    answer: str, form: str, place: str
) -> None:
    with notes({}) as catalog:
        rules = {form: answer}
        said = {"p": {place: rules if place == "rules" else {"worker": rules}}}
        vars(catalog)["_document"] = {**vars(catalog)["_document"], "policies": said}
        if form == "team.notes":
            Ran().of(catalog)
            return
        with pytest.raises(CatalogError, match=rf"p\.{place}.*: {form.replace('*', '.')}.*no tool|none is called"):
            Ran().of(catalog)
        said["p"]["registered"] = [form]  # type: ignore[assignment]  # a list of names
        Ran().of(catalog)


@pytest.mark.parametrize("answer", ["deny", "exclude", "ask", "allow"])
def test_reg_05_a_restriction_of_nothing_is_a_compile_error_and_a_permission_a_warning(answer: str) -> None:
    specs = [toolset({"add": {}}, name="team.notes"), policy(rules={"team.notes.ad": answer})]
    assert resolved(*specs).codes == ["TG504" if answer == "allow" else "TG511"]
    assert resolved(specs[0], policy(rules={"team__notes__add": answer})).codes == []
    assert resolved(specs[0], policy(rules={"+dangerous": answer})).codes == ["TG504"], "tags are words that exist"
    assert resolved(specs[0], policy(rules={"host.x": answer}, registered=["host.*"])).codes == []


def test_reg_05_hooks_limits_and_the_record_know_the_canonical_name_alone() -> None:
    seen: list[str] = []

    class Hook:
        def pre_tool_use(self, call: Any, /) -> None:
            seen.append(call.tool_name)

        def post_tool_use(self, call: Any, _result: Any, /) -> None:
            seen.append(call.tool_name)

    store = MemoryStore()
    catalog = catalog_of(metadata={"limits": {"daily_limit": 2}})
    runtime = runtime_of(catalog, hooks=[Hook()], store=store)
    codes = [code_of(call_now(runtime, name)) for name in ("code.tool", "code__tool", "code.tool", "code__tool")]
    assert codes == ["ok", "ok", "rate_limited", "rate_limited"]
    assert set(seen) == {"code.tool"}

    async def tools() -> set[str]:
        (summary,) = await store.runs()
        return {event.tool for event in (await store.read(summary.run_id)).events}

    assert asyncio.run(tools()) == {"code.tool"}


# REG-50


def command(folder: Path, permission: Any, *, run: bool = False, **args: Any) -> ToolResult[Any]:
    (folder / "project" / "sub").mkdir(parents=True, exist_ok=True)
    (folder / "outside").mkdir(exist_ok=True)
    catalog = load("toolgen.toolsets.generated")
    runtime = Runtime(
        catalog,
        permission=permission,
        executors=[CodeTools(folder / "project").registration()],
        missing=catalog.toolsets,
        project=folder / "project",
    )
    payload = json.dumps({"argv": ["touch", "made"], **args})
    return call_now(runtime, "code.run_command", payload, run=runtime.start_run(session=Session()) if run else None)


@pytest.mark.parametrize(
    "args",
    [
        {"argv": "touch made"},
        {"argv": ["touch", 1]},
        {"argv": []},
        {"env": {"PATH": "/evil"}},
        {"shell": True},
        {"stdin": "x"},
    ],
)
def test_reg_50_a_command_is_an_argv_and_nothing_else(tmp_path: Path, args: dict[str, Any]) -> None:
    assert code_of(command(tmp_path, allow_all, **args)) == "validation_error"
    assert not list(tmp_path.rglob("made"))


@pytest.mark.parametrize("cwd", ["../outside", "..", "/", "~", "{outside}", "sub/../../outside", "to_outside"])
@pytest.mark.parametrize("in_run", [False, True])
@pytest.mark.parametrize("decision", [None, Decision.ALLOW_ONCE, Decision.ALLOW_FOR_SESSION])
def test_reg_50_outside_the_roots_no_permission_runs_a_command(
    tmp_path: Path, cwd: str, decision: Decision | None, *, in_run: bool
) -> None:
    asked: list[PermissionRequest] = []

    def permission(request: PermissionRequest) -> Any:
        asked.append(request)
        return decision

    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "to_outside").symlink_to(tmp_path / "outside")
    folder = cwd.format(outside=tmp_path / "outside")
    result = command(tmp_path, allow_all if decision is None else permission, run=in_run, cwd=folder)
    assert code_of(result) == "outside_roots"
    assert result.is_error
    assert asked == [], "nobody is asked for what nobody can allow"
    assert not list(tmp_path.rglob("made"))


def test_reg_50_a_command_needs_permission_each_time_and_runs_in_the_project(tmp_path: Path) -> None:
    assert code_of(command(tmp_path, deny_all)) == "permission_denied"
    assert code_of(command(tmp_path, lambda _request: Decision.DENY)) == "permission_denied"
    assert not list(tmp_path.rglob("made"))
    asked: list[PermissionRequest] = []

    def permission(request: PermissionRequest) -> Decision:
        asked.append(request)
        return Decision.ALLOW_ONCE

    assert code_of(command(tmp_path, permission)) == "ok"
    assert code_of(command(tmp_path, permission, cwd="sub")) == "ok"
    assert [path.relative_to(tmp_path / "project").as_posix() for path in sorted(tmp_path.rglob("made"))] == [
        "made",
        "sub/made",
    ]
    assert [(request.permission, request.dangerous, request.cwd) for request in asked] == [
        ("write", True, str(tmp_path / "project")),
        ("write", True, str(tmp_path / "project" / "sub")),
    ]


# REG-65

LARGE = 300_000
BOUND = 65_536
"""As section 7 of the spec language has it."""

SHOWN = BOUND + 1024
"""What is shown at most: the bound, and notes of where the rest is."""


def shown_bytes(result: ToolResult[Any]) -> int:
    return sum(
        len((data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)).encode())
        for data in shown(result)
    )


def shown(result: ToolResult[Any]) -> list[Any]:
    return [block.data for block in result.content]


def blocks_of(*data: Any) -> ToolResult[Any]:
    return ToolResult(value=1, blocks=tuple(ContentBlock(type="text", data=each) for each in data))


LARGE_RESULTS: dict[str, Callable[[], Any]] = {
    "text": lambda: "x" * LARGE,
    "json": lambda: {"rows": ["ä" * 10] * (LARGE // 10)},
    "a block": lambda: blocks_of("x" * LARGE),
    "many blocks": lambda: blocks_of(*["x" * 1000] * 1000),
    "very many empty blocks": lambda: blocks_of(*[""] * 100_000),
    "says that it is cut": lambda: ToolResult(value="x" * LARGE, metadata={"truncated": True}),
    "blocks that say that they are cut": lambda: replace(blocks_of("x" * LARGE), metadata={"truncated": True}),
    "a reference": lambda: ToolResult(value=1, blocks=(ContentBlock(type="artifact_ref", data="x" * LARGE),)),
    "a failure": lambda: replace(
        blocks_of("x" * LARGE), value=None, error=ToolError(message="no", kind=FailureKind.INTERNAL, code="no")
    ),
    "a long message": lambda: ToolError(message="x" * LARGE, kind=FailureKind.INTERNAL, code="no", hint="y" * LARGE),
}


@pytest.mark.parametrize("what", LARGE_RESULTS)
@pytest.mark.parametrize("observed", [False, True])
def test_reg_65_without_any_policy_no_handler_shows_more_than_the_bound(
    what: str, tmp_path: Path, *, observed: bool
) -> None:
    artifacts = Artifacts(tmp_path)
    settings: dict[str, Any] = {"artifacts": artifacts, **({"store": MemoryStore()} if observed else {})}
    result = call_now(runtime_of(catalog_of(lambda _args: LARGE_RESULTS[what]()), **settings))
    assert shown_bytes(result) <= SHOWN
    if what != "a long message":
        assert result.metadata["truncated"] is True
        assert "[cut: " in "".join(str(block.data) for block in result.content)
        refs = [block.data for block in result.content if block.type == "artifact_ref"]
        assert refs
        assert all(artifacts.get(ref).data for ref in refs)
    if what in ("text", "json"):
        whole = artifacts.get(result.content[-1].data).data
        assert (whole.decode() if what == "text" else json.loads(whole)) == LARGE_RESULTS[what]()
        assert result.value == LARGE_RESULTS[what](), "a program has all of it"


def large(size: int, _args: Any) -> str:
    return "x" * size


def test_reg_65_the_bound_is_on_the_byte_and_small_results_are_left_as_they_are() -> None:
    for size, is_cut in ((BOUND - 2, False), (BOUND, False), (BOUND + 1, True)):
        result = call_now(runtime_of(catalog_of(partial(large, size))))
        assert ("truncated" in result.metadata) is is_cut
    own = blocks_of("one", "two")
    assert call_now(runtime_of(catalog_of(lambda _args: own))).content == own.blocks


def test_reg_65_read_file_shows_what_it_was_asked_for(tmp_path: Path) -> None:
    """The file is its own artifact, and the tool reads by lines."""
    (tmp_path / "long.txt").write_text("x" * 999 + "\n" + ("y" * 99 + "\n") * 5000)
    catalog = load("toolgen.toolsets.generated")
    tools = CodeTools(tmp_path).registration()
    runtime = Runtime(catalog, permission=allow_all, executors=[tools], missing=catalog.toolsets, project=tmp_path)
    result = call_now(runtime, "code.read_file", json.dumps({"path": "long.txt", "max_lines": 1000}))
    assert shown_bytes(result) > SHOWN
    assert "truncated" not in result.metadata
    bounded = {
        ident for ident in catalog if catalog.definition(ident).metadata.get("limits", {}).get("result_bytes") == 0
    }
    assert bounded == {"code.read_file"}, "all tools but one are bounded"


# REG-69, 71


def run_of(runtime: Runtime, **meta: Any) -> Run:
    return runtime.start_run(meta=ToolCallMeta(user="ann", run_id="r1", **meta))


def test_reg_69_a_turn_ends_with_its_last_call_and_leaves_nothing_in_the_background() -> None:
    ended: list[str] = []

    async def check() -> None:
        def handler(name: str, seconds: float) -> Callable[[Any], Any]:
            async def wait(_args: Any) -> str:
                await asyncio.sleep(seconds)
                ended.append(name)
                if name == "t.fails":
                    raise ValueError("broken")
                return name

            return wait

        catalog = Catalog()
        for name, seconds in (("t.slow", 0.05), ("t.fails", 0.0), ("t.quick", 0.001)):
            add(catalog, handler(name, seconds), name, permission="readonly")
        runtime = runtime_of(catalog)
        names = ["t.slow", "t.fails", "t.quick", "t.slow"]
        results = await runtime.turn([ToolRequest(name=name) for name in names], run_of(runtime))
        assert sorted(ended) == sorted(names), "the next request of the model comes after the last result"
        assert [code_of(result) for result in results] == ["ok", "handler_error", "ok", "ok"]
        assert [task for task in asyncio.all_tasks() if task is not asyncio.current_task()] == []

    asyncio.run(check())


def test_reg_71_an_aborted_call_has_all_fields_and_a_large_part_becomes_an_artifact(tmp_path: Path) -> None:
    async def check() -> None:
        store, begun, artifacts = MemoryStore(), asyncio.Event(), Artifacts(tmp_path)

        async def handler(_args: Any, meta: ToolCallMeta) -> None:
            for number in range(100):
                meta.report({"row": number, "text": "x" * 10_000})
            begun.set()
            await asyncio.sleep(60)

        catalog = add(catalog_of(handler), must_not_run, "code.later")
        runtime = runtime_of(catalog, store=store, artifacts=artifacts)
        run = run_of(runtime)
        calls = [ToolRequest(name="code.tool", tool_call_id="c1"), ToolRequest(name="code.later", tool_call_id="c2")]
        turn = asyncio.ensure_future(runtime.turn(calls, run))
        await begun.wait()
        run.abort("the user pressed stop")
        first, second = await turn
        await runtime.end_run(run)

        assert (first.is_error, second.is_error) == (True, True)
        assert first.metadata == {
            "aborted": True, "partial": True, "abort_reason": "the user pressed stop", "truncated": True,
        }  # fmt: skip
        assert second.metadata == {"aborted": True, "partial": False, "abort_reason": "the user pressed stop"}
        assert shown_bytes(first) <= SHOWN
        assert "[cut: " in first.content[1].data
        kept = json.loads(artifacts.get(first.content[2].data).data)
        assert [report["row"] for report in kept["partial"]] == list(range(100))

        record = await store.read("r1")
        ends = [(event.tool_call_id, event.data) for event in record.events if event.kind == "tool_failed"]
        assert [(call_id, data["code"]) for call_id, data in ends] == [("c1", "aborted"), ("c2", "aborted")]
        assert [result.content["error"]["code"] for result in record.results] == ["aborted"] * 2
        assert record.events[-1].data == {"end_reason": "aborted_tools"}

    asyncio.run(check())


# REG-82, 83: what a handler says of its failure is no decision of anybody's


def saying(code: str, kind: FailureKind = FailureKind.PERMISSION_DENIED) -> dict[str, Callable[[Any], Any]]:
    """Handlers that fail in words of the runtime's own."""
    error = ToolError(message="no", kind=kind, code=code)

    def raises(_args: Any) -> Any:
        raise CallFailed(kind, code, "no")

    def raises_its_own(_args: Any) -> Any:
        raise PermissionDenied("t.w", "no")

    return {
        "error": lambda _args: error,
        "result": lambda _args: ToolResult(error=error.caused_by(PermissionDenied("t.w", "no"))),
        "raised": raises,
        "its own": raises_its_own,
    }


CODES = ("permission_denied", "hook_denied", "tool_not_available", "aborted", "skipped")
HOWS = ("error", "result", "raised", "its own")


def turn_codes(
    tools: Mapping[str, Callable[[Any], Any]], names: list[str], *, may_continue: bool = False, **settings: Any
) -> tuple[list[str], list[str]]:
    """The codes of a turn, and which handlers ran. `r…` reads and `w…` writes."""
    ran: list[str] = []

    def noting(name: str) -> Callable[[Any], Any]:
        def handler(args: Any) -> Any:
            ran.append(name)
            return tools[name](args) if name in tools else "ran"

        return handler

    catalog = Catalog()
    for name in dict.fromkeys(names):
        add(catalog, noting(name), f"t.{name}", permission="readonly" if name[0] == "r" else "write")
    runtime = runtime_of(catalog, **settings)
    vars(runtime)["_host"].policies.may_continue = may_continue

    async def whole() -> list[str]:
        run = run_of(runtime)
        results = await runtime.turn([ToolRequest(name=f"t.{name}") for name in names], run)
        assert run.progress.denied == {}
        return [code_of(result) for result in results]

    return asyncio.run(whole()), ran


@pytest.mark.parametrize("may_continue", [False, True])
@pytest.mark.parametrize(("code", "how"), list(product(CODES, HOWS)))
def test_reg_82_after_a_read_that_failed_the_rest_runs_whatever_it_says(
    code: str, how: str, *, may_continue: bool
) -> None:
    codes, ran = turn_codes({"r1": saying(code)[how]}, ["r1", "r2", "w1", "r3"], may_continue=may_continue)
    assert codes == ["handler_error" if how == "its own" else code, "ok", "ok", "ok"]
    assert ran == ["r1", "r2", "w1", "r3"]


@pytest.mark.parametrize("may_continue", [False, True])
@pytest.mark.parametrize(("code", "how"), list(product(CODES, HOWS)))
def test_reg_83_after_a_write_that_failed_nothing_runs_whatever_it_says(
    code: str, how: str, *, may_continue: bool
) -> None:
    codes, ran = turn_codes({"w1": saying(code)[how]}, ["r1", "w1", "r2", "w2"], may_continue=may_continue)
    assert codes == ["ok", "handler_error" if how == "its own" else code, "skipped", "skipped"]
    assert ran == ["r1", "w1"]


@pytest.mark.parametrize(("may_continue", "after"), [(False, ["skipped"] * 2), (True, ["ok", "skipped"])])
def test_reg_83_97_a_denial_of_permission_stops_writes_and_reads_go_on_only_where_the_policy_says_so(
    after: list[str], *, may_continue: bool
) -> None:
    codes, ran = turn_codes(
        {}, ["r1", "w1", "r2", "w2"], may_continue=may_continue, permission=lambda _request: Decision.DENY
    )
    assert codes == ["ok", "permission_denied", *after]
    assert ran == (["r1", "r2"] if may_continue else ["r1"])


def test_the_record_calls_denied_what_was_denied_and_not_what_ran_and_says_so() -> None:
    store = MemoryStore()
    catalog = add(catalog_of(saying("permission_denied")["raised"]), must_not_run, "code.denied")

    def permission(request: PermissionRequest) -> Decision:
        return Decision.DENY if request.tool_name == "code.denied" else Decision.ALLOW_ONCE

    async def kinds() -> list[str]:
        runtime = runtime_of(catalog, permission=permission, store=store)
        for name in ("code.tool", "code.denied"):
            result = await runtime.invoke(ToolRequest(name=name), meta=ToolCallMeta(run_id="r1"))
            assert code_of(result) == "permission_denied"
        return [event.kind for event in (await store.read("r1")).events]

    assert asyncio.run(kinds()) == ["tool_started", "tool_failed", "tool_denied"]


# What runs nowhere


def test_a_runtime_names_the_toolsets_that_nothing_runs() -> None:
    with notes({}) as catalog:
        ran = Ran()
        of_notes = ToolsetRegistration(toolset="team.notes", executor=ran)
        with pytest.raises(
            ExecutorError, match=r"nothing runs the toolsets mcp\.issues, team\.notes: give `executors`"
        ):
            Runtime(catalog, permission=allow_all)
        with pytest.raises(ExecutorError, match=r"nothing runs the toolset mcp\.issues: .*missing=\['mcp\.issues'\]"):
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
        assert run.effective.left_out == {"mcp.issues.close_issue": LeftOut.NO_EXECUTOR}
        assert code_of(call_now(runtime, "mcp.issues.close_issue", run=run)) == "tool_not_available"
        assert code_of(call_now(runtime, "mcp.issues.close_issue")) == "no_executor"
        assert ran.idents == []


def test_a_toolset_without_a_tool_needs_nothing_that_runs_it() -> None:
    catalog = load("generated")
    empty = [name for name, tools in catalog.toolsets.items() if not tools]
    vars(catalog)["toolsets"] = dict.fromkeys(catalog.toolsets, ())
    assert empty == []
    Runtime(catalog, permission=allow_all)


# One question for one scope


def asking(decisions: list[Any], values: list[Any], *, turn: bool = True, **settings: Any) -> tuple[list[str], int]:
    """Calls of one turn that name a resource; the codes, and how often a person was asked."""
    asked: list[PermissionRequest] = []

    async def permission(request: PermissionRequest) -> Any:
        asked.append(request)
        decision = decisions[min(len(asked), len(decisions)) - 1]
        await asyncio.sleep(10 if decision == "late" else 0.001)
        return decision

    schema = {"type": "object", "properties": {"key": {"description": "Anything."}}}
    catalog = catalog_of(
        permission="readonly", tags={"dangerous"}, input_schema=schema, metadata={"access": {"scope": ["key"]}}
    )
    runtime = runtime_of(catalog, permission=permission, **settings)

    async def whole() -> list[str]:
        run = run_of(runtime)
        requests = [ToolRequest(name="code.tool", payload=json.dumps({"key": value})) for value in values]
        results = (
            await runtime.turn(requests, run) if turn else [await runtime.invoke(each, run=run) for each in requests]
        )
        assert run.session.asking == {}
        return [code_of(result) for result in results]

    return asyncio.run(whole()), len(asked)


SESSION, ONCE, DENY = Decision.ALLOW_FOR_SESSION, Decision.ALLOW_ONCE, Decision.DENY


@pytest.mark.parametrize(
    ("decisions", "codes", "asked"),
    [
        ([SESSION], ["ok"] * 4, 1),
        ([ONCE], ["ok"] * 4, 4),
        ([ONCE, SESSION], ["ok"] * 4, 2),
        ([DENY], ["permission_denied"] * 4, 4),
        ([DENY, ONCE, SESSION], ["permission_denied", "ok", "ok", "ok"], 3),
        (["broken"], ["permission_denied"] * 4, 4),
    ],
)
def test_reg_88_89_calls_of_a_turn_that_ask_for_the_same_ask_once_where_the_answer_is_for_the_session(
    decisions: list[Any], codes: list[str], asked: int
) -> None:
    assert asking(decisions, ["one"] * 4) == (codes, asked)


def test_reg_96_a_question_that_nobody_answered_is_not_asked_again_for_those_who_waited() -> None:
    assert asking(["late"], ["one"] * 3, permission_timeout=0.01) == (["permission_denied"] * 3, 1)


def test_reg_88_calls_of_a_turn_that_ask_for_others_ask_each() -> None:
    assert asking([SESSION], ["one", "two", "one", None, None]) == (["ok"] * 5, 4)


VALUES: list[Any] = ["1", 1, ["1"], True, "True", "true", [1], {"a": 1}, '{"a":1}', False, 0, "", [], [[]], {"a": "1"}]


@pytest.mark.parametrize("turn", [False, True])
def test_reg_88_a_grant_is_for_one_json_value(*, turn: bool) -> None:
    assert asking([SESSION], VALUES, turn=turn) == (["ok"] * len(VALUES), len(VALUES))
    assert asking([SESSION], [1, 1.0, {"a": [2.0]}, {"a": [2]}], turn=turn) == (["ok"] * 4, 2)


@pytest.mark.parametrize("key", ["read", "write", "cwd"])
@pytest.mark.parametrize("value", [1, True, {"path": "/etc/passwd"}, [["a"]], [1]])
def test_a_path_that_is_no_text_is_judged_by_nobody(key: str, value: Any) -> None:
    catalog = catalog_of(must_not_run, input_schema={"type": "object"}, metadata={"access": {key: ["path"]}})
    result = call_now(runtime_of(catalog), payload=json.dumps({"path": value}))
    assert code_of(result) == "invalid_path"
    assert result.error is not None
    assert "it is not a string" in result.error.message
