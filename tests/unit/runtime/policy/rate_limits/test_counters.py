"""Counters, in memory, in an SQLite file, in Redis and in Postgres: one set of rules, and the same answers."""

from __future__ import annotations

import asyncio
import sys
from datetime import UTC, datetime, timedelta, timezone
from inspect import isawaitable
from itertools import count
from threading import Barrier, Thread
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.runtime.policy.rate_limits.attempts import Attempt
from tests.unit.runtime.policy.rate_limits.server import redis_server
from toolgen.runtime.policy.rate_limits import MemoryCounters, midnight_after
from toolgen.runtime.policy.rate_limits.postgres import PostgresCounters
from toolgen.runtime.policy.rate_limits.redis import RedisCounters
from toolgen.runtime.policy.rate_limits.sqlite import SqliteCounters

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.programs.postgres import PostgresServer
    from toolgen.runtime.policy.rate_limits import Counters

pytestmark = pytest.mark.xdist_group("redis")

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
HALF_A_DAY = 12 * 3600
TOOLS = count(1)


class Asked:
    """Counters used from outside of an event loop, for a separate tool, with times as seconds after noon."""

    def __init__(self, counters: Counters, runner: asyncio.Runner) -> None:
        self._counters = counters
        self._runner = runner
        self._tool = f"test.tool_{next(TOOLS)}"

    def take(self, at: float = 0, /, **attempt: Any) -> float:
        return self.take_all([Attempt(**self._attempt(at, attempt))])[0]

    def take_at_once(self, times: int, **attempt: Any) -> list[float]:
        return self.take_all([Attempt(**self._attempt(0, attempt))] * times)

    def wait(self, at: float = 0, /, **attempt: Any) -> float:
        async def asked() -> float:
            wait = self._counters.wait(*Attempt(**self._attempt(at, attempt)))
            return await wait if isawaitable(wait) else wait

        return self._runner.run(asked())

    def take_all(self, attempts: list[Attempt]) -> list[float]:
        async def asked(attempt: Attempt) -> float:
            wait = self._counters.take(*attempt)
            return await wait if isawaitable(wait) else wait

        async def answers() -> list[float]:
            return await asyncio.gather(*map(asked, attempts))

        return self._runner.run(answers())

    def _attempt(self, at: float, fields: dict[str, Any]) -> dict[str, Any]:
        return {"ident": self._tool, "user": "ann", "at": NOON + timedelta(seconds=at), **fields}


@pytest.fixture(scope="module")
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as runner:
        yield runner


@pytest.fixture(scope="module")
def in_redis(runner: asyncio.Runner) -> Iterator[RedisCounters]:
    with redis_server() as server:
        counters = RedisCounters(server.uri, timeout=60)
        yield counters
        runner.run(counters.aclose())


@pytest.fixture(scope="module")
def in_postgres(runner: asyncio.Runner, shared_postgres: PostgresServer) -> Iterator[PostgresCounters]:
    counters = PostgresCounters(shared_postgres.new_database(), timeout=60)
    yield counters
    runner.run(counters.aclose())


@pytest.fixture(scope="module")
def in_sqlite(runner: asyncio.Runner, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqliteCounters]:
    counters = SqliteCounters(tmp_path_factory.mktemp("counters") / "limits.db", timeout=60)
    yield counters
    runner.run(counters.aclose())


@pytest.fixture(params=["memory", "sqlite", "redis", "postgres"])
def counters(request: pytest.FixtureRequest, runner: asyncio.Runner) -> Asked:
    kept = MemoryCounters() if request.param == "memory" else request.getfixturevalue(f"in_{request.param}")
    return Asked(kept, runner)


@pytest.mark.slow
def test_tel_27_a_cooldown_is_per_user_and_per_tool(counters: Asked) -> None:
    assert counters.take(0, cooldown_seconds=30) == 0
    assert counters.take(10, cooldown_seconds=30) == 20
    assert counters.take(10, cooldown_seconds=30, user="ben") == 0
    assert counters.take(10, cooldown_seconds=30, ident="test.other_tool") == 0
    assert counters.take(29.999_999, cooldown_seconds=30) == 0.000_001
    assert counters.take(30, cooldown_seconds=30) == 0
    assert counters.take(31, cooldown_seconds=30) == 29


