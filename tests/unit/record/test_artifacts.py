"""Artifacts: the same bytes have the same ref and are stored atomically, in a folder or at a URL."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgen.record.artifacts import Artifact, Artifacts
from toolgen.runtime.base.errors import ArtifactError, ArtifactNotFound

TEXT = b"a long output\n" * 1000
REF = f"sha256:{hashlib.sha256(TEXT).hexdigest()}"


@pytest.fixture(params=["folder", "file", "memory"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str | Path:
    """Return a folder that does not exist yet, or a URL."""
    if request.param == "folder":
        return tmp_path / "new" / "artifacts"
    pytest.importorskip("fsspec", reason="the extra `artifacts` is not installed")
    return f"file://{tmp_path}/artifacts" if request.param == "file" else f"memory://{tmp_path}/artifacts"


@given(data=st.binary(max_size=100))
def test_bytes_are_preserved(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    artifacts = Artifacts(tmp_path_factory.getbasetemp() / "artifacts")
    ref = artifacts.put(data, "text/plain; charset=utf-8")
    assert ref == f"sha256:{hashlib.sha256(data).hexdigest()}"
    assert artifacts.get(ref) == Artifact(data, "text/plain; charset=utf-8")


def test_reg_64_an_artifact_holds_the_full_text(place: str | Path) -> None:
    artifacts = Artifacts(place)
    assert artifacts.put(TEXT, "text/plain") == REF
    assert artifacts.get(REF) == Artifact(TEXT, "text/plain")
    assert Artifacts(place).get(REF).data == TEXT


def test_putting_again_changes_nothing(place: str | Path) -> None:
    artifacts = Artifacts(place)
    assert artifacts.put(TEXT, "text/plain") == artifacts.put(TEXT, "application/json") == REF
    assert artifacts.get(REF).media_type == "text/plain"


@pytest.mark.parametrize(
    "ref",
    [
        "",
        "sha256:",
        REF.upper(),
        REF + "\n",
        REF[:-1],
        REF + "0",
        REF.removeprefix("sha256:"),
        "md5:" + "0" * 64,
        "sha256:" + "../" * 21 + "x",
        "sha256:../../etc/passwd",
        "../etc/passwd",
        "/etc/passwd",
        "file:///etc/passwd",
        "sha256:" + "０" * 64,  # noqa: RUF001  # digits of another script
        "sha256:" + "0" * 64 + "\0",
        "sha256:" + "0" * 64 + ".type",
    ],
)
def test_an_invalid_ref_reads_no_file(place: str | Path, ref: str) -> None:
    artifacts = Artifacts(place)
    artifacts.put(TEXT)
    with pytest.raises(ArtifactNotFound, match="not an artifact ref"):
        artifacts.get(ref)


def test_a_ref_without_an_artifact(place: str | Path) -> None:
    artifacts = Artifacts(place)
    with pytest.raises(ArtifactNotFound, match="there is no artifact with that ref"):
        artifacts.get(REF)
    artifacts.put(b"")
    with pytest.raises(ArtifactNotFound):
        artifacts.get(REF)


@pytest.mark.parametrize("media_type", ["", "text", "text/plain\nX: y", "../x/y", "text/plain; a=b\r\n", "a/b/c"])
def test_invalid_media_types(tmp_path: Path, media_type: str) -> None:
    with pytest.raises(ValueError, match="not a media type"):
        Artifacts(tmp_path).put(TEXT, media_type)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", ["", ".type"])
@pytest.mark.parametrize("damaged", [None, b"", TEXT[:10], TEXT[:-1] + b"x", TEXT + b"x", b"\xff/\xff"])
def test_damage_is_detected_and_repaired(tmp_path: Path, suffix: str, damaged: bytes | None) -> None:
    artifacts = Artifacts(tmp_path)
    artifacts.put(TEXT, "text/plain")
    (file,) = tmp_path.glob(f"*/{REF.removeprefix('sha256:')}{suffix}")
    if damaged is None:
        file.unlink()
    else:
        file.write_bytes(damaged)
    with pytest.raises((ArtifactError, ArtifactNotFound)):
        artifacts.get(REF)

    assert artifacts.put(TEXT, "text/plain") == REF

    assert artifacts.get(REF) == Artifact(TEXT, "text/plain")


def test_errors_contain_no_path(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    artifacts = Artifacts(tmp_path / "file" / "artifacts")
    with pytest.raises(ArtifactError, match="the artifact cannot be stored: Not a directory") as caught:
        artifacts.put(TEXT)
    assert str(tmp_path) not in str(caught.value)


def test_threads_put_the_same_bytes(place: str | Path) -> None:
    artifacts = Artifacts(place)
    refs: list[str] = []
    threads = [threading.Thread(target=lambda: refs.append(artifacts.put(TEXT))) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert refs == [REF] * 16
    assert artifacts.get(REF).data == TEXT


def test_a_killed_writer_leaves_complete_artifacts(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from itertools import count\n"
        "from toolgen.record.artifacts import Artifacts\n"
        "artifacts = Artifacts(Path(sys.argv[1]))\n"
        "for n in count(): print(artifacts.put(str(n).encode() * 200_000), flush=True)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    with subprocess.Popen(
        [sys.executable, "-c", script, tmp_path], stdout=subprocess.PIPE, text=True, env=environment
    ) as writer:
        assert writer.stdout is not None
        refs = [writer.stdout.readline().strip() for _ in range(5)]
        writer.kill()
    artifacts = Artifacts(tmp_path)
    assert [artifacts.get(ref).data[:1] for ref in refs] == [b"0", b"1", b"2", b"3", b"4"]
    for file in tmp_path.glob("*/[!.]*"):
        if file.suffix != ".type":
            artifacts.get(f"sha256:{file.name}")


def test_a_url_without_fsspec(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(ArtifactError, match=r'artifacts at a URL need fsspec: pip install "toolgen\[artifacts\]"'):
        Artifacts("s3://bucket/artifacts")


def test_a_url_of_an_unknown_kind() -> None:
    pytest.importorskip("fsspec", reason="the extra `artifacts` is not installed")
    with pytest.raises(ArtifactError, match="artifacts cannot be stored at such a URL"):
        Artifacts("nowhere://bucket/artifacts")
