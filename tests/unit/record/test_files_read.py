"""Files that a runtime reads: anything but a regular file is refused without blocking."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import toolgen.toolsets.generated
from toolgen.record.artifacts import Artifacts
from toolgen.record.chain import ChainError, ChainKey
from toolgen.record.sqlite import SqliteReader, SqliteStore
from toolgen.runtime.base.errors import ArtifactError
from toolgen.runtime.events.records import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pipes, devices and links of POSIX")


def huge(place: Path) -> None:
    with place.open("wb") as file:
        file.truncate(1 << 32)


PUT: dict[str, Callable[[Path], object]] = {
    "pipe": os.mkfifo,
    "device": lambda place: place.symlink_to("/dev/zero"),
    "folder": lambda place: place.mkdir(),
    "huge": huge,
}
kinds = pytest.mark.parametrize("kind", PUT)


@pytest.mark.slow
@kinds
@pytest.mark.parametrize(
    ("file", "used", "message"),
    [
        ("catalog.json", "import toolgen.runtime as r; r.load('package')", "the catalog.json of 'package' cannot be"),
        (
            "_derived/stubs.json",
            "from toolgen.llm.codeact.stubs import read_stubs; print(read_stubs('package'))",
            "",
        ),
        (
            "_derived/search_index.json",
            "import toolgen.runtime as r, toolgen.llm.search.index as c; print(c.search_index_of(r.load('package')))",
            "",
        ),
    ],
)
@pytest.mark.variants(5)
def test_a_file_of_a_package(tmp_path: Path, kind: str, file: str, used: str, message: str) -> None:
    shutil.copytree(Path(toolgen.toolsets.generated.__file__).parent, tmp_path / "package")
    (tmp_path / "package" / "_derived").mkdir(exist_ok=True)
    (tmp_path / "package" / file).unlink(missing_ok=True)
    PUT[kind](tmp_path / "package" / file)

    program = f"import resource; resource.setrlimit(resource.RLIMIT_AS, (1 << 31, 1 << 31)); {used}"
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    assert message in done.stderr
    assert message or done.stdout.startswith("<toolgen."), "unreadable derived data is regenerated"


@kinds
def test_a_key_file(tmp_path: Path, kind: str) -> None:
    PUT[kind](tmp_path / "key")

    with pytest.raises(ChainError, match="the key file cannot be read: it is "):
        ChainKey.from_file(tmp_path / "key")


@pytest.mark.parametrize(
    ("kind", "suffix"),
    [("huge", ""), *product(("pipe", "device", "folder"), ("", "-wal", "-journal", "-shm"))],
)
def test_a_store(tmp_path: Path, kind: str, suffix: str) -> None:
    if suffix:
        (tmp_path / "runs.db").write_bytes(b"")
    PUT[kind](tmp_path / f"runs.db{suffix}")

    for opened in (lambda: SqliteReader(tmp_path / "runs.db").runs(), lambda: SqliteStore(tmp_path / "runs.db")):
        with pytest.raises(StoreError, match="the store cannot be opened: "):
            opened()


@kinds
def test_an_artifact(tmp_path: Path, kind: str) -> None:
    artifacts = Artifacts(tmp_path)
    ref = artifacts.put(b"content")
    (kept,) = (each for each in tmp_path.rglob("*") if each.is_file() and not each.suffix)
    kept.unlink()
    PUT[kind](kept)

    with pytest.raises(ArtifactError, match="the artifact cannot be read: it is "):
        artifacts.get(ref)


def test_a_media_type_is_shown_only_if_valid(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("a secret")
    artifacts = Artifacts(tmp_path / "kept")
    ref = artifacts.put(b"content")
    (kept,) = tmp_path.rglob("*.type")

    kept.write_text("a secret")
    with pytest.raises(ArtifactError, match="damaged"):
        artifacts.get(ref)
    kept.unlink()
    kept.symlink_to(tmp_path / "secret")
    with pytest.raises(ArtifactError, match="it is a link, not a regular file"):
        artifacts.get(ref)