def test_tel_27_a_cooldown_continues_over_midnight(counters: Asked) -> None:
    assert counters.take(HALF_A_DAY - 1, cooldown_seconds=100_000) == 0
    assert counters.take(HALF_A_DAY + 1, cooldown_seconds=100_000) == 99_998


def test_tel_28_a_daily_limit_ends_with_the_utc_day_wherever_the_clock_is(counters: Asked) -> None:
    assert [counters.take(second, daily_limit=3) for second in range(4)] == [0, 0, 0, HALF_A_DAY - 3]
    assert counters.take(HALF_A_DAY - 0.25, daily_limit=3) == 0.25
    in_oslo = (NOON + timedelta(hours=11, minutes=30)).astimezone(timezone(timedelta(hours=1)))
    assert counters.take(daily_limit=3, at=in_oslo) == 1800
    assert counters.take(HALF_A_DAY, daily_limit=3) == 0


def test_tel_28_zero_is_no_limit(counters: Asked) -> None:
    assert {counters.take() for _ in range(20)} == {0}


@pytest.mark.parametrize("seconds", [1e12, 1e300, 10**400, float("inf")], ids=["1e12", "1e300", "10**400", "inf"])
def test_tel_27_a_cooldown_may_be_of_any_length(counters: Asked, seconds: float) -> None:
    assert counters.take(cooldown_seconds=seconds) == 0
    assert counters.take(60, cooldown_seconds=seconds) == pytest.approx(100 * 366 * 86_400 - 60)


def test_the_longer_of_both_waits_is_returned(counters: Asked) -> None:
    both = {"cooldown_seconds": 60, "daily_limit": 1}
    assert counters.take(0, **both) == 0
    assert counters.take(1, **both) == HALF_A_DAY - 1
    assert counters.take(HALF_A_DAY - 30, cooldown_seconds=60, daily_limit=2) == 0
    assert counters.take(HALF_A_DAY - 10, **both) == 40


def test_asking_for_the_wait_counts_nothing(counters: Asked) -> None:
    both = {"cooldown_seconds": 10, "daily_limit": 2}
    assert [counters.wait(0, **both) for _ in range(3)] == [0, 0, 0]
    assert counters.take(0, **both) == 0
    assert [counters.wait(1, **both) for _ in range(3)] == [9, 9, 9]
    assert counters.wait(10, **both) == counters.take(10, **both) == 0
    assert counters.wait(20, **both) == counters.take(20, **both) == HALF_A_DAY - 20
    assert counters.wait(20) == 0


def test_a_refused_attempt_does_not_count(counters: Asked) -> None:
    both = {"cooldown_seconds": 10, "daily_limit": 2}
    assert [counters.take(second, **both) for second in (0, 5, 9, 10)] == [0, 5, 1, 0]


def test_concurrent_attempts_share_the_remaining_limit(counters: Asked) -> None:
    waits = counters.take_at_once(60, daily_limit=5)
    assert sorted(waits) == [0] * 5 + [HALF_A_DAY] * 55


def test_a_call_of_a_durable_run_counts_once_however_often_it_is_attempted(counters: Asked) -> None:
    both = {"cooldown_seconds": 10, "daily_limit": 2}
    assert [counters.take(0, call="r1:a", **both) for _ in range(3)] == [0, 0, 0]
    assert counters.take(5, call="r1:b", **both) == counters.wait(5, **both) == 5
    assert counters.take(10, call="r1:b", **both) == 0
    assert [counters.take(at, call=call, **both) for at in (11, 86_400) for call in ("r1:a", "r1:b")] == [0] * 4
    assert counters.wait(12, call="r1:a", **both) == 0
    assert counters.take(12, call="r1:c", **both) == counters.wait(12, call="r1:c", **both) == HALF_A_DAY - 12
    assert counters.take(86_400, **both) == 0, "they have counted nothing on that day"


def test_a_call_of_a_durable_run_is_one_of_its_tool_and_user(counters: Asked) -> None:
    once = {"daily_limit": 1, "call": "r1:a"}
    assert [counters.take(user=user, **once) for user in ("ann", "ben", "ann", "ben")] == [0] * 4
    assert counters.take(ident="test.other", user=f"user {next(TOOLS)}", **once) == 0
    assert counters.take(daily_limit=1, user="ben") == HALF_A_DAY
    assert counters.take(daily_limit=1, user="ben", call="r1:a ") == HALF_A_DAY


