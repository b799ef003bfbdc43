"""Progress: what a handler reports is one line of text, and a bar where a total is known."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.unit.explore.shop import HOSTILE
from toolgen.explore.calls import PageCall
from toolgen.explore.progress import progress_data


@pytest.mark.parametrize(
    ("report", "text", "bar"),
    [
        ({"progress": 3, "total": 10, "message": "reading"}, "3 of 10: reading", (3, 10)),
        ({"progress": 1_500.5, "total": 2_000}, "1,500.50 of 2,000", (1_500.5, 2_000)),
        ({"progress": 0, "total": 10}, "0 of 10", (0, 10)),
        ({"progress": 3, "message": "step 3"}, "3: step 3", (None, None)),
        ({"progress": 12, "total": 10}, "12 of 10", (None, None)),
        ({"progress": -1, "total": 10}, "-1 of 10", (None, None)),
        ({"progress": 0, "total": 0}, "0 of 0", (None, None)),
        ({"total": 10, "message": "begun"}, "of 10: begun", (None, None)),
        ({"progress": 3, "file": "a.txt"}, '3: {"file": "a.txt"}', (None, None)),
        ({"lines": 20}, '{"lines": 20}', (None, None)),
        ({"progress": True, "total": "10"}, '{"progress": true, "total": "10"}', (None, None)),
        ({"progress": 1e300, "message": ["x"]}, '{"progress": 1e+300, "message": ["x"]}', (None, None)),
        ({"message": HOSTILE}, HOSTILE, (None, None)),
        ({}, "", (None, None)),
    ],
)
def test_a_report_is_a_line_and_a_bar_where_a_total_is_known(
    report: dict[str, Any], text: str, bar: tuple[float | None, float | None]
) -> None:
    shown = progress_data(report, str)
    assert (shown["text"], (shown["progress"], shown["total"])) == (text, bar)


def test_a_long_line_is_cut() -> None:
    assert progress_data({"message": "x" * 100}, lambda text: text[:7])["text"] == "xxxxxxx"


def test_progress_after_the_end_of_the_event_loop_is_dropped() -> None:
    async def begun() -> PageCall:
        unused: Any = None
        return PageCall("c", "shop.find", unused, unused, unused, unused)

    asyncio.run(begun()).report({"progress": 1})
