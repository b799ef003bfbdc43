"""The project and a server for it, started once for all tests of a process."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING

import pytest

from tests.unit.authoring.language_client import Client, language_client
from tests.unit.authoring.language_server.project import FILES, create

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator
    from pathlib import Path

    Look = Callable[[Client], Awaitable[None]]
    Serve = Callable[[Look], None]


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("language server") / "my project"
    create(folder)
    return folder


@pytest.fixture(scope="session")
def serve(project: Path) -> Iterator[Serve]:
    """Return a function that runs requests of an editor. Afterwards every file is as it is on disk."""
    with asyncio.Runner() as runner:
        server = language_client(project, sys.executable, "-m", "toolgen", "lsp")
        client = runner.run(server.__aenter__())

        def run(look: Look) -> None:
            try:
                runner.run(asyncio.wait_for(look(client), 60))
            finally:
                for path in client.shown & FILES.keys():
                    client.show(path, FILES[path])

        yield run
        runner.run(server.__aexit__(None, None, None))
