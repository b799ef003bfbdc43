"""Nothing is read outside the specs or written outside the output folder, regardless of names and links."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import pytest

from tests.hostile.building import compiled, toolset
from tests.hostile.positions import POSITIONS
from tests.hostile.project import Project
from tests.unit.cli.command_line import toolgen

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

PATHS = [
    "..", "../..", "../../escaped", "/escaped", "//escaped/all", "a/../../escaped", "..\\..\\escaped",
    "C:\\escaped", "~", "~/escaped", "$HOME", "file:///etc/passwd", "escaped\0.py", "escaped.py", "__init__",
    "toolgen.lock", ".toolgen", ".git", "CON", "nul", ".", "", "-rf", "x" * 300,
]  # fmt: skip

NAMES = [
    "toolset name", "part of a toolset name", "tool key", "type name", "method name", "server data name",
    "tag word", "agent name", "catalog name", "policy name", "mode", "wire name", "property name", "arg",
    "definition", "anchor", "id", "reference", "reference to a file", "title", "title of a schema",
    "new name of an arg", "remote", "command folder", "category", "entry", "host", "write root", "sensitive path",
]  # fmt: skip
"""Positions that name something, or could be mistaken for a path."""

FILE_NAMES = [
    "a b.json", "'quoted\".json", '""".json', "{{ 7 * 7 }}.json", "{% raw %}.json", "{x}.json", "#.json",
    "$(id).json", "`id`.json", "two\nlines.json", "tab\t.json", "\x1b[31mred.json", "\u202eevil\u2066.json",
    "\u200b.json", "a\\b.json", "x..json", "-rf.json", "~.json", "%s.json", "<b>.json", "*.json", "e\u0301.json",
    "C:.json", "con.json", "a;b&c|d.json", "__init__.py.json", "{{ folder }}/\u202e/x.json", "W0x.json",
    f"{'x' * 200}.json",
]  # fmt: skip


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path).prepare()


