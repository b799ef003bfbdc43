"""Counters in Redis: shared by processes, refusing calls without Redis, and without stale keys. The server is real."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

from tests.project.checkout import ROOT
from tests.unit.runtime.policy.rate_limits.attempts import Attempt
from tests.unit.runtime.policy.rate_limits.caller import NOON, ready_callers
from tests.unit.runtime.policy.rate_limits.server import PASSWORD, RedisServer, redis_server
from tests.unit.runtime.tools import call, catalog_of, must_not_run, runtime_of
from toolgen.contract.records import FailureKind
from toolgen.runtime.base.errors import CallFailed
from toolgen.runtime.policy.rate_limits.redis import RedisCounters

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [pytest.mark.xdist_group("redis"), pytest.mark.slow]


@pytest.fixture(scope="module")
def server() -> Iterator[RedisServer]:
    with redis_server() as server:
        yield server


@pytest.fixture
def empty(server: RedisServer) -> RedisServer:
    with server.client() as client:
        client.flushall()
    return server


def attempt(user: str = "ann", **limits: Any) -> Attempt:
    return Attempt(**{"ident": "own.tool", "user": user, "at": NOON, "cooldown_seconds": 30, **limits})


@pytest.mark.long
def test_tel_28_two_processes_that_call_100_times_each_share_50_calls_a_day(empty: RedisServer) -> None:
    with ExitStack() as stack:
        callers = ready_callers(stack, empty.uri, 2, daily_limit=50)
        for caller in callers:
            caller.start(100)
        ends = [end for caller in callers for end in caller.ends()]
        assert ends.count(["ok", None]) == 50
        assert ends.count(["rate_limited", 12 * 3600]) == 150
        tomorrow = [caller.call(at=12 * 3600) for caller in callers]
        assert tomorrow == [["ok", None]] * 2


@pytest.mark.long
def test_tel_27_29_a_cooldown_holds_in_every_process(empty: RedisServer) -> None:
    with ExitStack() as stack:
        one, other = ready_callers(stack, empty.uri, 2, cooldown_seconds=30)
        assert one.call() == ["ok", None]
        assert other.call(at=10) == ["rate_limited", 20]
        assert other.call(at=10, user="ben") == ["ok", None]
        assert other.call(at=30) == ["ok", None]
        assert one.call(at=31) == ["rate_limited", 29]


def test_a_take_is_one_command(empty: RedisServer) -> None:
    async def take_often() -> None:
        async with RedisCounters(empty.uri) as counters:
            await counters.take(*attempt(daily_limit=1))
            client.config_resetstat()
            for _ in range(10):
                await counters.take(*attempt(daily_limit=1))

    with empty.client() as client:
        asyncio.run(take_often())
        sent = {name: stat["calls"] for name, stat in client.info("commandstats").items()}
    assert sent == {"cmdstat_eval": 10, "cmdstat_get": 20, "cmdstat_config|resetstat": 1}


def test_takes_that_begin_together_share_a_round_trip_and_each_has_its_own_answer(empty: RedisServer) -> None:
    async def take_together() -> list[float]:
        async with RedisCounters(empty.uri) as counters:
            await counters.take(*attempt("warm"))
            client.config_resetstat()
            users = ["ann", "ben", "ann", "eve", "ben"]
            return await asyncio.gather(*(counters.take(*attempt(user)) for user in users))

    with empty.client() as client:
        assert asyncio.run(take_together()) == [0, 0, 30, 0, 30]
        reads = client.info("stats")["total_reads_processed"]
    assert reads <= 3, "one of them all, and those of this client"


def test_a_key_that_is_not_a_counter_fails_the_takes_of_its_user_alone(empty: RedisServer) -> None:
    async def take_together() -> list[Any]:
        async with RedisCounters(empty.uri) as counters:
            takes = (counters.take(*attempt(user)) for user in ("ann", "ben", "eve"))
            return await asyncio.gather(*takes, return_exceptions=True)

    with empty.client() as client:
        client.lpush("toolgen:limits:{own.tool:ben}:passed", "foreign")
        ann, ben, eve = asyncio.run(take_together())
    assert (ann, eve) == (0, 0)
    assert (type(ben), ben.code) == (CallFailed, "limits_unavailable")


@pytest.mark.parametrize("seconds", [0, 0.05], ids=["not yet sent", "sent"])
def test_takes_that_wait_when_the_counters_are_closed_fail(empty: RedisServer, seconds: float) -> None:
    async def close() -> list[Any]:
        counters = RedisCounters(empty.uri, timeout=600)
        await counters.take(*attempt("warm"))
        empty.pause()
        try:
            waiting = [asyncio.ensure_future(counters.take(*attempt(user))) for user in ("ann", "ben")]
            await asyncio.sleep(seconds)
            await counters.aclose()
            return await asyncio.gather(*waiting, return_exceptions=True)
        finally:
            empty.resume()

    assert {(type(end), end.code) for end in asyncio.run(close())} == {(CallFailed, "limits_unavailable")}


def test_keys_can_be_read_and_expire_an_hour_after_they_matter(empty: RedisServer) -> None:
    async def take() -> None:
        async with RedisCounters(empty.uri) as counters:
            await counters.take(*attempt("ann:x@example.org", cooldown_seconds=30, daily_limit=1, call="r1:c"))

    asyncio.run(take())
    with empty.client() as client:
        left = {key: client.ttl(key) for key in client.keys()}
    key = "toolgen:limits:{own.tool:ann%3Ax@example.org}"
    assert left.keys() == {f"{key}:passed", f"{key}:2026-03-01", f"{key}:call:r1%3Ac"}
    assert left[f"{key}:call:r1%3Ac"] == pytest.approx(30 * 86_400 + 3600, abs=60)
    assert left[f"{key}:passed"] == pytest.approx(3630, abs=60)
    assert left[f"{key}:2026-03-01"] == pytest.approx(13 * 3600, abs=60)


def test_without_redis_a_limited_call_does_not_run_and_reveals_no_details_of_the_host(
    server: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    async def call_one() -> Any:
        async with RedisCounters(server.uri) as counters:
            catalog = catalog_of(must_not_run, metadata={"limits": {"daily_limit": 9}})
            return await call(runtime_of(catalog, counters=counters))

    server.stop()
    try:
        result = asyncio.run(call_one())
    finally:
        server.start()
    assert (result.error.kind, result.error.code) == (FailureKind.UNAVAILABLE, "limits_unavailable")
    assert result.content[0].data == (
        "the limits of own.tool cannot be checked now\ntry again later, or go on without it"
    )
    [record] = [record for record in caplog.records if record.name == "toolgen"]
    assert record.levelno == logging.WARNING
    assert record.getMessage().startswith("limits cannot be checked in Redis: ")
    assert PASSWORD not in record.getMessage()


def test_counters_work_again_when_redis_is_back(server: RedisServer) -> None:
    async def take_with_a_restart_between() -> float:
        async with RedisCounters(server.uri) as counters:
            await counters.take(*attempt("restart"))
            await asyncio.to_thread(server.stop)
            await asyncio.to_thread(server.start)
            return await counters.take(*attempt("restart"))

    assert asyncio.run(take_with_a_restart_between()) == 0  # it stores nothing


OWN_ANSWERS = {"ann": 30, "ben": 0, "eve": 0}
"""The answers for these users when `ann` has just passed, regardless of earlier unanswered takes."""


def test_a_timed_out_take_does_not_shift_later_answers(empty: RedisServer) -> None:
    async def take_after_silence() -> dict[str, float]:
        async with RedisCounters(empty.uri, timeout=2) as counters:
            await counters.take(*attempt())
            empty.pause()
            try:
                ends = await asyncio.gather(*(counters.take(*attempt()) for _ in range(40)), return_exceptions=True)
            finally:
                empty.resume()
            assert {type(end) for end in ends} == {CallFailed}
            return {user: await counters.take(*attempt(user)) for user in OWN_ANSWERS}

    assert asyncio.run(take_after_silence()) == OWN_ANSWERS


def test_a_take_can_be_cancelled_at_any_moment(empty: RedisServer) -> None:
    async def cancel(counters: RedisCounters, after_steps: int) -> None:
        waiting = asyncio.ensure_future(counters.take(*attempt()))
        for _ in range(after_steps):
            await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    async def take_after_cancelling() -> dict[str, float]:
        async with RedisCounters(empty.uri, timeout=600) as counters:
            await counters.take(*attempt())
            empty.pause()
            try:
                for steps in range(40):
                    await cancel(counters, steps)
            finally:
                empty.resume()
            return {user: await counters.take(*attempt(user)) for user in OWN_ANSWERS}

    assert asyncio.run(take_after_cancelling()) == OWN_ANSWERS


def test_each_event_loop_has_connections_of_its_own(empty: RedisServer) -> None:
    counters = RedisCounters(empty.uri)
    with asyncio.Runner() as one, asyncio.Runner() as other:
        assert [each.run(counters.take(*attempt())) for each in (one, other, one, other)] == [0, 30, 30, 30]
        for each in (one, other):
            each.run(counters.aclose())
        assert one.run(counters.take(*attempt())) == 30
        one.run(counters.aclose())


def test_a_wrong_password_is_handled_like_an_unreachable_redis(
    server: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    async def take() -> None:
        async with RedisCounters(server.uri.replace(PASSWORD, "letmein")) as counters:
            await counters.take(*attempt())

    with pytest.raises(CallFailed, match=r"the limits of own.tool cannot be checked now"):
        asyncio.run(take())
    assert "letmein" not in caplog.text


@pytest.mark.parametrize(
    "uri",
    [
        "",
        "localhost:6379",
        "https://host",
        f"redis://:{PASSWORD}@host:port",
        "redis://host?db=x",
        "redis://host?nothing=1",
    ],
)
def test_an_invalid_uri_is_refused_at_once_and_not_quoted(uri: str) -> None:
    with pytest.raises(ValueError, match="is not a Redis URI") as caught:
        RedisCounters(uri)
    assert PASSWORD not in str(caught.value)
    assert caught.value.__suppress_context__


def test_without_redis_py_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "redis.asyncio", None)
    with pytest.raises(ImportError, match=r'limits in Redis need redis-py: pip install "toolgen\[redis\]"'):
        RedisCounters("redis://localhost")


def test_redis_py_is_imported_on_use() -> None:
    code = "import sys, toolgen.runtime.policy.rate_limits.redis; sys.exit('redis' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
