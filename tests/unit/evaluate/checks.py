"""Functions that cases of tests name."""

from __future__ import annotations

import asyncio
import sys
from signal import SIGINT, raise_signal
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolgen.evaluate import CaseRun


def is_even(value: Any) -> bool:
    return bool(value % 2 == 0)


def ends_politely(run: CaseRun) -> None:
    assert "thank" in run.text, f"{run.text!r} does not thank"


def breaks(_run: CaseRun) -> None:
    raise RuntimeError("it is broken")


def is_large(value: Any) -> bool:
    assert value > 100, f"{value} is small"
    return True


def is_silent(_value: Any) -> None:
    pass


def counts(_value: Any) -> int:
    return 0


async def is_async(_value: Any) -> bool:
    return False


def is_generated(_value: Any) -> Iterator[bool]:
    yield False


async def are_generated(_value: Any) -> Any:
    yield False


def exits(_value: Any) -> bool:
    sys.exit(3)


def is_cancelled(_value: Any) -> bool:
    raise asyncio.CancelledError


def fails(_value: Any) -> bool:
    pytest.fail("it is wrong")


def interrupts(_value: Any) -> bool:
    raise_signal(SIGINT)
    return True


def tells_args(run: CaseRun) -> str:
    return f"wrong {run.calls[0].arguments}"


def asserts_args(run: CaseRun) -> None:
    raise AssertionError(f"wrong {run.calls[0].arguments}")


def breaks_with_args(run: CaseRun) -> None:
    raise RuntimeError(f"wrong {run.calls[0].arguments} {run.messages[-1]}")
