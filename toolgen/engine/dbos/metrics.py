"""The metrics of a worker, for Prometheus: what it does, and what waits in its database.

Alert rules and a dashboard for them are in `docs/how-to/runtime/monitoring`.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import nan
from time import monotonic
from typing import TYPE_CHECKING, Final, get_args

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from toolgen.engine.protocol import Reason

if TYPE_CHECKING:
    from toolgen.engine.requests import Json

_ADOPTION: Final = (1, 2, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 30, 60, 300)
_SECONDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800)


_WAITING: Final = {
    "queue_runs": "Runs in the queue, in the whole database; at most 100,000 are counted.",
    "queue_oldest_seconds": "Time that the oldest run in the queue has been there.",
    "questions_open": "Runs that wait for a person, in the whole database; at most 1,000 are counted.",
    "question_oldest_seconds": "Time that the oldest question has waited for a person.",
    "schedule_late_seconds": "Time since the first schedule was due that has not started its run.",
}


@dataclass(frozen=True, slots=True)
class Load:
    """What waits in a database; times are in seconds, 0 for nothing."""

    queue_runs: int
    queue_oldest_seconds: float
    questions_open: int
    question_oldest_seconds: float
    schedule_late_seconds: float


class Metrics:
    """Counts what a worker does. Names of tools and users are not in it: their number has no bound."""

    def __init__(self) -> None:
        self.registry: Final = CollectorRegistry()
        self._ended: Final = Counter(
            "toolgen_activities", "Activities that ended.", ["activity", "outcome"], registry=self.registry
        )
        self._seconds: Final = Histogram(
            "toolgen_activity_seconds",
            "Duration of activities.",
            ["activity"],
            buckets=_SECONDS,
            registry=self.registry,
        )
        self.running: Final = Gauge("toolgen_activities_running", "Activities that run.", registry=self.registry)
        self.adopted: Final = Counter(
            "toolgen_workers_adopted", "Dead workers whose runs were taken over.", registry=self.registry
        )
        self.failed: Final = Counter(
            "toolgen_runs_failed", "Runs that ended without an answer, by reason.", ["reason"], registry=self.registry
        )
        for reason in get_args(Reason):  # an alert on an increase needs the number before
            self.failed.labels(reason)
        self._adoption: Final = Histogram(
            "toolgen_adoption_seconds",
            "Time from the last heartbeat that was seen of a dead worker until its runs were taken over.",
            buckets=_ADOPTION,
            registry=self.registry,
        )
        self.leases_lost: Final = Counter(
            "toolgen_leases_lost", "Leases that this worker lost: its runs were executed again.", registry=self.registry
        )
        self._retries: Final = Counter(
            "toolgen_retries",
            "Activities that were begun again because they had failed.",
            ["activity"],
            registry=self.registry,
        )
        self.writes_again: Final = Counter(
            "toolgen_writes_reexecuted",
            "Writes that an execution begins which has taken over a run, and that may have been made before.",
            registry=self.registry,
        )
        self.deleted: Final = Counter(
            "toolgen_runs_deleted", "Ended runs that this worker deleted by its retention.", registry=self.registry
        )
        self._waiting: Final = {
            name: Gauge(f"toolgen_{name}", text, registry=self.registry) for name, text in _WAITING.items()
        }
        self.draining: Final = Gauge(
            "toolgen_worker_draining", "1 when the worker begins nothing any more.", registry=self.registry
        )
        self._beaten = monotonic()
        age = Gauge("toolgen_heartbeat_age_seconds", "Time since the last heartbeat.", registry=self.registry)
        age.set_function(lambda: self.heartbeat_age)

    def adopted_after(self, seconds: float) -> None:
        """Note that the runs of a dead worker are taken over, so long after the last heartbeat that was seen of it."""
        self.adopted.inc()
        self._adoption.observe(seconds)

    def waits(self, load: Load | None) -> None:
        """Note what waits in the database; None where it cannot be reached."""
        for name, gauge in self._waiting.items():
            gauge.set(nan if load is None else getattr(load, name))

    @property
    def heartbeat_age(self) -> float:
        """The seconds since the last heartbeat."""
        return monotonic() - self._beaten

    def beaten(self) -> None:
        """Note a heartbeat."""
        self._beaten = monotonic()

    def began(self, activity: str = "", attempt: int = 1) -> float:
        """Note that an activity begins; return the time, in seconds of a clock of its own."""
        self.running.inc()
        if attempt > 1:
            self._retries.labels(activity).inc()
        return monotonic()

    def ended(self, activity: str, began: float, outcome: Json | None) -> None:
        """Note how an activity ended; one without an outcome was cancelled."""
        self.running.dec()
        self._seconds.labels(activity).observe(monotonic() - began)
        self._ended.labels(activity, "cancelled" if outcome is None else _word(outcome)).inc()


def _word(outcome: Json) -> str:
    """Return how an activity ended, in one word."""
    if "asks" in outcome:
        return "asked"
    if "changed" in outcome:
        return "changed"
    if outcome.get("denied"):
        return "denied"
    return "failed" if "kind" in outcome or "error" in outcome else "done"
