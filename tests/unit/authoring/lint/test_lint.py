"""Suppressions, the baseline and the settings: which findings are reported."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from tests.unit.authoring.lint.examples import codes, files_of, linted
from toolgen.authoring.lint.baseline import BaselineBroken, entry_of, read_baseline, write_baseline
from toolgen.authoring.lint.lint import lint
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.diagnostics.codes import Severity
from toolgen.compiler.diagnostics.lint_settings import LintSettings
from toolgen.compiler.project.config import Config, Target
from toolgen.compiler.source.read import SpecFile, parse
from toolgen.spec.tool_use import LAYERS, Layer, PresentationName, ToolUseConfig

TOOL = """
    toolset: shop
    tools:
      find:{key}
        description: Search the orders of a customer.
        args: {{no_archive: boolean}}{args}
        permission: readonly
"""


def spec(key: str = "", args: str = "") -> dict[str, str]:
    """Return a spec with one finding, TL206 on the line of `args`."""
    return files_of(TOOL.format(key=key, args=args))


def messages(files: dict[str, str]) -> list[str]:
    return [f"{found.code} {found.span} {found.message}" for found in linted(files).findings]


def test_a_finding_is_at_the_field_that_must_change() -> None:
    assert messages(spec()) == ["TL206 specs/1.yaml:6:12 `no_archive` of `shop.find` is negated"]


@pytest.mark.parametrize(
    ("key", "args"),
    [
        ("", "  # toolgen: ignore TL206 -- as the API has it"),
        ("", "  # toolgen: ignore negated-boolean -- as the API has it"),
        ("", "  # toolgen: ignore TL206 -- as the API has it; see -- there"),
    ],
)
def test_a_comment_on_the_line_suppresses_a_rule(key: str, args: str) -> None:
    assert codes(linted(spec(key, args))) == []


def test_a_comment_above_the_line_suppresses_a_rule() -> None:
    text = spec()["specs/1.yaml"]
    for above in (["# toolgen: ignore TL206 -- why"], ["# toolgen: ignore TL206 -- why", "# more", ""]):
        lines = "".join(f"    {line}".rstrip() + "\n" for line in above)
        assert codes(linted({"a.yaml": text.replace("    args:", f"{lines}    args:")})) == []


def test_a_suppression_elsewhere_is_unused_and_the_fix_removes_it() -> None:
    outcome = linted(spec(key="  # toolgen: ignore TL206 -- wrong place"))
    assert codes(outcome) == ["TL001", "TL206"]
    (fix,) = outcome.fixes.values()
    assert fix.title == "Remove the suppression"


def test_text_that_looks_like_a_suppression_is_none() -> None:
    files = files_of("""
        toolset: shop
        tools:
          find:
            description: |
              Search the orders of a customer.
              # toolgen: ignore TL206 -- not a comment
            args: {no_archive: boolean}
            permission: readonly
    """)
    assert codes(linted(files)) == ["TL206"]


@pytest.mark.parametrize(
    ("comment", "found"),
    [
        ("TL206", ["TL003 a suppression needs a reason, and has no effect without one"]),
        ("TL206 --", ["TL003 a suppression needs a reason, and has no effect without one"]),
        ("TL99 -- why", ["TL002 there is no lint rule `TL99`"]),
        ("negated-bolean -- why", ["TL002 there is no lint rule `negated-bolean`"]),
        ("-- why", ["TL002 the suppression names no rule"]),
    ],
)
def test_a_wrong_suppression_is_reported_and_has_no_effect(comment: str, found: list[str]) -> None:
    outcome = linted(spec(args=f"  # toolgen: ignore {comment}"))
    assert [f"{each.code} {each.message}" for each in outcome.findings if each.code != "TL206"] == found
    assert "TL206" in codes(outcome)


def test_a_misspelled_rule_gets_a_suggestion() -> None:
    outcome = linted(spec(args="  # toolgen: ignore negated-bolean -- why"))
    assert next(each.fix for each in outcome.findings if each.code == "TL002") == "did you mean `negated-boolean`?"


def test_an_ignored_rule_does_not_make_its_suppression_unused() -> None:
    files = spec(key="  # toolgen: ignore TL206 -- wrong place")
    assert codes(linted(files, LintSettings(ignore=("TL206",)))) == []


def test_settings_select_ignore_and_grade_rules() -> None:
    files = files_of("""
        toolset: shop
        tools:
          find:
            description: Search the orders of a customer.
            args: {no_archive: boolean, city: string}
            permission: readonly
    """)
    assert codes(linted(files)) == ["TL206", "TL101"]
    assert codes(linted(files, LintSettings(select=("TL101",)))) == ["TL101"]
    assert codes(linted(files, LintSettings(ignore=("TL101",)))) == ["TL206"]
    graded = linted(files, LintSettings(severity={"TL206": Severity.NOTE}))
    assert not graded.fails
    assert linted(files).fails


def test_a_threshold_moves_what_a_rule_reports() -> None:
    files = files_of("""
        toolset: shop
        tools:
          find:
            description: Search the orders of a customer.
            args: {archived: boolean, paid: boolean}
            permission: readonly
    """)
    assert codes(linted(files)) == []
    assert codes(linted(files, LintSettings(thresholds={"TL213": 1}))) == ["TL213"]


def test_a_baseline_accepts_what_is_there_and_nothing_else() -> None:
    outcome = linted(spec())
    text = write_baseline(outcome.entries)
    baseline = read_baseline(text)

    moved = {"specs/1.yaml": spec()["specs/1.yaml"].replace("tools:", "\n# moved\ntools:")}
    assert codes(linted(moved, baseline=baseline)) == []

    changed = {"specs/1.yaml": spec()["specs/1.yaml"].replace("no_archive", "not_archived")}
    assert codes(linted(changed, baseline=baseline)) == ["TL206", "TL004"]

    fixed = linted({"specs/1.yaml": spec()["specs/1.yaml"].replace("no_archive", "archive")}, baseline=baseline)
    (note,) = fixed.findings
    assert (note.code, note.severity, str(note.span)) == ("TL004", Severity.NOTE, "toolgen-lint-baseline.json:2:1")
    assert not fixed.fails


def test_an_empty_baseline_is_readable() -> None:
    assert read_baseline(write_baseline([])) == {}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"toolgen_lint_baseline": 1, "findings": [1]}',
        '{"toolgen_lint_baseline": 1, "findings": [[1, 2, 3]]}',
    ],
)
def test_a_broken_baseline_is_refused(text: str) -> None:
    with pytest.raises(BaselineBroken, match="--write-baseline"):
        read_baseline(text)


def test_errors_of_specs_are_reported_instead_of_findings() -> None:
    outcome = linted(files_of("toolset: shop\ntools: {find: {description: Find it., args: {a: strin}}}"))
    assert [found.code for found in outcome.errors] == ["TG201"]
    assert outcome.findings == []
    assert outcome.fails


def test_built_in_toolsets_are_not_reported() -> None:
    from pathlib import Path

    from toolgen.compiler.compile import read_files
    from toolgen.compiler.diagnostics import Diagnostics

    target = Target("none", "generated", builtin=("code", "internal"))
    files = [each for each in read_files(Path(), target, Diagnostics()) if each.path.startswith("toolgen://")]
    assert len(files) == 2
    assert lint(Config(Path(), (target,)), {target: files}).findings == []


def test_a_finding_of_a_shared_type_is_reported_once_at_the_type() -> None:
    outcome = linted(
        files_of("""
        types:
          Filter: {no_archive: boolean}
        ---
        toolset: shop
        description: Orders of the web shop.
        types: {Filter: {$ref: "1.yaml#/types/Filter"}}
        tools:
          find:
            description: Search the orders of a customer.
            args: {filter: {$ref: "#/types/Filter", description: What to look for.}}
            permission: readonly
          count_orders:
            description: Count what a search would find.
            args: {filter: {$ref: "#/types/Filter", description: What to look for.}}
            permission: readonly
    """)
    )
    assert {str(found.span) for found in outcome.findings} == {"specs/1.yaml:3:12"}


def test_a_surface_is_measured_with_the_presentations_of_the_configuration() -> None:
    tools = "".join(
        f"  t{number}: {{description: Find what is in box {number} of the shop., permission: readonly}}\n"
        for number in range(60)
    )
    text = f"toolgen: 1\ntoolset: shop\ndescription: Boxes.\ntools:\n{tools}"
    settings = LintSettings(thresholds={"TL602": 3000})
    found = linted({"a.yaml": text}, settings).findings
    assert [each.code for each in found] == ["TL602"]
    assert found[0].message.startswith("the target has 60 tools, which take ")
    assert found[0].message.endswith(" bytes with `enumerate-all`")  # `universal-category` has no built-in tools here
    assert codes(linted({"a.yaml": text}, LintSettings(thresholds={"TL602": 30_000}))) == []

    root = parse(text, "a.yaml", Diagnostics())
    assert root is not None
    layers: dict[Layer, PresentationName] = dict.fromkeys(LAYERS, "codeact")
    config = Config(Path(), (Target(),), tool_use=ToolUseConfig(presentations=layers), lint=settings)
    (code,) = lint(config, {Target(): [SpecFile("a.yaml", text, root)]}).findings
    assert code.message.endswith(" bytes with `codeact`")


def test_a_baseline_entry_names_the_place_in_words() -> None:
    assert {entry.place for entry in linted(spec()).entries} == {"shop:tools/find/args/no_archive"}
    assert entry_of.__doc__
    assert dedent(write_baseline(linted(spec()).entries)).count("\n") == 3


@pytest.mark.parametrize(
    ("name", "help_"),
    [
        ("wait_timeout", "write it in the description, or name it `wait_timeout_seconds`"),
        ("roomTemperature", "write it in the description"),
        ("width", "write it in the description"),
    ],
)
def test_only_durations_get_a_name_in_seconds(name: str, help_: str) -> None:
    files = files_of(f"""
        toolset: shop
        tools:
          heat:
            description: Heat the room of an order.
            args: {{{name}: {{type: number, description: How much is wanted.}}}}
            permission: readonly
    """)
    assert [each.fix for each in linted(files).findings if each.code == "TL125"] == [help_]


@pytest.mark.parametrize(("extra", "reported"), [("", True), (", additionalProperties: true", False)])
def test_an_object_that_is_open_on_purpose_is_not_reported(extra: str, reported: bool) -> None:
    files = files_of(f"""
        toolset: shop
        tools:
          find:
            description: Search the orders of a customer.
            args: {{labels: {{type: object, description: What to look for.{extra}}}}}
            permission: readonly
    """)
    assert ("TL201" in codes(linted(files))) is reported


@pytest.mark.parametrize(
    ("one", "other", "reported"),
    [
        ("Find an order by the number on its invoice.", "Search an order by the number on its invoice.", True),
        ("Find an order by the number on its invoice.", "Find an order by the number on its invoice, please.", True),
        ("List all users of the given workspace.", "List all channels of the given workspace.", False),
        ("Archive a message of the given workspace.", "Translate a message of the given workspace.", False),
    ],
)
def test_tools_with_one_distinct_word_are_told_apart(one: str, other: str, reported: bool) -> None:
    files = files_of(f"""
        toolset: shop
        tools:
          one:
            description: {one}
            args: {{number: {{type: integer, description: As printed there.}}}}
            permission: readonly
          other:
            description: {other}
            args: {{number: {{type: integer, description: As printed there.}}}}
            permission: readonly
    """)
    assert ("TL301" in codes(linted(files))) is reported


IMPORTED = """
    toolset: mcp.shop
    kind: mcp
    server: {http: "https://example.com/mcp"}
    types:
      Filter: {no_archive: boolean}
    tools:
      do_it__2:
        IMPORTED
        remote: do it
        description: Do it.
        args:
          no_archive: boolean
          filter: {$ref: "#/types/Filter"}
          api_key: string
          timeout: {type: integer, description: How long.}
"""


def test_nobody_is_asked_to_change_what_an_import_writes_again() -> None:
    own = {*codes(linted(files_of(IMPORTED.replace("IMPORTED", ""))))}
    imported = {*codes(linted(files_of(IMPORTED.replace("IMPORTED", 'imported: "12345678"'))))}
    assert imported < own
    assert {"TL206", "TL401"} <= own - imported  # names and schemas of the server
    assert {"TL509", "TL104"} <= imported  # marks and descriptions are the project's
