"""Files that a person saves, removes or creates while a command runs: they stay as they are, and it says so."""

from __future__ import annotations

import json
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest

from toolgen.cli.front import run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SPEC = """\
toolgen: 1
toolset: {0}
tools:
  find: {{description: Search  the orders., permission: readonly}}
"""
MINE = "# what I have just saved\n"
FMT = "toolgen.cli.commands.authoring.fmt"
LINT = "toolgen.cli.commands.authoring.lint"
INIT = "toolgen.cli.commands.specs.init"
PLACE = "toolgen.cli.importers.spec_place"
OPENAPI = {"openapi": "3.0.0", "info": {"title": "t", "version": "1"}, "servers": [{"url": "https://api.example"}]}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "specs").mkdir()
    (tmp_path / "toolgen.toml").touch()
    for name in ("a", "b"):
        (tmp_path / "specs" / f"{name}.yaml").write_text(SPEC.format(name))
    return tmp_path


@pytest.fixture
def meanwhile(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str, Callable[[], Any]], None]:
    """Return a function that lets a person do something once, when a function of a module is done."""

    def at(module: str, name: str, act: Callable[[], Any]) -> None:
        holder: Any = import_module(module)
        if "." in name:
            kind, name = name.split(".")
            holder = getattr(holder, kind)
        function = getattr(holder, name)
        acts = [act]

        def late(*given: Any, **named: Any) -> Any:
            made = function(*given, **named)
            if acts:
                acts.pop()()
            return made

        monkeypatch.setattr(holder, name, late)

    return at


def saved(file: Path) -> Callable[[], Any]:
    def save() -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(MINE)

    return save


