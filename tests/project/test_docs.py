"""Examples in the README and `docs/` run as written, print the documented output and type-check; links have targets."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.programs.type_checkers import Finding, mypy
from tests.project.checkout import pyproject
from tests.unit.adapters.sdks import Said, serving
from tests.unit.cli.forked_python import forked_python
from toolgen.compiler.project.config import Target, load_config
from toolgen.compiler.project.versions import SAME_OUTPUT

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs").rglob("*.md"))
GUIDES = [page for page in PAGES if page.relative_to(ROOT / "docs").parts[0] in ("tutorial", "how-to")]
BEFORE = {"check-in-ci": "toolgen init .\ntoolgen build"}
"""The prerequisites of a guide, if it needs more than an empty folder."""

MODEL: dict[str, list[Said]] = {
    "from-openapi-to-an-agent": [
        ("", [("c1", "shop__api__findItems", {"word": "lamp"})]),
        ("", [("c2", "shop__api__orderItem", {"item": 7, "count": 20})]),
        ("", [("c3", "shop__api__orderItem", {"item": 7, "count": 2})]),
        ("Two red lamps are ordered.", []),
    ]
}
"""What the model of a guide answers, by Anthropic's API."""

LINK = re.compile(r"\]\((?P<file>[^)#:]*)(?:#(?P<anchor>[^)]*))?\)")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
PROMISED = re.compile(r"^  - \[`(test_\w+)`\]\(([^)]+)\)$", re.MULTILINE)
BLOCK = re.compile(r"^```(?P<language>\w+)(?P<rest>[^\n]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


@cache
def installed() -> TemporaryDirectory[str]:
    """Return a folder with the program `toolgen`."""
    folder = TemporaryDirectory(prefix="toolgen-program-")
    program = Path(folder.name) / "toolgen"
    program.write_text('#!/bin/sh\nexec python -m toolgen "$@"\n', encoding="utf-8")
    program.chmod(0o700)
    return folder


def environment() -> dict[str, str]:
    """Return an environment in which `toolgen` and `python` are those of the tests."""
    places = (installed().name, Path(forked_python()).parent, Path(sys.executable).parent, os.environ["PATH"])
    path = os.pathsep.join(map(str, places))
    return {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}  # as on a terminal


def run(script: str, folder: Path) -> str:
    """Run a shell block, which must succeed."""
    done = subprocess.run(
        ["bash", "-euc", script],
        cwd=folder,
        env=environment(),
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert done.returncode == 0, f"$ {script}\n{done.stdout}"
    return done.stdout


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.stem)
def test_every_block_of_a_guide_runs_as_written_and_type_checks(
    page: Path, tmp_path: Path, mypy_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(BEFORE.get(page.stem, ""), tmp_path)
    with serving("anthropic", MODEL.get(page.stem, ())) as api:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", api.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
        assert follow(page.read_text(encoding="utf-8"), tmp_path, mypy_cache) == []
    assert api.script == []


def test_the_tour_of_the_readme_runs_as_written_and_type_checks(tmp_path: Path, mypy_cache: Path) -> None:
    _, _, tour = (ROOT / "README.md").read_text(encoding="utf-8").partition("## Policy in five minutes")
    assert tour
    assert follow(tour, tmp_path, mypy_cache) == []


CLOCK_SERVER = """
from fastmcp import FastMCP

server = FastMCP("clock")


@server.tool(annotations={"readOnlyHint": True})
def now(zone: str) -> str:
    return "12:00 " + zone


server.run(show_banner=False)
"""
SHOP_API = """
openapi: 3.1.0
info: {title: Shop, version: "1"}
servers: [{url: "http://127.0.0.1:9"}]
paths:
  /items: {get: {operationId: listItems, responses: {200: {description: All items.}}}}
"""
TEAM_TOOLS = """
def search(query: str) -> list[str]:
    return [query]
"""


def test_the_ways_in_and_out_of_the_readme_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, _, page = (ROOT / "README.md").read_text(encoding="utf-8").partition("## In and out\n")
    ways_in, _, ways_out = page.partition("\n## ")[0].partition("Compiled tools go")
    (tmp_path / "clock_server.py").write_text(CLOCK_SERVER)
    (tmp_path / "shop.openapi.yaml").write_text(SHOP_API)
    (tmp_path / "team_tools.py").write_text(TEAM_TOOLS)
    (imported,) = BLOCK.finditer(ways_in)
    assert '"12:00 UTC"' in run(imported["text"], tmp_path)
    served, agent, chat = BLOCK.finditer(ways_out)
    assert "serving 3 tools" in run(served["text"], tmp_path)
    asked = '\nprint(agent.run_sync("What time is it?").output)\n'  # the test model calls each tool
    (tmp_path / "agent.py").write_text(agent["text"] + asked, encoding="utf-8")
    output = run("python agent.py", tmp_path)
    assert "12:00 " in output
    assert "cannot connect" in output
    (tmp_path / "agent.py").write_text(agent["text"], encoding="utf-8")
    (tmp_path / "chat.py").write_text(chat["text"], encoding="utf-8")
    with serving("anthropic", [("", [("c1", "mcp__clock__now", {"zone": "CET"})]), ("It is noon.", [])]) as api:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", api.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
        assert run("python chat.py", tmp_path).splitlines()[-1] == "It is noon."
    names = {"mcp__clock__now", "shop__api__listItems", "team_tools__search"}
    assert {tool["name"] for tool in api.requests[0]["tools"]} == names
    assert "12:00 CET" in str(api.requests[1]["messages"])


def follow(page: str, folder: Path, mypy_cache: Path) -> list[Finding]:
    """Follow a page block by block: write files, run shell blocks, and check the expected output. `…` matches any text.

    Return the output of mypy for the files.
    """
    output = ""
    for block in BLOCK.finditer(page):
        language, rest, text = block["language"], block["rest"].strip(), block["text"]
        if rest.startswith("file="):
            target = folder / rest.removeprefix("file=")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        elif language == "sh":
            output = run(text, folder)
            moved = re.findall(r"^cd (\S+)$", text, re.MULTILINE)
            folder = folder / moved[-1] if moved else folder
        elif rest == "output":
            promised = ".*?".join(map(re.escape, text.strip().split("…")))
            assert re.search(promised, output, re.DOTALL), f"expected by the page:\n{text}\nprinted:\n{output}"
        else:
            pytest.fail(f"this block is not run: {block[0][:80]}")
    return mypy(folder, mypy_cache) if any(folder.glob("*.py")) else []


@pytest.mark.parametrize("page", sorted({*PAGES} - {*GUIDES}), ids=lambda page: page.stem)
def test_python_is_only_in_guides_whose_code_is_run(page: Path) -> None:
    assert "python" not in {block["language"] for block in BLOCK.finditer(page.read_text(encoding="utf-8"))}


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=lambda page: page.stem)
def test_every_link_has_a_target(page: Path) -> None:
    for link in LINK.finditer(BLOCK.sub("", page.read_text(encoding="utf-8"))):
        target = page.parent / link["file"] if link["file"] else page
        assert target.is_file(), link[0]
        if link["anchor"]:
            headings = HEADING.findall(target.read_text(encoding="utf-8"))
            assert link["anchor"] in [re.sub(r"[^\w\- ]", "", text).lower().replace(" ", "-") for text in headings]


def test_each_promise_of_the_security_page_names_tests_that_exist() -> None:
    page = ROOT / "docs" / "explanation" / "security.md"
    promises, _, _ = page.read_text(encoding="utf-8").partition("## What toolgen does not promise")
    without_tests = re.findall(r"^- (.*+(?:\n  (?!- ).*+)*+)\n(?!  - \[`test_)", promises, re.MULTILINE)
    assert without_tests == []
    named = PROMISED.findall(promises)
    assert len(named) == promises.count("\n  - ") > 50
    for name, file in named:
        text = (page.parent / file).read_text(encoding="utf-8")
        assert re.search(rf"^(async )?def {name}\(", text, re.MULTILINE), f"{file} has no {name}"


def test_both_configuration_examples_are_equivalent(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "reference" / "configuration.md").read_text(encoding="utf-8")
    found = []
    for block in BLOCK.finditer(page):
        name = block["rest"].strip().removeprefix("file=")
        (tmp_path / name).write_text(block["text"], encoding="utf-8")
        config = load_config(tmp_path)
        (tmp_path / name).unlink()
        found.append((config.targets, config.executors))
    assert found[0] == found[1]
    public = Target("specs/public", "sdk/src/acme_tools", "assert", "core")
    assert found[0] == ((Target(builtin=("code",)), public), {"shop.orders": "app:shop"})


def test_the_readme_example_runs_and_type_checks(tmp_path: Path, mypy_cache: Path) -> None:
    blocks = {
        block["language"]: block["text"]
        for block in BLOCK.finditer((ROOT / "README.md").read_text(encoding="utf-8"))
        if not block["rest"]
    }
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "orders.yaml").write_text(blocks["yaml"], encoding="utf-8")
    imports, _, body = blocks["python"].partition("\n\n")
    inner = "\n".join(f"    {line}" if line else "" for line in body.splitlines())
    check = "    assert result.value is not None, result\n    assert result.value.refunded == 25\n    print('ran')"
    program = f"import asyncio\n{imports}\n\nasync def main() -> None:\n{inner}\n{check}\n\nasyncio.run(main())\n"
    (tmp_path / "program.py").write_text(program, encoding="utf-8")
    assert "ran" in run("toolgen build\npython program.py", tmp_path)
    path = "generated/shop/tools/orders/refund.py"
    shown = [
        each["text"]
        for each in BLOCK.finditer((ROOT / "README.md").read_text(encoding="utf-8"))
        if path in each["rest"]
    ]
    assert shown == [(tmp_path / path).read_text(encoding="utf-8")]
    assert mypy(tmp_path, mypy_cache) == []


def test_the_readme_says_where_toolgen_runs_and_beside_what() -> None:
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    systems = {
        line.split(" :: ")[-1] for line in pyproject()["project"]["classifiers"] if line.startswith("Operating System")
    }
    assert systems == {"Linux", "MacOS"}
    assert "Linux or macOS" in page
    for name, ((major, oldest), (_, newer)) in SAME_OUTPUT.items():
        assert f"{name} {major}.{oldest} to {major}.{newer - 1}" in page


def test_the_example_of_init_matches_the_committed_example() -> None:
    comment, _, spec = (ROOT / "toolgen/cli/example/specs/orders.yaml").read_text(encoding="utf-8").partition("\n")
    assert comment.startswith("# yaml-language-server:")
    assert spec == (ROOT / "specs/examples/shop/orders.yaml").read_text(encoding="utf-8")


def test_the_reference_is_current() -> None:
    pages = runpy.run_path(str(ROOT / "docs" / "make_reference"))["pages"]
    for name, text in pages().items():
        found = (ROOT / "docs" / "reference" / name).read_text(encoding="utf-8")
        assert found == text, f"docs/reference/{name} is not current: run `make docs`"
