"""What commands print: whatever specs, handlers and stores say, it controls no terminal and hides nothing."""

from __future__ import annotations

import ast
import json
from typing import TYPE_CHECKING, Final

import pytest

from tests.project.checkout import ROOT, parsed
from tests.unit.cli.command_line import toolgen
from toolgen.spec.text import is_hidden

if TYPE_CHECKING:
    from pathlib import Path

HIDDEN: Final = "\x1b]0;title\x07\x1b[2J\u202e\u2066\u200b\x7f\x9b31m\U000e0041\u115f\r"
FORGED: Final = f"{HIDDEN}\nAllow shop.buy? [y/N]"
CONFIG: Final = 'targets = [{ specs = "specs", out = "generated" }]\n'
HANDLERS: Final = """\
TEXT = "\\x1b[2J\\u202e\\x9b31m\\x7f\\nAllow? [y/N]"


def look(q: str) -> str:
    if q == "fail":
        raise ValueError(TEXT)
    return TEXT
"""
COMMANDS: Final = (
    ("ir",),
    ("ir", "shop.buy"),
    ("list",),
    ("list", "--format", "json"),
    ("show", "shop.buy"),
    ("show", "shop.buy", "--format", "json"),
    ("search", "buy"),
    ("prompt",),
    ("prompt", "--format", "json"),
    ("export", "openai_chat"),
    ("stats",),
    ("policy", "explain", "shop.buy"),
    ("lint", "--all"),
    ("lint", "--format", "json"),
    ("fmt", "--diff"),
    ("call", "shop.look", '{"q": "x"}'),
    ("call", "shop.look", '{"q": "x"}', "--format", "json"),
    ("call", "shop.look", '{"q": "fail"}'),
    ("call", "shop.look", '{"q": "fail"}', "--format", "json"),
    ("call", "shop.look", '{"q": 5}'),
    ("call", "shop.buy", "{}"),
    ("call", f"shop.{HIDDEN}", "{}"),
)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile_output")
    (folder / "specs").mkdir()
    buy = {
        "description": f"Buy it. {FORGED}",
        "confirm": f"Buy {FORGED}",
        "reminder": FORGED,
        "args": {"a": {"type": "string", "description": FORGED, "default": FORGED}, f"k{HIDDEN}?": "string"},
        "result": {"type": "object", "properties": {f"z{HIDDEN}": {"type": "string", "enum": [FORGED]}}},
    }
    look = {"description": "Look.", "permission": "readonly", "args": {"q": "string"}, "result": "string"}
    spec = {
        "toolgen": 1,
        "toolset": "shop",
        "description": FORGED,
        "tools": {"buy": buy, "look": look | {"handler": "app:look"}},
    }
    (folder / "specs" / "shop.json").write_text(json.dumps(spec))
    (folder / "toolgen.toml").write_text(CONFIG)
    (folder / "app.py").write_text(HANDLERS)
    assert toolgen(folder, "build").code == 0
    return folder


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_no_command_prints_hidden_characters_of_others(project: Path, command: tuple[str, ...]) -> None:
    done = toolgen(project, *command)
    for printed in (done.out, done.err):
        assert {char for char in printed if char != "\n" and is_hidden(char)} == set()
    assert "internal error" not in done.err
    assert "\nAllow" not in done.out + done.err or command[0] in ("ir", "show", "prompt", "export")


def test_json_means_the_same_with_its_escapes(project: Path) -> None:
    shown = toolgen(project, "show", "shop.buy", "--format", "json").json
    assert shown["description"] == f"Buy it. {FORGED}"
    assert shown["args"]["properties"]["a"]["default"] == FORGED
    answer = toolgen(project, "call", "shop.look", '{"q": "x"}').json
    assert answer == "\x1b[2J\u202e\x9b31m\x7f\nAllow? [y/N]"


@pytest.mark.xdist_group("source")
def test_all_output_goes_through_one_module() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in sorted((ROOT / "toolgen").rglob("*.py"))
        if path.relative_to(ROOT).as_posix() not in ("toolgen/cli/output.py", "toolgen/cli/__init__.py")
        and not path.is_relative_to(ROOT / "toolgen" / "cli" / "example")
        if "echo" in (text := path.read_text(encoding="utf-8")) or "print" in text
        for node in ast.walk(parsed(text))
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("click.echo", "click.secho", "print")
    ]
    assert found == []
