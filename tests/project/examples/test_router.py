"""The worked example of an action catalog: all its entries run on small data."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
from datetime import datetime, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generated.catalogs import universal
from specs.examples.router.app import Router
from specs.examples.router.handlers import stdio_servers
from specs.examples.router.handlers.commands import run_argv
from specs.examples.router.handlers.mcp_session import open_session
from specs.examples.router.handlers.ranking import rank
from specs.examples.router.handlers.site import text_of_html
from tests.project.checkout import ROOT
from tests.project.examples.entries import EVERY_ENTRY, SERVER, TARGET_CALLS
from tests.unit.cli.forked_python import forked_python
from toolgen.contract.records import FailureKind, ToolError, ToolRequest, ToolResult
from toolgen.execute.processes import MARK
from toolgen.runtime import Runtime, allow_all, deny_all, load
from toolgen.runtime.base.errors import CallFailed

if TYPE_CHECKING:
    from toolgen.runtime.policy.permission import PermissionCallback

EXPECTED_TEXT = {
    "skill__word_count": '{"words":3,"lines":2,"most_common":{"two":2,"one":1}}',
    "skill__table_total": '{"total":42.5,"mean":21.25,"counted":2}',
    "skill__date_span": '{"first":"2026-05-02","last":"2026-05-20","days":18}',
    "agent.peer__alice": "Release 4.2 is planned for 14 September",
    "agent.peer__bob": "12 a metre and night",
    "mcp__search_registry": '[{"name":"time","description":"Tells the time in any time zone."}]',
    "mcp__install_registry": '{"server":"text","tools":1}',
    "mcp__install_package": '{"server":"time","tools":1}',
    "mcp__install_local": '{"server":"clock","tools":1}',
    "mcp__list_servers": '["time","units"]',
    "mcp__list_tools": '"id":"time__get_current_time"',
    "mcp__call_tool": '"timezone":"UTC","datetime":"2',
    "mcp__drop_server": "null",
    "file__read": "The ferry leaves at 7:10.",
    "file__write": '{"bytes_written":5,"created":true}',
    "file__edit": '{"replacements":1,"created":false}',
    "file__list": '"path":"notes.md"',
    "file__delete": "null",
    "web__search": '[{"id":"http://harbour.example/ferry.html"',
    "web__fetch": "The ferry leaves Lunde at 7:10",
    "memory_entry__house_rules": "Answer in the language of the question.",
    "memory_entry__open_questions": "Who orders the part for the crane?",
    "memory_operation__remember_shared": '{"slug":"opening","layer":"shared","created":true}',
    "memory_operation__remember_agent": '{"slug":"todo","layer":"agent","created":true}',
    "memory_operation__forget": "null",
    "reyn_source__read": "# The router, an example",
    "reyn_source__list": '["docs/data.md","docs/overview.md"]',
    "rag_corpus__meetings": '[{"id":"meetings/2026-07.md#1"',
    "rag_corpus__handbook": '"id":"handbook/storm.md#1"',
    "rag_operation__recall": '"id":"meetings/2026-07.md#2"',
    "rag_operation__drop_source": "null",
    "exec__run": '{"exit_code":0,"stdout":"fine; ls $HOME\\n","stderr":""}',
}
"""Text that the JSON of each entry's result contains."""


def runtime_of(router: Router, permission: PermissionCallback = allow_all) -> Runtime:
    """Return a runtime without the policies of the other examples, so that what the handlers refuse is seen."""
    catalog = load("generated")
    return Runtime(
        catalog,
        executors=router.registrations,
        permission=permission,
        missing=catalog.toolsets,
        disabled_policies=list(catalog.section("policies")),
    )


def call(router: Router, ident: str, permission: PermissionCallback = allow_all, /, **args: Any) -> ToolResult[Any]:
    return asyncio.run(runtime_of(router, permission).invoke(ToolRequest(name=ident, payload=json.dumps(args))))


def value_of(result: ToolResult[Any]) -> Any:
    assert result.error is None, result.error
    return json.loads(result.payload)


def refused(result: ToolResult[Any], code: str) -> ToolError:
    assert result.error is not None
    assert (result.error.kind, result.error.code) == (FailureKind.DOMAIN_REJECTION, code)
    return result.error


@pytest.fixture
def router(tmp_path: Path) -> Router:
    return Router(tmp_path / "router")


