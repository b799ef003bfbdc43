"""`toolgen replay`: verdicts, reasons, names in any spelling, and the exit codes."""

from __future__ import annotations

import asyncio
import json
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.cli.command_line import toolgen
from tests.unit.record.sample import denied, done, ended, one_call, record_calls, started, write
from toolgen.record import SqliteStore

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.cli.command_line import Finished

pytestmark = pytest.mark.xdist_group("replay")

SHOP = """\
toolgen: 1
toolset: mcp.shop
kind: mcp
tools:
  find_order:
    remote: find.order
    description: Find an order.
    args: {id: integer, note?: string}
    result: {type: [object, "null"], properties: {total: {type: number}, big: {type: integer}}}
  ping: {description: Ping., args: {}}
"""
OTHER = """\
toolgen: 1
toolset: other.tools
tools:
  ping: {description: Ping too., args: {}}
  open:
    description: Open it.
    args:
      word: {type: string, format: password, minLength: 3}
      pin?: {type: string, format: password, pattern: "^[0-9]+$"}
    result: {type: object, properties: {key: {type: string, writeOnly: true, minLength: 3}}}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project that is built."""
    folder = tmp_path_factory.mktemp("replay")
    (folder / "specs").mkdir()
    (folder / "specs/shop.yaml").write_text(SHOP)
    (folder / "specs/other.yaml").write_text(OTHER)
    built = toolgen(folder, "build")
    assert built.code == 0, built.err
    return folder


def replay(folder: Path, *lines: Any, options: tuple[str, ...] = ()) -> Finished:
    """Replay lines: JSON values, or raw text."""
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    (folder / "calls.jsonl").write_text(text, encoding="utf-8")
    return toolgen(folder, "replay", str(folder / "calls.jsonl"), *options)


def call(arguments: Any, accept: bool | None = None, tool: str = "find.order") -> dict[str, Any]:
    return {"tool": tool, "arguments": arguments, **({} if accept is None else {"accept": accept})}


def test_calls_that_match_their_recording(folder: Path) -> None:
    done = replay(
        folder,
        call({"id": 1}, accept=True),
        call({"id": 1.0, "note": "x"}, accept=True),
        call({"id": "1"}, accept=False),
        "",
        {"tool": "find.order", "result": None, "accept": True},
        {"tool": "find.order", "result": {"total": 1.0, "big": 10**30, "more": [1]}, "accept": True},
        {"tool": "find.order", "result": [], "accept": False},
    )

    assert (done.code, done.err) == (0, "")
    assert done.out == "6 calls: 4 accepted, 2 rejected\n6 agree, 0 disagree, 0 altered\n"


def test_every_disagreement_has_a_line_and_a_reason(folder: Path) -> None:
    lines = (call({"id": 1}, accept=False), call({"id": "1"}, accept=True), call({"id": 2}, accept=True))
    done = replay(folder, *lines)

    assert done.code == 1
    assert done.out.splitlines() == [
        "calls.jsonl:1: mcp.shop.find_order is accepted, which differs from the recorded verdict",
        "calls.jsonl:2: mcp.shop.find_order is rejected, which differs from the recorded verdict",
        "  /id: send an integer, not a string that holds one",
        "3 calls: 2 accepted, 1 rejected",
        "1 agree, 2 disagree, 0 altered",
    ]


def test_json(folder: Path) -> None:
    lines = (call({"id": 1}, accept=False), call({"id": "1"}, accept=True), call({}), call({"id": 3}), "{")
    done = replay(folder, *lines, options=("--format", "json"))

    assert done.code == 1
    printed = done.json
    [first, second] = printed["disagree"]
    assert first == {
        "line": 1, "place": "calls.jsonl:1", "tool": "mcp.shop.find_order", "expected": False, "got": True,
        "side": "args", "issues": [],
    }  # fmt: skip
    assert (second["line"], second["expected"], second["got"]) == (2, True, False)
    [issue] = second["issues"]
    assert (issue["pointer"], issue["keyword"]) == ("/id", "type")
    [rejection] = printed["rejections"]
    assert (rejection["line"], rejection["expected"], rejection["got"]) == (3, None, False)
    assert printed["broken"] == [{"line": 5, "column": 2, "reason": "it is not JSON: expecting a key in double quotes"}]
    counts = {key: printed[key] for key in ("total", "accepted", "rejected", "agree", "altered")}
    assert counts == {"total": 4, "accepted": 2, "rejected": 2, "agree": 0, "altered": []}


