"""Paths that a person names for a command to write: what is there already, and is not the command's, stays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
import pytest

from tests.unit.cli.command_line import toolgen
from toolgen.cli.commands import COMMANDS
from toolgen.cli.exit_codes import USAGE
from toolgen.cli.front import run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

READ = {
    *("import mcp --from", "import mcp --results", "import openapi source", "lint paths", "fmt paths", "dev --against"),
    *("diff --against", "diff --calls", "serve --tokens", "serve --replay", "log head --store", "log show --store"),
    *("log verify --store", "log verify --key-file", "eval from-dataset file", "eval from-dataset --answers"),
    *("eval from-log --store", "eval run --replay", "eval run --against", "eval run --not-worse-than"),
    *("runs deny --propose", "runs start file"),
}
"""What is only read; `fmt` and `lint --fix` replace what they have read, and is a spec."""

WRITTEN = {
    "init folder": ["init", "NAMED"],
    "import mcp --out": ["import", "mcp", "tools.json", "--toolset", "found", "--out", "NAMED"],
    "import openapi --out": ["import", "openapi", "api.json", "--toolset", "api", "--out", "NAMED"],
    "import python --out": ["import", "python", "app", "--toolset", "py", "--out", "NAMED"],
    "schema -o": ["schema", "-o", "NAMED"],
    "docs -o": ["docs", "-o", "NAMED"],
    "call --store": ["call", "shop.orders.find", '{"customer":"c"}', "--store", "NAMED"],
    "explore --store": ["explore", "--store", "NAMED"],
    "serve --store": ["serve", "--store", "NAMED"],
    "eval run --record": ["eval", "run", "--record", "NAMED"],
}


def paths_of(command: click.Command, words: tuple[str, ...]) -> Iterator[str]:
    """Yield the options and arguments of a command, and of those below it, that are paths."""
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from paths_of(found, (*words, name))
        return
    for each in command.params:
        hints = f"{each.metavar} {type(each.type).__name__}"
        if any(word in hints for word in ("FILE", "PATH", "DIR", "Path", "File")):
            yield " ".join([*words, each.opts[0]])


def test_every_path_that_a_command_takes_is_known_to_be_read_or_written() -> None:
    from toolgen.cli.front import _front  # pyright: ignore[reportPrivateUsage]  # nothing public lists commands

    context = click.Context(_front)
    commands = [(name, _front.get_command(context, name)) for name in COMMANDS]
    found = {path for name, command in commands if command for path in paths_of(command, (name,))}
    assert found == READ | WRITTEN.keys()


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    for word in ("init", "build"):
        done = toolgen(folder, word)
        assert done.code == 0, done.err
    (folder / "tools.json").write_text('{"tools": [{"name": "a", "inputSchema": {"type": "object"}}]}')
    (folder / "api.json").write_text(
        '{"openapi": "3.1.0", "info": {"title": "a", "version": "1"}, "servers": [{"url": "https://a.example"}], '
        '"paths": {"/a": {"get": {"operationId": "a", "responses": {"200": {"description": "b"}}}}}}'
    )
    return folder


@pytest.mark.parametrize("name", ["app.py", "specs/orders.yaml", "notes.json", "notes.jsonl", "notes.yaml"])
@pytest.mark.parametrize("words", WRITTEN.values(), ids=WRITTEN)
def test_a_file_that_is_not_of_a_command_stays(project: Path, words: list[str], name: str) -> None:
    file = project / name
    if not file.exists():
        file.write_text('{"notes": ["of somebody"]}\n')
    before = file.read_bytes()

    done = toolgen(project, *(name if word == "NAMED" else word for word in words))

    assert (done.code, "Traceback" in done.err) == (USAGE, False), done.err
    assert file.read_bytes() == before


@pytest.mark.parametrize("before", ["", "schema", "evaluations"])
def test_a_schema_takes_the_place_of_an_earlier_one(
    project: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, before: str
) -> None:
    monkeypatch.chdir(project)
    file = tmp_path / "toolgen.schema.json"
    if before:
        assert run(["schema", "-o", str(file), *(["--evaluations"] if before == "evaluations" else [])]) == 0
    else:
        file.touch()
    assert run(["schema", "-o", str(file)]) == 0
    assert '"title": "toolgen spec"' in file.read_text()