@pytest.mark.parametrize("is_reversed", [False, True])
def test_every_entry_is_called_on_one_router_in_any_order(is_reversed: bool, router: Router) -> None:
    runtime = runtime_of(router)

    async def all_results() -> dict[str, ToolResult[Any]]:
        requests = {
            name: ToolRequest(name=ident, payload=json.dumps(args)) for name, (ident, args) in TARGET_CALLS.items()
        }
        return {name: await runtime.invoke(requests[name]) for name in sorted(requests, reverse=is_reversed)}

    results = asyncio.run(all_results())
    changed = {"mcp__list_servers", "file__read"}  # by the calls before it
    for name in results.keys() - changed:
        assert results[name].error is None, (name, results[name].error)
        assert EXPECTED_TEXT[name] in results[name].payload.decode(), name


@pytest.mark.parametrize("name", ["mcp__list_servers", "file__read"])
def test_records_that_other_entries_change_exist_from_the_start(name: str, router: Router) -> None:
    ident, args = TARGET_CALLS[name]
    assert EXPECTED_TEXT[name] in call(router, ident, **args).payload.decode()


def test_uac_08_every_operation_of_the_catalog_has_a_call_and_so_has_every_kind_of_resource(router: Router) -> None:
    operations = {name for name in EVERY_ENTRY if name in universal.OPERATION_RULES}
    assert operations == universal.OPERATION_RULES.keys()
    assert {name.partition("__")[0] for name in EVERY_ENTRY.keys() - operations} == universal.RESOURCE_RULES.keys()
    assert router.resources.keys() == universal.RESOURCE_RULES.keys()
    assert EVERY_ENTRY.keys() == TARGET_CALLS.keys() == EXPECTED_TEXT.keys()


@pytest.mark.parametrize("name", EVERY_ENTRY)
def test_uac_41_an_entry_leads_to_its_call(name: str) -> None:
    action = universal.TABLES.resolve(name, EVERY_ENTRY[name])
    assert (action.target_tool_name, dict(action.target_args)) == TARGET_CALLS[name]


def test_resources_are_listed_as_they_currently_are(router: Router) -> None:
    def names(category: str) -> list[str]:
        return [name for name, _ in router.resources[category]()]

    assert names("skill") == ["word_count", "table_total", "date_span"]
    assert dict(router.resources["agent.peer"]())["alice"] == "Keeps the calendar of releases."
    assert dict(router.resources["rag_corpus"]())["meetings"] == "Minutes of the meetings of the harbour board."
    assert dict(router.resources["memory_entry"]())["house_rules"] == "Answer in the language of the question."

    call(router, "router.remember_agent", slug="todo", body="")
    call(router, "router.forget", slug="old_address", layer="shared")
    call(router, "router.drop_source", source="drafts")
    assert names("memory_entry") == ["house_rules", "open_questions", "todo"]
    assert names("rag_corpus") == ["handbook", "meetings"]


# Skills and peers


def test_an_unknown_skill_is_refused_with_similar_names(router: Router) -> None:
    error = refused(call(router, "router.invoke_skill", name="word_counts", input={}), "skill_not_found")
    assert (error.message, error.hint) == ("there is no skill 'word_counts'", "did you mean word_count?")


def test_a_skill_declares_its_input(router: Router) -> None:
    error = refused(call(router, "router.invoke_skill", name="date_span", input={"dates": ["May"]}), "input_refused")
    assert "dates.0: Input should be a valid date" in error.message
    assert error.hint == "the input is an object with dates"
    error = refused(call(router, "router.invoke_skill", name="word_count", input="a b"), "input_refused")
    assert "input: Input should be" in error.message


def test_a_table_without_numbers_has_no_total(router: Router) -> None:
    table = {"rows": [{"item": "rope", "paid": True}], "column": "paid"}
    error = refused(call(router, "router.invoke_skill", name="table_total", input=table), "column_without_numbers")
    assert error.hint == "the columns are item, paid"


def test_a_peer_answers_from_what_it_knows(router: Router) -> None:
    freeze = value_of(call(router, "router.delegate_to_agent", to="alice", request="What does freeze mean?"))
    assert freeze == {"peer": "alice", "answer": "From the cut of the branch on, only fixes are merged."}
    other = value_of(call(router, "router.delegate_to_agent", to="alice", request="Wozu?"))
    assert other["answer"] == "I know nothing of that. Ask me about: next release, release freeze, last release."
    error = refused(call(router, "router.delegate_to_agent", to="alicia", request="Hi"), "agent_not_found")
    assert error.hint == "did you mean alice?"


