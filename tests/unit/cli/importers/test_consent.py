"""Consent: nothing that a repository names is started, and no variable is sent, before a person has seen it."""

from __future__ import annotations

import io
import json
import shlex
import sys
from contextlib import redirect_stderr
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.project.checkout import ROOT
from tests.unit.cli.at_terminal import at_terminal
from tests.unit.cli.command_line import toolgen
from toolgen.cli.consent import Consent
from toolgen.cli.importers.mcp_entries import server_entries
from toolgen.execute.reach import reached_by_server

if TYPE_CHECKING:
    from pathlib import Path

RAW_SERVER = ROOT / "tests" / "unit" / "execute" / "mcp" / "raw_server.py"
MCP = ("import", "mcp")
DOORS = {
    "a configuration file": (*MCP, "--from", ".mcp.json"),
    "one server of a file": (*MCP, "--from", ".mcp.json", "--server", "shop"),
    "the check of all": (*MCP, "--check"),
    "the check of one": (*MCP, "--check", "--toolset", "mcp.shop"),
    "an import again": (*MCP, "--toolset", "mcp.shop"),
    "a call": ("call", "mcp.shop.echo", "{}"),
}
"""Commands that start what a repository names."""

HARMLESS = (
    ("build",), ("build", "--check"), ("lint",), ("fmt", "--check"), ("list",), ("show", "mcp.shop.echo"), ("docs",),
    ("stats",), ("search", "echo"), ("export", "openai"), ("policy", "explain", "mcp.shop.echo"),
)  # fmt: skip
"""Commands that start nothing."""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a project with a server that leaves a mark, in a spec, a package and a configuration file."""
    mark = f"open({str(tmp_path / 'started')!r}, 'a').write(os.environ.get('SHOP_KEY', ''))"
    script = f"import os; {mark}; exec(open({str(RAW_SERVER)!r}).read())"
    argv = [sys.executable, "-c", script, str(tmp_path)]
    (tmp_path / "tools.json").write_text(
        json.dumps({"tools": [{"name": "echo", "description": "Echo.", "inputSchema": {"type": "object"}}]})
    )
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs/shop.yaml").write_text(
        "toolgen: 1\ntoolset: mcp.shop\nkind: mcp\n"
        f"server: {{stdio: {json.dumps(argv)}, env: [SHOP_KEY], on_drift: warn}}\n"
        "tools:\n  echo: {description: Echo., permission: readonly, args: {}}\n"
    )
    entry = {"command": argv[0], "args": argv[1:], "env": {"SHOP_KEY": "${SHOP_KEY}"}}
    (tmp_path / ".mcp.json").write_text(json.dumps({"mcpServers": {"shop": entry}}))
    assert toolgen(tmp_path, "build").code == 0
    return tmp_path


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SHOP_KEY", "hunter2hunter2")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


@pytest.mark.parametrize("door", DOORS)
def test_nothing_is_started_without_a_terminal_and_yes(project: Path, door: str) -> None:
    done = toolgen(project, *DOORS[door])
    assert done.code == 2
    assert f"starts the program: {shlex.quote(sys.executable)} -c " in done.err
    assert ", with the values of SHOP_KEY\n" in done.err
    trust = "--trust-specs" if door == "a call" else "--yes"
    assert f"pass {trust}" in done.err
    assert "hunter2" not in done.err
    assert not (project / "started").exists()
    toolgen(project, *DOORS[door], trust)
    assert (project / "started").read_text().startswith("hunter2hunter2")


@pytest.mark.parametrize(("answer", "started"), [("n", False), ("\n", False), ("y", True), ("\x04", False)])
def test_a_person_is_asked_once(project: Path, answer: str, started: bool) -> None:
    (project / ".mcp.json").write_text(
        (project / ".mcp.json").read_text().replace('{"shop":', '{"other": {"command": "no-such-program"}, "shop":')
    )
    line = answer + ("\n" if answer in "ny" else "")
    text = at_terminal(project, *DOORS["a configuration file"], answer=line)
    assert text.count("Go on?") == 1
    assert text.index("other starts the program: no-such-program") < text.index("Go on?")
    assert (project / "started").exists() == started


def test_what_was_typed_before_the_question_is_no_answer(project: Path) -> None:
    text = at_terminal(project, *DOORS["a configuration file"], typed_before="y\n", answer="n\n")
    assert "Nothing was started." in text
    assert not (project / "started").exists()


def test_the_host_that_gets_a_variable_is_shown(project: Path) -> None:
    servers = {
        "plain": {"url": "http://127.0.0.1:9/mcp"},
        "taking\x1b[2J": {"url": "http://127.0.0.1:9/${AWS_SECRET_ACCESS_KEY}", "headers": {"X": "${SHOP_KEY}"}},
    }
    (project / ".mcp.json").write_text(json.dumps({"mcpServers": servers}))
    done = toolgen(project, *DOORS["a configuration file"])
    assert done.code == 2
    assert "taking\\x1b[2J connects to http://127.0.0.1:9/$env.AWS_SECRET_ACCESS_KEY, with the values of " in done.err
    assert "AWS_SECRET_ACCESS_KEY, SHOP_KEY\n" in done.err
    assert "plain" not in done.err
    assert "\x1b" not in done.err


def test_what_a_person_wrote_on_the_command_line_is_not_asked_about(project: Path) -> None:
    done = toolgen(project, *MCP, "--url", "http://127.0.0.1:9/mcp", "--toolset", "mcp.other")
    assert "cannot connect" in done.err
    assert "--yes" not in done.err


def test_other_commands_start_nothing_of_a_repository(project: Path) -> None:
    for command in HARMLESS:
        done = toolgen(project, *command)
        assert done.code in (0, 1), (command, done.err)
        assert not (project / "started").exists(), command


def _references() -> st.SearchStrategy[tuple[str, str]]:
    """A text of an entry that has the value of a variable in it, in any of the notations, and the variable's name."""
    name = st.integers(0, 9).map(lambda number: f"SECRET_{number}")
    notation = st.sampled_from(["${%s}", "${env:%s}", "${%s:-or this}", "$env:%s"])
    around = st.sampled_from([("", ""), ("Bearer ", ""), ("k-", ""), ("https://u:", "@h/"), ("a b ", "/c?d=e")])
    return st.tuples(name, notation, around).map(lambda each: (each[2][0] + each[1] % each[0] + each[2][1], each[0]))


