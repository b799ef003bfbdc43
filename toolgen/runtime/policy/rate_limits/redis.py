"""Counters in Redis, shared between processes. Needs the extra `redis`, imported on use."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias
from urllib.parse import quote

from toolgen.contract.extras import MissingExtra
from toolgen.runtime.base.loops import OfLoop, finish
from toolgen.runtime.policy.rate_limits import (
    CALLS_KEPT,
    KEPT_LONGER,
    cooldown_of,
    in_utc,
    limits_unavailable,
    microseconds,
    midnight_after,
    since_1970,
)
from toolgen.runtime.redact.exceptions import shown_error
from toolgen.runtime.redact.warning import warn

if TYPE_CHECKING:
    from collections.abc import Coroutine, Sequence
    from datetime import datetime

_TAKE: Final = """\
local passed_key, count_key, call_key = KEYS[1], KEYS[2], KEYS[3]
local now, midnight, limit, count_ttl = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
local cooldown, passed_ttl, call_ttl, counts = tonumber(ARGV[5]), ARGV[6], ARGV[7], ARGV[8] == '1'

if call_ttl ~= '' and redis.call('EXISTS', call_key) == 1 then
  return 0
end
local ready = now
if cooldown > 0 then
  local passed = tonumber(redis.call('GET', passed_key) or now - cooldown)
  if passed > now then
    passed = now
    redis.call('SET', passed_key, ARGV[1], 'PX', passed_ttl)
  end
  ready = passed + cooldown
end
if limit > 0 and tonumber(redis.call('GET', count_key) or 0) >= limit then
  ready = math.max(ready, midnight)
end
if ready > now then
  return ready - now
end
if not counts then
  return 0
end
if limit > 0 then
  redis.call('INCR', count_key)
  redis.call('PEXPIRE', count_key, count_ttl)
end
if cooldown > 0 then
  redis.call('SET', passed_key, ARGV[1], 'PX', passed_ttl)
end
if call_ttl ~= '' then
  redis.call('SET', call_key, '', 'PX', call_ttl)
end
return 0
"""
"""Counts an attempt, or only checks; returns how long to wait. A call of a durable run that has counted does not wait.

Times are in µs since 1970, exact in a double until the year 2255. For a cooldown the time of the last successful
attempt is stored. A time in the future, from a clock that was ahead, counts as now, so that no wait is longer than the
cooldown."""

_KEYS: Final = 3
_CALL_TTL: Final = (CALLS_KEPT + KEPT_LONGER) // timedelta(milliseconds=1)

_CONNECTIONS: Final = 16
"""Maximum connections of one event loop; the attempts that begin together use one for a round trip."""


class RedisCounters:
    """Counts by tool, user and UTC date, in the Redis at a URI: `redis://`, `rediss://` or `unix://`.

    `take` is one atomic command; those that begin in one step of the event loop share a round trip. If it fails or
    takes longer than `timeout` seconds, the call is rejected as `unavailable`, code `limits_unavailable`. If the
    response is lost, the attempt counts.

    Raises ImportError without redis-py, and ValueError for an invalid URI; messages do not contain the URI, which may
    have a password. Use it as an async context manager, or `aclose` it, in each event loop that has made calls.
    """

    def __init__(self, uri: str, *, timeout: float = 2.0) -> None:
        self._uri = uri
        self._timeout = timeout
        self._senders = OfLoop(_Sender.abandon)
        self._redis = _redis()
        self._failures: tuple[type[Exception], ...] = (self._redis.RedisError, OSError)
        self._new_client()  # does not connect yet, but checks the URI

    async def __aenter__(self) -> RedisCounters:
        """Return self; connections are opened on demand."""
        return self

    async def __aexit__(self, *_exception: object) -> None:
        """Close the connections."""
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections of the running event loop. A later `take` opens new ones."""
        sender = self._senders.pop()
        if sender is not None:
            await sender.aclose()

    async def take(
        self, ident: str, user: str, at: datetime, cooldown_seconds: float, daily_limit: int, call: str = "", /
    ) -> float:
        """Count an attempt and return 0; or count nothing, and return the seconds until one may succeed.

        Raises `CallFailed` if Redis is unavailable.
        """
        return await self._evaluated(ident, user, at, cooldown_seconds, daily_limit, call, counts=True)

    async def wait(
        self, ident: str, user: str, at: datetime, cooldown_seconds: float, daily_limit: int, call: str = "", /
    ) -> float:
        """Return the seconds until an attempt may succeed, 0 for now, and count nothing.

        Raises `CallFailed` if Redis is unavailable.
        """
        return await self._evaluated(ident, user, at, cooldown_seconds, daily_limit, call, counts=False)

    async def _evaluated(
        self, ident: str, user: str, at: datetime, cooldown_seconds: float, daily_limit: int, call: str, *, counts: bool
    ) -> float:
        try:
            async with asyncio.timeout(self._timeout):
                now, cooldown = in_utc(at), cooldown_of(cooldown_seconds)
                arguments = _arguments(now, cooldown, daily_limit)
                wait = await self._senders.get_or_make(self._new_sender).evaluated(
                    (*_keys(ident, user, now, call), *arguments, _CALL_TTL if call else "", int(counts))
                )
        except self._failures as error:
            warn("limits cannot be checked in Redis: %s", shown_error(error))
            raise limits_unavailable(ident) from error
        return timedelta(microseconds=wait).total_seconds()

    def _new_sender(self) -> _Sender:
        return _Sender(self._new_client(), self._timeout)

    def _new_client(self) -> _Client:
        redis = self._redis
        try:
            # Only `take` has a timeout: on Python 3.11 others lose cancellations (python/cpython#86296).
            # No retries, the default in a pool: an attempt that is sent twice could count twice.
            pool = redis.BlockingConnectionPool.from_url(
                self._uri, max_connections=_CONNECTIONS, timeout=None, socket_timeout=None
            )
            pool.make_connection()
        except (TypeError, ValueError):
            message = "this is not a Redis URI, such as redis://user:password@host:6379/0 or unix:///run/redis.sock"
            raise ValueError(message) from None
        client: _Client = redis.Redis.from_pool(pool)
        return client


