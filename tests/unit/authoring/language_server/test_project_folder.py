"""Which folder is the project of a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.cli.command_line import toolgen
from toolgen.authoring.language_server.workspace import project_folder

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("toolgen.toml", ""),
        ("pyproject.toml", '[project]\nname = "a"\n\n[tool.toolgen]\nprofile = "core"\n'),
        ("pyproject.toml", '[[tool.toolgen.targets]]\nspecs = "specs"\n'),
    ],
)
def test_a_folder_with_a_configuration_is_a_project(tmp_path: Path, file: str, text: str) -> None:
    (tmp_path / "specs").mkdir()
    (tmp_path / file).write_text(text)
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "pyproject.toml").write_text("[project]\n")
    for path in ("specs/shop.yaml", "app/main.py"):
        assert project_folder(tmp_path / path) == tmp_path


def test_a_folder_that_was_built_without_a_configuration_is_a_project(tmp_path: Path) -> None:
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "shop.yaml").write_text("toolgen: 1\ntoolset: shop\ntools: {buy: {description: Buy.}}\n")
    assert project_folder(tmp_path / "specs" / "shop.yaml") is None
    assert toolgen(tmp_path, "build").code == 0
    for path in ("specs/shop.yaml", "app/main.py"):
        assert project_folder(tmp_path / path) == tmp_path


def test_a_configuration_above_counts_more_than_a_package_built_by_it(tmp_path: Path) -> None:
    (tmp_path / "shop" / "specs").mkdir(parents=True)
    (tmp_path / "shop" / "specs" / "shop.yaml").write_text(
        "toolgen: 1\ntoolset: shop\ntools: {buy: {description: Buy.}}\n"
    )
    (tmp_path / "toolgen.toml").write_text('[[targets]]\nspecs = "shop/specs"\nout = "shop/generated"\n')
    assert toolgen(tmp_path, "build").code == 0
    assert project_folder(tmp_path / "shop" / "specs" / "shop.yaml") == tmp_path