def test_attempts_of_one_call_that_are_made_at_once_count_once(counters: Asked) -> None:
    assert counters.take_at_once(60, daily_limit=2, call="r1:a") == [0] * 60
    assert sorted(counters.take_at_once(3, daily_limit=2)) == [0, HALF_A_DAY, HALF_A_DAY]


def test_a_refused_attempt_of_a_call_is_not_known(counters: Asked) -> None:
    assert [counters.take(at, cooldown_seconds=10, call=call) for at, call in ((0, "r1:a"), (1, "r1:b"))] == [0, 9]
    assert [counters.take(at, cooldown_seconds=10, call="r1:b") for at in (2, 10, 11)] == [8, 0, 0]


def test_clocks_that_differ_around_midnight_do_not_restart_a_day(counters: Asked) -> None:
    before, after = HALF_A_DAY - 1, HALF_A_DAY + 1
    assert [counters.take(at, daily_limit=1) > 0 for at in (before, after, before, after)] == [False, False, True, True]


YEARS = 4 * 365 * 86400


@pytest.mark.parametrize("ahead", [60, 3600, 86400, YEARS])
def test_who_only_asks_waits_no_longer_than_the_rule_after_a_clock_was_ahead(counters: Asked, ahead: float) -> None:
    assert counters.take(ahead, cooldown_seconds=30) == 0
    assert [counters.wait(at, cooldown_seconds=30) for at in (0, 12, 30, 50)] == [30, 18, 0, 0]
    assert counters.take(50, cooldown_seconds=30) == 0


@pytest.mark.parametrize("ahead", [60, 3600, 86400, YEARS])
def test_tel_27_a_cooldown_under_a_clock_that_was_ahead_lasts_no_longer_than_the_rule(
    counters: Asked, ahead: float
) -> None:
    assert counters.take(ahead, cooldown_seconds=30) == 0
    assert counters.take(0, cooldown_seconds=30) == 30
    assert counters.take(12, cooldown_seconds=30) == 18
    assert counters.take(30, cooldown_seconds=30) == 0


def test_tel_27_a_cooldown_uses_the_current_rule(counters: Asked) -> None:
    assert counters.take(0, cooldown_seconds=YEARS) == 0
    assert counters.take(10, cooldown_seconds=30) == 20
    assert counters.take(10, cooldown_seconds=0) == 0


def test_tel_28_a_day_counted_with_a_fast_clock_does_not_affect_other_days(counters: Asked) -> None:
    assert [counters.take(YEARS, daily_limit=1) > 0 for _ in range(2)] == [False, True]
    assert [counters.take(0, daily_limit=1) for _ in range(2)] == [0, HALF_A_DAY]


@pytest.mark.parametrize("away", [3600, 86400, 3 * 86400, YEARS, -3 * 86400, -YEARS])
def test_tel_28_a_clock_that_was_wrong_for_a_while_resets_no_day(counters: Asked, away: float) -> None:
    assert counters.take(0, daily_limit=1) == 0
    counters.take(away, daily_limit=1)
    assert counters.take(0, daily_limit=1) == HALF_A_DAY


@pytest.mark.parametrize("away", [3 * 86400, -3 * 86400])
def test_tel_28_the_limit_of_a_day_survives_all_attempts_under_a_wrong_clock(away: float) -> None:
    counters = MemoryCounters()
    attempt = Attempt(ident="x.y", user="ann", at=NOON, daily_limit=1)
    assert counters.take(*attempt) == 0
    for number in range(3000):
        counters.take(*attempt._replace(user=str(number), at=NOON + timedelta(seconds=away)))
    assert counters.take(*attempt) == HALF_A_DAY