# Memory


def test_an_agent_reads_its_own_record_before_the_shared_one(tmp_path: Path) -> None:
    mine, other = Router(tmp_path / "r", agent="ann"), Router(tmp_path / "r", agent="ben")
    call(mine, "router.remember_shared", slug="greeting", body="Hello.")
    assert value_of(call(mine, "router.read_memory_body", slug="greeting")) == "Hello."
    call(mine, "router.remember_agent", slug="greeting", body="Ahoy.")
    assert value_of(call(mine, "router.read_memory_body", slug="greeting")) == "Ahoy."
    assert value_of(call(mine, "router.read_memory_body", slug="greeting", layer="shared")) == "Hello."
    assert value_of(call(other, "router.read_memory_body", slug="greeting")) == "Hello."
    assert ("greeting", "Ahoy.") in list(mine.resources["memory_entry"]())


def test_a_record_survives_the_router_and_is_replaced(tmp_path: Path) -> None:
    first = value_of(call(Router(tmp_path / "r"), "router.remember_shared", slug="x", body="one"))
    again = value_of(call(Router(tmp_path / "r"), "router.remember_shared", slug="x", body="two"))
    assert (first["created"], again["created"]) == (True, False)
    assert value_of(call(Router(tmp_path / "r"), "router.read_memory_body", slug="x")) == "two"


@pytest.mark.parametrize("slug", ["../shared/house_rules", "/etc/passwd", "Ünder", "a__b", "", "a" * 65, "x\n"])
def test_a_slug_cannot_leave_its_folder(slug: str, router: Router) -> None:
    for ident in ("router.read_memory_body", "router.remember_shared", "router.forget"):
        result = call(router, ident, slug=slug, **({"body": "x"} if "remember" in ident else {"layer": "shared"}))
        assert result.error is not None
        assert (result.error.kind, result.error.issues[0].pointer) == (FailureKind.INVALID_CALL, "/slug")


def test_an_unknown_record_is_refused_with_similar_names(router: Router) -> None:
    error = refused(call(router, "router.read_memory_body", slug="house_rule"), "memory_not_found")
    assert error.hint == "did you mean house_rules?"
    error = refused(call(router, "router.forget", slug="house_rules", layer="agent"), "memory_not_found")
    assert error.hint == "there are open_questions"


# The web


def test_a_search_leads_to_a_page_that_can_be_fetched(router: Router) -> None:
    hits = value_of(call(router, "router.web_search", query="when is high water, and how deep?", limit=2))
    assert hits[0]["id"] == "http://harbour.example/tides.html"
    assert len(hits) == 2
    assert hits[0]["score"] > hits[1]["score"] > 0
    page = value_of(call(router, "router.web_fetch", url=hits[0]["id"]))
    assert page["content_type"] == "text/html; charset=utf-8"
    assert page["text"].startswith("Tides\nTides\nHigh water comes every 12 hours and 25 minutes;")


def test_a_page_of_plain_text_and_the_first_page(router: Router) -> None:
    notice = value_of(call(router, "router.web_fetch", url="http://harbour.example/notice.txt"))
    assert notice["content_type"] == "text/plain; charset=utf-8"
    assert notice["text"].startswith("Notice of 2 May")
    first = value_of(call(router, "router.web_fetch", url="http://harbour.example/"))
    assert first["text"].startswith("Harbour of Lunde")


def test_a_missing_page_is_refused(router: Router) -> None:
    error = refused(call(router, "router.web_fetch", url="http://harbour.example/ö%20 /../x"), "page_not_found")
    assert error.message == "harbour.example answers with 404"


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:22/",
        "http://harbour.example:8080/",
        "https://harbour.example/",
        "file:///etc/passwd",
        "http://harbour.example@localhost/",
    ],
)
def test_no_other_host_is_contacted(url: str, router: Router) -> None:
    error = refused(call(router, "router.web_fetch", url=url), "host_unknown")
    assert error.message == "only http://harbour.example is reachable"


def test_an_invalid_url_is_refused(router: Router) -> None:
    refused(call(router, "router.web_fetch", url="http://[harbour"), "invalid_url")


def test_the_text_of_a_page_excludes_markup_scripts_and_styles() -> None:
    page = "<title>A &amp; B</title><style>p {}</style><script>x</script><p>one <b>two</b>\nthree</p><ul><li>four</ul>"
    assert text_of_html(page) == "A & B\none two three\nfour"


