from __future__ import annotations

import copy
import pickle
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from toolgen.contract.records import (
    ANONYMOUS,
    CallContext,
    ContentBlock,
    FailureKind,
    Issue,
    ToolCallMeta,
    ToolError,
    ToolResult,
)
from toolgen.runtime.base.errors import (
    CallFailed,
)
from toolgen.runtime.calls.result import error_text, succeeded, tool_error_from_error

ISSUE = Issue(pointer="/a", keyword="type", expected="a string", found="1", hint="use a string")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[Errno 2] No such file: '/home/ann/secret/plan.txt'", "[Errno 2] No such file: 'plan.txt'"),
        ("cannot open /var/lib/app/data.db: locked", "cannot open data.db: locked"),
        (r"cannot open C:\Users\ann\plan.txt", "cannot open plan.txt"),
        ("see https://example.com/orders/7/refund", "see https://example.com/orders/7/refund"),
        ("a/b is no number, 3 / 4 is", "a/b is no number, 3 / 4 is"),
        ("first line\n  File '/app/x.py', line 3", "first line"),
        ("x" * 1000, "x" * 299 + "…"),
    ],
)
def test_goa_30_a_message_contains_no_folders_and_no_traceback(text: str, message: str) -> None:
    failure = OSError(text)
    error = tool_error_from_error(failure)
    assert (error.message, error.cause) == (message, failure)


def test_a_handler_determines_how_its_call_ends() -> None:
    failure = CallFailed(FailureKind.DOMAIN_REJECTION, "text_not_found", "no such text", "read the file again")
    error = tool_error_from_error(failure)
    assert (error.kind, error.code, error.hint) == (
        FailureKind.DOMAIN_REJECTION,
        "text_not_found",
        "read the file again",
    )
    assert error_text(error) == "no such text\nread the file again"


def test_an_error_is_shown_with_its_issues_or_its_hint() -> None:
    assert error_text(ToolError(message="invalid payload", issues=(ISSUE,), hint="unused")) == (
        "invalid payload\n- /a: use a string (found 1)"
    )
    assert error_text(ToolError(message="late", hint="try again")) == "late\ntry again"


def test_the_fast_constructor_of_a_success_gives_an_equal_result() -> None:
    result = succeeded("a.b", "c", "value", '{"b":1,"a":"é"}'.encode())
    twin = ToolResult(tool_name="a.b", tool_call_id="c", value="value", payload='{"b":1,"a":"é"}'.encode())
    assert result == twin
    assert repr(result) == repr(twin)
    assert result.content == (ContentBlock(type="json", data={"b": 1, "a": "é"}),)
    assert replace(succeeded("a.b", "c", 1, b"{}"), tool_call_id="d").payload == b"{}"
    assert pickle.loads(pickle.dumps(succeeded("a.b", "c", 1, b"{}"))).payload == b"{}"
    assert ToolResult[Any](tool_name="a.b").payload == b""


def test_the_meta_for_a_call_differs_only_in_its_id() -> None:
    meta = ToolCallMeta(user="u", attributes={"k": 1})
    assert meta.for_call("c") == ToolCallMeta(user="u", attributes={"k": 1}, tool_call_id="c")
    assert meta.tool_call_id == ""
    nobody = ANONYMOUS.for_call("c")
    assert (nobody, repr(nobody)) == (ToolCallMeta(tool_call_id="c"), repr(ToolCallMeta(tool_call_id="c")))
    assert pickle.loads(pickle.dumps(nobody)) == nobody


def test_tel_05_a_result_has_more_fields_than_its_value_and_shares_empty_ones() -> None:
    full = ToolResult[int](value=1, message="done", side_effects=("created:a.md",), audit={"rows": 2})
    assert (full.success, full.message, full.side_effects, full.audit) == (True, "done", ("created:a.md",), {"rows": 2})
    silent = ToolResult[int](value=1)
    assert (silent.message, silent.side_effects, silent.audit, silent.telemetry) == (None, (), {}, {})
    assert copy.deepcopy(silent) == pickle.loads(pickle.dumps(silent)) == silent
    assert repr(silent.audit) == "{}"


def test_a_progress_report_reaches_the_listener_and_is_not_part_of_the_meta() -> None:
    heard: list[tuple[str, Any]] = []
    context = CallContext()
    meta = ToolCallMeta(user="ann").for_call("c", context)
    meta.report({"done": 1})
    context.call = SimpleNamespace(report=lambda kind, data: heard.append((kind, data)))
    meta.report({"done": 2})
    assert heard == [("tool_progress", {"done": 2})]
    context.call = None
    meta.report({"done": 3})
    assert heard == [("tool_progress", {"done": 2})]
    assert vars(pickle.loads(pickle.dumps(meta))) == vars(ToolCallMeta(user="ann").for_call("c"))
