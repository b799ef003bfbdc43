"""What the commands show of many warnings: blocks, lines for imported tools, counts, and what is silenced."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.cli.command_line import toolgen
from toolgen.authoring.language_server.workspace import Project
from toolgen.compiler.diagnostics import Diagnostic, Severity, Span
from toolgen.compiler.diagnostics.render import digest, render_listed
from toolgen.compiler.project.config import ConfigError, load_config

if TYPE_CHECKING:
    from pathlib import Path

BLOCK = re.compile(r"^(?:error|warning|note)\[", re.MULTILINE)


def spec(toolset: str, count: int, **keys: Any) -> str:
    """Return a spec with a warning of `lint` and one of `build` for each tool."""
    args = {"type": "object", "properties": {"no_archive": {"type": "boolean", "bogus": 1}}}
    tools = {
        f"find_{number}": {"description": f"Search shelf {number}.", "permission": "readonly", **keys, "args": args}
        for number in range(count)
    }
    kind = {"kind": "mcp"} if toolset.startswith("mcp.") else {}
    return json.dumps({"toolgen": 1, "toolset": toolset, **kind, "tools": tools}, indent=1)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "specs").mkdir()
    (tmp_path / "toolgen.toml").write_text('[[targets]]\nspecs = "specs"\nout = "generated"\n')
    (tmp_path / "specs/own.json").write_text(spec("shop", 30))
    (tmp_path / "specs/away.json").write_text(spec("mcp.away", 40, imported="12345678"))
    return tmp_path


@pytest.mark.parametrize("command", ["lint", "build"])
def test_a_person_sees_20_blocks_and_a_line_for_each_imported_file(project: Path, command: str) -> None:
    shown = toolgen(project, command)
    assert len(BLOCK.findall(shown.err)) <= 20
    (line,) = [each for each in shown.err.splitlines() if "of imported tools" in each]
    assert re.fullmatch(rf"specs/away\.json: \d+ warnings of imported tools \(.*\): `toolgen {command} --all`", line)
    everything = toolgen(project, command, "--all")
    assert len(BLOCK.findall(everything.err)) >= 70
    assert "of imported tools" not in everything.err


def test_other_formats_have_every_finding(project: Path) -> None:
    found = json.loads(toolgen(project, "lint", "--format", "json").out)
    warnings = [each for each in found if each["severity"] != "note"]
    assert len(warnings) >= 70
    results = json.loads(toolgen(project, "lint", "--format", "sarif").out)["runs"][0]["results"]
    assert len(results) == len(found)
    lines = toolgen(project, "lint", "--format", "concise").out.splitlines()
    assert len(lines) == len(warnings)
    assert all(re.match(r"specs/\w+\.json:\d+:\d+: (?:warning|error)\[T[GL]\d{3}\] ", each) for each in lines)
    built = json.loads(toolgen(project, "build", "--format", "json").out)["targets"][0]["diagnostics"]
    assert len(built) == 70


COMMANDS = [("lint",), ("build",), ("build", "--check")]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_concise_findings_are_one_line_each_and_stdout_has_nothing_else(
    project: Path, command: tuple[str, ...]
) -> None:
    toolgen(project, "build")
    for _ in range(2):
        shown = toolgen(project, *command, "--format", "concise")
        lines = shown.out.splitlines()
        assert all(re.match(r"specs/\w+\.json:\d+:\d+: warning\[T[GL]\d{3}\] ", each) for each in lines)
        assert len(lines) >= 70, "also where nothing changed"
        assert not BLOCK.search(shown.err)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_statistics_count_the_findings_of_each_rule(project: Path, command: tuple[str, ...]) -> None:
    toolgen(project, "build")
    shown = toolgen(project, *command, "--statistics")
    rows = json.loads(toolgen(project, *command, "--statistics", "--format", "json").out)
    if command[0] == "build":
        (target,) = rows["targets"]
        assert "diagnostics" not in target
        rows = target["statistics"]
        found = json.loads(toolgen(project, *command, "--all", "--format", "json").out)["targets"][0]["diagnostics"]
        assert shown.out == "70  TG203  warning  unknown-keyword\n"
    else:
        found = json.loads(toolgen(project, *command, "--format", "json").out)
        assert "30  TL206  warning  negated-boolean" in shown.out
    assert sum(row["count"] for row in rows) == len(found)
    assert rows == sorted(rows, key=lambda row: -row["count"])
    assert {row["code"]: row["name"] for row in rows}.items() >= {row["code"]: row["name"] for row in found}.items()
    assert not BLOCK.search(shown.err)


@pytest.mark.parametrize("command", ["lint", "build"])
def test_statistics_are_text_or_json(project: Path, command: str) -> None:
    shown = toolgen(project, command, "--statistics", "--format", "concise")
    assert (shown.code, "`--statistics` prints text or JSON, not concise." in shown.err) == (2, True)


def test_an_import_groups_what_it_found(project: Path) -> None:
    """Such as 30 tools with the names of others."""
    tools = [
        {"name": f"find_{number}", "description": "Find.", "inputSchema": {"type": "object"}} for number in range(30)
    ]
    (project / "answer.json").write_text(json.dumps({"tools": tools}))
    arguments = ("import", "mcp", "answer.json", "--toolset", "mcp.shelf")
    shown = toolgen(project, *arguments)
    assert len(BLOCK.findall(shown.err)) == 1
    assert "29 more TG819:" in shown.err
    assert shown.err.endswith("30 warnings; all of them: `--format json`\n")
    toolgen(project, "build")
    (project / "specs/shelf.yaml").unlink()
    found = json.loads(toolgen(project, *arguments, "--format", "json").out)["diagnostics"]
    assert [each["code"] for each in found] == ["TG819"] * 30


def test_what_is_new_comes_first(project: Path) -> None:
    assert "new since" not in toolgen(project, "build").err
    (project / "specs/z.json").write_text(spec("zoo", 1))
    shown = toolgen(project, "build").err
    assert "1 new since the last time" in shown
    first = BLOCK.split(shown, maxsplit=1)[1].splitlines()
    assert first[1].strip().startswith("--> specs/z.json")
    again = toolgen(project, "build", "--all")
    assert "new since" not in again.err


def warning(file: str, line: int, message: str = "the same", code: str = "TG203") -> Diagnostic:
    return Diagnostic(code, Severity.WARNING, Span(file, line, 1, line, 2), message)


def test_equal_messages_are_one_block() -> None:
    found = [warning(f"{file}.yaml", number) for file in "ab" for number in range(1, 5)]
    text = render_listed(found, {}, color=False, is_imported=lambda each: False, everything="x --all")
    assert len(BLOCK.findall(text)) == 1
    assert "= 7 more TG203: a.yaml:2:1, a.yaml:3:1, a.yaml:4:1, …" in text
    assert text.endswith("8 warnings; all of them: `x --all`\n")


def test_findings_of_one_code_in_one_file_are_one_block() -> None:
    found = [
        warning(f"{file}.yaml", number, f"{file}{number}", code)
        for code in ("TG203", "TG208")
        for file in "ab"
        for number in range(1, 9)
    ]
    text = render_listed(found, {}, color=False, is_imported=lambda each: False, everything="x --all")
    assert len(BLOCK.findall(text)) == 4
    assert "= 7 more TG203:\n  =   a.yaml:2:1: a2\n  =   a.yaml:3:1: a3\n  =   a.yaml:4:1: a4\n  =   …\n" in text
    assert text.endswith("32 warnings; all of them: `x --all`\n")
    few = render_listed(found[:4], {}, color=False, is_imported=lambda each: False, everything="x --all")
    assert [f"a{number}" in few for number in range(1, 5)] == [True] * 4
    assert few.endswith("4 warnings\n"), "each place is named"


def test_errors_are_never_grouped_or_left_out() -> None:
    found = [
        Diagnostic("TG101", Severity.ERROR, Span("a.yaml", number), message)
        for message in ("the same", "broken")
        for number in range(1, 40)
    ]
    text = render_listed([warning("a.yaml", 1), *found], {}, color=False, is_imported=lambda each: False)
    blocks = text.split("\n\n")
    assert [block.startswith("error[TG101]") for block in blocks] == [True] * 78 + [False, False]
    assert blocks[-2].startswith("warning[TG203]")
    assert blocks[-1] == "78 errors, 1 warning\n"


def test_what_is_left_out_is_counted_and_errors_come_first() -> None:
    found = [warning(f"{number}.yaml", 1, f"{number}") for number in range(1, 30)]
    error = Diagnostic("TG101", Severity.ERROR, Span("z.yaml"), "broken")
    text = render_listed([*found, error], {}, color=False, is_imported=lambda each: False, everything="x --all")
    assert len(BLOCK.findall(text)) == 21
    assert text.startswith("error[TG101]")
    assert "9 warnings more: `x --all`" in text


def test_a_moved_line_is_not_new() -> None:
    assert digest(warning("a.yaml", 1)) == digest(warning("a.yaml", 9))
    assert digest(warning("a.yaml", 1)) != digest(warning("b.yaml", 1))


SILENCED = [
    ('codes = ["TG203"]', 0, 30),
    ('codes = ["unknown-keyword", "TL206"]\npaths = ["specs/away*"]', 30, 30),
    ('codes = ["negated-boolean"]\npaths = ["specs/own*"]', 70, 0),
    ('codes = ["TL206"]\ntoolsets = ["mcp.*"]', 70, 30),
    ('toolsets = ["shop"]', 40, 0),
    ('paths = ["specs/*"]', 0, 0),
]


@pytest.mark.parametrize(("row", "built", "linted"), SILENCED)
def test_one_table_silences_for_every_command(project: Path, row: str, built: int, linted: int) -> None:
    """By the command line and for the editor alike."""
    with (project / "toolgen.toml").open("a") as file:
        file.write(f"[[silence]]\n{row}\n")
    found = json.loads(toolgen(project, "build", "--format", "json").out)["targets"][0]["diagnostics"]
    assert [each["code"] for each in found] == ["TG203"] * built
    lint = json.loads(toolgen(project, "lint", "--format", "json").out)
    assert len([each for each in lint if each["code"] == "TL206"]) == linted
    editor = Project(project)
    shown = [each.code for some in editor.check(editor.config().targets[0], {}).found.values() for each in some]
    assert (shown.count("TG203"), shown.count("TL206")) == (built, linted)
    strict = toolgen(project, "build", "--warnings-as-errors")
    assert strict.code == (1 if built else 0)


def test_a_silenced_error_is_still_an_error(project: Path) -> None:
    (project / "toolgen.toml").write_text('[[silence]]\npaths = ["*"]\n')
    (project / "specs/own.json").write_text(
        '{"toolgen": 1, "toolset": "shop", "tools": {"a": {"args": {"b": "Nope"}}}}'
    )
    shown = toolgen(project, "build")
    assert shown.code == 1
    assert "error[TG201]" in shown.err


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("", "names nothing"),
        ('codes = ["TG999"]', "there is no warning `TG999`"),
        ('codes = ["TG101"]', "TG101 is an error"),
        ('codes = "TG203"', "must be an array of strings"),
        ('code = ["TG203"]', "`silence` has no setting `code`"),
    ],
)
def test_a_wrong_row_is_an_error_of_the_configuration(project: Path, row: str, message: str) -> None:
    (project / "toolgen.toml").write_text(f"[[silence]]\n{row}\n")
    with pytest.raises(ConfigError, match=message):
        load_config(project)
