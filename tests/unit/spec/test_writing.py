"""Files that several programs write, replace and remove at the same moment."""

from __future__ import annotations

import json
import os
import sys
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgen.spec import locks as spec_locks
from toolgen.spec import writing
from toolgen.spec.files import check_regular
from toolgen.spec.locks import take
from toolgen.spec.writing import Changed, append_lines_inside, is_torn, replace_inside, write_inside

if TYPE_CHECKING:
    from collections.abc import Callable

if sys.platform != "win32":
    import fcntl

BEGUN = [b'{"id":']
"""How the lines begin that are appended here."""

locks = pytest.mark.skipif(sys.platform == "win32", reason="files are not locked on Windows")


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "a.yaml"
    path.write_bytes(b"a\n")
    return path


@locks
def test_of_two_that_replace_a_file_at_the_same_moment_one_is_told(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace, others = os.replace, list[Future[None]]()

    with ThreadPoolExecutor(1) as pool:

        def replace_late(*args: Any, **options: Any) -> None:
            if not others:
                others.append(pool.submit(replace_inside, spec.parent, spec.name, b"a\n", b"theirs\n"))
                wait(others, timeout=0.2)
            replace(*args, **options)

        monkeypatch.setattr(os, "replace", replace_late)
        replace_inside(spec.parent, spec.name, b"a\n", b"ours\n")

    with pytest.raises(Changed):
        others[0].result()
    assert spec.read_bytes() == b"ours\n"
    assert [*spec.parent.iterdir()] == [spec]


@locks
def test_of_two_that_append_to_a_file_at_the_same_moment_one_is_told(
    spec: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fstat, others = os.fstat, list[Future[None]]()

    with ThreadPoolExecutor(1) as pool:

        def look_early(descriptor: int) -> os.stat_result:
            found = fstat(descriptor)
            if not others and writing_to(descriptor, spec):
                others.append(
                    pool.submit(append_lines_inside, spec.parent, spec.name, b"theirs\n", beginnings=BEGUN, size=2)
                )
                wait(others, timeout=0.2)
            return found

        monkeypatch.setattr(os, "fstat", look_early)
        append_lines_inside(spec.parent, spec.name, b"ours\n", beginnings=BEGUN, size=2)

    with pytest.raises(Changed):
        others[0].result()
    assert spec.read_bytes() == b"a\nours\n"


def writing_to(descriptor: int, path: Path) -> bool:
    return os.path.samestat(os.stat(descriptor), path.stat())


@locks
def test_nothing_is_appended_to_a_file_that_was_replaced(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flock = fcntl.flock

    def lock_late(*args: Any) -> None:
        write_inside(spec.parent, spec.name, b"new\n")
        flock(*args)

    monkeypatch.setattr(fcntl, "flock", lock_late)
    with pytest.raises(Changed):
        append_lines_inside(spec.parent, spec.name, b"b\n", beginnings=BEGUN)
    assert spec.read_bytes() == b"new\n"


@locks
def test_a_file_that_another_program_has_locked_is_replaced_all_the_same(
    spec: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "_PATIENCE", 0.02)
    with spec.open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        replace_inside(spec.parent, spec.name, b"a\n", b"b\n")
    assert spec.read_bytes() == b"b\n"


@locks
def test_a_file_is_replaced_where_there_are_no_locks(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_args: Any) -> None:
        raise OSError(95, "not supported")

    monkeypatch.setattr(fcntl, "flock", refuse)
    replace_inside(spec.parent, spec.name, b"a\n", b"b\n")
    assert spec.read_bytes() == b"b\n"


@pytest.mark.parametrize(
    "write", [lambda path: write_inside(path.parent, path.name, b"b"), lambda path: take(path) and None]
)
def test_a_file_that_is_removed_while_one_looks_at_it_is_created(
    spec: Path, monkeypatch: pytest.MonkeyPatch, write: Callable[[Path], None]
) -> None:

    def check_late(path: str, **options: Any) -> os.stat_result:
        spec.unlink()
        return check_regular(path, **options)

    for module in (writing, spec_locks):
        monkeypatch.setattr(module, "check_regular", check_late)
    write(spec)
    assert spec.exists()


@given(
    st.lists(st.text("ab{\u00e9\n", max_size=9)),
    st.text("ab\u00e9", max_size=200),
    st.integers(0, 300),
    st.sampled_from([b"", b"a\n", b'{"id":1}\n']),
)
def test_appended_lines_are_lines_whatever_a_stopped_writer_left(
    texts: list[str], cut: str, length: int, before: bytes
) -> None:
    lines = [b'{"id":' + json.dumps(text).encode() + b"}" for text in texts]
    part = (b'{"id":' + json.dumps(cut).encode() + b"}")[:length]
    is_whole = part.endswith(b"}")
    with TemporaryDirectory() as folder:
        file = Path(folder) / "calls.jsonl"
        file.write_bytes(before + b"".join(line + b"\n" for line in lines) + part)
        assert is_torn(part, BEGUN) == (bool(part) and not is_whole)
        append_lines_inside(folder, file.name, b'{"id":2}\n', beginnings=BEGUN)
        assert file.read_bytes().split(b"\n") == [
            *before.splitlines(), *lines, *([part] if is_whole else []), b'{"id":2}', b""
        ]  # fmt: skip


@pytest.mark.parametrize("last", [b"mine", b'{"id":5}', b"{broken", b"{}", b" "])
def test_a_last_line_of_another_hand_stays_and_gets_an_end(spec: Path, last: bytes) -> None:
    spec.write_bytes(b"a\n" + last)
    append_lines_inside(spec.parent, spec.name, b"b\n", beginnings=BEGUN)
    assert spec.read_bytes() == b"a\n" + last + b"\nb\n"