class _Sender:
    """Sends the attempts of one event loop. Those that begin in one step of it share a round trip."""

    def __init__(self, client: _Client, timeout: float) -> None:
        self._client = client
        self._timeout = timeout
        self._waiting: list[_Attempt] = []
        self._sending = set[asyncio.Task[None]]()

    async def evaluated(self, arguments: _Arguments) -> int:
        """Return the answer of the script. Raises redis-py's errors, and OSError."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[int] = loop.create_future()
        if not self._waiting:
            loop.call_soon(self._begin)
        self._waiting.append((arguments, answer))
        return await answer

    async def aclose(self) -> None:
        """Close the connections. Attempts that wait for an answer get an error."""
        waiting, self._waiting = self._waiting, []
        _settle(waiting, [_closed()] * len(waiting))
        sending = [*self._sending]
        for task in sending:
            task.cancel()
        await asyncio.gather(*sending, return_exceptions=True)
        await self._client.aclose()

    def abandon(self) -> None:
        """Close the connections of a loop that is closed."""
        finish(self._client.aclose())

    def _begin(self) -> None:
        attempts = [each for each in self._waiting if not each[1].done()]
        self._waiting = []
        if attempts:
            task = asyncio.get_running_loop().create_task(self._send(attempts))
            self._sending.add(task)
            task.add_done_callback(self._sending.discard)

    async def _send(self, attempts: Sequence[_Attempt]) -> None:
        try:
            async with asyncio.timeout(self._timeout):
                answers = await self._answers([arguments for arguments, _ in attempts])
        except asyncio.CancelledError:
            _settle(attempts, [_closed()] * len(attempts))
            raise
        except Exception as error:  # noqa: BLE001  # for those that wait
            answers = [error] * len(attempts)
        _settle(attempts, answers)

    async def _answers(self, commands: Sequence[_Arguments]) -> Sequence[int | Exception]:
        if len(commands) == 1:
            return [await self._client.eval(_TAKE, _KEYS, *commands[0])]
        pipeline = self._client.pipeline(transaction=False)
        for arguments in commands:
            pipeline.eval(_TAKE, _KEYS, *arguments)
        return await pipeline.execute(raise_on_error=False)


def _settle(attempts: Sequence[_Attempt], answers: Sequence[int | Exception]) -> None:
    for (_, waiting), answer in zip(attempts, answers, strict=True):
        if waiting.done():
            continue  # who waited gave up
        if isinstance(answer, Exception):
            waiting.set_exception(answer)
        else:
            waiting.set_result(answer)


def _closed() -> Exception:
    return ConnectionError("the counters were closed")


_Arguments: TypeAlias = "tuple[str | int, ...]"
_Attempt: TypeAlias = "tuple[_Arguments, asyncio.Future[int]]"


class _Client(Protocol):
    """The methods used of redis-py's client."""

    async def eval(self, script: str, numkeys: int, *keys_and_args: str | int) -> int: ...

    def pipeline(self, *, transaction: bool) -> _Pipeline: ...

    def aclose(self) -> Coroutine[Any, Any, None]: ...


class _Pipeline(Protocol):
    """The methods used of redis-py's pipeline."""

    def eval(self, script: str, numkeys: int, *keys_and_args: str | int) -> object: ...

    async def execute(self, *, raise_on_error: bool) -> Sequence[int | Exception]: ...


def _redis() -> Any:
    try:
        return import_module("redis.asyncio")
    except ImportError:
        raise MissingExtra("limits in Redis need redis-py", "redis") from None


def _keys(ident: str, user: str, now: datetime, call: str) -> tuple[str, str, str]:
    """Return the keys of a user's last successful call, of the calls today, and of a call of a durable run.

    Braces keep them on one cluster node.
    """
    tool, who, made = (quote(part, safe="@", errors="surrogatepass") for part in (ident, user, call))
    key = f"toolgen:limits:{{{tool}:{who}}}"
    return f"{key}:passed", f"{key}:{now.date()}", f"{key}:call:{made}"


def _arguments(now: datetime, cooldown: timedelta, daily_limit: int) -> tuple[int, ...]:
    """Return the arguments of the script: times in µs since 1970, durations in ms. Redis' clock only expires keys."""
    midnight = midnight_after(now)
    return (
        since_1970(now),
        since_1970(midnight),
        daily_limit,
        (midnight - now + KEPT_LONGER) // timedelta(milliseconds=1),
        microseconds(cooldown),
        (cooldown + KEPT_LONGER) // timedelta(milliseconds=1),
    )
