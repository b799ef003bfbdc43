"""Functions that cases of tests name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toolgen.evaluate import CaseRun


def is_even(value: Any) -> bool:
    return bool(value % 2 == 0)


def ends_politely(run: CaseRun) -> None:
    assert "thank" in run.text, f"{run.text!r} does not thank"


def breaks(_run: CaseRun) -> None:
    raise RuntimeError("it is broken")