@given(
    st.lists(
        st.tuples(
            st.sampled_from([0, 1, 29, 30, 31, 3600, HALF_A_DAY, 86400, YEARS, -1, -31, -86400, -YEARS]),
            st.sampled_from([0, 5, 30]),
            st.sampled_from([0, 1, 2]),
        ),
        max_size=30,
    )
)
def test_tel_27_28_no_clock_makes_a_user_wait_longer_than_the_rule(
    steps: list[tuple[float, int, int]],
) -> None:
    """The clock jumps both ways, and the limits of days that it showed before may be used up, but not of the others."""
    counters, at = MemoryCounters(), NOON
    for jump, cooldown, daily in steps:
        at += timedelta(seconds=jump)
        waits: list[float] = []
        while not waits or waits[-1]:
            attempt = Attempt(ident="x.y", user="ann", at=at, cooldown_seconds=cooldown, daily_limit=daily)
            waits.append(counters.take(*attempt))
            to_midnight = (midnight_after(attempt.at) - at).total_seconds() if daily else 0
            assert 0 <= waits[-1] <= max(cooldown, to_midnight)
            assert len(waits) <= len(steps) + 2
            at += timedelta(seconds=waits[-1])


@pytest.mark.parametrize(
    "users",
    [
        ("ann", "ann ", "Ann", "", "0"),
        ("a:b", "a%3Ab", "a", "b", "a:b:passed", "{a}", "}"),
        ("a\0b", "a\nb", "a\r\nSET x 1\r\n", "*", "?", "[ab]"),
        ("\u00e9", "e\u0301", "\ud800", "\udfff", "\U0001f600", "\u202e"),
        ("u" * 100_000, "u" * 100_001),
    ],
)
def test_names_of_users_and_tools_may_be_any_text(counters: Asked, users: tuple[str, ...]) -> None:
    for _ in range(2):
        waits = [counters.take(daily_limit=2, user=user, ident=user) for user in users]
        assert waits == [0] * len(users)
    assert 0 not in [counters.take(daily_limit=2, user=user, ident=user) for user in users]


def test_combinations_of_tool_and_user_are_not_confused(counters: Asked) -> None:
    for ident, user in (("a", "b:c"), ("a:b", "c"), ("a.b", "c"), ("a", "b.c")):
        assert counters.take(daily_limit=1, ident=ident, user=user) == 0


ATTEMPTS = st.lists(
    st.tuples(
        st.sampled_from(["ann", "ben"]),
        st.one_of(
            st.integers(0, 90_000),
            st.integers(-3600, 3600),
            st.floats(0, 100),
            st.sampled_from([HALF_A_DAY, 2 * HALF_A_DAY, -2 * HALF_A_DAY, YEARS, -YEARS]),
        ),
        st.sampled_from([0, 0.5, 10, 86_400, 100_000.000_001]),
        st.sampled_from([0, 1, 2, 5]),
        st.sampled_from(["", "", "r1:a", "r1:b", "r2:a"]),
        st.sampled_from(["take", "take", "wait"]),
    ),
    max_size=30,
)


@given(steps=ATTEMPTS)
def test_tel_27_28_memory_sqlite_redis_and_postgres_give_the_same_answers(
    in_sqlite: SqliteCounters,
    in_redis: RedisCounters,
    in_postgres: PostgresCounters,
    runner: asyncio.Runner,
    steps: list[tuple[str, float, float, int, str, str]],
) -> None:
    tool, now, asked = f"test.tool_{next(TOOLS)}", NOON, list[tuple[str, Attempt]]()
    for user, seconds, cooldown, daily, call, method in steps:
        now += timedelta(seconds=seconds)
        asked.append((method, Attempt(tool, user, now, cooldown, daily, call)))

    async def answers(counters: Any) -> list[float]:
        waits = [getattr(counters, method)(*attempt) for method, attempt in asked]
        return [await wait if isawaitable(wait) else wait for wait in waits]

    expected = runner.run(answers(MemoryCounters()))
    assert runner.run(answers(in_sqlite)) == expected
    assert runner.run(answers(in_redis)) == expected
    assert runner.run(answers(in_postgres)) == expected


def test_threads_cannot_both_take_the_last_attempt() -> None:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(30):
            counters, passed, together = MemoryCounters(), list[int](), Barrier(8)
            threads = [Thread(target=_take_ten, args=(counters, passed, together)) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert len(passed) == 5
    finally:
        sys.setswitchinterval(before)


def _take_ten(counters: MemoryCounters, passed: list[int], together: Barrier) -> None:
    together.wait()
    waits = (counters.take("t", "ann", datetime(2026, 1, 1, tzinfo=UTC), 0, 5) for _ in range(10))
    passed.extend(1 for wait in waits if wait == 0)