# Documents, corpora, ranking


def test_only_listed_documents_can_be_read(router: Router) -> None:
    paths = value_of(call(router, "router.source_list"))
    assert {"app.py", "docs/overview.md", "handlers/site.py", "universal.catalog.yaml"} <= set(paths)
    assert value_of(call(router, "router.source_read", path="app.py")).startswith('"""The worked example')
    for path in ("../shared/shared.yaml", "docs/../app.py", str(ROOT / "README.md"), "site/index.html"):
        refused(call(router, "router.source_read", path=path), "document_not_found")
    error = refused(call(router, "router.source_read", path="docs/overviews.md"), "document_not_found")
    assert error.hint.startswith("did you mean docs/overview.md")


def test_corpora_are_searched_together_and_separately(router: Router) -> None:
    def corpora(*sources: str) -> list[str]:
        hits = value_of(call(router, "router.recall", sources=sources, query="ferry and pier", top_k=50))
        return [hit["id"].partition("/")[0] for hit in hits]

    assert set(corpora("meetings", "handbook")) == {"meetings", "handbook"}
    assert set(corpora("meetings")) == {"meetings"}
    both = value_of(call(router, "router.recall", sources=["meetings", "handbook"], query="ferry", top_k=1))
    assert len(both) == 1


def test_a_dropped_corpus_stays_dropped(tmp_path: Path) -> None:
    call(Router(tmp_path / "r"), "router.drop_source", source="drafts")
    for ident, args in (
        ("router.drop_source", {"source": "drafts"}),
        ("router.recall", {"sources": ["meetings", "drafts"], "query": "x"}),
        ("router.drop_source", {"source": "../workspace"}),
    ):
        refused(call(Router(tmp_path / "r"), ident, **args), "corpus_not_found")


@given(st.text(max_size=40))
def test_any_text_is_a_query(query: str) -> None:
    for found in rank(query, {"a": "The ferry leaves.", "b": "A boat left."}, 2):
        assert found.score > 0


def test_words_are_compared_by_their_stems() -> None:
    assert [found.key for found in rank("boats leave", {"a": "The museum.", "b": "A boat leaves."}, 5)] == ["b"]


# Files and commands


def test_a_file_outside_the_workspace_is_deleted_only_if_a_person_allows_it(router: Router, tmp_path: Path) -> None:
    outside = tmp_path / "router" / "servers.json"
    result = call(router, "router.delete_file", deny_all, path="../servers.json")
    assert result.error is not None
    assert result.error.kind is FailureKind.PERMISSION_DENIED
    assert outside.exists()
    assert value_of(call(router, "router.delete_file", path="../servers.json")) is None
    assert not outside.exists()


def test_files_of_the_workspace_are_deleted(router: Router) -> None:
    call(router, "code.write_file", path="folder/new.md", content="x")
    refused(call(router, "router.delete_file", path="folder"), "not_a_file")
    assert value_of(call(router, "router.delete_file", path="folder/new.md")) is None
    refused(call(router, "router.delete_file", path="folder/new.md"), "file_not_found")


def test_uac_63_a_command_is_a_list_and_no_shell_reads_it(router: Router) -> None:
    argv = ["printf", "%s|", "a b", "$(id)", "; ls", "*", "~"]
    assert value_of(call(router, "router.sandboxed_exec", argv=argv))["stdout"] == "a b|$(id)|; ls|*|~|"
    text = call(router, "router.sandboxed_exec", argv="echo hello")
    assert text.error is not None
    assert (text.error.kind, text.error.issues[0].pointer) == (FailureKind.INVALID_CALL, "/argv")


def test_a_command_cannot_see_variables_or_files_of_the_host(router: Router, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "hunter2")
    seen = value_of(call(router, "router.sandboxed_exec", argv=["env"]))["stdout"]
    assert [line.partition("=")[0] for line in seen.splitlines()] == [MARK]  # by which what it starts is found
    folder = value_of(call(router, "router.sandboxed_exec", argv=["pwd"]))["stdout"].strip()
    assert "router-" in folder
    assert not Path(folder).exists()
    assert value_of(call(router, "router.sandboxed_exec", argv=["ls", "-A"]))["stdout"] == ""


