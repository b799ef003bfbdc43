"""What hand-written pages name exists: commands, options, modules and folders, kinds, settings."""

from __future__ import annotations

import re
import shlex
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

import click
import pytest

from tests.project.checkout import ROOT
from toolgen.cli.commands import COMMANDS, module_of
from toolgen.compiler.ir.catalog import ToolsetKind
from toolgen.providers.table import PROVIDERS
from toolgen.runtime.policy.policy import PolicyAnswer
from toolgen.spec.tool_use import LAYERS, PRESENTATIONS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

GENERATED = {
    "changes.md",
    "commands.md",
    "configuration.md",
    "diagnostics.md",
    "lint.md",
    "requirements.md",
    "specs.md",
}
"""Of the reference, what is made from the source; so are the pages of the runtime."""

PAGES = [
    page
    for page in (*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md")))
    if not (page.parent.name == "reference" and (page.name in GENERATED or page.name.startswith("runtime")))
]
SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
BLOCK = re.compile(r"^ *```([^\n]*)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
FILES = (".json", ".md", ".py", ".toml")
FOLDERS = ("toolgen", "tests", "docs", "specs", "templates", "benchmarks")
OF_USERS = ("specs/", "docs/tools", "generated/")
"""Beginnings of paths that are of the reader's project."""
RECIPES = {
    section.partition("\n")[0]: section
    for section in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("\n## ")[1:]
}
"""The sections of the page for contributors, by their headings."""

NAMES_OF_CONNECTIONS = {"toolgen engine"}
"""What connections to Postgres are called, which no command is."""

_DEFAULTS = ("show", "run")
"""Commands that a group runs if none is named: `toolgen log RUN`, `toolgen eval CASES`."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_commands_and_options_that_a_page_names_exist(page: Path) -> None:
    wrong = [f"{line}: {problem}" for line in _command_lines(page) if (problem := _problem(line))]
    assert wrong == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_modules_and_folders_that_a_page_names_exist(page: Path) -> None:
    spans = SPAN.findall(page.read_text(encoding="utf-8"))
    named = {span for span in spans if re.fullmatch(r"[\w.-]+(/[\w.-]+)+/?", span)}
    ours = {path for path in named if path.endswith((".py", "/")) and not path.startswith(OF_USERS)}
    if page.parent.name != "explanation":  # a page about the code names modules from the room that it is about
        ours = {path for path in ours if path.partition("/")[0] in FOLDERS}
    missing = {
        path for path in ours if not (ROOT / path).exists() and not [*(ROOT / "toolgen").rglob(path.rstrip("/"))]
    }
    assert missing == set()


@pytest.mark.parametrize("heading", RECIPES)
def test_files_and_names_of_a_recipe_exist(heading: str) -> None:
    """A recipe names paths from the root, and what is defined in the files and folders that it names."""
    spans = set(SPAN.findall(RECIPES[heading]))
    paths = {span for span in spans if "/" in span and re.fullmatch(r"[\w./-]+", span)}
    assert {path for path in paths if not (ROOT / path).exists()} == set()
    files = [
        each for path in paths for each in ((ROOT / path).glob("*.py") if (ROOT / path).is_dir() else [ROOT / path])
    ]
    known = {word for file in files for word in re.findall(r"\w+", file.read_text(encoding="utf-8"))}
    written = {span for span in spans if re.fullmatch(r"[a-zA-Z]\w*(\.\w+)*", span) and not span.endswith(FILES)}
    assert {part for span in written for part in span.split(".")} - known - COMMANDS.keys() == set()


def test_the_glossary_has_kinds_answers_and_presentations() -> None:
    page = (ROOT / "docs" / "explanation" / "glossary.md").read_text(encoding="utf-8")
    assert _listed(page, "toolset") >= set(ToolsetKind)
    assert _listed(page, "rule") >= set(PolicyAnswer)
    assert _listed(page, "presentation") == {*PRESENTATIONS, *(f"tool_use.{layer}" for layer in LAYERS)}
    assert _listed(page, "built-in toolset") == {file.stem for file in (ROOT / "specs" / "builtin").glob("*.yaml")}


def test_the_guide_to_providers_lists_all_of_them() -> None:
    page = (ROOT / "docs" / "how-to" / "models" / "talk-to-a-provider.md").read_text(encoding="utf-8")
    _, _, table = page.partition("| name | API |\n| --- | --- |\n")
    names = [row.split("|")[1] for row in table.partition("\n\n")[0].splitlines()]
    assert sorted(SPAN.findall(" ".join(names))) == sorted(PROVIDERS)


def test_the_guide_to_frameworks_has_a_row_and_code_for_each_adapter() -> None:
    page = (ROOT / "docs" / "how-to" / "models" / "use-agent-frameworks.md").read_text(encoding="utf-8")
    _, _, table = page.partition("| framework | module of `toolgen.adapters` | gives |\n| --- | --- | --- |\n")
    names = [row.split("|")[2].strip(" `") for row in table.partition("\n\n")[0].splitlines()]
    modules = {file.stem for file in (ROOT / "toolgen" / "adapters").glob("*.py")} - {"__init__", "bridge"}
    assert sorted(names) == sorted(modules)
    assert set(re.findall(r"^from toolgen\.adapters\.(\w+) import", page, re.MULTILINE)) == modules


def _listed(page: str, term: str) -> set[str]:
    (meaning,) = re.findall(rf"^\| \*\*{re.escape(term)}\*\* \| (.*) \|$", page, re.MULTILINE)
    return {*SPAN.findall(meaning)}


def _command_lines(page: Path) -> Iterator[str]:
    text = page.read_text(encoding="utf-8")
    shell = (block for language, block in BLOCK.findall(text) if language in ("", "sh"))
    for found in (*shell, *SPAN.findall(text)):
        for line in str(found).replace("\\\n", " ").splitlines():
            for part in re.split(r"\s+(?:&&|\|\||;|\|)\s+", line.partition("  #")[0].strip()):
                if part.startswith("toolgen ") and part not in NAMES_OF_CONNECTIONS:
                    yield part


@cache
def _command(name: str) -> click.Command:
    command: click.Command = import_module(module_of(name)).command
    return command


def _problem(line: str) -> str:
    """Return what is wrong with a command line; empty if nothing is. `ARG` and `…` stand for arguments."""
    _, *words = shlex.split(line, comments=True)
    if not words or words[0].startswith("-") or not re.fullmatch(r"[a-z-]+", words[0]):
        return ""
    if words[0] not in COMMANDS:
        return f"there is no command {words[0]}"
    command = _command(words.pop(0))
    context = click.Context(command)
    while isinstance(command, click.Group):
        names = command.list_commands(context)
        default = next((name for name in _DEFAULTS if name in names), None)
        if default is not None and (not words or words[0] not in names):
            words = [default, *words]
        if not words or words[0] not in names:
            break
        command = command.get_command(context, words.pop(0)) or command
    known = {option for each in command.params for option in (*each.opts, *each.secondary_opts)} | {"--help", "-h"}
    used = [word.partition("=")[0] for word in words if word.startswith("--")]
    if isinstance(command, click.Group) and words and re.fullmatch(r"[\w.-]+", words[0]) and words[0][0] != "-":
        return f"there is no command {words[0]} in it"
    return ", ".join(f"there is no option {option}" for option in used if option not in known and option != "--")
