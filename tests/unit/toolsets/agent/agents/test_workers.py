"""Workers: each step occupies one and always releases it."""

from __future__ import annotations

import pytest

from toolgen.runtime.base.errors import CallFailed
from toolgen.toolsets.agent.agents import WorkerPool


def test_a_worker_is_busy_while_its_step_runs() -> None:
    pool = WorkerPool(2)
    with pool.taken() as first, pool.taken() as second:
        assert (first, second) == ("worker-1", "worker-2")
        assert pool.free == {"worker-1": False, "worker-2": False}
    assert pool.free == {"worker-1": True, "worker-2": True}


def test_a_worker_whose_step_failed_is_free_again() -> None:
    pool = WorkerPool(1)
    with pytest.raises(ZeroDivisionError), pool.taken():
        raise ZeroDivisionError
    assert pool.free == {"worker-1": True}


def test_reg_80_without_a_free_worker_a_step_is_refused() -> None:
    pool = WorkerPool(1)
    with pool.taken(), pytest.raises(CallFailed, match="all 1 workers are busy") as caught, pool.taken():
        pass
    assert (caught.value.code, caught.value.hint) == (
        "child_agent_limit_exceeded",
        "wait until one has finished its step",
    )
    assert pool.free == {"worker-1": True}


def test_a_pool_without_workers_is_an_error_of_the_host() -> None:
    with pytest.raises(ValueError, match="a pool needs at least one worker"):
        WorkerPool(0)
