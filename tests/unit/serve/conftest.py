"""A package that is built once, and `toolgen serve` on it as a process of its own: by stdio, and over HTTP."""

from __future__ import annotations

import json
import os
import subprocess
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import httpx2
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from tests.project.checkout import ROOT
from tests.unit.cli.command_line import toolgen
from tests.unit.cli.forked_python import forked_python

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

Mode = Literal["auto", "legacy"]

TOKENS = {"ana": "ana-0123456789abcdef", "bo": ["bo-0123456789abcdef", "bo-fedcba9876543210"]}

MANY = 105
"""Tools of a toolset that has more than one page of them."""

SPECS = {
    "notes.yaml": """\
toolgen: 1
toolset: team.notes
description: Notes of the team.

tools:
  read:
    title: Read notes
    description: Read the notes of a book.
    permission: readonly
    args: {book: string}
    result: [string]
  add:
    description: Add a note to a book.
    args:
      book: string
      text: string
    result: {count: integer, books: {type: object, additionalProperties: {type: [integer, "null"]}}}
    access: {scope: book}
  wipe:
    description: Remove all notes.
    tags: [dangerous]
    args: {}
""",
    "jobs.yaml": """\
toolgen: 1
toolset: team.jobs
description: Jobs of the team.

tools:
  wait:
    description: Wait for a while, and say how far that is.
    permission: readonly
    args: {name: string, seconds: number}
    result: {waited: number}
  fail:
    description: Fail.
    permission: readonly
    args: {}
    result: string
  browse:
    description: Look something up.
    permission: readonly
    tags: [network]
    args: {}
    result: string
  who:
    description: Who asks.
    permission: readonly
    args: {}
    result: {user: string}
  twice:
    description: Runs twice a day for each user.
    permission: readonly
    args: {}
    result: integer
    limits: {daily_limit: 2}
  stubborn:
    description: Ignore being cancelled.
    permission: readonly
    args: {}
  end:
    description: End as no tool should.
    permission: readonly
    args: {how: string}
  nothing:
    description: Return nothing.
    permission: readonly
    args: {}
    result: {type: "null"}
""",
    "many.yaml": "toolgen: 1\ntoolset: team.many\ntools:\n"
    + "".join(
        f"  t{number:03}: {{description: Tool {number}., permission: readonly, args: {{}}}}\n" for number in range(MANY)
    ),
    "careful.policy.yaml": "toolgen: 1\npolicy: careful\nrules: {team.notes.wipe: deny}\n",
    "clerk.agent.yaml": "toolgen: 1\nagent: clerk\ndescription: Keeps notes.\nuse: [team.notes]\n",
}

APP = """\
import asyncio
import time
from pathlib import Path

BOOKS = {}
COUNTS = []


def sleep_long():
    time.sleep(3600)


class Notes:
    def read(self, args, meta):
        return BOOKS.get(args.book, [])

    def add(self, args, meta):
        from generated.team.tools import notes

        BOOKS.setdefault(args.book, []).append(args.text)
        return notes.AddResult.model_validate({"count": len(BOOKS[args.book]), "books": {args.book: 1, "none": None}})

    def wipe(self, args, meta):
        BOOKS.clear()


class Jobs:
    async def wait(self, args, meta):
        print("handlers may print")
        Path(f"{args.name}.started").touch()
        if args.name == "thread":  # it does not end, as that of a library may not
            await asyncio.to_thread(sleep_long)
        if args.name == "blocks":  # the event loop
            sleep_long()
        try:
            if args.name == "odd":
                for number in (10**400, -(10**400), True, "1", None):
                    meta.report({"progress": number, "total": number, "message": "odd"})
            for step in range(1, 4):
                meta.report({"progress": step, "total": 3, "message": f"step {step}"})
            meta.report({"progress": 1})
            meta.report({"rows": 7})
            await asyncio.sleep(args.seconds)
        except asyncio.CancelledError:
            Path(f"{args.name}.cancelled").touch()
            raise
        from generated.team.tools import jobs

        return jobs.WaitResult(waited=args.seconds)

    def fail(self, args, meta):
        raise ValueError("the printer is on fire")

    def browse(self, args, meta):
        return "found"

    def who(self, args, meta):
        from generated.team.tools import jobs

        return jobs.WhoResult(user=meta.user or "nobody")

    def twice(self, args, meta):
        COUNTS.append(meta.user)
        return len(COUNTS)

    async def stubborn(self, args, meta):
        Path("stubborn.started").touch()
        while True:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                pass

    async def end(self, args, meta):
        from tests.unit.runtime.endings import IN_OWN_LOOPS

        await IN_OWN_LOOPS[args.how]()

    def nothing(self, args, meta):
        return None


class Many:
    def __getattr__(self, name):
        if not name.startswith("t"):
            raise AttributeError(name)
        return lambda args, meta: name
"""

