"""The simulation of durable runs: fixed inputs give the same figures everywhere, so they are asserted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.simulation import MEASURED, SERVERS, STATED_ERROR, Cluster, Deployment, carried, check, simulate
from tests.project.checkout import ROOT

STEP = MEASURED.step[1]
ALONE = Deployment(workers=1, concurrency=20, poll=0.1, cores=8, own_cores=True, step=STEP)


def test_the_simulation_reproduces_what_was_measured_within_the_stated_error() -> None:
    found = check(MEASURED)
    assert found.keys() == {1, 2, 4}
    assert all(abs(each["error"]) <= STATED_ERROR for each in found.values()), found


def test_the_check_notices_other_inputs() -> None:
    slow = {workers: replace(step, server_ms=2 * step.server_ms) for workers, step in MEASURED.step.items()}
    assert max(abs(each["error"]) for each in check(replace(MEASURED, step=slow)).values()) > STATED_ERROR


def test_one_worker_with_a_core_is_bounded_by_its_own_time() -> None:
    found = simulate(MEASURED, ALONE, runs=200)
    most = 1e3 / (STEP.worker_ms * MEASURED.steps)
    assert 0.8 * most < found.runs_per_second < most


def test_workers_scale_until_the_cores_of_the_server_are_used_up() -> None:
    few = simulate(MEASURED, replace(ALONE, workers=2, cores=1), runs=1000)
    many = simulate(MEASURED, replace(ALONE, workers=16, cores=1), runs=1000)
    assert many.runs_per_second < 1e3 / (STEP.server_ms * MEASURED.steps)
    assert few.server_used < many.server_used == pytest.approx(1, abs=0.1)


def test_a_rate_that_workers_keep_up_with_waits_for_a_look_at_the_queue() -> None:
    idle = replace(MEASURED, idle_worker_ms=0.0, idle_server_ms=0.0)
    slow = simulate(idle, replace(ALONE, poll=1.0), runs=200, rate=5)
    quick = simulate(idle, replace(ALONE, poll=0.1), runs=200, rate=5)
    assert quick.p50 < 0.5 * slow.p50
    assert 0.3 < slow.p50 < 0.7


def test_a_shard_has_its_part_of_the_workers_and_of_the_runs() -> None:
    whole = Cluster(workers=8, calls_per_second=200, shards=1, poll=0.1, cores=8)
    parts = replace(whole, shards=2, cores=4)
    assert parts.simulated(MEASURED).server_used == pytest.approx(whole.simulated(MEASURED).server_used, rel=0.1)


@pytest.mark.parametrize("cores", SERVERS)
def test_the_scaling_page_has_what_one_server_carries(cores: int) -> None:
    found = carried(MEASURED, cores=cores, poll=1.0)
    workers = round(found.workers)
    row = (
        f"| {cores} | {round(found.calls_per_second, -2):,.0f} | {workers} | {MEASURED.connections * workers:,} "
        f"| {found.wal_bytes_per_second / 1e6:.0f} MB |"
    )
    assert row in (ROOT / "docs" / "explanation" / "scaling.md").read_text(encoding="utf-8")


def test_a_server_carries_no_more_than_its_cores_can_do() -> None:
    found = carried(MEASURED, cores=8, poll=0.1, used=1.0)
    assert found.calls_per_second < 8 * 1e3 / (STEP.server_ms * MEASURED.steps / MEASURED.calls)
    assert carried(MEASURED, cores=8, poll=1.0).calls_per_second > carried(MEASURED, cores=8, poll=0.1).calls_per_second
