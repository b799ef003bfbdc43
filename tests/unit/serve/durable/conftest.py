"""Two servers and a worker on one database, each a process of its own."""

from __future__ import annotations

import secrets
import subprocess
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.cli.forked_python import forked_python
from tests.unit.serve.conftest import TOKENS, Listening, Project

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


WORKER = """\
from app import Jobs, Many, Notes
from generated.team.tools import jobs, many, notes
from toolgen.runtime.policy.approval import ask_before_call
from toolgen.engine import EngineHost
from toolgen.runtime import Runtime, load


def host(_engine):
    executors = [notes.executor(Notes()), jobs.executor(Jobs()), many.executor(Many())]
    return EngineHost(Runtime(load("generated"), executors=executors, permission=ask_before_call), {})


def host_for(rule):
    catalog = load("generated")
    catalog._document = {**catalog._document, "policies": {"added": {"approvers": {"team.notes.add": rule}}}}
    executors = [notes.executor(Notes()), jobs.executor(Jobs()), many.executor(Many())]
    return EngineHost(Runtime(catalog, executors=executors, permission=ask_before_call), {})


def host_for_two(_engine):
    return host_for({"people": 2})


def host_for_finance(_engine):
    return host_for({"roles": ["finance"]})
"""


@dataclass
class Durable:
    """Servers and workers on one database."""

    project: Project
    database: str
    folder: Path
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list[subprocess.Popen[bytes]])
    servers: list[Listening] = field(default_factory=list[Listening])

    def serve(self, *arguments: str) -> Listening:
        server = self.project.start("--tokens", "tokens.json", "--database", self.database, *arguments)
        self.servers.append(server)
        return server

    def work(self, host: str = "durable_app:host") -> subprocess.Popen[bytes]:
        name = f"worker-{len(self.workers)}"
        command = self.toolgen("worker", host, "--database", self.database, "--name", name)
        log = self.folder / f"{name}.log"
        with log.open("wb") as said:
            self.workers.append(
                subprocess.Popen(
                    command, env=self.project.environment, stdin=subprocess.DEVNULL, stdout=said, stderr=said
                )
            )
        deadline = time.monotonic() + 60
        while b"executes runs" not in log.read_bytes():
            assert self.workers[-1].poll() is None, log.read_text()
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.05)
        return self.workers[-1]

    def runs(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = self.toolgen("runs", *arguments, "--database", self.database)
        return subprocess.run(command, env=self.project.environment, capture_output=True, text=True, check=False)

    def toolgen(self, *arguments: str) -> list[str]:
        return [forked_python(), "-m", "toolgen", "-C", str(self.project.folder), *arguments]

    def client(self, server: Listening, user: str = "ana", **options: Any) -> Any:
        tokens = TOKENS[user]
        return self.project.by_http(server.url, tokens if isinstance(tokens, str) else tokens[0], **options)

    def end(self) -> None:
        processes: list[subprocess.Popen[Any]] = [*self.workers, *(server.process for server in self.servers)]
        for process in processes:
            process.kill()
            process.wait()
            if process.stderr is not None:
                process.stderr.close()


@pytest.fixture(scope="module", params=["postgres", pytest.param("sqlite", marks=pytest.mark.long)])
def durable(
    request: pytest.FixtureRequest, project: Project, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Durable]:
    """Return two servers and a worker on Postgres; in long runs on SQLite too, as the guide is in all.

    Tests may start and kill servers of their own. All end with the module: until then they look at their database.
    """
    folder = tmp_path_factory.mktemp("durable")
    database = str(folder / "runs.sqlite")
    if request.param == "postgres":
        database = request.getfixturevalue("shared_postgres").new_database()
    (project.folder / "durable_app.py").write_text(WORKER)
    made = Durable(project, database, folder)
    try:
        made.serve()
        made.serve()
        made.work()
        yield made
    finally:
        made.end()


@pytest.fixture
def unique() -> str:
    """Return a name that no other test has: the database of several tests is one."""
    return secrets.token_hex(4)