def test_a_failed_command_returns_its_code_and_a_hanging_one_is_killed(router: Router) -> None:
    failed = value_of(call(router, "router.sandboxed_exec", argv=["ls", "nowhere"]))
    assert failed["exit_code"] != 0
    assert "nowhere" in failed["stderr"]
    with pytest.raises(CallFailed, match="the program took longer than 20 ms") as caught:
        asyncio.run(run_argv(["sleep", "60"], timeout_ms=20))
    assert caught.value.kind is FailureKind.TIMEOUT


# MCP servers


def test_uac_09_tool_ids_contain_the_name_of_their_server(router: Router) -> None:
    listed = value_of(call(router, "mcp_admin.list_tools", server="time"))
    assert [tool["id"] for tool in listed] == ["time__get_current_time"]
    assert listed[0]["description"] == "Tell the time in a time zone."
    assert listed[0]["input_schema"]["required"] == ["timezone"]


def test_uac_10_an_id_is_split_at_its_first_separator(router: Router) -> None:
    args = {"value": 2, "unit": "km", "to": "m"}
    action = universal.TABLES.resolve("mcp__call_tool", {"tool": "units__convert__length", "tool_args": args})
    assert action.target_args == {"server": "units", "tool": "convert__length", "args": args}
    assert value_of(call(router, "mcp_admin.call_mcp_tool", **action.target_args)) == {"value": 2000.0, "unit": "m"}
    assert {tool["id"] for tool in value_of(call(router, "mcp_admin.list_tools", server="units"))} == {
        "units__convert__length",
        "units__convert__mass",
    }


def test_a_server_is_installed_called_and_dropped(router: Router) -> None:
    assert value_of(call(router, "mcp_admin.install_registry", name="text")) == {"server": "text", "tools": 1}
    assert value_of(call(router, "mcp_admin.list_servers")) == ["text", "time", "units"]
    slug = call(router, "mcp_admin.call_mcp_tool", server="text", tool="slug", args={"text": "To the Pier!"})
    assert value_of(slug) == "to-the-pier"
    assert value_of(call(router, "mcp_admin.drop_server", server="text")) is None
    assert value_of(call(router, "mcp_admin.list_servers")) == ["time", "units"]
    error = refused(call(router, "mcp_admin.list_tools", server="text"), "server_not_found")
    assert error.hint == "there are time, units"


def test_a_used_server_name_is_not_given_to_another_command(router: Router) -> None:
    error = refused(call(router, "mcp_admin.install_local", name="units", argv=SERVER), "name_taken")
    assert (error.message, error.hint) == ("another server is installed as 'units'", "drop it first")
    error = refused(call(router, "mcp_admin.install_registry", name="time", version="1.0"), "name_taken")


@pytest.mark.parametrize(
    ("ident", "args", "code", "hint"),
    [
        ("install_registry", {"name": "tim"}, "server_not_found", "did you mean time?"),
        ("install_registry", {"name": "time", "version": "7"}, "version_not_found", "there are 1.0, 1.1"),
        ("install_package", {"source": "npm", "package": "mcp-server-time"}, "package_not_found", ""),
        ("drop_server", {"server": "unit"}, "server_not_found", "did you mean units?"),
        (
            "call_mcp_tool",
            {"server": "units", "tool": "convert_length", "args": {}},
            "tool_not_found",
            "did you mean convert__length?",
        ),
        ("call_mcp_tool", {"server": "time", "tool": "get_current_time", "args": {}}, "tool_failed", ""),
    ],
)
def test_unknown_servers_and_tools_are_refused(
    ident: str, args: dict[str, Any], code: str, hint: str, router: Router
) -> None:
    assert refused(call(router, f"mcp_admin.{ident}", **args), code).hint == hint


def test_a_server_name_contains_no_separator(router: Router) -> None:
    result = call(router, "mcp_admin.install_local", name="a__b", argv=SERVER)
    assert result.error is not None
    assert result.error.issues[0].pointer == "/name"


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("", "it ended before it answered"),
        ("print('hello')", "what it says is not MCP"),
        ("print('[1]')", "what it says is not MCP"),
        ("print('{\"id\": 1}')", "what it says is not MCP"),
        ("print('x' * 2_000_000)", "what it says is not MCP"),
    ],
)
def test_a_command_that_is_not_a_server_is_not_installed(program: str, why: str, router: Router) -> None:
    # it waits for the first request; if it ended earlier, the message would be a different one
    asked = f"input()\n{program}"
    result = call(router, "mcp_admin.install_local", name="odd", argv=[sys.executable, "-c", asked])
    assert result.error is not None
    assert (result.error.kind, result.error.code) == (FailureKind.UNAVAILABLE, "server_unusable")
    assert result.error.message == f"the server cannot be used: {why}"
    assert "odd" not in value_of(call(router, "mcp_admin.list_servers"))


