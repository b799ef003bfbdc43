"""`toolgen export`: payloads of providers, and what they cannot represent."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.cli.command_line import toolgen

if TYPE_CHECKING:
    from pathlib import Path

SPEC = """\
toolgen: 1
toolset: shop
tools:
  find:
    description: Find articles.
    args: {word: {type: string, minLength: 2}, limit?: integer}
  ping: {description: Look whether it is open.}
"""
OTHER = """\
toolgen: 1
toolset: team.notes
tools:
  keep: {description: Keep notes., args: {type: object, additionalProperties: {type: string}}}
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("export")
    (folder / "specs").mkdir()
    (folder / "specs/shop.yaml").write_text(SPEC)
    (folder / "specs/notes.yaml").write_text(OTHER)
    (folder / "toolgen.toml").write_text('targets = [{export = ["anthropic"]}]\n')
    assert toolgen(folder, "build").code == 0
    return folder


def names(fields: dict[str, Any]) -> list[str]:
    return [tool.get("function", tool)["name"] for tool in fields["tools"]]


def test_it_prints_the_members_of_a_request(project: Path) -> None:
    exported = toolgen(project, "export", "openai", "--toolset", "shop")
    assert (exported.code, exported.err) == (0, "")
    assert exported.json == {
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": "shop__find",
                    "description": "Find articles.",
                    "parameters": {
                        "type": "object",
                        "properties": {"word": {"type": "string", "minLength": 2}, "limit": {"type": "integer"}},
                        "required": ["word"],
                        "additionalProperties": False,
                    },
                },
            },
            {"type": "function", "function": {"name": "shop__ping", "description": "Look whether it is open."}},
        ]
    }


def test_uac_12_every_provider_has_its_own_names(project: Path) -> None:
    assert names(toolgen(project, "export", "anthropic").json) == ["shop__find", "shop__ping", "team__notes__keep"]
    assert names(toolgen(project, "export", "litellm").json) == ["shop.find", "shop.ping", "team.notes.keep"]


def test_the_export_equals_the_payloads_of_a_build(project: Path) -> None:
    written = (project / "generated/providers/anthropic.json").read_text(encoding="utf-8")
    assert json.loads(written) == toolgen(project, "export", "anthropic").json
    assert [path.name for path in (project / "generated/providers").iterdir()] == ["anthropic.json"]


def test_an_unrepresentable_tool_is_reported_and_the_others_are_printed(project: Path) -> None:
    exported = toolgen(project, "export", "openai-strict")
    assert exported.code == 1
    assert names(exported.json) == ["shop__find", "shop__ping"]
    assert exported.err.splitlines() == [
        "team__notes__keep: the args are not a plain object, which strict mode requires",
        "openai-strict cannot represent 1 tool of 3",
    ]


def test_differences_are_printed_on_request(project: Path) -> None:
    assert toolgen(project, "export", "openai-strict", "--toolset", "shop").err == ""
    exported = toolgen(project, "export", "openai-strict", "--toolset", "shop", "--differences")
    assert exported.code == 0
    assert (
        exported.err == "shop__find at /properties/word: `minLength` is given in the description only, not enforced\n"
    )


def test_unknown_names_are_usage_errors(project: Path) -> None:
    assert toolgen(project, "export", "opanai").code == 2
    unknown = toolgen(project, "export", "openai", "--toolset", "shopp")
    assert (unknown.code, "shop" in unknown.err) == (2, True)
