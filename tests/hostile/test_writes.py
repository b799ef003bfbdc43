"""Writes: one module opens files for writing, and no command writes through a link that leads out."""

from __future__ import annotations

import ast
import json
import os
import shutil
from typing import TYPE_CHECKING, Final

import pytest

from tests.project.checkout import ROOT, parsed
from tests.unit.authoring.diff.repository import ORDERS
from tests.unit.cli.command_line import toolgen
from toolgen.spec import writing
from toolgen.spec.files import LeadsOut, NotRegular
from toolgen.spec.locks import take
from toolgen.spec.writing import (
    Changed,
    link_inside,
    make_folder_inside,
    named_place,
    replace_inside,
    write_inside,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

WRITING: Final = frozenset({"toolgen/spec/writing.py", "toolgen/spec/locks.py", "toolgen/execute/paths.py"})
"""The modules that open files for writing: for toolgen itself, and for models, with grants."""

MOVING: Final = WRITING | {
    "toolgen/compiler/publish/apply.py",  # files of a package, below a folder without links
    "toolgen/authoring/site/write.py",  # whole folders that it has just made
}
"""The modules that move files, make links and folders."""

FORBIDDEN: Final = {
    "write": {"write_text", "write_bytes", "touch", "mkfifo", "mknod", "copyfile", "copy2", "copytree"},
    "move": {"rename", "renames", "symlink", "symlink_to", "link", "hardlink_to", "mkdir", "makedirs", "mkdtemp"},
}

CALLED: Final = {"open", "replace"}.union(*FORBIDDEN.values())


def writes(text: str) -> Iterator[tuple[str, int]]:
    """Yield what in a module writes or moves files, by kind and line."""
    for node in ast.walk(parsed(text)):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name not in CALLED:
            continue
        on = ast.unparse(node.func.value) if isinstance(node.func, ast.Attribute) else ""
        words = [
            each.value for each in ast.walk(node) if isinstance(each, ast.Constant) and isinstance(each.value, str)
        ]
        if name == "open" and "devnull" in ast.unparse(node):
            continue
        if name == "open" and on in ("", "io"):
            given = [*node.args[1:2], *(each.value for each in node.keywords if each.arg == "mode")]
            if any(not isinstance(mode, ast.Constant) or set(str(mode.value)) & set("wax+") for mode in given):
                yield "write", node.lineno
        elif name == "open" and on == "os":
            flags = ast.unparse(node)
            if any(flag in flags for flag in ("O_WRONLY", "O_RDWR", "O_CREAT", "O_APPEND")):
                yield "write", node.lineno
        elif name in FORBIDDEN["write"] or (name == "open" and _is_mode(words[:1])):
            yield "write", node.lineno
        elif on in ("disk", "self._system"):  # the disk of publishing, and artifacts at a URL
            continue
        elif name in FORBIDDEN["move"] or (name == "replace" and _is_move(on, node)):
            yield "move", node.lineno


def _is_mode(words: list[str]) -> bool:
    return any(set(word) <= set("rwaxbt+") and set(word) & set("wax+") for word in words)


def _is_move(on: str, node: ast.Call) -> bool:
    """Return whether a call of `replace` moves a file; the one of texts takes two arguments."""
    return on == "os" or (on not in ("", "dataclasses") and len(node.args) == 1 and not node.keywords)


@pytest.mark.xdist_group("source")
def test_one_module_opens_files_for_writing() -> None:
    for path in sorted((ROOT / "toolgen").rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        for kind, line in writes(path.read_text(encoding="utf-8")):
            allowed = WRITING if kind == "write" else MOVING
            assert name in allowed, f"{name}:{line} writes: let toolgen/spec/writing.py do it"


@pytest.mark.parametrize(
    "text",
    [
        "open('a', 'w')",
        "open('a', mode='ab')",
        "open('a', mode)",
        "path.open('x')",
        "path.open(mode='r+')",
        "os.open('a', os.O_RDWR | os.O_CREAT)",
        "path.write_text('x')",
        "path.write_bytes(b'')",
        "path.touch()",
        "shutil.copytree('a', 'b')",
        "path.rename('x')",
        "os.replace('a', 'b')",
        "path.replace(other)",
        "path.mkdir()",
        "os.symlink('a', 'b')",
    ],
)
def test_what_writes_is_found(text: str) -> None:
    assert list(writes(text))


def test_what_reads_is_not_found() -> None:
    assert not list(writes("open('a')\nopen('a', 'rb')\npath.open()\nos.open('a', os.O_RDONLY)\n'a'.replace('a', 'b')"))


# --- the module

KINDS: Final = ("file", "missing", "folder", "chain")


def leading_out(place: Path, kind: str, outside: Path) -> None:
    """Put a link at a place, that leads to something outside."""
    target = {"file": "file", "missing": "new", "folder": "folder", "chain": "chain"}[kind]
    (outside / "folder").mkdir(parents=True, exist_ok=True)
    (outside / "file").write_text("kept")
    if not os.path.lexists(outside / "chain"):
        (outside / "chain").symlink_to("file")
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place)
    place.unlink(missing_ok=True)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(outside / target)


def contents(outside: Path) -> dict[str, str]:
    return {
        path.relative_to(outside).as_posix(): path.read_text() if path.is_file() else "folder"
        for path in sorted(outside.rglob("*"))
    }


@pytest.fixture(params=[True, False], ids=["descriptors", "paths"])
def _way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """With systems that open files relative to folders, and without."""
    monkeypatch.setattr(writing, "_HAS_DESCRIPTORS", request.param)


@pytest.mark.usefixtures("_way")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("is_new", [False, True])
def test_nothing_is_written_through_a_link_that_leads_out(tmp_path: Path, kind: str, is_new: bool) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    root.mkdir()
    leading_out(root / "at", kind, outside)
    leading_out(root / "deep/on/the/way", "folder", outside)
    before = contents(outside)
    for path in (
        "at",
        "at/below",
        "deep/on/the/way/new",
        "../outside/file",
        str(outside / "file"),
        "deep/../../outside/x",
    ):
        with pytest.raises((LeadsOut, FileExistsError, NotADirectoryError)):
            write_inside(root, path, b"written", is_new=is_new)
        with pytest.raises((LeadsOut, Changed, NotADirectoryError, FileNotFoundError)):
            replace_inside(root, path, None if is_new else b"", b"written")
        with pytest.raises((LeadsOut, FileExistsError, NotADirectoryError)):
            link_inside(root, f"{path}/link", "/")
        with pytest.raises((LeadsOut, FileExistsError, NotADirectoryError)):
            make_folder_inside(root, f"{path}/folder")
    with pytest.raises((NotRegular, OSError)):
        take(root / "at")
    assert contents(outside) == before


@pytest.mark.usefixtures("_way")
def test_files_are_written_as_a_whole_with_their_permissions(tmp_path: Path) -> None:
    write_inside(tmp_path / "new", "a/b/file", b"one", mode=0o640)
    place = tmp_path / "new/a/b/file"
    assert place.read_bytes() == b"one"
    assert place.stat().st_mode & 0o137 == 0
    place.chmod(0o604)
    other = place.with_name("other")
    os.link(place, other)
    (tmp_path / "new/link").symlink_to("a/b")
    write_inside(tmp_path / "new", "link/file", b"two", is_durable=True)
    assert (place.read_bytes(), place.stat().st_mode & 0o777) == (b"two", 0o604)
    assert other.read_bytes() == b"one", "a hard link is another file from then on"
    with pytest.raises(FileExistsError):
        write_inside(tmp_path / "new", "a/b/file", b"three", is_new=True)
    write_inside(tmp_path / "new", "a/b/third", b"three", is_new=True)
    assert sorted(each.name for each in place.parent.iterdir()) == ["file", "other", "third"]
    for name in ("folder", "pipe"):
        (place.parent / "folder").mkdir() if name == "folder" else os.mkfifo(place.parent / "pipe")
        with pytest.raises(NotRegular):
            write_inside(tmp_path / "new", f"a/b/{name}", b"x")


def test_an_output_stays_in_the_working_directory_or_where_it_was_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert named_place("a/b") == (str(tmp_path), "a/b")
    assert named_place(tmp_path / "a/b") == (str(tmp_path), "a/b")
    assert named_place("a/../../b") == (str(tmp_path.parent), "b")
    assert named_place("/elsewhere/x") == ("/elsewhere", "x")


# --- each command that writes

MCP: Final = json.dumps({"tools": [{"name": "get", "inputSchema": {"type": "object"}}]})
UNFORMATTED: Final = ORDERS.replace("args:\n", "args:   \n")
COMMANDS: Final[dict[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "docs": (("docs",), ("site",)),
    "docs into a folder": (("docs", "-o", "out/site"), ("out", "out/site")),
    "build": (
        ("build",),
        ("generated", "generated/shop", "generated/_derived", ".toolgen", ".toolgen/cache", "specs/new.yaml"),
    ),
    "schema": (("schema", "-o", "a/schema.json"), ("a", "a/schema.json")),
    "fmt": (("fmt",), ("specs/orders.yaml", "specs")),
    "lint --fix": (("lint", "--fix"), ("specs/orders.yaml", "specs")),
    "baseline": (("lint", "--write-baseline"), ("toolgen-lint-baseline.json",)),
    "import mcp": (
        ("import", "mcp", "tools.json", "--toolset", "mcp.shop", "--out", "specs/in/shop.yaml"),
        ("specs/in", "specs/in/shop.yaml", "specs"),
    ),
    "import openapi": (("import", "openapi", "api.json", "--toolset", "api"), ("specs/api.yaml",)),
    "import python": (("import", "python", "app:find", "--toolset", "own"), ("specs/own.yaml",)),
    "init": (("init", "new"), ("new", "new/specs", "new/toolgen.toml", "new/.gitignore", "new/app.py")),
    "search": (("search", "order"), (".toolgen", "generated/_derived")),
    "export": (("export", "openai"), ("generated/_derived",)),
}
"""Commands that write, and places at which a repository may have a link."""

CASES: Final = [
    pytest.param(
        name,
        place,
        kind,
        marks=()
        if kind == ("missing", "folder")[number % 2] and place not in ("new/toolgen.toml", "new/.gitignore")
        else pytest.mark.long,
    )
    for name, (_, places) in COMMANDS.items()
    for number, place in enumerate(places)
    for kind in ("file", "missing", "folder")
]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("writes")
    files = {
        "specs/orders.yaml": UNFORMATTED,
        "tools.json": MCP,
        "api.json": json.dumps(
            {"openapi": "3.1.0", "info": {"title": "a", "version": "1"}, "servers": [{"url": "https://a.example"}],
             "paths": {"/a": {"get": {"operationId": "get_a", "summary": "A.", "responses": {}}}}}
        ),
        "app.py": 'def find(name: str) -> str:\n    """Find."""\n    return name\n',
    }  # fmt: skip
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    assert toolgen(folder, "build").code == 0
    return folder


@pytest.mark.parametrize(("name", "place", "kind"), CASES)
def test_no_command_writes_through_a_link_that_leads_out(
    built: Path, tmp_path: Path, name: str, place: str, kind: str
) -> None:
    project, outside = tmp_path / "project", tmp_path / "outside"
    shutil.copytree(built, project, symlinks=True)
    leading_out(project / place, kind, outside)
    if name == "build":
        (project / "specs/more.yaml").write_text(ORDERS.replace("shop.orders", "shop.more"))
    before = contents(outside)
    done = toolgen(project, *COMMANDS[name][0])
    assert contents(outside) == before
    assert "Traceback" not in done.err, done.err
    assert done.code in (0, 1, 2)


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_writes_where_no_link_is(built: Path, tmp_path: Path, name: str) -> None:
    project = tmp_path / "project"
    shutil.copytree(built, project)
    done = toolgen(project, *COMMANDS[name][0])
    assert done.code in (0, 1), done.err