def test_a_missing_program_cannot_be_installed(router: Router) -> None:
    result = call(router, "mcp_admin.install_local", name="odd", argv=["no-such-program"])
    assert result.error is not None
    assert result.error.message == "the server cannot be used: it cannot be started"


def test_a_silent_server_times_out_and_is_killed() -> None:
    async def wait() -> None:
        async with open_session(["sleep", "60"], seconds=0.02):
            pytest.fail("it answered")

    with pytest.raises(CallFailed, match=r"the server took longer than 0\.02 s") as caught:
        asyncio.run(wait())
    assert caught.value.kind is FailureKind.TIMEOUT


ASKING = r"""
import json, sys

def say(**message): print(json.dumps(message), flush=True)

def hear(): return json.loads(sys.stdin.readline())

first = hear()
say(method="notifications/message", params={})
say(id="p", method="ping"); ping = hear()
say(id="s", method="sampling/createMessage"); sampling = hear()
say(id=first["id"], result={})
assert hear() == {"jsonrpc": "2.0", "method": "notifications/initialized"}
heard = [ping["result"], sampling["error"]["code"]]
for cursor in (None, "2"):
    request = hear()
    assert request["params"].get("cursor") == cursor
    tool = {"name": f"t{cursor}", "description": json.dumps(heard), "inputSchema": {}}
    say(id=request["id"], result={"tools": [tool], **({} if cursor else {"nextCursor": "2"})})
"""


def test_a_server_may_send_requests_and_list_its_tools_in_pages(router: Router) -> None:
    argv = [sys.executable, "-c", ASKING]
    assert value_of(call(router, "mcp_admin.install_local", name="asking", argv=argv)) == {
        "server": "asking",
        "tools": 2,
    }
    listed = value_of(call(router, "mcp_admin.list_tools", server="asking"))
    assert [(tool["id"], tool["description"]) for tool in listed] == [
        ("asking__tNone", "[{}, -32601]"),
        ("asking__t2", "[{}, -32601]"),
    ]


def test_the_servers_of_the_example_follow_the_protocol() -> None:
    def fixed(zone: tzinfo) -> datetime:
        return datetime(2026, 5, 16, 12, tzinfo=zone)

    tools = stdio_servers.time_tools(fixed)

    def answer(**message: Any) -> Any:
        return stdio_servers.answer(message, "time", "1.1", tools)

    started = answer(id=1, method="initialize")["result"]
    assert (started["protocolVersion"], started["serverInfo"]) == ("2025-06-18", {"name": "time", "version": "1.1"})
    assert answer(method="notifications/initialized") is None
    assert answer(id=2, method="ping") == {"jsonrpc": "2.0", "id": 2, "result": {}}
    assert answer(id=3, method="resources/list")["error"]["code"] == -32601
    assert answer(id=4, method="tools/call", params={"name": "x"})["error"]["code"] == -32602
    now = {"name": "get_current_time", "arguments": {"timezone": "UTC"}}
    called = answer(id=5, method="tools/call", params=now)["result"]
    assert called["structuredContent"] == {"timezone": "UTC", "datetime": "2026-05-16T12:00:00+00:00"}
    assert json.loads(called["content"][0]["text"]) == called["structuredContent"]
    nowhere = answer(id=6, method="tools/call", params={**now, "arguments": {"timezone": "Nowhere/../x"}})["result"]
    assert nowhere["isError"]
    assert nowhere["content"][0]["text"] == "there is no time zone 'Nowhere/../x'; one is UTC"


# The command line


def test_toolgen_call_runs_the_example(tmp_path: Path) -> None:
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for name in ("specs", "generated", "toolgen", "templates"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))

    def toolgen(*args: str) -> str:
        command = [forked_python(), "-m", "toolgen", "call", "--yes", *args]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert toolgen("router.remember_agent", '{"slug": "todo", "body": "Paint."}')
    assert json.loads(toolgen("router.read_memory_body", '{"slug": "todo"}')) == "Paint."
    assert json.loads(toolgen("mcp_admin.list_servers")) == ["time", "units"]
    assert "The ferry leaves" in toolgen("code.read_file", '{"path": "notes.md"}')
    shutil.rmtree(tmp_path / ".toolgen")
