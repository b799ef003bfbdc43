"""What is logged of a tool that fails: an exception of its code, with where it was raised."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.runtime.tools import call_now, catalog_of, code_of, runtime_of
from toolgen.contract.records import FailureKind
from toolgen.runtime.base.errors import CallFailed

if TYPE_CHECKING:
    from collections.abc import Callable

SECRET = {"type": "object", "properties": {"word": {"type": "string", "writeOnly": True}}}


ORDERS: dict[str, int] = {}


def look_up(_args: Any) -> Any:
    return ORDERS["o-9"]


def raising(error: BaseException) -> Callable[[Any], Any]:
    def handler(_args: Any) -> Any:
        raise error

    return handler


def logged(caplog: pytest.LogCaptureFixture) -> str:
    return "\n".join(map(logging.Formatter().format, caplog.records))


def test_an_exception_of_a_handler_is_logged_once_with_where_it_was_raised(caplog: pytest.LogCaptureFixture) -> None:
    assert code_of(call_now(runtime_of(catalog_of(look_up)))) == "handler_error"
    (record,) = caplog.records
    lines = logged(caplog).split("\n")
    assert (record.name, record.levelname) == ("toolgen", "ERROR")
    assert lines[:2] == ["the tool own.tool failed in the call c", "Traceback (most recent call last):"]
    assert lines[-2:] == [
        f'  File "{__file__}", line {look_up.__code__.co_firstlineno + 1}, in look_up',
        "KeyError: 'o-9'",
    ]


def test_what_an_exception_came_from_is_logged_before_it(caplog: pytest.LogCaptureFixture) -> None:
    def handler(_args: Any) -> Any:
        try:
            raise OSError("no file")
        except OSError as error:
            raise ExceptionGroup("two", [ValueError("first"), TypeError("second")]) from error

    call_now(runtime_of(catalog_of(handler)))
    said = [line for line in logged(caplog).split("\n")[1:] if not line.startswith(("  File", "Traceback"))]
    assert said == [
        "OSError: no file",
        "TypeError: second",
        "ValueError: first",
        "ExceptionGroup: two (2 sub-exceptions)",
    ]


@pytest.mark.parametrize(
    "error",
    [
        CallFailed(FailureKind.DOMAIN_REJECTION, "no_order", "no such order"),
        CallFailed(FailureKind.INTERNAL, "no_store", "the store is closed"),
        TimeoutError("too slow"),
        asyncio.CancelledError(),
    ],
)
def test_failures_that_a_tool_means_are_not_logged(error: BaseException, caplog: pytest.LogCaptureFixture) -> None:
    assert not call_now(runtime_of(catalog_of(raising(error)))).success
    assert not caplog.records


def test_a_call_that_does_not_fit_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    catalog = catalog_of(look_up, input_schema={**SECRET, "required": ["word"]})
    assert code_of(call_now(runtime_of(catalog))) == "validation_error"
    assert not caplog.records


def test_a_log_has_no_secret_no_terminal_control_and_no_endless_text(caplog: pytest.LogCaptureFixture) -> None:
    def endless(count: int) -> None:
        if count:
            endless(count - 1)
        raise ValueError("sw0rdf1sh \x1b[2J " + "x" * 10_000) from ValueError("of sw0rdf1sh")

    runtime = runtime_of(catalog_of(lambda _args: endless(200), input_schema=SECRET))
    call_now(runtime, payload='{"word": "sw0rdf1sh"}')
    text = logged(caplog)
    assert "ValueError: of [redacted]" in text
    assert r"ValueError: [redacted] \x1b[2J xxx" in text
    assert not any(each in text for each in ("sw0rdf1sh", "\x1b"))
    assert len(text) < 5_000
    assert caplog.records[0].exc_info is None
