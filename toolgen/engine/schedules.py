"""Schedules: runs at times of a clock, or every so many seconds. Times of cron need the extra `dbos`.

Each time starts one run, whoever is there to start it. Times that passed while nobody was there are missed: the latest
of them starts one run as soon as somebody is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final
from zoneinfo import ZoneInfo

from toolgen.contract.extras import MissingExtra
from toolgen.contract.picklable import Picklable
from toolgen.contract.records import NOTHING
from toolgen.engine.requests import RunRequest, text_problem
from toolgen.runtime.base.field_types import NUMBER, TEXT, FieldType, check_fields, record_of

if TYPE_CHECKING:
    from toolgen.engine.requests import Json

SHORTEST: Final = 1.0
LONGEST: Final = 366 * 24 * 3600.0
"""Seconds between two runs of a schedule, at least and at most."""

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")
_WORDS: Final = "jan feb mar apr may jun jul aug sep oct nov dec sun mon tue wed thu fri sat".replace(" ", "|")
_FIELD: Final = re.compile(rf"([0-9*,/-]|{_WORDS})+", re.IGNORECASE)
_CRON_LENGTH: Final = 200
_TYPES: Final = {
    **dict.fromkeys(("name", "cron", "zone"), TEXT),
    "request": FieldType("be a RunRequest", lambda value: isinstance(value, RunRequest)),
    "every": NUMBER,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """When runs start, and which: each has the request, with an id of its own.

    `cron` has the five fields of a crontab (minute, hour, day of month, month, day of week), with numbers, names,
    `*`, lists, ranges and steps, in the time zone `zone`. A time of day that clocks skip is that of the end of the gap;
    one that they show twice is the first, unless the hour is `*`. Or runs start `every` so many seconds. Raises
    ValueError for what is neither, or never comes, and for unknown time zones.
    """

    name: str
    request: RunRequest
    cron: str = ""
    every: float = 0.0
    zone: str = "UTC"

    def __post_init__(self) -> None:
        check_fields(self, _TYPES)
        if not _NAME.fullmatch(self.name):
            raise ValueError(
                f"{self.name[:100]!a} is no name of a schedule: it must begin with a letter or digit, and have at "
                "most 100 letters, digits, and _ . -"
            )
        if self.request.parent_run_id or self.request.parent_tool_call_id:
            raise ValueError("a schedule cannot start runs of calls")
        if bool(self.cron) == bool(self.every):
            raise ValueError("a schedule has either `cron` or `every`")
        if self.every and not SHORTEST <= self.every <= LONGEST:
            raise ValueError(f"every is {self.every}; it must be {SHORTEST:g} second at least, and {LONGEST:g} at most")
        try:
            ZoneInfo(self.zone)
        except (ValueError, OSError, LookupError):
            raise ValueError(f"there is no time zone {self.zone[:100]!a}; write one as Europe/Berlin") from None
        fields = self.cron.split()
        if self.cron and (len(self.cron) > _CRON_LENGTH or len(fields) != 5 or not all(map(_FIELD.fullmatch, fields))):
            raise ValueError(
                f"cron is {self.cron[:100]!a}; it must have five fields of numbers, names, and * , - /: minute, "
                "hour, day of month, month, day of week"
            )
        if self.cron and self.next_time(0.0, datetime.now(UTC).timestamp()) is None:
            raise ValueError(f"cron is {self.cron!r}; that time never comes")

    def next_time(self, since: float, after: float) -> float | None:
        """Return the first time after another, in seconds since 1970; None if there is none.

        `since` is when the schedule was set, from which intervals count. Raises ValueError for fields out of range.
        """
        if self.every:
            count = max(0, (after - since) // self.every) + 1
            following = since + count * self.every
            return following if following > after else since + (count + 1) * self.every  # it was rounded
        return _at(self.cron, self.zone, after, "get_next")

    def latest_time(self, since: float, first: float, now: float) -> float:
        """Return the latest time until now of those that begin with `first`."""
        if self.every:
            return min(now, max(first, since + (now - since) // self.every * self.every))
        return max(first, _at(self.cron, self.zone, now + 1e-3, "get_prev") or first)

    def request_at(self, time: float, token: str) -> RunRequest:
        """Return the request of the run of a time. Its id has the time, and `token`, so that it cannot be guessed."""
        stamp = datetime.fromtimestamp(time, UTC).strftime("%Y%m%dT%H%M%SZ")
        return replace(self.request, run_id=f"{self.name}:{stamp}-{token}", trace_context=NOTHING)

    def as_json(self) -> Json:
        """Return it as a JSON object, without its name, by which engines keep it."""
        request = {name: value for name, value in self.request.as_json().items() if name != "trace_context"}
        when = {"cron": self.cron, "zone": self.zone} if self.cron else {"every": self.every}
        return {**when, "request": request}

    @classmethod
    def from_json(cls, name: str, fields: Mapping[str, Any]) -> Schedule:
        """Return what `as_json` wrote. Raises KeyError, TypeError or ValueError for anything else."""
        request = RunRequest.from_json(name, fields["request"])
        return record_of(cls, {**fields, "name": name, "request": request}, "the schedule")

    def __str__(self) -> str:
        return f"{self.cron} {self.zone}" if self.cron else f"every {self.every:g} s"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleInfo:
    """A schedule, who set it, and when it starts runs: `next_at` and `last_at` in seconds since 1970."""

    schedule: Schedule
    by: str
    is_paused: bool = False
    next_at: float | None = None
    last_at: float | None = None
    last_run_id: str = ""


class ScheduleNotFound(Picklable, LookupError):
    """There is no schedule of that name."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(f"there is no schedule {name[:100]!a}")


def check_schedule_name(name: str) -> None:
    """Raise `ScheduleNotFound` for a name that no schedule has; databases cannot have each text."""
    if not _NAME.fullmatch(name):
        raise ScheduleNotFound(name)


def check_by(by: str) -> None:
    """Raise ValueError for a text that databases cannot have as who sets a schedule."""
    if problem := text_problem(by):
        raise ValueError(f"by {problem}")


def _at(cron: str, zone: str, time: float, direction: str) -> float | None:
    """Return the next or the last time of a cron expression, from another. Raises ValueError and ImportError."""
    try:
        from croniter import croniter  # type: ignore[import-untyped]  # it has no types
        from croniter.croniter import (  # type: ignore[import-untyped]  # as above
            CroniterBadCronError,
            CroniterBadDateError,
        )
    except ImportError:
        raise MissingExtra("schedules with cron need croniter", "dbos") from None
    begin = datetime.fromtimestamp(time, ZoneInfo(zone))
    is_daily = not cron.split()[1].startswith("*")
    try:
        times = croniter(cron, begin)
        while True:
            found: datetime = getattr(times, direction)(datetime)
            is_second = found.replace(fold=0).utcoffset() != found.replace(fold=1).utcoffset() == found.utcoffset()
            if not (is_daily and is_second):
                return found.timestamp()
    except CroniterBadDateError:
        return None
    except CroniterBadCronError as error:
        raise ValueError(f"cron is {cron!r}: {error}") from None
