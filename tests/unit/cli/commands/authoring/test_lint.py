"""`toolgen lint` and `toolgen fmt` as a user runs them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.unit.cli.command_line import toolgen

if TYPE_CHECKING:
    from pathlib import Path

SPEC = """\
toolgen: 1
tools:
  find:
    description: Search  the orders of a customer.
    permission: readonly
    # as the API has it
    args: {no_archive: boolean, city: string}
toolset: shop
"""


def project(folder: Path, settings: str = "") -> Path:
    (folder / "specs").mkdir()
    (folder / "specs" / "shop.yaml").write_text(SPEC)
    (folder / "specs" / "bot.yaml").write_text(
        "toolgen: 1\ntoolset: bot\n\ntools:\n  ask: {description: Asks a person., permission: readonly}\n"
    )
    (folder / "toolgen.toml").write_text(settings)
    return folder


def test_findings_are_shown_with_carets_and_notes_are_counted(tmp_path: Path) -> None:
    done = toolgen(project(tmp_path), "lint")
    assert done.code == 1
    assert "warning[TL206]: `no_archive` of `shop.find` is negated" in done.err
    assert "7 |     args: {no_archive: boolean, city: string}\n  |            ^^^^^^^^^^" in done.err
    assert "2 notes not shown: add `--notes`" in done.err
    assert "1 of 3 can be fixed: `toolgen lint --fix`" in done.err
    assert "TL101" in toolgen(tmp_path, "lint", "--notes").err


def test_paths_restrict_what_is_reported(tmp_path: Path) -> None:
    project(tmp_path)
    assert toolgen(tmp_path, "lint", "specs/bot.yaml").code == 0
    assert toolgen(tmp_path, "lint", "specs/shop.yaml").code == 1
    assert toolgen(tmp_path, "lint", "specs").code == 1
    missing = toolgen(tmp_path, "lint", "specs/none.yaml")
    assert (missing.code, "specs/none.yaml does not exist." in missing.err) == (2, True)
    outside = toolgen(tmp_path, "lint", "toolgen.toml")
    assert (outside.code, "is not a spec of this project" in outside.err) == (2, True)


def test_every_format_has_every_finding(tmp_path: Path) -> None:
    project(tmp_path)
    found = toolgen(tmp_path, "lint", "--format", "json").json
    assert [(each["code"], each["name"], each["line"]) for each in found] == [
        ("TL111", "stray-blanks", 4),
        ("TL206", "negated-boolean", 7),
        ("TL101", "undescribed-parameter", 7),
    ]
    assert [len(each["edits"]) for each in found] == [1, 0, 0]
    sarif = toolgen(tmp_path, "lint", "--format", "sarif").json
    assert [each["ruleId"] for each in sarif["runs"][0]["results"]] == ["TL111", "TL206", "TL101"]
    lines = toolgen(tmp_path, "lint", "--format", "github").out.splitlines()
    assert [line.partition(" ")[0] for line in lines] == ["::notice", "::warning", "::notice"]


def test_fix_changes_the_file_and_diff_only_shows_it(tmp_path: Path) -> None:
    project(tmp_path)
    shown = toolgen(tmp_path, "lint", "--diff")
    assert shown.code == 1
    assert "-    description: Search  the orders of a customer.\n+    description: Search the orders" in shown.out
    assert (tmp_path / "specs" / "shop.yaml").read_text() == SPEC

    done = toolgen(tmp_path, "lint", "--fix")
    assert done.code == 1  # the negated boolean is left
    assert "1 finding fixed in 1 file" in done.err
    assert (tmp_path / "specs" / "shop.yaml").read_text() == SPEC.replace("  the", " the")
    assert toolgen(tmp_path, "lint", "--diff").code == 0


def test_a_baseline_accepts_findings_until_it_is_broken(tmp_path: Path) -> None:
    project(tmp_path)
    assert toolgen(tmp_path, "lint", "--write-baseline").out == "toolgen-lint-baseline.json: 3 findings accepted\n"
    assert toolgen(tmp_path, "lint").code == 0
    assert toolgen(tmp_path, "lint", "--write-baseline", "--fix").code == 2
    (tmp_path / "toolgen-lint-baseline.json").write_text("[]")
    broken = toolgen(tmp_path, "lint")
    assert (broken.code, "toolgen-lint-baseline.json cannot be used" in broken.err) == (2, True)


def test_the_configuration_selects_rules_and_is_checked(tmp_path: Path) -> None:
    project(tmp_path, '[lint]\nignore = ["negated-boolean"]\nseverity = {TL101 = "error"}\n')
    found = toolgen(tmp_path, "lint", "--format", "json").json
    assert [(each["code"], each["severity"]) for each in found] == [("TL111", "note"), ("TL101", "error")]
    (tmp_path / "toolgen.toml").write_text(
        '[lint]\nignor = []\nselect = ["negated-bolean"]\nseverity = {TL101 = "bad"}\nthresholds = {TL101 = 3}\n'
        'providers = ["opena"]\n'
    )
    wrong = toolgen(tmp_path, "build")
    assert wrong.code == 2
    for message, help_ in [
        ("`lint` has no setting `ignor`", "did you mean `ignore`?"),
        ("there is no lint rule `negated-bolean`", "did you mean `negated-boolean`?"),
        (
            "the severity of `TL101` must be one of `error`, `warning`, `note`, not 'bad'",
            "to turn the rule off, add it to `lint.ignore`",
        ),
        ("TL101 has no threshold", "these have one: TL108"),
        ("there is no provider `opena`", "did you mean `openai`?"),
    ]:
        assert message in wrong.err
        assert f"help: {help_}" in wrong.err


def test_errors_of_specs_are_shown_and_nothing_is_linted(tmp_path: Path) -> None:
    project(tmp_path)
    (tmp_path / "specs" / "bot.yaml").write_text(
        "toolgen: 1\ntoolset: bot\ntools: {ask: {description: Asks., args: strin}}\n"
    )
    done = toolgen(tmp_path, "lint")
    assert done.code == 1
    assert "error[TG201]" in done.err
    assert "TL206" not in done.err


def test_a_rule_is_explained_with_its_examples(tmp_path: Path) -> None:
    by_code, by_name = (toolgen(tmp_path, "explain", code) for code in ("tl206", "negated-boolean"))
    assert by_code.out == by_name.out
    assert by_code.out.startswith("TL206 negated-boolean (warning)\n\nThe name of a boolean is a negation")
    assert "no_archive: {type: boolean" in by_code.out
    assert toolgen(tmp_path, "explain", "TL001", "--format", "json").json["name"] == "unused-suppression"
    assert {"TG201", "TL001", "TL206"} <= {row["code"] for row in toolgen(tmp_path, "explain", "--format", "json").json}


def test_fmt_formats_what_is_not_formatted(tmp_path: Path) -> None:
    project(tmp_path)
    checked = toolgen(tmp_path, "fmt", "--check")
    assert (checked.code, checked.out) == (1, "specs/shop.yaml: not formatted\n")
    shown = toolgen(tmp_path, "fmt", "--diff", "specs/shop.yaml")
    assert (shown.code, "+toolset: shop\n" in shown.out) == (1, True)
    assert (tmp_path / "specs" / "shop.yaml").read_text() == SPEC

    assert toolgen(tmp_path, "fmt", "--format", "json").json == {"checked": 2, "changed": ["specs/shop.yaml"]}
    text = (tmp_path / "specs" / "shop.yaml").read_text()
    assert text.startswith("toolgen: 1\ntoolset: shop\n\ntools:\n")
    assert "    # as the API has it\n    args:" in text
    assert toolgen(tmp_path, "fmt", "--check").code == 0


def test_fmt_leaves_a_broken_file_and_formats_the_others(tmp_path: Path) -> None:
    project(tmp_path)
    broken = tmp_path / "specs" / "bot.yaml"
    broken.write_text("toolgen: 1\ntools: {a: 1, a: 2}\n")
    done = toolgen(tmp_path, "fmt")
    assert done.code == 1
    assert "error[TG004]" in done.err
    assert broken.read_text() == "toolgen: 1\ntools: {a: 1, a: 2}\n"
    assert (tmp_path / "specs" / "shop.yaml").read_text() != SPEC


def test_what_an_import_writes_is_formatted(tmp_path: Path) -> None:
    tools = [
        {"name": "a.b", "title": "T", "description": "Line.\nMore.", "inputSchema": {"type": "object"}},
        {"name": "b", "inputSchema": {"type": "object", "properties": {"x": {"type": "string"}}}},
    ]
    (tmp_path / "tools.json").write_text(json.dumps({"tools": tools}))
    assert toolgen(tmp_path, "import", "mcp", "tools.json", "--toolset", "mcp.x").code == 0
    checked = toolgen(tmp_path, "fmt", "--check")
    assert checked.code == 0, toolgen(tmp_path, "fmt", "--diff").out


@pytest.mark.parametrize("broken", ["toolgen: 1\ntoolset: [", "toolgen: 1\ntoolset: bot\ntols: {}\n"])
def test_errors_are_reported_in_every_format_and_whatever_paths_are_given(tmp_path: Path, broken: str) -> None:
    project(tmp_path)
    (tmp_path / "specs" / "bot.yaml").write_text(broken)
    for arguments in (["lint"], ["lint", "specs/shop.yaml"], ["lint", "--fix"]):
        found = toolgen(tmp_path, *arguments, "--format", "json")
        assert (found.code, {each["file"] for each in found.json}) == (1, {"specs/bot.yaml"}), arguments
    log = toolgen(tmp_path, "lint", "--format", "sarif").json
    assert {each["level"] for each in log["runs"][0]["results"]} == {"error"}
    assert toolgen(tmp_path, "lint", "--format", "github").out.startswith("::error title=TG")
    shown = toolgen(tmp_path, "lint", "--diff")
    assert (shown.code, "specs/bot.yaml" in shown.err) == (1, True)


def test_what_cannot_be_written_is_named(tmp_path: Path) -> None:
    project(tmp_path)
    (tmp_path / "toolgen-lint-baseline.json").mkdir()
    done = toolgen(tmp_path, "lint", "--write-baseline")
    assert (done.code, "toolgen-lint-baseline.json cannot be written: it is a folder" in done.err) == (2, True)


def test_a_name_that_is_too_long_does_not_exist(tmp_path: Path) -> None:
    project(tmp_path)
    for command in (["lint"], ["fmt"], ["diff", "--against"]):
        done = toolgen(tmp_path, *command, "a" * 5_000)
        assert (done.code, "internal error" in done.err) == (2, False), command


def test_a_spec_is_written_through_no_link_beside_it(tmp_path: Path) -> None:
    project(tmp_path)
    outside = tmp_path / "outside"
    outside.write_text("mine")
    (tmp_path / "specs" / ".shop.yaml.toolgen").symlink_to(outside)
    assert toolgen(tmp_path, "fmt").code == 0
    assert outside.read_text() == "mine"
    assert sorted(each.name for each in (tmp_path / "specs").iterdir()) == [
        ".shop.yaml.toolgen",
        "bot.yaml",
        "shop.yaml",
    ]
