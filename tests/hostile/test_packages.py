"""Packages: of a folder only the compiled modules run, whatever lies among them, above them or in place of them."""

from __future__ import annotations

import importlib.util
import marshal
import py_compile
import re
import shutil
import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from tests.unit.cli.command_line import toolgen
from toolgen.cli.folders import import_name
from toolgen.compiler.publish.inputs import digest

if TYPE_CHECKING:
    from collections.abc import Callable

SPEC: Final = """\
toolgen: 1
toolset: shop.orders
tools:
  find:
    description: Find orders.
    permission: readonly
    args: {customer: string}
    result: [{id: string}]
    handler: handlers.orders:find
"""
HANDLER: Final = "def find(customer: str) -> list[dict[str, str]]:\n    return [{'id': customer}]\n"
LINES: Final = ("replay calls.jsonl", "call shop.orders.find {} --stub", "call shop.orders.find {} --yes", "eval run")
"""Commands that import modules of a package; two of them run the project's own code too."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A built project, whose package has modules and packages that nothing was done to."""
    return make(tmp_path_factory.mktemp("packages"), "generated")


def make(folder: Path, out: str) -> Path:
    files = {
        "specs/orders.yaml": SPEC,
        "toolgen.toml": f'targets = [{{ specs = "specs", out = "{out}" }}]\n',
        "handlers/orders.py": HANDLER,
        "evals/orders.eval.yaml": "toolgen: 1\neval: orders\ncases:\n"
        "  one: {question: Find orders., expect: [{call: shop.orders.find}]}\n",
        "calls.jsonl": '{"tool": "shop.orders.find", "arguments": {"customer": "a"}}\n',
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    assert toolgen(folder, "build").code == 0
    return folder


def marking(mark: Path) -> str:
    return f"open({str(mark)!r}, 'a').write(__name__ + ' ')\n"


def modules(package: Path) -> list[Path]:
    return [each for each in package.rglob("*.py") if "_derived" not in each.parts]


def folders_for_modules(package: Path, mark: Path) -> None:
    for module in modules(package):
        if module.stem != "__init__":
            module.with_suffix("").mkdir()
            (module.with_suffix("") / "__init__.py").write_text(marking(mark))


def modules_for_folders(package: Path, mark: Path) -> None:
    for module in modules(package):
        if module.stem == "__init__" and module.parent != package:
            module.parent.with_suffix(".py").write_text(marking(mark))


def extension_modules(package: Path, mark: Path) -> None:
    for module in modules(package):
        module.with_suffix(EXTENSION_SUFFIXES[0]).write_text("not what can be loaded")


def bytecode_without_source(package: Path, mark: Path) -> None:
    for module in modules(package):
        module.with_suffix(".pyc").write_bytes(bytecode(module, mark, flags=1))


def unchecked_bytecode(package: Path, mark: Path) -> None:
    cached(package, mark, flags=1)


def bytecode_of_the_same_hash(package: Path, mark: Path) -> None:
    cached(package, mark, flags=3)


def bytecode_of_the_same_time(package: Path, mark: Path) -> None:
    cached(package, mark, flags=0)


def cached(package: Path, mark: Path, flags: int) -> None:
    for module in modules(package):
        place = Path(importlib.util.cache_from_source(str(module)))
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(bytecode(module, mark, flags))


def bytecode(module: Path, mark: Path, flags: int) -> bytes:
    """Return bytecode that says that it runs, in the format of `flags`: a time, an unchecked hash, or a checked one."""
    text = module.read_text(encoding="utf-8")
    code = compile(marking(mark) + text.replace("from __future__ import annotations\n", ""), str(module), "exec")
    status = module.stat()
    of_time = int(status.st_mtime).to_bytes(4, "little") + (status.st_size & 0xFFFFFFFF).to_bytes(4, "little")
    of_source = importlib.util.source_hash(text.encode()) if flags else of_time
    return importlib.util.MAGIC_NUMBER + flags.to_bytes(4, "little") + of_source + marshal.dumps(code)


def folders_without_modules(package: Path, mark: Path) -> None:
    for module in modules(package):
        (module.with_suffix("") / "below").mkdir(parents=True)
        (module.with_suffix("") / "below/more.py").write_text(marking(mark))


def modules_of_libraries(package: Path, mark: Path) -> None:
    for folder in {module.parent for module in modules(package)}:
        for name in ("pydantic", "toolgen", "typing", "codecs", "json", "handlers"):
            (folder / f"{name}.py").write_text(marking(mark))


def files_of_other_tools(package: Path, mark: Path) -> None:
    for folder in {module.parent for module in modules(package)}:
        (folder / ".DS_Store").write_bytes(b"\0")
        (folder / "notes.md").write_text("mine\n")
    for module in modules(package):
        py_compile.compile(str(module))


KINDS: Final[tuple[Callable[[Path, Path], None], ...]] = (
    folders_for_modules,
    modules_for_folders,
    extension_modules,
    bytecode_without_source,
    unchecked_bytecode,
    bytecode_of_the_same_hash,
    bytecode_of_the_same_time,
    folders_without_modules,
    modules_of_libraries,
    files_of_other_tools,
)
"""What lies among the modules of a package."""


@pytest.fixture(scope="module")
def answers(built: Path) -> dict[str, tuple[int, str, str]]:
    return {line: answer(built, line) for line in LINES}


def answer(folder: Path, line: str) -> tuple[int, str, str]:
    done = toolgen(folder, *line.replace("{}", '{"customer":"a"}').split())
    return done.code, re.sub(r"[\d.]+ (m?s\b)", r"… \1", done.out), done.err


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("kind", KINDS, ids=lambda each: each.__name__)
def test_what_lies_in_a_package_neither_runs_nor_changes_what_a_command_says(
    built: Path, answers: dict[str, tuple[int, str, str]], tmp_path: Path, kind: Callable[..., None], line: str
) -> None:
    folder, mark = tmp_path / "project", tmp_path / "mark"
    shutil.copytree(built, folder)
    kind(folder / "generated", mark)
    found = answer(folder, line)
    assert not mark.exists(), mark.read_text()
    assert found == answers[line]


def test_what_lies_in_a_package_is_run_by_python(built: Path, tmp_path: Path) -> None:
    """Otherwise the test above tests nothing."""
    for kind in (folders_for_modules, unchecked_bytecode, bytecode_of_the_same_hash, bytecode_of_the_same_time):
        folder, mark = tmp_path / kind.__name__, tmp_path / f"{kind.__name__}-mark"
        shutil.copytree(built, folder)
        kind(folder / "generated", mark)
        code = "import generated.shop.tools.orders.find"
        subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, check=False)
        assert mark.exists(), kind.__name__