def test_without_verdicts_rejections_are_reported_and_are_not_failures(folder: Path) -> None:
    done = replay(folder, call({"id": 1}), call({"id": 1, "more": 2}))

    assert done.code == 0
    assert done.out.splitlines()[0] == "calls.jsonl:2: mcp.shop.find_order is rejected"
    assert done.out.splitlines()[-2:] == ["2 calls: 1 accepted, 1 rejected", "0 agree, 0 disagree, 0 altered"]


ERROR = {"kind": "unavailable", "message": "down"}


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ({"arguments": {"id": 1}, "result": {"total": 1}}, 0, ""),
        ({"arguments": {"id": "1"}, "result": {"total": 1}}, 1, "is rejected, which differs from the recorded verdict"),
        ({"arguments": {"id": 1}, "result": {"total": "1"}}, 1, "has a result that is rejected, which differs"),
        ({"arguments": {"id": "1"}, "result": {"total": "1"}}, 1, "is rejected, which differs"),
        ({"arguments": {"id": "1"}, "error": ERROR}, 1, "is rejected, which differs"),
        ({"arguments": {"id": "1"}, "error": {"kind": "invalid_call"}}, 0, "is rejected\n"),
    ],
)
def test_a_call_that_was_made_counts_once_and_is_a_finding_where_it_is_rejected_now(
    folder: Path, line: Any, code: int, said: str
) -> None:
    done = replay(folder, {"tool": "find.order", **line})
    assert done.code == code
    assert said in done.out
    assert done.out.splitlines()[-2].startswith("1 call: ")


def test_what_is_redacted_stands_for_anything(folder: Path) -> None:
    opened = partial(call, tool="other.tools.open")
    hidden = {"word": "ab [redacted]", "pin": "[redacted]"}
    done = replay(
        folder,
        {**opened(hidden), "result": {"key": "[redacted]"}},
        opened(hidden, accept=True),
        opened(hidden, accept=False),
        opened({"word": "[redacted]", "pin": "x"}),
    )
    assert done.out.splitlines() == [
        "calls.jsonl:4: other.tools.open is rejected",
        f"  /pin: {done.out.splitlines()[1].removeprefix('  /pin: ')}",
        "4 calls: 2 accepted, 2 rejected",
        "3 agree, 0 disagree, 0 altered",
    ]


def test_a_store_is_a_recording(folder: Path) -> None:
    pairs = [({"id": 1}, {"total": 1}), ({"id": "1"}, {"total": 1})]
    record_calls(folder / "calls.db", "mcp.shop.find_order", *pairs)
    found = toolgen(folder, "replay", "calls.db")
    assert (found.code, found.err) == (1, "")
    assert found.out.splitlines() == [
        "calls.db run r1 call c1: mcp.shop.find_order is rejected, which differs from the recorded verdict",
        "  /id: send an integer, not a string that holds one",
        "2 calls: 1 accepted, 1 rejected",
        "1 agree, 1 disagree, 0 altered",
    ]


def test_calls_of_a_store_that_say_nothing_about_its_tools_are_told(folder: Path) -> None:
    async def record() -> None:
        store = SqliteStore(folder / "refused.db")
        await one_call(store, "c1")
        await write(store, started("c2"))
        await done(store.finish(ended(call="c3"), denied("c3")))
        await store.close()

    asyncio.run(record())
    found = toolgen(folder, "replay", "refused.db")
    assert "refused.db run r1 call c1: shop.orders.refund is not a tool" in found.out
    assert "\n1 call: " in found.out
    place = "left out: refused.db run r1 call"
    assert found.err.splitlines() == [
        f"{place} c2: shop.orders.refund: it has not ended",
        f"{place} c3: shop.orders.refund: it was not made (permission_denied): not allowed to run",
    ]


def test_a_tool_may_be_named_in_any_spelling(folder: Path) -> None:
    names = ("mcp.shop.find_order", "mcp__shop__find_order", "find.order", "find_order")
    done = replay(folder, *(call({"id": 1}, accept=True, tool=name) for name in names))

    assert done.code == 0, done.out


