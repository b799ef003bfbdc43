"""Sessions, grants, limits and children as plainly as they can be kept: what a person would say of each call."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

Scope: TypeAlias = tuple[tuple[str, str], ...]

CHILDREN_PER_RUN: Final = 2
CHILDREN_PER_SESSION: Final = 3

COOLDOWNS: Final[Mapping[str, int]] = {"quota.cool": 30, "quota.both": 5}
"""Seconds that a user has to wait between two calls."""

DAILY: Final[Mapping[str, int]] = {"quota.daily": 2, "quota.both": 2}
"""Calls of a user in a UTC day."""


@dataclass(frozen=True, kw_only=True)
class Deed:
    """A call that can be made: what it touches, what policies say of it, and the paths that somebody has to allow.

    A scope of None is that of a call whose grant cannot be kept. Paths are below a folder of the test's own.
    """

    tool: str
    args: Mapping[str, object] = field(default_factory=dict[str, object])
    answer: str = "ask"
    scope: Scope | None = None
    concerning: tuple[str, ...] = ()


def _saves(path: str, folder: str) -> Deed:
    return Deed(tool="files.save", args={"path": path}, scope=(("write", folder),))


def _saves_all_the_same(path: str, why_not: str, resolved: str) -> Deed:
    """What is asked about for its own sake: no grant for a folder covers it, and its own covers nothing beside it."""
    scope = ((f"{why_not} write", resolved),)
    return Deed(tool="files.save", args={"path": path}, scope=scope, concerning=(resolved,))


def _gets(url: str, host: str, answer: str = "ask") -> Deed:
    return Deed(tool="web.get", args={"url": url}, scope=(("host", host),), answer=answer)


def _runs(program: str, folder: str, **args: object) -> Deed:
    return Deed(tool="shell.run", args={"argv": [program, "log"], **args}, scope=(("cwd", folder), ("exec", program)))


DEEDS: Final = (
    _saves("a/x", "project/a"),
    _saves("a/y", "project/a"),
    _saves("b/../a/z", "project/a"),
    _saves("./a//w", "project/a"),
    _saves("to_a/x", "project/a"),
    _saves("a", "project/a"),
    _saves("b/x", "project/b"),
    _saves("missing/x", "project/missing"),
    _saves("secret/x", "project/secret"),
    _saves_all_the_same("../outside/x", "outside roots", "outside/x"),
    _saves_all_the_same("to_outside/x", "outside roots", "outside/x"),
    _saves_all_the_same("../outside/y", "outside roots", "outside/y"),
    _saves_all_the_same("secret/.env", "sensitive", "project/secret/.env"),
    _saves_all_the_same("to_env", "sensitive", "project/secret/.env"),
    Deed(
        tool="files.copy",
        args={"source": "a/x", "target": "b/x"},
        scope=(("read", "project/a"), ("write", "project/b")),
    ),
    Deed(
        tool="files.copy",
        args={"source": "b/x", "target": "a/x"},
        scope=(("read", "project/b"), ("write", "project/a")),
    ),
    Deed(tool="files.read", args={"path": "a/x"}, answer="allow"),
    Deed(
        tool="files.read",
        args={"path": "secret/.env"},
        scope=(("sensitive read", "project/secret/.env"),),
        concerning=("project/secret/.env",),
    ),
    _gets("https://good.example/x", "good.example", "allow"),
    _gets("https://other.example/x", "other.example"),
    _gets("https://OTHER.example:8443/y", "other.example"),
    _gets("https://other.example./", "other.example"),
    _gets("https://x.bad.example/", "x.bad.example", "deny"),
    Deed(tool="web.get", args={"url": "https://good.example@x.bad.example/"}, answer="deny"),
    Deed(tool="web.get", args={"url": "no url"}, answer="deny"),
    Deed(tool="web.get"),
    Deed(tool="db.set", args={"key": "one"}, scope=(("scope", "one"),)),
    Deed(tool="db.set", args={"key": "two"}, scope=(("scope", "two"),)),
    # Seven values that read alike, of which two are the same number.
    Deed(tool="db.set", args={"key": "1"}, scope=(("scope", '"1"'),)),
    Deed(tool="db.set", args={"key": 1}, scope=(("scope", "1"),)),
    Deed(tool="db.set", args={"key": 1.0}, scope=(("scope", "1"),)),
    Deed(tool="db.set", args={"key": ["1"]}, scope=(("scope", '["1"]'),)),
    Deed(tool="db.set", args={"key": True}, scope=(("scope", "true"),)),
    Deed(tool="db.set", args={"key": "true"}, scope=(("scope", '"true"'),)),
    Deed(tool="db.set", args={"key": "True"}, scope=(("scope", "True"),)),
    Deed(tool="db.set"),
    _runs("git", "project"),
    _runs("git", "project/a", cwd="a"),
    _runs("git", "project/a", cwd="b/../a"),
    _runs("rm", "project"),
    Deed(tool="raw.do"),
    Deed(tool="quota.daily", answer="allow"),
    Deed(tool="quota.cool", answer="allow"),
    Deed(tool="quota.both", args={"key": "one"}, scope=(("scope", "one"),)),
)


@dataclass(frozen=True, kw_only=True)
class Expected:
    """How one call ends, and whether a person is asked before."""

    code: str
    asked: bool = False
    retry_after: float | None = None


@dataclass(eq=False)
class SessionModel:
    """What a session remembers: the grants of a person, by tool and scope, and the agents that run in it."""

    grants: set[tuple[str, Scope]] = field(default_factory=set[tuple[str, Scope]])
    children: int = 0


@dataclass(eq=False, kw_only=True)
class RunModel:
    """A run in a session: in whose name it calls, how many agents it has started, and whether it is over."""

    session: SessionModel
    user: str | None
    children: int = 0
    is_over: bool = False


class LimitsModel:
    """What users have called, and when."""

    def __init__(self) -> None:
        self._calls: Counter[tuple[str, str, date]] = Counter()
        self._passed: dict[tuple[str, str], datetime] = {}

    def refuses(self, tool: str, user: str | None, now: datetime) -> Expected | None:
        """Count an attempt, or say how it is refused."""
        if tool not in COOLDOWNS and tool not in DAILY:
            return None
        if user is None:
            return Expected(code="rate_limited")
        waits: list[float] = []
        today = now.astimezone(UTC).date()
        if tool in DAILY and self._calls[tool, user, today] >= DAILY[tool]:
            midnight = datetime.combine(today + timedelta(days=1), time(), UTC)
            waits.append((midnight - now).total_seconds())
        if tool in COOLDOWNS and (tool, user) in self._passed:
            self._passed[tool, user] = min(self._passed[tool, user], now)  # it cannot have been later
            over = self._passed[tool, user] + timedelta(seconds=COOLDOWNS[tool])
            waits.append((over - now).total_seconds())
        wait = max(waits, default=0)
        if wait > 0:
            return Expected(code="rate_limited", retry_after=wait)
        self._calls[tool, user, today] += 1
        self._passed[tool, user] = now
        return None


def expect(deed: Deed, run: RunModel | None, decision: str, refused: Expected | None) -> Expected:
    """How one call ends, when a person who is asked decides so. Remembers no grant."""
    if run is not None and run.is_over:
        return Expected(code="aborted")
    if refused is not None:
        return refused
    if deed.answer == "deny":
        return Expected(code="permission_denied")
    if deed.answer == "allow" or (run is not None and (deed.tool, deed.scope) in run.session.grants):
        return Expected(code="ok")
    is_allowed = decision in ("allow_once", "allow_for_session")
    return Expected(code="ok" if is_allowed else "permission_denied", asked=True)


def remember(deed: Deed, run: RunModel | None, decision: str) -> None:
    """Keep the grant of a person who was asked."""
    if decision == "allow_for_session" and deed.scope is not None and run is not None:
        run.session.grants.add((deed.tool, deed.scope))
