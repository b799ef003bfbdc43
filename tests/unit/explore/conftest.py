"""Processes of a project as forks: most tests of pages ask what these print, and none needs a new interpreter."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from tests.unit.cli.forked_python import forked_python


@pytest.fixture
def forked_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the pages of a project compile its specs in forks."""
    monkeypatch.setattr("toolgen.explore.project_process.sys", SimpleNamespace(executable=forked_python()))
