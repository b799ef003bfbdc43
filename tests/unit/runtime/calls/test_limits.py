"""Limits per user: cooldown and calls per day, with a clock of the test."""

from __future__ import annotations

import asyncio
import pickle
from copy import copy
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from math import inf, nan
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.runtime.policy.rate_limits.attempts import Attempt
from tests.unit.runtime.tools import call, call_now, catalog_of, code_of, must_not_run, runtime_of
from toolgen.contract.records import FailureKind, ToolCallMeta, ToolRequest, as_one_call
from toolgen.runtime.policy import rate_limits
from toolgen.runtime.policy.approval import ask_before_call
from toolgen.runtime.policy.rate_limits import MemoryCounters

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolgen.runtime import Runtime

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


class Clock:
    """A clock that only tests advance."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **by: float) -> None:
        self.now += timedelta(**by)


def limited(clock: Clock, **limits: float) -> Runtime:
    return runtime_of(catalog_of(metadata={"limits": limits}), clock=clock)


def test_tel_27_a_cooldown_is_per_user() -> None:
    clock = Clock()
    runtime = limited(clock, cooldown_seconds=30)
    assert code_of(call_now(runtime)) == "ok"
    clock.forward(seconds=10)
    refused = call_now(runtime)
    assert refused.error is not None
    assert (refused.error.kind, refused.error.code) == (FailureKind.RATE_LIMITED, "rate_limited")
    assert refused.error.retry_after == 20
    assert refused.content[0].data == (
        "own.tool cannot run: rate limit exceeded\ntry again in 20 s, or go on without it"
    )
    assert code_of(call_now(runtime, user="ben")) == "ok"
    clock.forward(seconds=20)
    assert code_of(call_now(runtime)) == "ok"


def test_tel_28_a_daily_limit_ends_with_the_utc_day() -> None:
    clock = Clock()
    runtime = limited(clock, daily_limit=3)
    assert [code_of(call_now(runtime)) for _ in range(4)] == ["ok", "ok", "ok", "rate_limited"]
    assert call_now(runtime).error.retry_after == 12 * 3600  # type: ignore[union-attr]  # it was refused
    clock.forward(hours=11, minutes=59)
    assert code_of(call_now(runtime)) == "rate_limited"
    clock.forward(minutes=1)
    assert code_of(call_now(runtime)) == "ok"


def test_tel_28_zero_is_no_limit() -> None:
    runtime = limited(Clock(), daily_limit=0, cooldown_seconds=0)
    assert {code_of(call_now(runtime, user=None)) for _ in range(50)} == {"ok"}


def test_tel_29_a_user_shares_a_limit_over_all_sessions() -> None:
    runtime = limited(Clock(), daily_limit=2)

    def call_in(session: str, user: str) -> str:
        request = ToolRequest(name="own.tool", payload="{}")
        meta = ToolCallMeta(user=user, session_id=session, run_id=f"run in {session}")
        return code_of(asyncio.run(runtime.invoke(request, meta=meta)))

    assert [call_in(chat, "ann") for chat in ("chat 1", "chat 2", "chat 3")] == ["ok", "ok", "rate_limited"]
    assert call_in("chat 1", "ben") == "ok"


def test_a_limit_per_user_refuses_calls_without_a_user() -> None:
    refused = call_now(limited(Clock(), daily_limit=9), user=None)
    assert refused.error is not None
    assert (refused.error.code, refused.error.retry_after) == ("rate_limited", None)
    assert "the call has no user" in refused.error.message


def test_an_attempt_that_passed_counts_regardless_of_its_outcome() -> None:
    def broken(_args: Any) -> None:
        raise ValueError("broken")

    runtime = runtime_of(catalog_of(broken, metadata={"limits": {"daily_limit": 1}}), clock=Clock())
    assert [code_of(call_now(runtime)) for _ in range(2)] == ["handler_error", "rate_limited"]
    strict = {"type": "object", "required": ["x"]}
    runtime = runtime_of(catalog_of(input_schema=strict, metadata={"limits": {"daily_limit": 1}}), clock=Clock())
    assert [code_of(call_now(runtime, payload=text)) for text in ("{}", '{"x": 1}')] == ["validation_error", "ok"]


def test_concurrent_calls_share_the_remaining_limit() -> None:
    async def all_at_once() -> list[str]:
        runtime = limited(Clock(), daily_limit=5)
        return [code_of(result) for result in await asyncio.gather(*(call(runtime) for _ in range(20)))]

    assert sorted(asyncio.run(all_at_once())) == ["ok"] * 5 + ["rate_limited"] * 15


def test_counters_may_be_async() -> None:
    class Slow(MemoryCounters):
        def take(self, *attempt: Any) -> Any:
            async def later() -> float:
                return MemoryCounters.take(self, *attempt)

            return later()

    runtime = runtime_of(catalog_of(metadata={"limits": {"daily_limit": 1}}), clock=Clock(), counters=Slow())
    assert [code_of(call_now(runtime)) for _ in range(2)] == ["ok", "rate_limited"]


@given(
    steps=st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 90_000)), max_size=40),
    cooldown=st.sampled_from([0, 10, 100_000]),
    daily=st.sampled_from([0, 1, 3]),
)
def test_attempts_pass_exactly_if_the_history_allows_them(
    steps: list[tuple[str, int]], cooldown: int, daily: int
) -> None:
    counters, now = MemoryCounters(), NOON
    passed: dict[str, list[datetime]] = {"a": [], "b": []}
    for user, seconds in steps:
        now += timedelta(seconds=seconds)
        wait = counters.take(*Attempt(ident="x.y", user=user, at=now, cooldown_seconds=cooldown, daily_limit=daily))
        before = passed[user]
        today = sum(at.date() == now.date() for at in before)
        is_forbidden = bool(daily and today >= daily) or bool(
            cooldown and before and now < before[-1] + timedelta(seconds=cooldown)
        )
        assert (wait > 0) is is_forbidden
        if not wait:
            before.append(now)


def test_counters_forget_entries_without_effect(monkeypatch: pytest.MonkeyPatch) -> None:
    counters = MemoryCounters()
    for number in range(5000):
        monkeypatch.setattr(rate_limits, "monotonic", lambda days=number: days * 86_400.0)
        at = NOON + timedelta(days=number)
        assert counters.take(*Attempt(ident="x.y", user=str(number), at=at, cooldown_seconds=5, daily_limit=1)) == 0
    assert len(vars(counters)["_counts"]) < 2048
    assert len(vars(counters)["_passed"]) < 2048


def test_counters_keep_entries_as_long_as_clocks_may_differ() -> None:
    counters = MemoryCounters()
    late, early = NOON.replace(hour=23, minute=59), NOON.replace(hour=23, minute=59) + timedelta(minutes=2)
    attempt = Attempt(ident="x.y", user="ann", at=late, cooldown_seconds=60, daily_limit=1)
    assert counters.take(*attempt) == 0
    for number in range(2048):
        assert counters.take(*Attempt(ident="x.y", user=str(number), at=early, daily_limit=1)) == 0
    assert counters.take(*attempt) == 60
    assert counters.take(*attempt._replace(daily_limit=0)) == 60


@pytest.mark.parametrize("limits", [{"daily_limit": 1}, {"cooldown_seconds": 5}])
def test_tel_09_a_limited_call_reaches_neither_gate_nor_handler(limits: dict[str, float]) -> None:
    reached: list[str] = []
    catalog = catalog_of(lambda _args: reached.append("handler"), metadata={"limits": limits, "gate": True})
    runtime = runtime_of(catalog, clock=Clock(), gate=lambda _request: reached.append("gate"))
    call_now(runtime)
    assert reached == ["gate", "handler"]
    assert code_of(call_now(runtime)) == "rate_limited"
    assert reached == ["gate", "handler"]


def test_a_limit_that_cannot_be_checked_refuses_the_call() -> None:
    class Broken:
        def take(self, *_attempt: Any) -> float:
            raise OSError("no route to counters.internal.example")

        wait = take

    class BrokenLater:
        async def take(self, *_attempt: Any) -> float:
            raise OSError("no route to counters.internal.example")

        wait = take

    for counters in (Broken(), BrokenLater()):
        catalog = catalog_of(must_not_run, metadata={"limits": {"daily_limit": 1}})
        error = call_now(runtime_of(catalog, counters=counters)).error
        assert error is not None
        assert (error.kind, error.code) == (FailureKind.UNAVAILABLE, "limits_unavailable")
        assert error.message == "the limits of own.tool cannot be checked now"


@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize("is_asked", [False, True])
@given(
    answer=st.one_of(
        st.none(),
        st.booleans(),
        st.sampled_from([nan, inf, -inf, -1, -0.5, -5e-324, "", "0", b"", 0j, Decimal(0), timedelta(0)]),
        st.lists(st.integers(), max_size=1),
        st.builds(object),
    )
)
def test_counters_that_return_no_number_of_seconds_let_no_call_pass(
    answer: Any, *, is_async: bool, is_asked: bool
) -> None:
    class Wrong:
        def take(self, *_attempt: Any) -> Any:
            async def later() -> Any:
                return answer

            return later() if is_async else answer

        wait = take

    catalog = catalog_of(must_not_run, metadata={"limits": {"daily_limit": 1}}, permission="write")
    runtime = runtime_of(catalog, counters=Wrong(), permission=ask_before_call)
    if is_asked:
        request = ToolRequest(name="own.tool", tool_call_id="c")
        run = runtime.start_run(meta=ToolCallMeta(user="ann"))
        assert asyncio.run(runtime.permission_request(request, run)) is None
    else:
        assert code_of(call_now(runtime)) == "limits_unavailable"


@pytest.mark.parametrize("is_async", [False, True])
@given(answer=st.one_of(st.integers(0, 10**400), st.floats(0, allow_infinity=False, allow_nan=False)))
def test_any_number_of_seconds_is_an_answer_of_counters(answer: float, *, is_async: bool) -> None:
    class Given:
        def take(self, *_attempt: Any) -> Any:
            async def later() -> float:
                return answer

            return later() if is_async else answer

        wait = take

    result = call_now(runtime_of(catalog_of(metadata={"limits": {"daily_limit": 1}}), counters=Given()))
    assert code_of(result) == ("rate_limited" if answer else "ok")
    assert result.error is None or result.error.retry_after == answer


def test_why_counters_of_a_host_failed_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    class OfFiveArguments:
        def take(self, _ident: str, _user: str, _at: datetime, _cooldown: float, _daily: int, /) -> float:
            return 0.0

        wait = take

    runtime = runtime_of(catalog_of(must_not_run, metadata={"limits": {"daily_limit": 1}}), counters=OfFiveArguments())
    assert code_of(call_now(runtime)) == "limits_unavailable"
    assert "the counters failed for own.tool; the call is refused" in caplog.text
    assert "takes 6 positional arguments but 7 were given" in caplog.text


def test_a_key_that_a_client_repeats_does_not_count_calls_as_one() -> None:
    runtime = limited(Clock(), daily_limit=2)

    def call_again() -> str:
        meta = ToolCallMeta(user="ann", idempotency_key="k", run_id="r")
        return code_of(asyncio.run(runtime.invoke(ToolRequest(name="own.tool", tool_call_id="c"), meta=meta)))

    assert [call_again() for _ in range(3)] == ["ok", "ok", "rate_limited"]


@pytest.mark.parametrize(
    "of",
    [
        lambda meta: meta,
        lambda meta: replace(meta, tool_call_id="c"),
        lambda meta: meta.with_fields(injected={}),
        copy,
        lambda meta: pickle.loads(pickle.dumps(meta)),
    ],
)
def test_calls_that_a_handler_makes_are_not_counted_as_the_call_of_the_engine(
    of: Callable[[ToolCallMeta], ToolCallMeta],
) -> None:
    async def handler(_args: Any, meta: ToolCallMeta) -> None:
        if meta.run_id:
            again = [ToolRequest(name="own.tool", tool_call_id="c")] * 4
            ends.extend([code_of(await runtime.invoke(each, meta=of(meta).with_fields(run_id=None))) for each in again])

    ends: list[str] = []
    runtime = runtime_of(catalog_of(handler, metadata={"limits": {"daily_limit": 3}}), clock=Clock())
    meta = as_one_call(ToolCallMeta(user="ann", run_id="r"), "r:c")
    for _ in range(2):  # the engine makes it again
        assert code_of(asyncio.run(runtime.invoke(ToolRequest(name="own.tool", tool_call_id="c"), meta=meta))) == "ok"
    assert ends == ["ok"] * 2 + ["rate_limited"] * 6


def test_counters_are_told_what_a_call_counts_as_only_by_engines() -> None:
    class Noting(MemoryCounters):
        def take(self, *attempt: Any) -> float:
            told.append(attempt[5])
            return super().take(*attempt)

    told: list[str] = []
    runtime = runtime_of(catalog_of(metadata={"limits": {"daily_limit": 9}}), counters=Noting())
    for meta in (ToolCallMeta(user="ann"), as_one_call(ToolCallMeta(user="ann"), "r:c")):
        asyncio.run(runtime.invoke(ToolRequest(name="own.tool"), meta=meta))
    assert told == ["", "r:c"]


def test_calls_of_durable_runs_that_counted_are_forgotten_after_30_days(monkeypatch: pytest.MonkeyPatch) -> None:
    counters, days = MemoryCounters(), 0.0
    monkeypatch.setattr(rate_limits, "monotonic", lambda: days * 86_400.0)
    for number in range(6000):
        days = number / 100
        assert counters.take(*Attempt("x.y", str(number), NOON, 5, 1, "r:c")) == 0
        if number == 2900:
            assert counters.wait(*Attempt("x.y", "0", NOON, 5, 1, "r:c")) == 0
    assert len(vars(counters)["_calls"]) < 3000 + 1024 + 5


def test_counters_are_used_also_while_they_are_empty() -> None:
    class Table(dict[str, int]):
        """Counters of a host, which are falsy at first."""

        def take(self, ident: str, *_attempt: Any) -> float:
            self[ident] = self.get(ident, 0) + 1
            return 0.0

        wait = take

    table = Table()
    assert code_of(call_now(runtime_of(catalog_of(metadata={"limits": {"daily_limit": 1}}), counters=table))) == "ok"
    assert table == {"own.tool": 1}
