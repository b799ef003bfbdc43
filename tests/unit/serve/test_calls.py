"""Served calls: what is left of one that is over."""

from __future__ import annotations

import asyncio
import gc
import json
import weakref
from math import isfinite
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from toolgen.contract.records import ToolResult
from toolgen.serve.calls import Rising, ServedCall, current_call


def test_a_call_that_is_over_is_freed_without_the_garbage_collector() -> None:
    async def made() -> tuple[ToolResult[None], weakref.ref[ServedCall]]:
        async def work() -> ToolResult[None]:
            assert current_call.get() is not None  # the context of its task has the call
            await asyncio.sleep(0)
            return ToolResult(tool_name="bench.search", payload=b"1")

        call = ServedCall("call_1", "bench.search", None, can_ask=False)
        call.start(work)
        assert await call.next_event() is None
        result = await call.task
        assert not call.leave()
        return result, weakref.ref(call)

    async def main() -> None:
        result, found = await made()
        await asyncio.sleep(0)
        assert result.payload == b"1"
        assert found() is None

    was_enabled = gc.isenabled()
    gc.disable()
    try:
        asyncio.run(main())
    finally:
        if was_enabled:
            gc.enable()


def test_progress_after_the_end_of_the_event_loop_is_dropped() -> None:
    async def begun() -> ServedCall:
        return ServedCall("c", "shop.find", None, can_ask=False)

    asyncio.run(begun()).report({"progress": 1})


NUMBERS = st.one_of(
    st.floats(),
    st.integers(),
    st.builds(
        lambda sign, power, more: sign * 2**power + more,
        st.sampled_from([-1, 1]),
        st.integers(900, 1100),
        st.integers(-2, 2),
    ),
    st.booleans(),
    st.none(),
    st.text(max_size=2),
)


@given(st.lists(st.fixed_dictionaries({}, optional={"progress": NUMBERS, "total": NUMBERS, "message": st.just("m")})))
@example([{"progress": 2**1024 - 2**970 - 1}, {"rows": 1}])
def test_progress_is_told_in_rising_numbers_that_a_client_reads(reports: list[dict[str, Any]]) -> None:
    rising = Rising()
    told = [each for report in reports if (each := rising.next(report)) is not None]
    for each in told:
        for number in (each.progress, *([] if each.total is None else [each.total])):
            assert isfinite(float(json.dumps(number)))
    numbers = [float(each.progress) for each in told]
    assert numbers == sorted(set(numbers))
