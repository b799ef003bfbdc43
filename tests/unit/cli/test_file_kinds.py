"""Whatever is in place of an expected file, a command ends with a message and reveals no foreign content."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
from dataclasses import asdict
from itertools import product
from typing import TYPE_CHECKING, Final

import pytest

from tests.project.checkout import ROOT
from tests.unit.cli.command_line import toolgen
from tests.unit.cli.file_kinds import FOREIGN, KINDS, Case, Outcome
from tests.unit.cli.forked_python import forked_python
from toolgen.record.chain import ChainKey
from toolgen.record.sqlite import SqliteStore
from toolgen.runtime.events.records import NewEvent

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="links, pipes, sockets and /dev/zero of Linux"),
    pytest.mark.xdist_group("file kinds"),
]

SPEC: Final = """\
toolgen: 1
toolset: shop
tools:
  find: {description: Find an order., permission: readonly, args: {}, result: integer}
"""
APP: Final = """\
class Shop:
    def find(self, args, meta):
        return 1

def embed(texts):
    return [[1.0, 0.0] for _ in texts]
"""
CONFIG: Final = """\
executors = {shop = "app:Shop"}
[action_retrieval]
embedding_class = "mine"
classes.mine.function = "app:embed"
"""
KEY: Final = "k" * 40
STORE: Final = ("log", "--store", "kept/runs.db")
VERIFY: Final = ("log", "verify", "r1", "--store", "kept/runs.db", "--head", f"1:{'0' * 64}", "--key-file", "kept/key")
IMPORT: Final = ("import", "mcp", "kept/answer.json", "--toolset", "mcp.other")
READERS: Final = (
    ("list",),
    ("show", "find"),
    ("ir",),
    ("build",),
    ("build", "--check"),
    ("build", "--force"),
    ("search", "find an order", "--yes"),
    ("call", "find"),
    ("export", "openai"),
    ("prompt", "tags"),
    ("policy", "explain", "find"),
    ("replay", "kept/calls.jsonl"),
    IMPORT,
)
BUILT: Final = tuple(each for each in READERS if each[0] not in ("list", "show", "ir", "import"))
DERIVED_FILES: Final = ("search_index.json", "stubs.json")
PLACES: Final = {
    **dict.fromkeys(("specs", "toolgen.toml", "pyproject.toml"), READERS),
    "specs/shop.yaml": READERS[:-1],
    **dict.fromkeys(
        (
            "generated",
            *(f"generated/{name}" for name in ("toolgen.lock", "catalog.json")),
            *(f"generated/_derived/{name}" for name in DERIVED_FILES),
            *(f"generated/{name}" for name in ("__init__.py", ".toolgen", ".toolgen/lock", ".toolgen/forward.json")),
            "generated/.toolgen/new",
        ),
        BUILT,
    ),
    **dict.fromkeys((".toolgen", ".toolgen/vectors.db"), (("search", "find an order", "--yes"),)),
    "app.py": (("call", "find"),),
    "kept/calls.jsonl": (("replay", "kept/calls.jsonl"),),
    "kept/answer.json": (IMPORT,),
    "kept/runs.db": (STORE, (*STORE[:1], "r1", *STORE[1:]), (*STORE[:1], "r1", *STORE[1:], "--follow"), VERIFY),
    **dict.fromkeys(("kept/runs.db-wal", "kept/runs.db-journal"), (STORE,)),
    "kept/key": (VERIFY,),
}
"""Each path that commands read, with the commands that read it."""

REGULAR: Final = frozenset({"empty", "huge", "not UTF-8", "NUL"})
USABLE: Final = {
    **dict.fromkeys(("specs", "specs/shop.yaml", "generated", "generated/.toolgen", ".toolgen"), frozenset({"folder"})),
    **dict.fromkeys(("toolgen.toml", "pyproject.toml", ".toolgen/vectors.db"), frozenset({"empty"})),
    **dict.fromkeys(("generated/.toolgen/lock", "kept/runs.db-wal", "kept/runs.db-journal"), REGULAR),  # content unused
    "generated/.toolgen/new": {*KINDS},  # the remains of a build that never started are removed
    **dict.fromkeys((f"generated/_derived/{name}" for name in DERIVED_FILES), frozenset(KINDS)),  # it is created again
    "kept/key": {"NUL", "leads out"},  # any 32 bytes are a key
}
"""Valid kinds by place: a command may succeed, or report nothing about the place."""

DISPENSABLE: Final = frozenset({".toolgen", ".toolgen/vectors.db"})
"""Without these a command warns and continues."""

NAMED: Final = frozenset({"kept/calls.jsonl", "kept/answer.json", "kept/runs.db", "kept/key"})
"""Paths given on the command line: links are followed to any target."""

ABSENT: Final = frozenset({"dangling", "loop", "empty"})
"""Kinds that mean that a store does not exist yet: `--follow` waits for it."""

NOT_BUILT: Final = r"generated is out of date\. Run `toolgen build`"
NAMES: Final = {
    "app.py": '"app:Shop" cannot be used',
    ".toolgen/vectors.db": "vectors",
    "generated/.toolgen/forward.json": "the build of generated that was interrupted left a damaged journal",
    "kept/runs.db-wal": "runs.db-wal",
    "kept/runs.db-journal": "runs.db-journal",
    "kept/runs.db": "runs.db",
    "kept/calls.jsonl": "calls.jsonl",
}
"""How messages name a place, if not by its path."""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a built project with every kind of file that commands read."""
    folder = tmp_path_factory.mktemp("kinds") / "project"
    (folder / "specs").mkdir(parents=True)
    (folder / "kept").mkdir()
    (folder / "specs/shop.yaml").write_text(SPEC)
    (folder / "toolgen.toml").write_text(CONFIG)
    (folder / "app.py").write_text(APP)
    (folder / "kept/calls.jsonl").write_text('{"tool": "find", "arguments": {}}\n')
    (folder / "kept/answer.json").write_text(json.dumps({"tools": [{"name": "a", "inputSchema": {"type": "object"}}]}))
    (folder / "kept/key").write_text(KEY)
    record(folder / "kept/runs.db")
    built = toolgen(folder, "build")
    assert built.code == 0, built.err
    return folder


