"""The metrics of a worker, for Prometheus."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

if TYPE_CHECKING:
    from toolgen.engine.requests import Json

_SECONDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800)


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
        self.draining: Final = Gauge(
            "toolgen_worker_draining", "1 when the worker begins nothing any more.", registry=self.registry
        )
        self._beaten = monotonic()
        age = Gauge("toolgen_heartbeat_age_seconds", "Time since the last heartbeat.", registry=self.registry)
        age.set_function(lambda: self.heartbeat_age)

    @property
    def heartbeat_age(self) -> float:
        """The seconds since the last heartbeat."""
        return monotonic() - self._beaten

    def beaten(self) -> None:
        """Note a heartbeat."""
        self._beaten = monotonic()

    def began(self) -> float:
        """Note that an activity begins; return the time, in seconds of a clock of its own."""
        self.running.inc()
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
