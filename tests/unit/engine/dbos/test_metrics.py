"""What an operator watches: metrics, the alert rules and the dashboard on them, and one trace for each run."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, get_args
from urllib.request import urlopen

import pytest
import sqlalchemy as sa
import yaml
from opentelemetry.trace import use_span
from prometheus_client import CollectorRegistry, Counter, generate_latest
from prometheus_client.parser import text_string_to_metric_families

from tests.unit.engine.app import read, request, search, write
from tests.unit.engine.dbos.observed import COLLECTOR
from tests.unit.engine.dbos.test_endpoints import served
from tests.unit.engine.engines import Engines, until
from tests.unit.engine.test_schedules import schedule
from tests.unit.engine.test_steering import ALLOW
from tests.unit.runtime.telemetry.receiver import receiving
from tests.unit.runtime.telemetry.spans import Kept
from toolgen.engine.dbos import DbosEngine
from toolgen.engine.dbos.metrics import Load, Metrics
from toolgen.engine.protocol import Reason
from toolgen.runtime.events.records import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.unit.engine.dbos.test_endpoints import Served
    from tests.unit.engine.dbos.workers import Workers

MONITORING: Final = Path(__file__).parents[4] / "docs/how-to/runtime/monitoring"
ALERTS: Final = MONITORING / "alerts.yaml"
DASHBOARD: Final = MONITORING / "dashboard.json"
OF_PROMETHEUS: Final = {"le", "instance"}


def names_of(registry: CollectorRegistry) -> dict[str, set[str]]:
    """The names of the series of a registry, and the labels of each."""
    found: dict[str, set[str]] = {}
    for name, collector in registry._names_to_collectors.items():  # also those without samples so far
        labels: Any = getattr(collector, "_labelnames", ())
        found[name] = set(labels)
    return found


def queries() -> Iterator[tuple[str, str]]:
    """Every expression of the rules and of the dashboard, with what it is of."""
    for group in yaml.safe_load(ALERTS.read_text())["groups"]:
        for rule in group["rules"]:
            yield rule["alert"], rule["expr"]
    for panel in json.loads(DASHBOARD.read_text())["panels"]:
        for target in panel["targets"]:
            yield panel["title"], target["expr"]


def wrong(expression: str, names: dict[str, set[str]]) -> list[str]:
    """What an expression names that no metric has."""
    used = set(re.findall(r"\btoolgen_\w+", expression))
    labels = {label for each in re.findall(r"by \(([^)]*)\)", expression) for label in re.split(r",\s*", each)}
    labels |= set(re.findall(r"[{,]\s*(\w+)\s*=", expression))
    known = OF_PROMETHEUS.union(*(names.get(name, set()) for name in used))
    return sorted((used - names.keys()) | (labels - known)) or ([] if used else ["no metric"])


def test_rules_and_dashboard_name_only_metrics_and_labels_that_exist() -> None:
    names = names_of(Metrics().registry)
    assert {what: wrong(expression, names) for what, expression in queries() if wrong(expression, names)} == {}
    assert wrong("rate(toolgen_activitys_total[5m])", names) == ["toolgen_activitys_total"]
    assert wrong('sum by (tool) (toolgen_activities_total{user="a"})', names) == ["tool", "user"]
    assert wrong("up", names) == ["no metric"]


def test_every_metric_is_on_the_dashboard() -> None:
    shown = {name for _, expression in queries() for name in re.findall(r"\btoolgen_\w+", expression)}
    families = {metric.name for metric in Metrics().registry.collect()}
    assert {name for name in families if not any(each.startswith(name) for each in shown)} == set()


def test_no_metric_has_a_label_without_a_bound() -> None:
    assert {label for labels in names_of(Metrics().registry).values() for label in labels} <= {
        "activity",
        "outcome",
        "reason",
    }


def test_a_failure_of_each_reason_is_an_increase_also_if_it_is_the_first() -> None:
    text = generate_latest(Metrics().registry).decode()
    assert {reason for reason in get_args(Reason) if f'failed_total{{reason="{reason}"}} 0.0' not in text} == set()


def test_every_alert_says_how_bad_it_is_and_what_happened() -> None:
    rules = [rule for group in yaml.safe_load(ALERTS.read_text())["groups"] for rule in group["rules"]]
    assert len({rule["alert"] for rule in rules}) == len(rules)
    for rule in rules:
        assert rule["labels"]["severity"] in ("critical", "warning")
        assert rule["annotations"]["summary"]


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool is missing: sh tests/programs/install.sh long")
def test_promtool_takes_the_rules_and_they_fire(tmp_path: Path) -> None:
    def fired(alert: str, at: str, series: str, values: str) -> dict[str, Any]:
        return {
            "interval": "1m",
            "input_series": [{"series": series, "values": values}],
            "alert_rule_test": [{"alertname": alert, "eval_time": at, "exp_alerts": [expected(alert)]}],
        }

    def expected(alert: str) -> dict[str, Any]:
        rules = yaml.safe_load(ALERTS.read_text())["groups"][0]["rules"]
        rule = next(rule for rule in rules if rule["alert"] == alert)
        return {"exp_labels": rule["labels"], "exp_annotations": rule["annotations"]}

    cases = [
        fired("ToolgenQueueStands", "10m", "toolgen_queue_oldest_seconds", "400x10"),
        fired("ToolgenQuestionWaits", "10m", "toolgen_question_oldest_seconds", "20000x10"),
        fired("ToolgenScheduleLate", "5m", "toolgen_schedule_late_seconds", "100x10"),
        fired("ToolgenNoWorker", "5m", "other", "1x10"),
    ]
    (tmp_path / "alerts.yaml").write_bytes(ALERTS.read_bytes())
    (tmp_path / "test.yaml").write_text(yaml.safe_dump({"rule_files": ["alerts.yaml"], "tests": cases}))
    for args in (["check", "rules", "alerts.yaml"], ["test", "rules", "test.yaml"]):
        done = subprocess.run(["promtool", *args], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def test_what_waits_in_a_database_is_counted_and_timed(durable: Engines) -> None:
    durable.prepare()

    async def main() -> None:
        engine = DbosEngine(durable.url, waits=False)
        assert await engine.load() == Load(0, 0, 0, 0, 0)
        for number in range(3):
            await engine.start(request([read("a")], run_id=f"r{number}"))
        await engine.set_schedule(schedule("often", every=3600.0), by="ops")
        with engine._tables.engine.begin() as connection:  # as if no worker had been there for long
            runs = engine._tables.tables.workflow_status
            connection.execute(sa.update(runs).values(updated_at=runs.c.updated_at - 60_000))
            connection.execute(sa.text("UPDATE toolgen_schedules SET next_at = next_at - 3700"))
        load = await engine.load()
        assert (load.queue_runs, load.questions_open) == (3, 0)
        assert load.queue_oldest_seconds >= 50  # the clock of SQLite has whole seconds
        assert load.schedule_late_seconds >= 90
        await engine.cancel("r0")
        with engine._tables.engine.begin() as connection:
            connection.execute(sa.delete(runs).where(runs.c.workflow_uuid.in_(["r1", "r2"])))
            connection.execute(sa.update(runs).values(created_at=runs.c.created_at - 3_600_000))
        await engine.resume("r0")
        load = await engine.load()
        assert (load.queue_runs, load.queue_oldest_seconds < 50) == (1, True)  # it is in the queue since now
        async with durable.opened() as running:
            await running.engine.result("r0", 300)
            for name in ("asks", "answered"):
                await running.engine.start(request([write("a")], run_id=name))
                await running.questions(name)
            (asked,) = await running.engine.approvals("answered")
            await running.engine.decide("answered", asked.id, ALLOW, by="ann")
            await running.engine.result("answered", 300)
            with engine._tables.engine.begin() as connection:
                steps = engine._tables.tables.operation_outputs
                past = sa.update(steps).values(completed_at_epoch_ms=steps.c.completed_at_epoch_ms - 60_000)
                connection.execute(past)
            load = await engine.load()
            assert (load.queue_runs, load.questions_open) == (0, 1)
            assert load.question_oldest_seconds >= 50  # the clock of SQLite has whole seconds
            assert load.schedule_late_seconds == 0
        await engine.close()

    asyncio.run(main())


def test_metrics_say_what_waits_or_that_nobody_knows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolgen.engine.dbos.endpoints._LOOK_SECONDS", 0.05)
    looks = 0

    async def body(served: Served) -> None:
        async def value(name: str) -> float:
            nonlocal looks
            await asyncio.sleep(0.06)
            looks += 1
            text = (await served.ask("/metrics"))[1]
            return next(
                sample.value
                for family in text_string_to_metric_families(text)
                for sample in family.samples
                if sample.name == name
            )

        run_id = await served.engine.start(request([write("a")]))
        await until(lambda: served.engine.approvals(run_id))
        await until(lambda: value("toolgen_questions_open"), lambda found: found == 1)

        async def away() -> Load:
            raise StoreError("it is away")

        monkeypatch.setattr(served.engine, "load", away)
        found = await until(lambda: value("toolgen_questions_open"), lambda found: found != 1)
        assert found != found  # it is no number

    served(tmp_path, body)
    assert looks >= 2


def test_attempts_after_failures_are_counted(durable: Engines) -> None:
    seen: list[str] = []

    class Counting(Metrics):
        def __init__(self) -> None:
            super().__init__()
            seen.append("made")

        def began(self, activity: str = "", attempt: int = 1) -> float:
            if attempt > 1:
                seen.append(f"{activity} {attempt}")
            return super().began(activity, attempt)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("toolgen.engine.dbos.worker.Metrics", Counting)

        async def body(running: Any) -> None:
            await running.engine.result(await running.engine.start(request([read("flaky"), read("a")])), 30)

        durable.run(body)
    assert seen == ["made", "call 2"]
    metrics = Metrics()
    metrics.ended("call", metrics.began("call", 2), {})
    assert 'toolgen_retries_total{activity="call"} 1.0' in generate_latest(metrics.registry).decode()
    assert isinstance(metrics.writes_again, Counter)


def test_a_run_of_several_workers_and_agents_is_one_trace_and_what_was_taken_over_is_counted(
    workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = Kept()
    with receiving() as collector:
        monkeypatch.setenv(COLLECTOR, collector.endpoint)

        async def main() -> None:
            async with workers.opened() as engine, asyncio.timeout(100):
                with use_span(kept.tracers.get_tracer("test").start_span("request"), end_on_exit=True):
                    made = request([search([read("a")])], [write("until-killed")], [search()], run_id="r")
                await engine.start(made)
                await engine.start(request([write("b")], run_id="waits"))
                first = workers.start("tests.unit.engine.dbos.observed:host", "--http", "0")
                (asked,) = await until(lambda: engine.approvals("r"))
                await until(lambda: engine.approvals("waits"))
                await engine.decide("r", asked.id, ALLOW, by="ann")
                await until(lambda: "until-killed" in attempts(workers))
                workers.kill(first)
                (workers.folder / "killed").touch()
                (waits,) = await engine.approvals("waits")
                await engine.decide("waits", waits.id, ALLOW, by="ann")
                second = workers.start("tests.unit.engine.dbos.observed:host", "--http", "0")
                assert (await engine.result("r", 300)).stopped == "completed"
                await engine.result("waits", 300)
                found = re.search(r"metrics at (http://\S+)", workers.said(second))
                assert found is not None
                text = await asyncio.to_thread(read_url, f"{found[1]}/metrics")
                assert "toolgen_writes_reexecuted_total 1.0" in text
                assert "toolgen_adoption_seconds_count 1.0" in text
                assert "toolgen_workers_adopted_total 1.0" in text

        asyncio.run(main())
    traces = {span.trace for span in collector.spans if span.attributes.get("toolgen.run.id") != "waits"}
    root = kept.named("request").context
    assert root is not None
    of_run = [span for span in collector.spans if span.trace == root.trace_id.to_bytes(16)]
    assert root.trace_id.to_bytes(16) in traces
    assert {span.service for span in of_run} == {"w1", "w2"}
    searches = [span for span in of_run if span.name == "invoke_agent orchestrator.researcher"]
    assert {span.service for span in searches} == {"w1", "w2"}
    names = [span.name for span in of_run]
    assert names.count("execute_tool code.write_file") == 1  # that of the killed worker never ended
    assert names.count("invoke_agent main") == 1


def attempts(workers: Workers) -> list[str]:
    from tests.unit.engine.app import rows

    return [path for (path,) in rows(workers.folder, "SELECT path FROM attempts")]


def read_url(url: str) -> str:
    with urlopen(url, timeout=20) as response:  # noqa: S310  # http only
        text: str = response.read().decode()
        return text