def record(path: Path) -> None:
    """Create a store with one run that has ended."""

    async def write() -> None:
        store = SqliteStore(path, key=ChainKey(KEY.encode()))
        await store.append(NewEvent("run_ended", "r1"))
        await store.close()

    asyncio.run(write())


def outcomes(project: Path, cases: list[tuple[str, str, tuple[str, ...]]]) -> list[Outcome]:
    asked = [asdict(Case(str(project), *case)) for case in cases]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TOOLGEN_LOG_KEY": KEY}
    command = [forked_python(), "-m", "tests.unit.cli.file_kinds"]
    done = subprocess.run(
        command, input=json.dumps(asked), capture_output=True, text=True, check=True, env=environment, cwd=ROOT
    )
    return [Outcome(**each) for each in json.loads(done.stdout)]


def check(project: Path, cases: list[tuple[str, str, tuple[str, ...]]]) -> None:
    faults = [
        (case, fault, found.code, found.printed[-600:])
        for case, found in zip(cases, outcomes(project, cases), strict=True)
        for fault in faults_of(*case, found)
    ]
    assert not faults, "\n\n".join(map(str, faults))


def faults_of(place: str, kind: str, arguments: tuple[str, ...], found: Outcome) -> list[str]:
    """Return what is wrong with the outcome of a command."""
    if found.code is None:
        return [] if "--follow" in arguments and kind in ABSENT else ["it did not end"]
    usable = kind in USABLE.get(place, ()) or arguments == ("build", "--force")
    follows = place in NAMED and kind == "leads out"
    name = NAMES.get(place, re.escape(place))
    faults = {
        "exit code": found.code not in ((0, 1, 2) if usable else (0,) if place in DISPENSABLE else (1, 2)),
        "a traceback": "Traceback" in found.printed,
        "it shows what it must not": FOREIGN in found.printed and not follows,
        "it changed what lies outside": not found.outside,
        "it does not name the place": not usable and not re.search(f"{name}|{NOT_BUILT}", found.printed),
    }
    return [fault for fault, is_there in faults.items() if is_there]


def cases() -> Iterator[tuple[str, str, tuple[str, ...]]]:
    for (place, commands), kind in product(PLACES.items(), KINDS):
        if kind != "unreadable" or os.geteuid() != 0:  # root may read anywhere
            yield from ((place, kind, arguments) for arguments in commands)


def test_a_command_ends_with_a_message_for_each_kind_of_file(project: Path) -> None:
    """Kinds that block, never end or lead outside, and one other kind per place; commands take turns."""
    every = list(cases())
    chosen: list[tuple[str, str, tuple[str, ...]]] = []
    for turn, place in enumerate(PLACES):
        for kind in (*KINDS[:4], KINDS[4 + turn % (len(KINDS) - 4)]):
            found = [case for case in every if case[:2] == (place, kind)]
            chosen += found[len(chosen) % len(found) :][:1] if found else []
    check(project, chosen)


@pytest.mark.long
def test_every_command_ends_with_a_message_for_each_kind_of_file(project: Path) -> None:
    check(project, list(cases()))
