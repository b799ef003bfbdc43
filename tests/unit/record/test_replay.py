"""Lines of recordings: their calls, and errors in invalid lines."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from toolgen.record.replay import BrokenLine, Outcome, RecordingLine, Report, read_calls

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)


@pytest.mark.parametrize(
    ("line", "call"),
    [
        (b'{"tool":"a","arguments":{}}', RecordingLine("a", "args", b"{}", None)),
        (b'{"tool": "a", "result": [1, 2.50] , "accept": false}', RecordingLine("a", "result", b"[1, 2.50]", False)),
        (b' { "accept" : true , "arguments" : 5 , "tool" : "\\u0061" }\r\n', RecordingLine("a", "args", b"5", True)),
        (b'{"tool": "a", "arguments": {"x": 1, "x": 2}}', RecordingLine("a", "args", b'{"x": 1, "x": 2}', None)),
        (b'{"tool": "a", "result": NaN, "accept": null}', RecordingLine("a", "result", b"NaN", None)),
        (b'{"tool": "a", "result": 1%s}' % (b"0" * 5000), RecordingLine("a", "result", b"1" + b"0" * 5000, None)),
        (b'\xef\xbb\xbf{"tool": "\xc3\xa9", "result": 1}', RecordingLine("é", "result", b"1", None)),
    ],
)
def test_a_call_is_read_exactly_as_written(line: bytes, call: RecordingLine) -> None:
    assert read_calls(line) == (call,)


@pytest.mark.parametrize(
    ("line", "calls"),
    [
        (b'{"tool":"a","arguments":{},"result":2}', [("args", b"{}"), ("result", b"2")]),
        (b'{"tool":"a","arguments":{},"error":{"code":"x"}}', [("args", b"{}")]),
        (b'{"tool":"a","schemas":{"args":true}}', []),
    ],
)
def test_a_line_has_a_call_with_its_result_its_error_or_schemas(line: bytes, calls: list[tuple[str, bytes]]) -> None:
    assert [(call.side, call.payload) for call in read_calls(line)] == calls


@given(JSON, st.booleans(), st.text())
def test_any_value_may_be_recorded(value: Any, accept: bool, tool: str) -> None:
    line = json.dumps({"tool": tool, "result": value, "accept": accept}, ensure_ascii=False).encode("utf-8", "replace")
    (call,) = read_calls(line)

    assert (call.side, call.accept) == ("result", accept)
    assert json.loads(call.payload) == json.loads(line)["result"]


KEYS = "`tool`, `arguments`, `result`, `accept`, `error`, `schemas`"
ONE_SIDE = "`accept` is about `arguments` or a `result`"


@pytest.mark.parametrize(
    ("line", "column", "reason"),
    [
        (b"{}", 1, "it needs a `tool`, a string"),
        (b"5", 1, "it is not JSON: expecting `{`"),
        (b'{"tool": "a", "result": 1, "acept": true}', 28, "a recorded call has no `acept`; did you mean `accept`?"),
        (b'{"id": 5}', 2, f"a recorded call has no `id`; the keys are {KEYS}"),
        (b'{"tool": "a"}', 1, "it needs `arguments` or a `result`, and has neither"),
        (b'{"tool": "a", "arguments": 1, "result": 1, "accept": true}', 44, f"{ONE_SIDE}, and the line has both"),
        (b'{"tool": "a", "result": 1, "error": {}}', 28, "a line with an `error` has `arguments`, and no `result`"),
        (b'{"tool": "a", "error": {}}', 1, "it needs `arguments` or a `result`, and has neither"),
        (b'{"tool": "a", "schemas": {}, "result": 1}', 15, "a line with `schemas` has no call"),
        (b'{"tool": 5, "arguments": {}}', 10, "it needs a `tool`, a string"),
        (b'{"tool": "a", "arguments": {}, "accept": "yes"}', 42, "`accept` is true or false"),
        (b'{"tool": "a", "arguments": {}} x', 32, "it is not JSON: extra text"),
        (b'{"tool": "a", "arguments": {]}', 29, "it is not JSON: expecting property name enclosed in double quotes"),
        (b'{"tool": "a", "arguments": }', 28, "it is not JSON: expecting value"),
        (b'{"tool": "a", }', 15, "it is not JSON: expecting a key in double quotes"),
        (b'{"tool": "a"', 13, "it is not JSON: expecting `}`"),
        (b'{"tool" "a"}', 9, "it is not JSON: expecting `:`"),
        (b'{"tool": "\xc3\xa9\xff"}', 12, "it is not UTF-8 text: invalid start byte"),
        (b'{"tool": "a", "result": %s}' % (b"[" * 100_000), 1, "it is nested too deeply"),
    ],
)  # fmt: skip
def test_an_invalid_line_is_reported_with_location_and_reason(line: bytes, column: int, reason: str) -> None:
    with pytest.raises(BrokenLine) as raised:
        read_calls(line)
    assert (raised.value.column, raised.value.reason) == (column, reason)


@given(
    st.one_of(
        st.text(), st.text().map(lambda text: text * 10_000), st.from_regex("ghp_[0-9A-Za-z]{36}", fullmatch=True)
    )
)
def test_an_unknown_key_is_shown_short_escaped_and_without_secrets(key: str) -> None:
    assume(f"`{key}`" not in KEYS)
    line = json.dumps({"tool": "a", "result": 1, key: 1}).encode()
    with pytest.raises(BrokenLine) as raised:
        read_calls(line)
    reason = raised.value.reason
    assert len(reason) < 250
    assert reason.isprintable()
    assert not (key.startswith("ghp_") and key in reason)


def test_a_report_counts_agreements_and_lists_disagreements() -> None:
    outcomes = [
        Outcome(1, "a", expected=True, got=True),
        Outcome(2, "a", expected=False, got=False),
        Outcome(3, "a", expected=True, got=False),
        Outcome(4, "a", expected=None, got=True, altered=True),
        Outcome(5, "a", expected=None, got=False),
        Outcome(6, "a", expected=False, got=None),
    ]
    report = Report()
    for outcome in outcomes:
        report.add(outcome)

    assert (report.total, report.accepted, report.rejected, report.agree) == (6, 2, 3, 2)
    assert [outcome.line for outcome in report.disagree] == [3, 6]
    assert [outcome.line for outcome in report.rejections] == [5]
    assert report.altered == [4]
