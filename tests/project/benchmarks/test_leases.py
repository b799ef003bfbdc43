"""The simulation of leases: the same seed gives the same figures everywhere, so they are asserted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.leases import SCENARIOS, Scenario, simulate
from toolgen.engine.dbos.lease import NEIGHBOURS

ADOPTED_WITHIN = 10.0
"""Seconds that `docs/explanation/scaling.md` states, without those in which the database is away."""


def test_a_worker_reads_a_few_rows_however_many_there_are() -> None:
    assert simulate(Scenario(workers=20, seconds=1.0)).rows_per_second == pytest.approx(20 * NEIGHBOURS, rel=0.05)
    assert simulate(Scenario(workers=80, seconds=1.0)).rows_per_second == pytest.approx(80 * NEIGHBOURS, rel=0.05)


@pytest.mark.parametrize(
    "scenario", [Scenario(workers=80, dead=20, by_host=True), Scenario(workers=80, dead=40, seed=2)], ids=repr
)
@pytest.mark.variants(1)
def test_workers_that_die_together_are_adopted_as_soon_as_one_alone(scenario: Scenario) -> None:
    assert simulate(scenario).longest < ADOPTED_WITHIN


def test_the_last_worker_adopts_all_others() -> None:
    assert simulate(Scenario(workers=40, dead=39)).longest < 2 * ADOPTED_WITHIN


@pytest.mark.parametrize(("pause", "adopted"), [(2.0, 0), (4.0, 0), (8.0, 10)])
@pytest.mark.variants(1)
def test_workers_that_stand_still_are_adopted_only_without_a_lease(pause: float, adopted: int) -> None:
    found = simulate(Scenario(workers=40, paused=10, pause=pause, seconds=12.0))
    assert (found.adopted_alive, found.adopted_while_held) == (adopted, 0)


def test_a_lease_that_is_longer_than_others_wait_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolgen.engine.dbos.lease.LEASE_SECONDS", 8.0)
    assert simulate(Scenario(workers=40, paused=10, pause=8.0)).adopted_while_held == 10


def test_nobody_is_adopted_because_the_database_was_away() -> None:
    found = simulate(Scenario(workers=20, dead=1, away=30.0, seconds=40.0))
    assert (found.adopted_alive, found.adopted_while_held) == (0, 0)
    assert found.longest - 30 < ADOPTED_WITHIN


@pytest.mark.long
@pytest.mark.parametrize("name", SCENARIOS)
def test_a_thousand_workers_do_what_the_scaling_page_says(name: str) -> None:
    scenario = SCENARIOS[name]
    found = simulate(replace(scenario, seed=3))
    assert found.rows_per_second == pytest.approx(NEIGHBOURS * scenario.workers, rel=0.05)
    assert found.longest - scenario.away < ADOPTED_WITHIN
    assert found.adopted_while_held == 0
    assert found.adopted_alive == (scenario.paused if scenario.pause > 5 else 0)
