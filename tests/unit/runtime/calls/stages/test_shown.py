"""Parts of a result beside its value: pages, server data, hints, reminders, and truncated output."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.runtime.calls.test_recording import META, request
from tests.unit.runtime.tools import call_now, catalog_of, code_of, runtime_of
from toolgen.contract.records import Bounds, ContentBlock, ToolError, ToolResult
from toolgen.record.artifacts import Artifacts
from toolgen.record.memory import MemoryStore

if TYPE_CHECKING:
    from pathlib import Path

PAGED = {"bounded": {"cursor": "after", "next": "next_after"}}


def shown(result: ToolResult[Any]) -> list[Any]:
    return [block.data for block in result.content]


def result_of(handler: Any, metadata: Any, payload: str = "{}", **settings: Any) -> ToolResult[Any]:
    return call_now(runtime_of(catalog_of(handler, metadata=metadata), **settings), payload=payload)


def test_a_page_says_how_to_get_the_next() -> None:
    result = result_of(lambda _args: {"rows": ["a", "b"], "next_after": "b"}, PAGED)
    assert result.bounds == Bounds(returned=2, truncated=True, next_cursor="b")
    assert shown(result) == [
        {"rows": ["a", "b"], "next_after": "b"},
        '[2 shown; for more call again with after = "b"]',
    ]


def test_the_last_page_has_no_hint() -> None:
    result = result_of(lambda _args: {"rows": ["a"]}, PAGED)
    assert (result.bounds, result.blocks) == (Bounds(returned=1), ())


def test_a_page_may_give_the_total_and_a_refinement_hint() -> None:
    bounds = Bounds(returned=50, total=1234, truncated=True, refinement_hint="give a narrower date")
    result = result_of(lambda _args: ToolResult(value={"rows": []}, bounds=bounds), PAGED)
    assert result.bounds == bounds
    assert shown(result)[-1] == "[50 of 1234 shown; give a narrower date]"


@pytest.mark.parametrize(
    ("outcome", "hint"),
    [
        (ToolResult(value={"rows": []}, bounds=Bounds(returned=0, truncated=True)), "or a refinement_hint in `bounds`"),
        (ToolResult(value={"rows": [], "next_after": "b"}, bounds=Bounds(returned=0, next_cursor="c")), "one cursor"),
        ({"rows": [], "others": []}, "`bounds` with the number of items"),
    ],
)
def test_a_page_without_a_way_to_continue_is_malformed(outcome: Any, hint: str) -> None:
    result = result_of(lambda _args: outcome, PAGED)
    assert result.error is not None
    assert result.error.code == "malformed_result"
    assert hint in result.error.issues[0].hint


def test_server_data_is_validated_and_hidden_from_models() -> None:
    declared = {"server_data": {"evidence": {"type": "array", "items": {"type": "string"}}}}
    result = result_of(lambda _args: ToolResult(value=1, server_data={"evidence": ["a"]}), declared)
    assert (result.server_data, shown(result)) == ({"evidence": ["a"]}, [1])
    for wrong in ({"evidence": "a"}, {"evidnce": ["a"]}):
        outcome = ToolResult[Any](value=1, server_data=wrong)
        assert code_of(result_of(lambda _args, *, given=outcome: given, declared)) == "malformed_result"


def test_hints_are_lines_for_people() -> None:
    hints = {"call": "Searching for {{args.query}}", "result": "{{result.count}} answers to {{args.query}}{{args.no}}"}
    result = result_of(lambda _args: {"count": 3}, {"hints": hints}, '{"query": "cats\\u001b[2J"}')
    assert result.metadata["hints"] == {
        "call": "Searching for cats\\x1b[2J",
        "result": "3 answers to cats\\x1b[2J",
    }


def test_hints_contain_no_secret() -> None:
    metadata = {"hints": {"call": "As {{args.password}}, {{args.note}}"}, "args_secrets": ["/note"]}
    result = result_of(lambda _args: 1, metadata, '{"password": "hunter2", "note": "mine"}')
    assert result.metadata["hints"] == {"call": "As [redacted], [redacted]"}


@pytest.mark.parametrize("fails", [True, False])
@pytest.mark.parametrize("large", ["content", "_meta"])
def test_what_another_server_answered_is_kept_up_to_the_limit(large: str, fails: bool) -> None:
    """A server sends it on as it is, so the text that models are shown is not all of it."""

    def kept(characters: int) -> bool:
        answer = {"content": [], "_meta": {}, large: [{"type": "text", "text": "x" * characters}]}
        outcome: dict[str, Any] = {"error": ToolError(message="no")} if fails else {"value": 1}
        blocks = (ContentBlock(type="text", data="short"),)
        given = ToolResult[Any](**outcome, blocks=blocks, metadata={"mcp": answer, "other": 1})
        result = result_of(lambda _args: given, {"limits": {"result_bytes": 1000}})
        assert (result.metadata["other"], shown(result)) == (1, ["short"])
        return "mcp" in result.metadata

    assert (kept(900), kept(2000)) == (True, False)


def test_a_reminder_is_added_to_each_result_but_not_to_failures() -> None:
    reminded = {"reminder": "Name your sources."}
    assert shown(result_of(lambda _args: {"a": 1}, reminded)) == [{"a": 1}, "Name your sources."]
    assert shown(result_of(lambda args: args["n"], reminded, '{"n": [1]}')) == [[1], "Name your sources."]
    assert "Name your sources." not in shown(result_of(lambda args: args["n"], reminded))


class TestSize:
    def test_reg_65_a_large_result_is_shown_truncated_and_stored_completely(self, tmp_path: Path) -> None:
        artifacts = Artifacts(tmp_path)
        value = {"rows": ["ä" * 10] * 20}
        result = result_of(lambda _args: value, {"limits": {"result_bytes": 100}}, artifacts=artifacts)
        summary, ref = result.content
        whole = artifacts.get(ref.data)
        assert (summary.type, ref.type, whole.media_type) == ("text", "artifact_ref", "application/json")
        assert json.loads(whole.data) == value
        assert summary.data.startswith('{"rows":["ää')
        assert summary.data.endswith(f"\n[cut: these are the first 100 of {len(whole.data)} bytes]")
        assert result.value == value, "programs get the complete value"
        assert result.metadata == {"truncated": True}

    @pytest.mark.parametrize(("size", "is_cut"), [(100, False), (101, True)])
    def test_reg_65_a_result_of_exactly_the_bound_is_shown_completely(
        self, size: int, is_cut: bool, tmp_path: Path
    ) -> None:
        artifacts = Artifacts(tmp_path)
        result = result_of(lambda _args: "x" * size, {"limits": {"result_bytes": 100}}, artifacts=artifacts)
        assert ("truncated" in result.metadata) is is_cut
        assert len(result.payload) == size + 2

    def test_without_an_artifact_store_it_is_truncated(self) -> None:
        result = result_of(lambda _args: "x" * 300, {"limits": {"result_bytes": 100}})
        assert shown(result) == ["x" * 100 + "\n[cut: these are the first 100 of 300 bytes]"]

    def test_a_failed_artifact_write_does_not_fail_the_call(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        (tmp_path / "file").write_text("")
        artifacts = Artifacts(tmp_path / "file")
        result = result_of(lambda _args: "x" * 300, {"limits": {"result_bytes": 100}}, artifacts=artifacts)
        assert (result.success, len(result.content)) == (True, 1)
        assert [record.message for record in caplog.records] == ["a large result could not be stored as an artifact"]

    def test_a_tool_may_declare_that_it_bounds_its_results_itself(self) -> None:
        result = result_of(lambda _args: "x" * 300, {"limits": {"result_bytes": 0}})
        assert shown(result) == ["x" * 300]

    def test_reg_65_blocks_are_bounded_together(self, tmp_path: Path) -> None:
        artifacts = Artifacts(tmp_path)
        blocks = tuple(ContentBlock(type="text", data=data) for data in ("short", "x" * 300, "y" * 300, "z"))
        limits = {"limits": {"result_bytes": 100}}
        result = result_of(lambda _args: ToolResult(value=1, blocks=blocks), limits, artifacts=artifacts)
        first, second, second_ref, rest, rest_ref = shown(result)
        assert (first, second, rest) == (
            "short",
            "x" * 75 + "\n[cut: these are the first 75 of 300 bytes]",
            "[cut: 2 more blocks]",
        )
        assert artifacts.get(second_ref).data == b"x" * 300
        kept = json.loads(artifacts.get(rest_ref).data)
        assert kept == [{"type": "text", "data": "y" * 300}, {"type": "text", "data": "z"}]

    def test_no_secret_is_stored_and_the_record_contains_the_shown_result(self, tmp_path: Path) -> None:
        async def check() -> None:
            store, artifacts = MemoryStore(), Artifacts(tmp_path)
            metadata = {"limits": {"result_bytes": 100}, "result_secrets": ["/note"]}
            value = {"note": "mine", "password": "hunter2", "rows": "x" * 200}
            runtime = runtime_of(catalog_of(lambda _args: value, metadata=metadata), store=store, artifacts=artifacts)
            result = await runtime.invoke(request(), meta=META)
            (kept,) = (await store.read("r1")).results
            assert "value" not in kept.content
            whole = artifacts.get(result.content[1].data).data
            for text in (whole.decode(), json.dumps(kept.content), str(shown(result))):
                assert "mine" not in text
                assert "hunter2" not in text

        asyncio.run(check())

    def test_a_completely_secret_text_is_not_stored(self, tmp_path: Path) -> None:
        metadata = {"limits": {"result_bytes": 5}, "result_secrets": [""]}
        result = result_of(lambda _args: "mine " * 20, metadata, artifacts=Artifacts(tmp_path))
        assert Artifacts(tmp_path).get(result.content[1].data).data == b"[redacted]"
        assert "mine" not in result.content[0].data