@given(st.lists(st.tuples(_references(), st.sampled_from(["env", "headers", "args", "url"])), min_size=1, max_size=5))
def test_every_variable_whose_value_is_sent_is_shown_whatever_the_file_calls_it(
    parts: list[tuple[tuple[str, str], str]],
) -> None:
    program: dict[str, Any] = {"command": "run", "args": ["${userHome}/x"], "env": {}}
    host: dict[str, Any] = {"url": "https://h/mcp", "headers": {}}
    for number, ((text, _), place) in enumerate(parts):
        if place == "args":
            program["args"].append(text)
        elif place == "url":
            host["url"] += f"/{number}?q={text}"
        else:
            (program if place == "env" else host)[place][f"NAME_{number}"] = text
    entries = server_entries(".mcp.json", json.dumps({"mcpServers": {"a": program, "b": host}}), None)
    read = {name for (_, name), _ in parts}
    written = io.BytesIO()
    shown = io.TextIOWrapper(written, encoding="utf-8", write_through=True)
    with redirect_stderr(shown):
        Consent(ROOT, yes=True).ask(
            each for entry in entries for each in reached_by_server(entry.name, entry.server, entry.references.made_of)
        )
    said = " ".join(line.partition(", with the values of ")[2] for line in written.getvalue().decode().splitlines())
    assert {name for name in read if name in said} == read

    present = {"HOME": "/home/ann", **{name: f"value of {name}" for name in read}}
    for entry in entries:  # and with what an import says to set, in place of what the file refers to, all is there
        needed = dict.fromkeys(entry.variables, "set")
        assert entry.references.environment(present).keys() >= needed.keys()


def test_a_variable_that_the_file_calls_by_another_name_is_shown_by_both(project: Path) -> None:
    entry = json.loads((project / ".mcp.json").read_text())
    entry["mcpServers"]["shop"]["env"] = {"COLOR": "${SHOP_KEY}"}
    (project / ".mcp.json").write_text(json.dumps(entry))
    (project / "specs/shop.yaml").unlink()
    asked = toolgen(project, *DOORS["a configuration file"])
    assert ", with the values of COLOR (or else of SHOP_KEY)\n" in asked.err
    done = toolgen(project, *DOORS["a configuration file"], "--yes")
    assert done.out.endswith(
        "  to run the tools, set these environment variables:\n"
        "  COLOR: the variable COLOR, which the file makes of SHOP_KEY\n"
    )


def test_a_call_shows_the_host_that_gets_a_variable_before_it_does(project: Path) -> None:
    (project / "specs/shop.yaml").write_text(
        "toolgen: 1\ntoolset: mcp.shop\nkind: mcp\n"
        "server: {http: 'http://127.0.0.1:9/mcp', headers: {X-Key: $env.SHOP_KEY}}\n"
        "tools:\n  echo: {description: Echo., permission: readonly, args: {}}\n"
    )
    assert toolgen(project, "build").code == 0
    done = toolgen(project, "call", "mcp.shop.echo", "{}")
    assert done.code == 2
    assert "mcp.shop connects to http://127.0.0.1:9/mcp, with the values of SHOP_KEY\n" in done.err
    assert "pass --trust-specs" in done.err