def test_an_ambiguous_name_is_an_error_that_lists_its_tools(folder: Path) -> None:
    done = replay(folder, call({}, tool="ping"))

    assert done.code == 2
    assert "`ping` is ambiguous: mcp.shop.ping, other.tools.ping. Choose one with --toolset." in done.err
    assert replay(folder, call({}, accept=True, tool="ping"), options=("--toolset", "other.tools")).code == 0


def test_an_unknown_tool_is_a_disagreement(folder: Path) -> None:
    done = replay(folder, call({}, tool="find_ordr"), call({}, accept=False, tool="find.orders"))

    assert done.code == 1
    assert done.out.splitlines()[:2] == [
        "calls.jsonl:1: find_ordr is not a tool",
        "  /: no tool is named 'find_ordr'; did you mean mcp.shop.find_order?",
    ]
    assert done.out.endswith("2 calls: 0 accepted, 0 rejected\n0 agree, 2 disagree, 0 altered\n")


def test_a_recording_without_calls_is_a_failure(folder: Path) -> None:
    done = replay(folder, "")

    assert (done.code, done.err) == (1, "calls.jsonl: contains no calls, so nothing was checked\n")
    assert done.out.startswith("0 calls: ")


def test_an_unknown_toolset_is_a_usage_error(folder: Path) -> None:
    done = replay(folder, call({}), options=("--toolset", "mcp.shp"))

    assert done.code == 2
    assert "There is no toolset `mcp.shp`. Did you mean `mcp.shop`?" in done.err


def test_broken_lines_are_reported_with_their_location_and_do_not_stop_the_others(folder: Path) -> None:
    done = replay(folder, '{"tool": "ping", "arguments": {]}', call({"id": 1}, accept=True))

    assert done.code == 1
    assert done.out.splitlines()[0].startswith("calls.jsonl:1:32: it is not JSON: ")
    assert done.out.endswith("1 call: 1 accepted, 0 rejected\n1 agree, 0 disagree, 0 altered, 1 broken lines\n")


def test_recorded_json_is_checked_exactly_as_written(folder: Path) -> None:
    done = replay(
        folder,
        '{"tool": "find.order", "arguments": {"id": 1, "id": "x"}, "accept": false}',
        '{"tool": "find.order", "arguments": {"id": NaN}, "accept": false}',
        '{"tool": "find.order", "arguments": {"id": 1e999}, "accept": false}',
        '{"tool": "find.order", "arguments": {"id": 1, "note": "\\ud800"}, "accept": false}',
        '{"tool": "find.order", "arguments": {"id": 1' + "0" * 200 + '}, "accept": true}',
        '{"tool": "find.order", "arguments": {"id": 1, "note": "\u2028"}, "accept": true}',
    )

    assert done.code == 0, done.out


def test_a_package_that_is_not_built_or_stale_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs/other.yaml").write_text(OTHER)
    unbuilt = replay(tmp_path, call({}, tool="ping"))
    built = toolgen(tmp_path, "build")
    (tmp_path / "specs/other.yaml").write_text(OTHER.replace("ping", "pong"))
    stale = replay(tmp_path, call({}, tool="ping"))

    assert (unbuilt.code, built.code, stale.code) == (2, 0, 2)
    assert "Run `toolgen build` first." in unbuilt.err
    assert "Run `toolgen build` first." in stale.err


def test_calls_may_come_from_a_pipe(folder: Path) -> None:
    done = toolgen(folder, "replay", "-", stdin='{"tool": "find.order", "arguments": {"id": 1}, "accept": true}\n')

    assert (done.code, done.out) == (0, "1 call: 1 accepted, 0 rejected\n1 agree, 0 disagree, 0 altered\n")


def test_reg_66_a_secret_in_a_recorded_call_is_not_printed(folder: Path) -> None:
    lines = [
        {"tool": "other.tools.open", "arguments": {"word": ["sw0rdf1sh"], "Word": "sw0rdf1sh"}},
        {"tool": "other.tools.open", "arguments": {"word": "", "note": "as sw0rdf1sh", "WORD": "sw0rdf1sh"}},
        {"tool": "other.tools.open", "result": {"key": ["sw0rdf1sh"]}},
        {"tool": "other.tools.open", "result": "sw0rdf1sh"},
    ]
    done, as_json = (replay(folder, *lines, options=options) for options in ((), ("--format", "json")))
    assert "sw0rdf1sh" not in done.out + done.err + as_json.out + as_json.err
    assert json.loads(as_json.out)["rejections"][0]["issues"][0]["found"] == "[redacted]"
