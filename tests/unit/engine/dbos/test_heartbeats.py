"""Heartbeats: who is dead is told by what was seen, not by clocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from toolgen.engine.dbos.heartbeats import DEAD_AFTER, Heartbeats

if TYPE_CHECKING:
    from pathlib import Path


class Clock:
    """A clock that goes forward when it is told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Pair:
    """Two workers on one database; the first looks at the second."""

    def __init__(self, folder: Path) -> None:
        self.database = sa.create_engine(f"sqlite:///{folder / 'runs.sqlite'}")
        self.clock = Clock()
        self.first = Heartbeats(self.database, "first", self.clock)
        self.second = Heartbeats(self.database, "second", Clock())
        self.first.prepare()
        self.second.prepare()
        assert self.first.beat() == []

    def after(self, seconds: float) -> list[str]:
        """Return who is dead for the first worker, so many seconds later."""
        self.clock.now += seconds
        return self.first.beat()


def test_a_worker_that_stands_still_is_dead_after_a_while(tmp_path: Path) -> None:
    pair = Pair(tmp_path)
    assert pair.after(DEAD_AFTER - 0.1) == []
    assert pair.after(0.1) == ["second"]


def test_a_worker_that_beats_is_alive_however_long_it_takes(tmp_path: Path) -> None:
    pair = Pair(tmp_path)
    for _ in range(5):
        pair.second.beat()
        assert pair.after(DEAD_AFTER * 10) == []


def test_a_worker_that_was_frozen_is_alive_when_it_beats_again(tmp_path: Path) -> None:
    pair = Pair(tmp_path)
    assert pair.after(DEAD_AFTER) == ["second"]
    pair.first.forget("second")
    pair.second.beat()
    assert pair.after(DEAD_AFTER) == []
    pair.second.beat()
    assert pair.after(DEAD_AFTER) == []


def test_a_worker_that_left_is_dead_at_once(tmp_path: Path) -> None:
    pair = Pair(tmp_path)
    pair.second.leave()
    assert pair.after(0) == ["second"]


def test_nobody_is_dead_because_the_database_was_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While it was, nobody could beat."""
    pair = Pair(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(pair.first, "_database", sa.create_engine(f"sqlite:///{tmp_path}/nowhere/runs.sqlite"))
        pair.clock.now += DEAD_AFTER * 3
        with pytest.raises(SQLAlchemyError):
            pair.first.beat()
    assert pair.after(0) == []
    assert pair.after(DEAD_AFTER - 0.1) == []
    assert pair.after(0.1) == ["second"]


def test_a_worker_does_not_see_itself(tmp_path: Path) -> None:
    pair = Pair(tmp_path)
    assert pair.after(DEAD_AFTER * 2) == ["second"]


def test_preparing_twice_at_once_is_harmless(tmp_path: Path) -> None:
    pair = Pair(tmp_path)
    Heartbeats(pair.database, "third").prepare()
    assert pair.after(0) == []
    assert sorted(pair.after(DEAD_AFTER)) == ["second", "third"]
