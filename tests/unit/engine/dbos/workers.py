"""Worker processes, which are forks, for tests that kill and restart them."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from tests.unit.cli.forked_python import Fork, forked_python
from tests.unit.engine import app
from tests.unit.engine.dbos.jumping import CLOCK
from toolgen.engine.dbos import DbosEngine, database_url, prepare_database

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterator

ROOT: Final = Path(__file__).parents[4]
JUMPING: Final = "tests.unit.engine.dbos.jumping:host"


class Workers:
    """Worker processes on one database. Each writes what it says to a file in the folder."""

    def __init__(self, database: str, folder: Path) -> None:
        self.database = database
        self.folder = folder
        self.running: dict[str, Fork] = {}
        self._count = 0

    def start(self, host: str = "tests.unit.engine.app:host", *options: str, database: str = "") -> str:
        """Start a worker and return its name. `database` is another URL of the database than that of the others.

        With an option `--name` it has two names: that of its log, which is returned, and its own, the last of the two.
        """
        self._count += 1
        name = f"w{self._count}"
        with (self.folder / f"{name}.log").open("wb") as log, Path(os.devnull).open("rb") as nothing:
            self.running[name] = Fork(
                ["-m", "toolgen", "worker", host, "--name", name, *options],
                environment={
                    **self._environment,
                    "TOOLGEN_DATABASE": database or self.database,
                    CLOCK: str(self._clock_of(name)),
                },
                folder=ROOT,
                streams=[nothing.fileno(), log.fileno(), log.fileno()],
            )
        return name

    def kill(self, name: str) -> None:
        """Kill a worker, which can do nothing about it."""
        process = self.running.pop(name)
        process.kill()
        process.wait()

    def stop(self, name: str) -> int:
        """Stop a worker as a service manager does; return its exit code."""
        process = self.running.pop(name)
        process.send_signal(signal.SIGTERM)
        return process.wait(60)

    def set_clock(self, name: str, seconds: int) -> None:
        """Set the clock of a worker of the host `JUMPING` to so many seconds after the true time, or before it."""
        written = self.folder / "clock"
        written.write_text(str(seconds))
        written.replace(self._clock_of(name))

    def _clock_of(self, name: str) -> Path:
        return self.folder / f"{name}.clock"

    @asynccontextmanager
    async def opened(self) -> AsyncGenerator[DbosEngine]:
        """Open the engine of the workers, as a context."""
        url = database_url(self.database)
        await asyncio.to_thread(prepare_database, url)
        engine = DbosEngine(url, poll=0.05)
        try:
            yield engine
        finally:
            await engine.close()

    def kill_all(self) -> None:
        for name in list(self.running):
            self.running[name].send_signal(signal.SIGCONT)
            self.kill(name)

    def said(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text(errors="replace")

    def command(self, *args: str) -> subprocess.CompletedProcess[str]:
        """Run a command of `toolgen` on the database, in a fork."""
        return subprocess.run(
            [forked_python(), "-m", "toolgen", *args],
            cwd=ROOT,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )

    @property
    def _environment(self) -> dict[str, str]:
        return {**os.environ, app.FOLDER: str(self.folder), "TOOLGEN_DATABASE": self.database}


@pytest.fixture(params=["postgres", pytest.param("sqlite", marks=pytest.mark.long)])
def workers(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Workers]:
    """Return workers on a database of each kind; no process is left.

    Most of their time is spent waiting for a worker to be taken for dead, so SQLite, on which `test_engines` runs the
    same code, is for the long suite.
    """
    postgres = request.param == "postgres"
    target: str = request.getfixturevalue("prepared_url") if postgres else str(tmp_path / "runs.sqlite")
    found = Workers(target, tmp_path)
    try:
        yield found
    finally:
        found.kill_all()
