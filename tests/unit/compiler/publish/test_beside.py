"""Builds and checks of a package beside other builds, and edits of specs while they run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.compiler.publish.repository import Repository
from toolgen.compiler import build
from toolgen.compiler.build import unlike_specs
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.project.config import load_config
from toolgen.compiler.publish import drift

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

WORDS = "Does what tool_000 does."


@pytest.fixture
def shop(tmp_path: Path) -> Repository:
    """A project of three tools that was built."""
    return Repository.make(tmp_path, 3)


@pytest.fixture
def beside(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """Let something else happen after the next calls of a function, one after the other; returns their names."""

    def patch(module: Any, name: str, *others: Callable[[], object]) -> list[str]:
        function, waiting, called = getattr(module, name), list(others), list[str]()

        def call(*args: Any, **options: Any) -> Any:
            called.append(name)
            result = function(*args, **options)
            if waiting:
                waiting.pop(0)()
            return result

        monkeypatch.setattr(module, name, call)
        return called

    return patch


def edit(shop: Repository, old: str, new: str) -> Callable[[], None]:
    return lambda: shop.replace(old, new)


def edit_and_build(shop: Repository, old: str, new: str) -> Callable[[], None]:
    def change() -> None:
        shop.replace(old, new)
        made, reported = shop.built()
        assert made.published is not None, reported

    return change


def described(shop: Repository) -> str:
    return (shop.package / "TOOLS.md").read_text(encoding="utf-8")


def test_an_older_build_does_not_publish_over_a_newer_one(shop: Repository, beside: Any) -> None:
    shop.replace(WORDS, "Old words.")
    beside(build, "format_files", edit_and_build(shop, "Old words.", "New words."))
    made, reported = shop.built()
    assert made.published is not None, reported
    assert "New words." in described(shop)
    assert shop.checked().changes == ()


def test_an_older_build_does_not_publish_over_a_package_that_a_newer_one_left_as_it_was(
    shop: Repository, beside: Any
) -> None:
    shop.replace(WORDS, "Old words.")
    beside(build, "format_files", edit_and_build(shop, "Old words.", WORDS))
    made, reported = shop.built()
    assert made.published is not None, reported
    assert WORDS in described(shop)
    assert shop.checked().changes == ()


def test_a_build_whose_specs_are_edited_publishes_what_they_are_now(shop: Repository, beside: Any) -> None:
    shop.replace(WORDS, "Old words.")
    beside(build, "format_files", edit(shop, "Old words.", "New words."))
    made, reported = shop.built()
    assert made.published is not None, reported
    assert "New words." in described(shop)
    assert "New words." in made.sources["specs/many.yaml"]
    assert shop.checked().changes == ()


def test_a_build_whose_specs_are_edited_all_the_time_publishes_what_it_has(shop: Repository, beside: Any) -> None:
    shop.replace(WORDS, "Words 0.")
    edits = [edit(shop, f"Words {number}.", f"Words {number + 1}.") for number in range(5)]
    formatted = beside(build, "format_files", *edits)
    made, reported = shop.built()
    assert made.published is not None, reported
    assert len(formatted) == 2
    assert "Words 1." in described(shop)


def test_a_build_whose_specs_are_edited_reports_what_they_are_now(shop: Repository, beside: Any) -> None:
    before, tool = described(shop), f"  tool_000:\n    description: {WORDS}\n"
    shop.replace(tool, f"{tool}    unknown_key: 1\n")
    refused = shop.built()[1]
    warned = tool.replace("tool_000", "tool_new") + "    args: {key: {type: integer, default: none}}\n"
    shop.replace(f"{tool}    unknown_key: 1\n", warned + tool)
    beside(build, "format_files", edit(shop, warned + tool, f"{tool}    unknown_key: 1\n"))
    made, reported = shop.built()
    assert (made.published, reported) == (None, refused)
    assert described(shop) == before


def test_a_check_beside_a_build_takes_none_of_its_files_for_edited(shop: Repository, beside: Any) -> None:
    shop.replace(WORDS, "Old words.")
    beside(build, "generate", edit_and_build(shop, "Old words.", "New words."))
    assert shop.checked().changes == ()


def test_a_look_at_a_package_beside_a_build_takes_none_of_its_files_for_edited(shop: Repository, beside: Any) -> None:
    beside(drift, "current_inputs", edit_and_build(shop, WORDS, "New words."))
    config, sink = load_config(shop.folder), Diagnostics()
    found = unlike_specs(config, config.targets[0], sink)
    assert found is not None
    assert found.changes == ()
    assert [*sink] == []


def test_a_file_that_was_edited_is_reported_beside_a_build_too(shop: Repository, beside: Any) -> None:
    def change() -> None:
        edit_and_build(shop, "Old words.", "New words.")()
        (shop.package / "TOOLS.md").write_text("mine")

    shop.replace(WORDS, "Old words.")
    beside(build, "generate", change)
    changes = shop.checked().changes
    assert changes is not None
    assert [change.path for change in changes if change.is_edited] == ["TOOLS.md"]
