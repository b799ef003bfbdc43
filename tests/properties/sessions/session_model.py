"""A minimal model of sessions, grants, limits and children, which predicts the outcome of each call."""

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
class PossibleCall:
    """A possible call: its scope, the answer of policies, and the paths that need permission.

    The scope is None if a grant for the call cannot be kept. Paths are below a folder of the test.
    """

    tool: str
    args: Mapping[str, object] = field(default_factory=dict[str, object])
    answer: str = "ask"
    scope: Scope | None = None
    concerning: tuple[str, ...] = ()


def _saves(path: str, folder: str) -> PossibleCall:
    return PossibleCall(tool="files.save", args={"path": path}, scope=(("write", folder),))


def _saves_a_sensitive_file(path: str, why_not: str, resolved: str) -> PossibleCall:
    """Return a call that no grant for a folder covers, and whose own grant covers nothing else."""
    scope = ((f"{why_not} write", resolved),)
    return PossibleCall(tool="files.save", args={"path": path}, scope=scope, concerning=(resolved,))


def _gets(url: str, host: str, answer: str = "ask") -> PossibleCall:
    return PossibleCall(tool="web.get", args={"url": url}, scope=(("host", host),), answer=answer)


def _runs(program: str, folder: str, **args: object) -> PossibleCall:
    return PossibleCall(
        tool="shell.run", args={"argv": [program, "log"], **args}, scope=(("cwd", folder), ("exec", program))
    )


POSSIBLE_CALLS: Final = (
    _saves("a/x", "project/a"),
    _saves("a/y", "project/a"),
    _saves("b/../a/z", "project/a"),
    _saves("./a//w", "project/a"),
    _saves("to_a/x", "project/a"),
    _saves("a", "project/a"),
    _saves("b/x", "project/b"),
    _saves("missing/x", "project/missing"),
    _saves("secret/x", "project/secret"),
    _saves_a_sensitive_file("../outside/x", "outside roots", "outside/x"),
    _saves_a_sensitive_file("to_outside/x", "outside roots", "outside/x"),
    _saves_a_sensitive_file("../outside/y", "outside roots", "outside/y"),
    _saves_a_sensitive_file("secret/.env", "sensitive", "project/secret/.env"),
    _saves_a_sensitive_file("to_env", "sensitive", "project/secret/.env"),
    PossibleCall(
        tool="files.copy",
        args={"source": "a/x", "target": "b/x"},
        scope=(("read", "project/a"), ("write", "project/b")),
    ),
    PossibleCall(
        tool="files.copy",
        args={"source": "b/x", "target": "a/x"},
        scope=(("read", "project/b"), ("write", "project/a")),
    ),
    PossibleCall(tool="files.read", args={"path": "a/x"}, answer="allow"),
    PossibleCall(
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
    PossibleCall(tool="web.get", args={"url": "https://good.example@x.bad.example/"}, answer="deny"),
    PossibleCall(tool="web.get", args={"url": "no url"}, answer="deny"),
    PossibleCall(tool="web.get"),
    PossibleCall(tool="db.set", args={"key": "one"}, scope=(("scope", "one"),)),
    PossibleCall(tool="db.set", args={"key": "two"}, scope=(("scope", "two"),)),
    # Seven values that look alike, two of which are the same number.
    PossibleCall(tool="db.set", args={"key": "1"}, scope=(("scope", '"1"'),)),
    PossibleCall(tool="db.set", args={"key": 1}, scope=(("scope", "1"),)),
    PossibleCall(tool="db.set", args={"key": 1.0}, scope=(("scope", "1"),)),
    PossibleCall(tool="db.set", args={"key": ["1"]}, scope=(("scope", '["1"]'),)),
    PossibleCall(tool="db.set", args={"key": True}, scope=(("scope", "true"),)),
    PossibleCall(tool="db.set", args={"key": "true"}, scope=(("scope", '"true"'),)),
    PossibleCall(tool="db.set", args={"key": "True"}, scope=(("scope", "True"),)),
    PossibleCall(tool="db.set"),
    _runs("git", "project"),
    _runs("git", "project/a", cwd="a"),
    _runs("git", "project/a", cwd="b/../a"),
    _runs("rm", "project"),
    PossibleCall(tool="raw.do"),
    PossibleCall(tool="quota.daily", answer="allow"),
    PossibleCall(tool="quota.cool", answer="allow"),
    PossibleCall(tool="quota.both", args={"key": "one"}, scope=(("scope", "one"),)),
)


@dataclass(frozen=True, kw_only=True)
class Expected:
    """How one call ends, and whether permission is requested."""

    code: str
    asked: bool = False
    retry_after: float | None = None


@dataclass(eq=False)
class SessionModel:
    """The state of a session: its grants, by tool and scope, and its running agents."""

    grants: set[tuple[str, Scope]] = field(default_factory=set[tuple[str, Scope]])
    children: int = 0


@dataclass(eq=False, kw_only=True)
class RunModel:
    """A run in a session: its user, how many agents it has started, and whether it has ended."""

    session: SessionModel
    user: str | None
    children: int = 0
    is_over: bool = False


class LimitsModel:
    """The calls of users, with their times."""

    def __init__(self) -> None:
        self._calls: Counter[tuple[str, str, date]] = Counter()
        self._passed: dict[tuple[str, str], datetime] = {}

    def refuses(self, tool: str, user: str | None, now: datetime) -> Expected | None:
        """Count an attempt, or return how it is refused."""
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


def expect(possible: PossibleCall, run: RunModel | None, decision: str, refused: Expected | None) -> Expected:
    """Return how one call ends for a decision of the person. Does not store a grant."""
    if run is not None and run.is_over:
        return Expected(code="aborted")
    if refused is not None:
        return refused
    if possible.answer == "deny":
        return Expected(code="permission_denied")
    if possible.answer == "allow" or (run is not None and (possible.tool, possible.scope) in run.session.grants):
        return Expected(code="ok")
    is_allowed = decision in ("allow_once", "allow_for_session")
    return Expected(code="ok" if is_allowed else "permission_denied", asked=True)


def remember(possible: PossibleCall, run: RunModel | None, decision: str) -> None:
    """Store the grant of a person who was asked."""
    if decision == "allow_for_session" and possible.scope is not None and run is not None:
        run.session.grants.add((possible.tool, possible.scope))
