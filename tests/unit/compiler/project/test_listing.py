"""The files of a folder of specs: links, and what is no spec."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.compiler.project.listing import list_specs

if TYPE_CHECKING:
    from pathlib import Path


def test_what_is_no_spec_is_passed_over_whatever_it_is(tmp_path: Path) -> None:
    specs = tmp_path / "specs"
    (specs / "more").mkdir(parents=True)
    (specs / "shop.yaml").write_text("toolgen: 1\n")
    (specs / "more/shop.yaml").write_text("toolgen: 1\n")
    (specs / "notes.txt").write_text("x")
    (specs / "itself").symlink_to("itself")
    (specs / "nothing").symlink_to("nowhere")
    (specs / "again").symlink_to(".")
    found = list_specs(specs, tmp_path)
    assert {each.path: each.problem for each in found} == {"shop.yaml": "", "more/shop.yaml": ""}


def test_a_link_to_itself_with_the_name_of_a_spec_is_listed(tmp_path: Path) -> None:
    (tmp_path / "shop.yaml").symlink_to("shop.yaml")
    assert [each.path for each in list_specs(tmp_path, tmp_path)] == ["shop.yaml"]
