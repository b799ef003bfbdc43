"""`toolgen init`: it writes a valid project that documents the next steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.cli.command_line import toolgen
from toolgen.compiler.project.config import BUILTIN_TOOLSETS, Target, load_config

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("bare", [(), ("--bare",)], ids=["example", "bare"])
def test_the_configuration_is_the_default_and_names_the_built_in_toolsets_to_add(
    tmp_path: Path, bare: tuple[str, ...]
) -> None:
    done = toolgen(tmp_path, "init", *bare)
    assert done.code == 0, done.err
    assert load_config(tmp_path).targets == (Target(),)

    file = tmp_path / "toolgen.toml"
    comment, _, rest = file.read_text(encoding="utf-8").partition("\n")
    offered = comment.split("`")[1]
    file.write_text(rest.replace('out = "generated"', f'out = "generated", {offered}'), encoding="utf-8")
    assert load_config(tmp_path).targets == (Target(builtin=BUILTIN_TOOLSETS),)


def test_gitignore_and_gitattributes_get_missing_lines_and_keep_others(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("mine\n/generated/_derived/", encoding="utf-8")
    assert toolgen(tmp_path, "init", "--bare").code == 0
    ignored = (tmp_path / ".gitignore").read_text(encoding="utf-8")
    assert ignored.startswith("mine\n/generated/_derived/\n")
    assert ignored.count("/generated/_derived/") == 1
    assert "/generated/.toolgen/\n" in ignored
    attributes = (tmp_path / ".gitattributes").read_text(encoding="utf-8")
    assert "/generated/toolgen.lock merge=union\n" in attributes

    (tmp_path / "toolgen.toml").unlink()
    (tmp_path / "toolgen.schema.json").unlink()
    assert toolgen(tmp_path, "init", "--bare").code == 0
    assert (tmp_path / ".gitattributes").read_text(encoding="utf-8") == attributes


def test_what_comes_next_can_be_pasted_into_a_shell(tmp_path: Path) -> None:
    done = toolgen(tmp_path, "init", "--bare", "my tools é")
    assert done.out.splitlines()[-1] == "Next: cd 'my tools é' && toolgen build"


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "toolgen.toml").write_text("# mine\n")
    done = toolgen(tmp_path, "init")
    advice = "Give another folder, or run `toolgen build` in this one."
    last = f"Error: toolgen.toml is already there; nothing was written. {advice}"
    assert (done.code, done.err.splitlines()[-1]) == (2, last)
    assert [path.name for path in tmp_path.iterdir()] == ["toolgen.toml"]