@pytest.mark.parametrize("header", ["generator 0.0.1", "generator 99.0.0", "formatter 0.1"])
def test_a_lock_that_names_other_programs_makes_no_module_current(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, header: str
) -> None:
    folder, mark = tmp_path / "project", tmp_path / "mark"
    shutil.copytree(built, folder)
    lock, module = folder / "generated/toolgen.lock", folder / "generated/shop/tools/orders/find.py"
    text, name = module.read_bytes(), header.partition(" ")[0]
    module.write_bytes(text + marking(mark).encode())
    said = lock.read_text().replace(digest(text)[:32], digest(module.read_bytes())[:32])
    lock.write_text(re.sub(rf"^{name} .*$", header, said, flags=re.MULTILINE))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache of the one who looks"))
    for line in LINES:
        code, _, err = answer(folder, line)
        assert (code, err.splitlines()[-1]) == (2, "Error: generated is out of date. Run `toolgen build` first.")
    assert not mark.exists()


def test_a_package_without_specs_is_used_only_by_what_runs_the_code_of_the_project(built: Path, tmp_path: Path) -> None:
    folder, mark = tmp_path / "project", tmp_path / "mark"
    shutil.copytree(built, folder)
    shutil.rmtree(folder / "specs")
    with (folder / "generated/shop/tools/orders/find.py").open("a") as module:
        module.write(marking(mark))
    for line in LINES[:2]:
        code, _, err = answer(folder, line)
        assert (code, "There are no specs in specs to compare generated with." in err) == (2, True), err
    assert not mark.exists()
    assert answer(folder, LINES[2])[0] == 0


OUTS: Final = ("app/generated", "app/deep/generated")
EMBEDDING: Final = """
[action_retrieval]
embedding_class = "own"
classes.own.function = "app.vectors:embed"
"""


@pytest.fixture(params=OUTS)
def below(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A built project whose package is in packages of its own, which say that they run."""
    folder, out = tmp_path / "project", Path(request.param)
    for parent in out.parents[:-1]:
        (folder / parent).mkdir(parents=True, exist_ok=True)
        (folder / parent / "__init__.py").write_text(marking(tmp_path / "mark"))
    make(folder, request.param)
    assert import_name(folder, request.param) == (folder, ".".join(out.parts))
    return folder


def parents_of(folder: Path) -> list[str]:
    """Return the names of the packages that a package is in."""
    (found,) = folder.glob("app/**/catalog.json")
    return [".".join(each.parts) for each in reversed(found.parent.relative_to(folder).parents[:-1])]


def test_the_parents_of_a_package_run_only_with_the_code_of_the_project(below: Path) -> None:
    mark, parents = below.parent / "mark", parents_of(below)
    assert [answer(below, line)[0] for line in LINES[:2]] == [0, 0]
    assert not mark.exists()
    name = f"{parents[-1]}.generated.shop.tools.orders.find"
    (below / "handlers/orders.py").write_text(f"import {name}\n\n{name}.FindArgs\n\n\n{HANDLER}")
    done = answer(below, LINES[2])
    assert done[:2] == (0, '[{"id":"a"}]\n'), done
    assert mark.read_text().split() == parents


def test_the_parents_of_a_package_run_after_it_was_read_where_a_person_agrees(below: Path) -> None:
    mark, config = below.parent / "mark", below / "toolgen.toml"
    config.write_text(config.read_text() + EMBEDDING)
    (below / "app/vectors.py").write_text("def embed(texts):\n    return [[1.0, len(text)] for text in texts]\n")
    assert toolgen(below, "build").code == 0
    refused = toolgen(below, "search", "order")
    assert (refused.code, mark.exists()) == (2, False), refused.err
    found = toolgen(below, "search", "order", "--yes")
    assert (found.code, "shop.orders.find" in found.out) == (0, True), found.err
    assert mark.read_text().split() == parents_of(below)
