"""The command: what it refuses before anything is served. The guide runs the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.cli.command_line import toolgen

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("explored")
    (folder / "specs").mkdir()
    text = (
        "toolgen: 1\ntoolset: shop\ntools:\n"
        "  find: {description: Find., permission: readonly, args: {word: string}, limits: {daily_limit: 1}}\n"
    )
    (folder / "specs" / "shop.yaml").write_text(text)
    (folder / "kept.db.limits").mkdir()
    assert toolgen(folder, "build").code == 0
    return folder


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--agent", "nobody"], "There is no agent `nobody`"),
        (["--package", "elsewhere"], "There is no package `elsewhere`"),
        (["--host-name", "https://here"], "is not a host name"),
        (["--database", "missing.sqlite"], "there is no file missing.sqlite"),
        (["--store", "specs"], "it is a folder"),
        (["--store", "kept.db"], "kept.db.limits: the file of counters cannot be opened: it is a folder"),
        (["--disable-policy", "none"], "There is no policy `none`"),
        (["--http", "99999"], "this is not [HOST:]PORT"),
        (["--port", "8000"], "Did you mean '--http'?"),
    ],
)
def test_what_cannot_be_explored_is_said_before_anything_is_served(
    project: Path, options: list[str], said: str
) -> None:
    done = toolgen(project, "explore", "--no-open", "--stub", *options)
    assert done.code == 2
    assert said in done.err
    assert "Traceback" not in done.err
