"""Environments that hosts pass: a host keeps what it had when it was made, so what is sent is what is redacted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from toolgen.execute.command import CommandHost
from toolgen.execute.http import HttpHost
from toolgen.execute.mcp import McpHost, McpServer
from toolgen.runtime import PathPolicy

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    Host = McpHost | HttpHost | CommandHost
    Make = Callable[[Mapping[str, str], Path], Host]

HOSTS: dict[str, Make] = {
    "mcp": lambda environment, _: McpHost(environment=environment),
    "http": lambda environment, _: HttpHost(environment=environment),
    "command": lambda environment, folder: CommandHost(paths=PathPolicy(folder), environment=environment),
}


@pytest.mark.parametrize("make", HOSTS.values(), ids=HOSTS)
def test_a_host_keeps_the_environment_of_when_it_was_made(make: Make, tmp_path: Path) -> None:
    live = {"TOKEN": "first"}
    host = make(live, tmp_path)
    live["TOKEN"] = "later"
    assert host.environment == {"TOKEN": "first"}


@pytest.mark.parametrize("make", HOSTS.values(), ids=HOSTS)
def test_no_value_of_an_environment_is_in_the_repr_of_a_host(make: Make, tmp_path: Path) -> None:
    assert "hunter2" not in repr(make({"TOKEN": "hunter2"}, tmp_path))


def test_no_header_is_in_the_repr_of_a_server() -> None:
    server = McpServer(http="https://h.example/mcp", headers={"Authorization": "Bearer $env.TOKEN"})
    assert "hunter2" not in repr(server.resolved({"TOKEN": "hunter2"}))