@pytest.mark.parametrize("shares", [3, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.long
def test_names_that_are_paths_access_no_other_files(project: Project, shares: int) -> None:
    """Each position gets every third path. All combinations are a long test."""
    files = {
        f"own{place}x{number}": POSITIONS[name].files(f"own{place}x{number}", text)
        for place, name in enumerate(NAMES)
        for number, text in enumerate(PATHS)
        if number % shares == place % shares
    }
    errors = compiled({path: file for made in files.values() for path, file in made.items()}).errors
    refused = {re.split("[.-]", error.span.file)[0] for error in errors}
    assert refused < files.keys()

    project.write({path: file for own in refused for path, file in files[own].items()})
    assert "error" in project.build()
    assert not project.out.exists()

    for spec in (project.root / "specs").iterdir():
        spec.unlink()
    project.write({path: file for own in files.keys() - refused for path, file in files[own].items()})
    assert "error" not in project.build()
    assert "catalog.json" in project.package()


def test_a_spec_file_may_have_any_name(project: Project, tmp_path_factory: pytest.TempPathFactory) -> None:
    plain = Project(tmp_path_factory.mktemp("plain")).prepare()
    for number, name in enumerate(FILE_NAMES):
        spec = toolset(f"own{number}", {"result": "Own"}, types={"Own": {"text": "string"}})
        project.write({name: spec})
        plain.write({f"{number}.json": spec})
    assert project.build() == plain.build() == ""
    assert without_sources(project.package()) == without_sources(plain.package())
    assert project.build() == ""


def without_sources(package: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return a package without derived data and without the names of spec files, which are in the first lines."""
    named = re.compile(rb"from specs/.{1,250}\. Edit that")
    committed = {path: content for path, content in package.items() if not path.startswith("_derived/")}
    return {path: named.sub(b"", content, count=1) for path, content in committed.items()}


def test_an_error_names_its_file_in_one_line(project: Project) -> None:
    project.write({name: {"toolgen": 2} for name in FILE_NAMES})
    places = re.findall("^ *--> (specs/.*)", project.build(), re.MULTILINE)
    assert len(set(places)) == len(FILE_NAMES)


def test_a_file_name_that_is_not_utf_8_is_an_error(project: Project) -> None:
    try:
        (project.root / "specs" / os.fsdecode(b"\xff.json")).write_bytes(b"{}")
    except OSError:
        pytest.skip("this file system only allows UTF-8 names")
    assert "the name of this file is not UTF-8 text" in project.build()


@pytest.mark.parametrize(
    "reference",
    [
        "../../foreign/secret.json#/types/Secret", "../foreign/secret.json", "..%2F..%2Fforeign%2Fsecret.json",
        "{foreign}/secret.json#/types/Secret", "file://{foreign}/secret.json", "file:{foreign}/password.yaml",
        "/etc/passwd", "file:///etc/passwd", "file://localhost/etc/passwd", "http://127.0.0.1:9/x", "//127.0.0.1/x",
        "~/x", "specs/../../foreign/secret.json#/types/Secret",
    ],
)  # fmt: skip
@pytest.mark.parametrize("keyword", ["$ref", "$dynamicRef"])
def test_a_reference_reads_no_file_outside_the_specs(project: Project, reference: str, keyword: str) -> None:
    named = reference.replace("{foreign}", str(project.foreign))
    project.write({"a.json": toolset("a", {"args": {"type": "object", "properties": {"x": {keyword: named}}}})})
    output = project.build()
    assert "error[TG2" in output
    assert "root:" not in output


@pytest.mark.parametrize("link", ["secret.json", "password.yaml", "folder"])
def test_a_link_among_the_specs_reads_no_file_outside_them(project: Project, link: str) -> None:
    (project.root / "specs" / link).symlink_to(project.foreign if link == "folder" else project.foreign / link)
    assert "this link leads out of the spec folder" in project.build()


def test_link_cycles_end(project: Project) -> None:
    project.write({"a.json": toolset("a", {})})
    (project.root / "specs" / "all").symlink_to(".")
    assert project.build() == ""
    assert "tools/a/__init__.py" in project.package()

    (project.root / "specs" / "self.json").symlink_to("self.json")
    output = project.build()
    assert output.count("error[") == 1
    assert "specs/self.json" in output


@pytest.mark.parametrize("setting", ["../foreign", "{foreign}", "specs/../../foreign", "", "~", "a\\0b", ".."])
@pytest.mark.parametrize("key", ["specs", "out"])
def test_a_setting_accesses_no_file_outside_the_project(project: Project, key: str, setting: str) -> None:
    value = setting.replace("{foreign}", str(project.foreign)).replace("\\0", "\\u0000")
    (project.root / "toolgen.toml").write_text(f'[[targets]]\n{key} = "{value}"\n', encoding="utf-8")
    project.write({"a.json": toolset("a", {})})
    assert "error[TG" in project.build()


@pytest.mark.parametrize("link", ["generated", "generated/.toolgen", "generated/tools", "generated/tools/a"])
def test_no_link_in_the_output_folder_is_followed(project: Project, link: str) -> None:
    project.write({"a.json": toolset("a", {})})
    place = project.root / link
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(project.foreign)
    assert "error[TG60" in project.build()


@pytest.mark.parametrize("file", ["TOOLS.md", "toolgen.lock", "tools/a/__init__.py"])
def test_no_link_in_place_of_a_generated_file_is_followed(project: Project, file: str) -> None:
    project.write({"a.json": toolset("a", {})})
    project.build()
    (project.out / file).unlink()
    (project.out / file).symlink_to(project.foreign / "secret.json")
    project.write({"a.json": toolset("a", {"title": "Another"})})
    assert "error[TG60" in project.build()


@pytest.mark.parametrize("link", [".toolgen", ".toolgen/cache"])
def test_no_link_in_place_of_the_cache_is_followed(project: Project, link: str) -> None:
    project.write({"a.json": toolset("a", {})})
    place = project.root / link
    place.parent.mkdir(exist_ok=True)
    place.symlink_to(project.foreign)
    assert project.build() == ""
    assert project.build() == ""


def test_a_spec_folder_that_is_a_link_reads_no_file_outside_the_project(project: Project) -> None:
    (project.root / "specs").rmdir()
    (project.root / "specs").symlink_to(project.foreign)
    assert "this link leads out of the project" in project.build()


KEPT = ("../foreign/secret.json", "{foreign}/secret.json", "link.json", "folder/secret.json", ".env", ".git/config")
"""Paths of sources that a spec of others may name."""

READING = {
    "openapi": (
        ("import", "openapi", "--toolset", "shop"),
        ("import", "openapi", "--check"),
        ("import", "openapi", "--check", "--toolset", "shop"),
    ),
    "mcp": (
        ("import", "mcp", "--toolset", "mcp.shop"),
        ("import", "mcp", "--check"),
        ("import", "mcp", "--check", "--toolset", "mcp.shop"),
    ),
}
"""Commands that read the source that a spec names, by its kind."""


@pytest.mark.parametrize(
    ("kind", "kept"),
    [
        *(("openapi", kept) for kept in KEPT),
        *(pytest.param("mcp", kept, marks=() if kept in ("link.json", ".env") else pytest.mark.long) for kept in KEPT),
    ],
)
def test_no_source_that_a_spec_names_is_read_outside_the_project(tmp_path: Path, kind: str, kept: str) -> None:
    root, foreign = tmp_path / "project", tmp_path / "foreign"
    for folder in (root / "specs", root / ".git", foreign):
        folder.mkdir(parents=True)
    for file in (foreign / "secret.json", root / ".env", root / ".git/config"):
        file.write_text("root:hunter2hunter2")
    (root / "link.json").symlink_to(foreign / "secret.json")
    (root / "folder").symlink_to(foreign)
    name, about = ("shop", "api: {base_url: 'https://h.example'}\nkind: http") if kind == "openapi" else (
        "mcp.shop", "kind: mcp"
    )  # fmt: skip
    tool = "{description: Get., http: {method: GET, path: /a}}" if kind == "openapi" else "{description: Get.}"
    source = kept.replace("{foreign}", str(foreign))
    (root / "specs/shop.yaml").write_text(
        f"toolgen: 1\ntoolset: {name}\n{about}\nimport: {{{kind}: '{source}'}}\ntools: {{get: {tool}}}\n"
    )
    assert toolgen(root, "build").code == 0
    for command in READING[kind]:
        done = toolgen(root, *command)
        assert done.code != 0
        assert "is the source that a spec names, and no visible file of this project" in done.err + done.out, command
        assert "root:" not in done.err + done.out
