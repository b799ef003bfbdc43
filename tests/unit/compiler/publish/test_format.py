"""Formatting: one pass of ruff, which ignores all configuration."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from toolgen.compiler.emit.literals import LEFT_ALONE
from toolgen.compiler.publish.format import FormatError, FormatterMissing, format_python

if TYPE_CHECKING:
    from pathlib import Path

LONG = "x = [" + ", ".join(f"'item {number}'" for number in range(14)) + "]\n"


def test_only_python_files_are_formatted() -> None:
    files = {"a.py": "x = {  'a':1 }\n", "catalog.json": '{ "a":1 }', "TOOLS.md": "# `x = {  'a':1 }`"}

    assert format_python(dict(files)) == {**files, "a.py": 'x = {"a": 1}\n'}


def test_files_are_taken_out_of_what_is_given() -> None:
    """So that no text is in memory both unformatted and formatted."""
    files = {"a.py": "x = 1\n", "catalog.json": "{}"}
    format_python(files)

    assert files == {}


def test_formatted_files_keep_their_order_and_are_a_fixed_point() -> None:
    files = {"b.py": LONG, "a.py": "", "é/c.py": "y  = 'é\\u202e'\n"}
    once = format_python(dict(files))

    assert [*once] == [*files]
    assert once["é/c.py"] == 'y = "é\\u202e"\n'
    assert format_python(dict(once)) == once


@pytest.mark.parametrize(
    "folder", ["build", "dist", "venv", ".venv", "node_modules", "site-packages", "__pypackages__"]
)
def test_a_folder_that_ruff_excludes_by_default_is_formatted(folder: str) -> None:
    assert format_python({f"{folder}/a.py": "x=1\n"}) == {f"{folder}/a.py": "x = 1\n"}


def test_no_configuration_has_an_effect(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = format_python({"a.py": LONG})
    hostile = 'line-length = 20\nexclude = ["*"]\n[format]\nquote-style = "single"\nexclude = ["*"]\n'
    work = tmp_path / "deep/work"
    work.mkdir(parents=True)
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("*\n")
    (tmp_path / ".ignore").write_text("*\n")
    for folder in (tmp_path, work.parent, work):
        (folder / "ruff.toml").write_text(hostile)
        (folder / "pyproject.toml").write_text('[tool.ruff]\nline-length = 20\nexclude = ["*"]\n')
    (tmp_path / "config/ruff").mkdir(parents=True)
    (tmp_path / "config/ruff/ruff.toml").write_text(hostile)
    for name, value in {
        "HOME": str(tmp_path),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "RUFF_CONFIG": str(tmp_path / "ruff.toml"),
        "RUFF_LINE_LENGTH": "20",
        "RUFF_TARGET_VERSION": "py38",
        "RUFF_EXCLUDE": "*",
        "RUFF_FORCE_EXCLUDE": "true",
        "RUFF_PREVIEW": "true",
        "RUFF_NO_CACHE": "false",
        "RUFF_CACHE_DIR": str(tmp_path / "cache"),
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(work)
    monkeypatch.setattr("toolgen.compiler.publish.format.MEMORY", str(work))

    assert format_python({"a.py": LONG}) == expected
    assert "\n    " in expected["a.py"]
    assert not (tmp_path / "cache").exists()


def test_a_file_refused_by_ruff_is_reported_with_its_generated_text() -> None:
    with pytest.raises(FormatError) as caught:
        format_python({"a.py": "", "shop/b.py": "x = (\n"})

    assert str(caught.value) == (
        "ruff rejected a generated file:\nerror: Failed to parse shop/b.py:2:1: unexpected EOF while parsing"
    )


def test_a_missing_ruff_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ruff.__main__", None)

    with pytest.raises(FormatterMissing) as caught:
        format_python({"a.py": ""})

    assert str(caught.value) == 'ruff is missing: pip install "toolgen[compiler]"'


def test_nothing_to_format_needs_no_ruff(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ruff.__main__", None)

    assert format_python({"a.json": "{}"}) == {"a.json": "{}"}


def test_a_header_that_keeps_formatters_off_keeps_off_those_of_others_only() -> None:
    text = f"# Generated.\n{LEFT_ALONE}x = {{  'a':1 }}\n# fmt: off\ny  = 2\n"
    formatted = f'# Generated.\n{LEFT_ALONE}x = {{"a": 1}}\n# fmt: off\ny  = 2\n'

    assert format_python({"a.py": text}) == {"a.py": formatted}