def test_fmt_leaves_a_file_that_was_saved_and_formats_the_others(
    project: Path, meanwhile: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    file = project / "specs" / "a.yaml"
    meanwhile(FMT, "formatted", saved(file))
    assert run(["fmt"]) == 1
    out, err = capsys.readouterr()
    assert file.read_text() == MINE
    assert out == "specs/b.yaml: formatted\n"
    assert err == "specs/a.yaml has changed meanwhile: run `toolgen fmt` again\n1 file formatted, 0 unchanged\n"
    assert "\n\ntools:" in (project / "specs" / "b.yaml").read_text()


def test_fmt_does_not_bring_back_a_file_that_was_removed(
    project: Path, meanwhile: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    file = project / "specs" / "a.yaml"
    meanwhile(FMT, "formatted", file.unlink)
    assert run(["fmt", "--format", "json"]) == 1
    out, err = capsys.readouterr()
    assert not file.exists()
    assert json.loads(out) == {"checked": 2, "changed": ["specs/b.yaml"]}
    assert err == "specs/a.yaml has changed meanwhile: run `toolgen fmt` again\n"


def test_a_byte_order_mark_is_no_change_and_stays(project: Path) -> None:
    file = project / "specs" / "a.yaml"
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())
    assert run(["fmt"]) == 0
    assert file.read_bytes().startswith(b"\xef\xbb\xbftoolgen: 1\n")
    assert run(["fmt", "--check"]) == 0


def test_lint_leaves_a_file_that_was_saved_and_fixes_the_others(
    project: Path, meanwhile: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    file = project / "specs" / "a.yaml"
    meanwhile(LINT, "fix", saved(file))
    assert run(["lint", "--fix"]) == 1
    err = capsys.readouterr().err
    assert file.read_text() == MINE
    assert err.startswith(
        "specs/a.yaml has changed meanwhile: run `toolgen lint --fix` again\n1 finding fixed in 1 file\n"
    )
    assert "Search the orders" in (project / "specs" / "b.yaml").read_text()


@pytest.mark.parametrize("present", [False, True])
def test_a_baseline_that_was_saved_stays(
    project: Path, meanwhile: Any, capsys: pytest.CaptureFixture[str], *, present: bool
) -> None:
    file = project / "toolgen-lint-baseline.json"
    if present:
        file.write_bytes(b"\xff")  # no text, and replaced all the same where nobody has saved another
    meanwhile(LINT, "lint", saved(file))
    assert run(["lint", "--write-baseline"]) == 1
    assert file.read_text() == MINE
    expected = f"{file.name} has changed meanwhile: run `toolgen lint --write-baseline` again\n"
    assert capsys.readouterr() == ("", expected)
    file.write_bytes(b"\xff")
    assert run(["lint", "--write-baseline"]) == 0
    assert b"TL" in file.read_bytes()


def source(folder: Path, kind: str) -> list[str]:
    """Write a source of tools; return the words that import it."""
    place = folder / ("shop_tools.py" if kind == "python" else "source.json")
    offered = {"name": "find", "description": "Find.", "inputSchema": {"type": "object"}}
    operation = {"operationId": "find", "responses": {"200": {"description": "ok"}}}
    texts = {
        "python": 'def find(word: str) -> str:\n    """Find."""\n    return word\n',
        "mcp": json.dumps({"tools": [offered]}),
        "openapi": json.dumps({**OPENAPI, "paths": {"/a": {"get": operation}}}),
    }
    place.write_text(texts[kind])
    named, toolset = ("shop_tools", "shop") if kind == "python" else (place.name, "mcp.shop")
    return ["import", kind, named, "--toolset", "shop.api" if kind == "openapi" else toolset, "--out", "specs/new.yaml"]


@pytest.mark.parametrize("kind", ["python", "mcp", "openapi"])
def test_an_import_leaves_a_spec_that_was_created_saved_or_removed(
    project: Path, meanwhile: Any, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    file, words = project / "specs" / "new.yaml", source(project, kind)
    message = "Error: specs/new.yaml has changed meanwhile: run `toolgen import` again.\n"
    meanwhile(PLACE, "SpecPlace.text_of", saved(file))
    assert run(words) == 2
    assert (file.read_text(), capsys.readouterr().err.endswith(message)) == (MINE, True)
    file.unlink()
    assert run(words) == 0
    imported = file.read_text()
    edited = imported.replace("description: Find.", "description: Finds.")
    file.write_text(edited)
    offered = project / "source.json"
    if offered.exists():  # Python has its module by now
        offered.write_text(offered.read_text().replace("find", "look_up"))
    meanwhile(PLACE, "SpecPlace.text_of", saved(file))
    assert run(words) == 2
    assert (file.read_text(), capsys.readouterr().err.endswith(message)) == (MINE, True)
    file.write_text(edited)
    meanwhile(PLACE, "SpecPlace.text_of", file.unlink)
    assert run(words) == 2
    assert (file.exists(), capsys.readouterr().err.endswith(message)) == (False, True)


def test_inferred_results_leave_a_spec_that_was_saved(
    project: Path, meanwhile: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(source(project, "mcp")) == 0
    file = project / "specs" / "new.yaml"
    (project / "calls.jsonl").write_text('{"tool": "mcp.shop.find", "arguments": {}, "result": {"a": 1}}\n')
    meanwhile("toolgen.cli.importers.mcp", "updated_text", saved(file))
    assert run(["import", "mcp", "--toolset", "mcp.shop", "--results", "calls.jsonl"]) == 2
    expected = "Error: specs/new.yaml has changed meanwhile: run `toolgen import` again.\n"
    assert (file.read_text(), capsys.readouterr().err.endswith(expected)) == (MINE, True)


@pytest.mark.parametrize("present", [False, True])
def test_init_leaves_what_git_ignores_as_it_was_saved(
    tmp_path: Path, meanwhile: Any, capsys: pytest.CaptureFixture[str], *, present: bool
) -> None:
    file = tmp_path / ".gitattributes"
    if present:
        file.write_text("mine\n")
    meanwhile(INIT, "lines_of", saved(file))
    assert run(["init", str(tmp_path)]) == 2
    expected = f"Error: {file} has changed meanwhile: run `toolgen init` again.\n"
    assert (file.read_text(), capsys.readouterr().err) == (MINE, expected)
    assert run(["init", str(tmp_path)]) == 0
    assert file.read_text().startswith(MINE)


def test_init_leaves_a_file_that_was_created(
    tmp_path: Path, meanwhile: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "app.py"
    meanwhile(INIT, "make_folder_inside", saved(file))
    assert run(["init", str(tmp_path)]) == 2
    own = f"{tmp_path / 'toolgen.toml'}, {tmp_path / 'specs/orders.yaml'}"
    expected = f"Error: {file} has changed meanwhile: remove {own}, and run `toolgen init` again.\n"
    assert (file.read_text(), capsys.readouterr().err) == (MINE, expected)