CONFIG = 'executors = {"team.notes" = "app:Notes", "team.jobs" = "app:Jobs", "team.many" = "app:Many"}\n'


@dataclass(frozen=True)
class Project:
    """A folder with a package, and how to serve it."""

    folder: Path

    def command(self, *arguments: str) -> list[str]:
        return [forked_python(), "-m", "toolgen", "-C", str(self.folder), "serve", *arguments]

    @property
    def environment(self) -> dict[str, str]:
        return {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}

    @asynccontextmanager
    async def by_stdio(self, *arguments: str, mode: Mode = "auto", **options: Any) -> AsyncIterator[Client]:
        """Start a server, and connect to it by stdio."""
        command, *rest = self.command(*arguments)
        parameters = StdioServerParameters(command=command, args=rest, env=self.environment)
        with (self.folder / "stderr").open("w") as log:
            async with Client(stdio_client(parameters, errlog=log), mode=mode, cache=None, **options) as client:
                yield client

    @asynccontextmanager
    async def by_http(self, url: str, token: str = "", mode: Mode = "auto", **options: Any) -> AsyncIterator[Client]:
        """Connect to a server that runs."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=30) as http,
            Client(streamable_http_client(url, http_client=http), mode=mode, cache=None, **options) as client,
        ):
            yield client

    def start(self, *arguments: str) -> Listening:
        """Start a server over HTTP on any free port."""
        process = subprocess.Popen(
            self.command("--http", "0", *arguments), env=self.environment, stderr=subprocess.PIPE, text=True
        )
        assert process.stderr is not None
        lines: list[str] = []
        while "http://" not in (line := process.stderr.readline()):
            lines.append(line)
            assert line, "".join(lines)
        return Listening(process, line.split()[-1])


@dataclass(frozen=True)
class Listening:
    """A server over HTTP."""

    process: subprocess.Popen[str]
    url: str

    def stop(self) -> tuple[int, str]:
        """Ask it to end; give its exit code, and what it said."""
        self.process.terminate()
        _, said = self.process.communicate(timeout=30)
        return self.process.returncode, said


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = tmp_path_factory.mktemp("served")
    (folder / "specs").mkdir()
    for name, text in SPECS.items():
        (folder / "specs" / name).write_text(text)
    (folder / "app.py").write_text(APP)
    (folder / "toolgen.toml").write_text(CONFIG)
    tokens = folder / "tokens.json"
    tokens.write_text(json.dumps(TOKENS))
    tokens.chmod(0o600)
    built = toolgen(folder, "build")
    assert built.code == 0, built.err
    return Project(folder)


@pytest.fixture(scope="session")
def listening(project: Project) -> Iterator[Listening]:
    """A server that needs tokens, and keeps a record in `record.db`."""
    server = project.start("--tokens", "tokens.json", "--store", "record.db")
    yield server
    code, said = server.stop()
    assert code == 0, said
    assert said.count("Traceback") == said.count("the tool team.jobs.fail failed in the call"), said
