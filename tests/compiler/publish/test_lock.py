"""The lock: what it looks like, and what is no lock."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from toolgen import __version__
from toolgen.compiler.publish.lock import LockBroken, lock_for, parse_lock, read_lock, render_lock
from toolgen.compiler.publish.tree import LOCK

if TYPE_CHECKING:
    from tests.compiler.publish.conftest import Project

FILES = {"b.py": b"b", "a.py": b"a", "é.md": b""}


def test_a_lock_is_sorted_with_one_entry_on_a_line(project: Project) -> None:
    text = render_lock(lock_for(project.inputs, FILES)).decode()

    assert text == (
        "{\n"
        '  "files": {\n'
        '    "a.py": "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb",\n'
        '    "b.py": "3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d",\n'
        '    "\\u00e9.md": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"\n'
        "  },\n"
        f'  "generator": "{__version__}",\n'
        '  "inputs": {\n'
        f'    "config": "{"2" * 64}",\n'
        '    "formatter": "0.1.0",\n'
        f'    "generator": "{"1" * 64}",\n'
        '    "specs": {\n'
        f'      "specs/a.yaml": "{"0" * 64}"\n'
        "    }\n"
        "  },\n"
        '  "lock": 1\n'
        "}\n"
    )


def test_a_lock_reads_back_as_it_was_written(project: Project) -> None:
    lock = lock_for(project.inputs, FILES)

    assert parse_lock(render_lock(lock)) == lock


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"lock": 2}, f"is not in format 1, the one that toolgen {__version__} reads"),
        ({"inputs": []}, "is not a lock: `inputs` is no object"),
        ({"generator": None}, "is not a lock: `generator` is no string"),
        ({"files": {"a.py": "x"}}, "is not a lock: `files` has no sha256 for 'a.py'"),
        ({"files": {"../a.py": "0" * 64}}, "`files` has '../a.py', which is not a plain relative path"),
        ({"files": {LOCK: "0" * 64}}, "`files` has 'toolgen.lock', which is the lock itself"),
    ],
)
def test_what_is_no_lock_is_refused_with_its_reason(project: Project, change: dict[str, Any], message: str) -> None:
    value = json.loads(render_lock(lock_for(project.inputs, FILES)))

    with pytest.raises(LockBroken) as caught:
        parse_lock(json.dumps(value | change).encode())

    assert str(caught.value) == message


@pytest.mark.parametrize("content", [b"", b"\xff", b"[]", b"[" * 100_000, b'{"lock": 1}'])
def test_a_broken_lock_is_a_diagnostic(project: Project, content: bytes) -> None:
    project.out.mkdir()
    (project.out / LOCK).write_bytes(content)

    assert read_lock(project.tree, project.sink) is None
    (found,) = project.sink
    assert found.code == "TG606"
    assert found.fix == "restore it from version control, or run `toolgen build --force`"


def test_without_a_lock_there_is_nothing_to_report(project: Project) -> None:
    assert read_lock(project.tree, project.sink) is None
    assert not project.messages
