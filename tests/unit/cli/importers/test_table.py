"""The table of importers: each is loaded on use, and one of a few lines has all that the others have."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import click
import pytest

from toolgen.cli import importers
from toolgen.cli.front import run
from toolgen.cli.importers import IMPORTERS, importer_named
from toolgen.cli.importers.importer import Importer, Request, named_text
from toolgen.cli.importers.spec_place import kept_path
from toolgen.compiler.documents.toolset import ONLY_FOR, ImportSpec
from toolgen.compiler.importers.imported import data_of, imported
from toolgen.compiler.importers.offer import Offer, TrialContext, mapping, nodes_of, try_tool
from toolgen.compiler.source.nodes import ScalarNode, Source

if TYPE_CHECKING:
    from toolgen.compiler.importers.imported import Imported
    from toolgen.compiler.importers.offer import OfferedTool

FOREIGN = {"mcp", "genson", "docstring_parser", "httpx2", "fastapi", "starlette"}
"""Libraries that only some importers need."""


@pytest.mark.parametrize("name", IMPORTERS)
def test_each_row_is_an_importer_of_that_name(name: str) -> None:
    made = importer_named(name)
    assert isinstance(made, Importer)
    assert made.name == name
    assert importer_named(name) is not made  # also once its module is loaded


@pytest.mark.parametrize("name", IMPORTERS)
def test_a_spec_may_have_the_keys_that_each_importer_writes(name: str) -> None:
    assert name in ImportSpec.model_fields
    assert importer_named(name).kind in ONLY_FOR["imported"]


@pytest.mark.parametrize("name", ["openapi", "python"])
def test_an_importer_loads_no_library_of_another(name: str) -> None:
    code = f"import sys; from toolgen.cli.front import run; run(['import', '{name}', '--help']); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = done.stdout.splitlines()[-1].split()
    assert f"toolgen.cli.importers.{name}" in loaded
    assert FOREIGN.intersection(loaded) == set()


class CsvImporter(Importer[Request, Source]):
    """Write a spec of the tools in FILE, a table of names, descriptions and args.

    It has the name of another, because the key under `import` of a spec is a field of `ImportSpec`.
    """

    name = "openapi"
    kind = "service"
    origin = "a table"
    arguments = (click.Argument(["file"], required=False),)
    left_out = frozenset({"TG805"})

    def read(self, request: Request) -> Source:
        """Read the table that is named, or the one that the spec keeps."""
        root, file = request.config.root, request.options["file"]
        if file is None and self.name not in request.place.origin:
            raise click.UsageError(f"There is nothing to import into {request.toolset}: give FILE.")
        found = named_text(file if file is not None else kept_path(request.place.origin[self.name], root), root)
        request.texts[found.path] = found.text
        return found

    def tools(self, found: Source, request: Request) -> Imported | None:
        """Make a tool of each row."""
        data = data_of(request.spec, request.toolset, self.kind, {self.name: found.path})
        context = TrialContext(request.toolset, self.kind, "2020-12", request.place.target.profile)
        tools: list[OfferedTool] = []
        left_out: list[str] = []
        for row in csv.DictReader(io.StringIO(found.text)):
            place = ScalarNode(found, 0, 0, None)
            args = {"type": "object", "properties": {name: {"type": "string"} for name in row["args"].split()}}
            nodes = {"description": ScalarNode(found, 0, 0, row["description"]), "args": nodes_of(args, place)}
            tried = try_tool(mapping(place, nodes), {}, context)
            if tried.errors:
                left_out.append(row["name"])
                request.sink.report("TG805", tried.errors[0].span, f"`{row['name']}` is skipped")
            else:
                tools.append(tried.offered(row["name"], nodes, {}))
        if not tools:
            return None
        offer = Offer(tuple(tools), tuple(left_out), Counter())
        return imported(request.spec, data, offer, request.sink, source="the table", comment="Review permissions.")


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project, and the importer in the table of importers."""
    module = ModuleType("toolgen.cli.importers.csv")
    module.CsvImporter = CsvImporter  # type: ignore[attr-defined]  # a module made here
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(importers, "IMPORTERS", {**IMPORTERS, "openapi": ("csv", "CsvImporter")})
    monkeypatch.setattr("toolgen.cli.commands.specs.import_.IMPORTERS", importers.IMPORTERS)
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "tools.csv"
    file.write_text("name,description,args\nfind,Find articles.,word limit\nbuy,Buy one.,article\n")
    return file


def test_an_importer_of_two_methods_has_all_that_the_others_have(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def said(*arguments: str, code: int = 0) -> str:
        assert run(["import", "openapi", *arguments]) == code, capsys.readouterr()
        out, err = capsys.readouterr()
        return out + err

    spec = Path("specs/shop.yaml")
    assert "FILE, a table" in said("--help")
    assert "--toolset" in said("tools.csv", code=2)
    assert "not a valid toolset name" in said("tools.csv", "--toolset", "mcp.x", code=2)
    assert "No toolset of this project was imported from a table" in said("--check", code=2)
    assert said("tools.csv", "--toolset", "shop") == "specs/shop.yaml: 2 tools, 2 new\n"
    assert run(["build"]) == 0
    capsys.readouterr()

    spec.write_text(spec.read_text().replace("Buy one.", "Buy an article, and pay."))  # a person's text
    text = table.read_text().replace("Find articles.", "Find things.").replace("Buy one.", "Buy a thing.")
    table.write_text(f"{text}broken,,a\n")
    before = spec.read_text()
    assert "Find things." in said("--check", code=1)  # of all toolsets that were imported so
    checked = json.loads(said("--check", "--toolset", "shop", "--format", "json", code=1).partition("\nwarning")[0])
    assert [each["toolset"] for each in checked["toolsets"]] == ["shop"]
    assert spec.read_text() == before

    again = said("--toolset", "shop", code=1)  # the source is kept
    assert "1 omitted" in again or "`broken`" in again
    assert "Find things." in spec.read_text()
    assert "Buy an article, and pay." in spec.read_text()

    table.write_text(text.replace("find,Find things.,word limit\n", ""))
    assert "1 disabled" in said("--toolset", "shop", code=1)


def test_a_tool_whose_name_cannot_be_a_key_is_found_again_by_its_name(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table.write_text("name,description,args\nLook up!,Find articles.,word\nlook-up,Find one.,word\n")
    assert run(["import", "openapi", "tools.csv", "--toolset", "shop"]) == 0
    assert run(["build"]) == 0, capsys.readouterr()
    table.write_text(table.read_text().replace("Find one.", "Find an article."))
    capsys.readouterr()
    assert run(["import", "openapi", "--toolset", "shop"]) == 0
    assert capsys.readouterr().out == "specs/shop.yaml: 2 tools, 1 changed\n"


@pytest.mark.parametrize("name", ["read", "tools"])
def test_an_importer_without_one_of_its_methods_is_refused(name: str) -> None:
    members = {key: value for key, value in vars(CsvImporter).items() if key != name and not key.startswith("__")}
    incomplete: Any = type("Incomplete", (Importer,), members)
    with pytest.raises(TypeError, match=name):
        incomplete()
