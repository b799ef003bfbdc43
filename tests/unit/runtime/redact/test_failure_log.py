"""What is logged of a tool that fails: an exception of its code, with where it was raised, whatever it is made of."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.runtime.tools import call_now, catalog_of, code_of, runtime_of
from toolgen.contract.records import FailureKind
from toolgen.runtime.base.errors import CallFailed
from toolgen.runtime.redact.secret_values import SecretValues

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


class Falsy(Exception):
    def __len__(self) -> int:
        return 0


class NoTruth(Exception):
    def __bool__(self) -> bool:
        raise RuntimeError


class Exits(Exception):
    def __str__(self) -> str:
        raise SystemExit(3)


class OwnText(str):
    def strip(self, *_: Any) -> str:
        raise RuntimeError

    def __getitem__(self, _: Any) -> str:
        raise RuntimeError


class OfOwnText(Exception):
    def __str__(self) -> str:
        return OwnText("own")


class NoName(type):
    @property
    def __name__(cls) -> str:  # type: ignore[override]  # as a program without types may
        raise RuntimeError


class Nameless(Exception, metaclass=NoName):
    pass


class NoMembers(ExceptionGroup[ValueError]):
    @property
    def exceptions(self) -> Any:
        raise RuntimeError


class OtherMembers(ExceptionGroup[ValueError]):
    exceptions: Any = ("text", 1)


class OtherCause(Exception):
    @property
    def __cause__(self) -> Any:  # type: ignore[override]  # the same
        return "text"


def after(cause: BaseException) -> ValueError:
    error = ValueError("outer")
    error.__cause__ = cause
    return error


def cycle() -> ValueError:
    first, second = ValueError("first"), ValueError("second")
    first.__cause__, second.__cause__ = second, first
    return first


def chain(length: int) -> ValueError:
    error = ValueError("root")
    for number in range(1, length):
        cause, error = error, ValueError(f"level {number}")
        error.__cause__ = cause
    return error


BROKEN: dict[str, tuple[BaseException, list[str]]] = {
    "a cause that is empty": (after(Falsy("root")), ["Falsy: root", "ValueError: outer"]),
    "a cause without truth": (after(NoTruth("root")), ["NoTruth: root", "ValueError: outer"]),
    "a text that ends the process": (Exits(), ["Exits"]),
    "a cause whose text does": (after(Exits()), ["Exits", "ValueError: outer"]),
    "a text of its own class": (OfOwnText(), ["OfOwnText: own"]),
    "a class without a name": (Nameless("x"), ["Nameless: x"]),
    "a group without members": (NoMembers("g", [ValueError()]), ["NoMembers, which cannot be described"]),
    "a group of no exceptions": (OtherMembers("g", [ValueError()]), ["OtherMembers, which cannot be described"]),
    "a cause that is none": (OtherCause("x"), ["OtherCause, which cannot be described"]),
    "a cycle": (cycle(), ["ValueError: second", "ValueError: first"]),
    "a long chain": (
        chain(8),
        [
            "ValueError: root",
            "3 exceptions in between are not shown",
            *(f"ValueError: level {number}" for number in range(4, 8)),
        ],
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_whatever_an_exception_is_made_of_the_call_has_a_result(name: str, caplog: pytest.LogCaptureFixture) -> None:
    error, expected = BROKEN[name]
    assert code_of(call_now(runtime_of(catalog_of(raising(error))))) == "handler_error"
    (record,) = caplog.records
    said = [line for line in (record.exc_text or "").split("\n") if not line.startswith(("  File", "Traceback"))]
    assert said == expected


def test_notes_are_logged_without_secrets(caplog: pytest.LogCaptureFixture) -> None:
    error = ValueError("x")
    for note in ("of sw0rdf1sh\nand more", "second", "third", "fourth"):
        error.add_note(note)
    call_now(runtime_of(catalog_of(raising(error), input_schema=SECRET)), payload='{"word": "sw0rdf1sh"}')
    assert logged(caplog).split("\n")[-4:] == ["ValueError: x", "of [redacted]", "second", "third"]


@pytest.mark.parametrize("before", [1, 20, 5_000])
def test_of_a_long_text_no_part_of_a_secret_is_shown_that_was_cut(
    before: int, caplog: pytest.LogCaptureFixture
) -> None:
    secret = "".join(chr(0x4E00 + each) for each in range(8_000))
    error = ValueError("x" * before + secret * 30)
    result = call_now(runtime_of(catalog_of(raising(error), input_schema=SECRET)), payload=f'{{"word": "{secret}"}}')
    assert result.error is not None
    for text in (result.error.message, logged(caplog)):
        assert not set(text) & set(secret)


def test_little_of_a_long_text_is_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[int] = []
    hide = SecretValues.hide

    def counted(self: SecretValues, text: str, *shown: str) -> str:
        searched.append(len(text))
        return hide(self, text, *shown)

    monkeypatch.setattr(SecretValues, "hide", counted)
    error = ExceptionGroup("password=a " * 200_000, [ValueError("password=a " * 200_000) for _ in range(4)])
    runtime = runtime_of(catalog_of(raising(error), input_schema=SECRET))
    assert code_of(call_now(runtime, payload='{"word": "sw0rdf1sh"}')) == "handler_error"
    assert max(searched) == 100_000
    assert sum(searched) < 1_000_000


def test_a_filter_of_the_host_that_fails_changes_no_call(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(_: logging.LogRecord) -> bool:
        raise RuntimeError("the filter")

    monkeypatch.setattr(logging.getLogger("toolgen"), "filters", [broken])
    assert code_of(call_now(runtime_of(catalog_of(look_up)))) == "handler_error"
    assert "RuntimeError: the filter" in capsys.readouterr().err


def test_a_call_whose_end_fails_does_not_say_that_it_did_not_run(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise RuntimeError("a defect")

    runtime = runtime_of(catalog_of(look_up))
    monkeypatch.setattr("toolgen.runtime.calls.refusals.failed_call", broken)
    result = call_now(runtime)
    assert result.error is not None
    assert result.error.message == "the tool may have run, but its result is lost: the end of the call failed"
    assert "the host failed in the end of the call after a tool had begun" in logged(caplog)
