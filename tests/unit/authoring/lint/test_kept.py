"""What lint keeps from run to run: it finds the same as without, whatever was edited, and asks no rule again."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.authoring.lint.examples import files_of, linted
from toolgen.authoring.lint import view
from toolgen.authoring.lint.registry import all_rules
from toolgen.compiler.diagnostics.lint_settings import LintSettings
from toolgen.compiler.project.cache import open_cache

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgen.authoring.lint.lint import Linted

RULES: Final = all_rules()
OF_TOOLS: Final = [code for code, rule in RULES.items() if rule.check_tool is not None]
ALONE: Final = [code for code in RULES if all(len(files_of(each)) == 1 for each in (RULES[code].bad, RULES[code].good))]
"""Rules whose examples are one file each, so that several can stand in one project."""


def told(outcome: Linted) -> Any:
    return outcome.findings, outcome.fixes, sorted(outcome.entries), outcome.errors


def moved(text: str, lines: int) -> str:
    """Return a spec with another tool before those that it has, which takes so many lines."""
    head, tools, rest = text.partition("\ntools:\n")
    blanks = " " * (len(rest) - len(rest.lstrip(" ")))
    first = f"{blanks}a_first:\n{blanks * 2}description: |\n" + f"{blanks * 3}Prepare the shelves.\n" * lines
    return f"{head}{tools}{first}{rest}" if tools else text


@pytest.fixture(autouse=True)
def each_tool_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is found in a tool is kept by itself, so that a change of one leaves that of the others."""
    monkeypatch.setattr(view, "_TOGETHER", 1)


@pytest.mark.parametrize("code", OF_TOOLS)
@pytest.mark.variants(16)
def test_what_a_rule_found_is_found_again_where_it_is_now(code: str, tmp_path: Path) -> None:
    cache = open_cache(tmp_path)
    bad, good = files_of(RULES[code].bad), files_of(RULES[code].good)
    for files in (bad, *({path: moved(text, lines) for path, text in bad.items()} for lines in (1, 4)), good, bad):
        assert told(linted(files, cache=cache)) == told(linted(files))
    again = open_cache(tmp_path)
    assert code in {each.code for each in linted(bad, cache=again).findings}
    assert (again.hits["lint"] > 0, again.misses["lint"]) == (True, 0)


def test_another_threshold_and_another_choice_of_rules_ask_again(tmp_path: Path) -> None:
    cache, files = open_cache(tmp_path), files_of(RULES["TL108"].bad)
    for chosen in (
        LintSettings(),
        LintSettings(thresholds={"TL108": 10_000}),
        LintSettings(ignore=("TL108",)),
        LintSettings(select=("TL108",)),
    ):
        assert told(linted(files, chosen, cache=cache)) == told(linted(files, chosen))


DEFAULTS: Final = """\
toolgen: 1
toolset: a
%s
tools:
  find:
    description: Find what was written about something.
"""


@pytest.mark.parametrize("name", ["a.yaml", "a.json"])
def test_a_change_beside_the_tools_reaches_them(name: str, tmp_path: Path) -> None:
    cache = open_cache(tmp_path)
    for defaults in ("", "defaults: {permission: write}"):
        text = DEFAULTS % defaults
        files = {f"specs/{name}": json.dumps(yaml.safe_load(text)) if name.endswith("json") else text}
        assert told(linted(files, cache=cache)) == told(linted(files))
        assert ("TL508" in {each.code for each in linted(files, cache=cache).findings}) == (not defaults)


EDITS: Final = st.dictionaries(
    st.sampled_from(ALONE), st.tuples(st.sampled_from(["bad", "good"]), st.integers(0, 3)), min_size=1, max_size=6
)


def project_of(chosen: Mapping[str, tuple[str, int]]) -> dict[str, str]:
    files = {}
    for code, (side, lines) in chosen.items():
        (text,) = files_of(getattr(RULES[code], side)).values()
        text = text.replace("toolset: shop", f"toolset: {code.lower()}").replace("shop.", f"{code.lower()}.")
        files[f"specs/{code}.yaml"] = moved(text, lines) if lines else text
    return files


@settings(max_examples=settings().max_examples // 4)
@given(st.lists(EDITS, min_size=2, max_size=4))
def test_edits_of_a_project_find_the_same_as_a_first_run(edits: list[dict[str, tuple[str, int]]]) -> None:
    with TemporaryDirectory() as folder:
        for chosen in edits:
            files = project_of(chosen)
            assert told(linted(files, cache=open_cache(Path(folder)))) == told(linted(files))
