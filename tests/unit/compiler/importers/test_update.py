"""Importing again: values from the server are updated, manual changes are kept as written."""

from __future__ import annotations

import json

import pytest

from tests.unit.compiler.importers.importing import Import, import_text, import_tools, spec_file, tool

SPEC = """\
# Our shop.
toolgen: 1
toolset: mcp.shop
kind: mcp
server: {stdio: [npx, shop]}

tools:
  # Looking is free.
  look:
    remote: look.at
    imported: b408d4fc
    title: Look
    description: Looks.   # not at the sun
    permission: readonly
    tags: [network]
    limits: {daily_limit: 10}
    args: {type: object}

  buy:
    description: Buys.
    args: {type: object, properties: {x-y: {type: string}, x_y: {type: string}, z: {type: string}}}
    rename: {x-y: minus, z: zed}

  sell:
    description: Sells.
    args: {type: object}

defaults: {tags: [filesystem]}   # what they share
"""
TEXT = {"type": "string"}
LOOK = tool("look.at", description="Looks.", title="Look")
BUY = tool("buy", {"type": "object", "properties": {"x-y": TEXT, "x_y": TEXT, "z": TEXT}}, description="Buys.")
SELL = tool("sell", description="Sells.")


def again(*tools: object, spec: str = SPEC, path: str = "specs/shop.yaml", dialect: str | None = None) -> Import:
    return import_text(json.dumps(tools), spec_file(spec, path), dialect=dialect)


def test_unchanged_tools_are_not_touched() -> None:
    imported = again(SELL, BUY, LOOK)

    assert imported.messages == []
    assert imported.text == SPEC


def test_a_changed_tool_is_rewritten_and_the_rest_stays_byte_identical() -> None:
    imported = again({**LOOK, "inputSchema": {"type": "object", "required": ["at"]}}, BUY, SELL)

    assert imported.outcome is not None
    assert (imported.outcome.added, imported.outcome.changed, imported.outcome.gone) == ((), ("look",), ())
    before, after = SPEC.splitlines(), imported.text.splitlines()
    assert [line for line in after if line not in before] == [
        "    description: Looks.",
        "    args: {type: object, required: [at]}",
    ]
    assert [line for line in before if line not in after] == ["    description: Looks.   # not at the sun"]


def test_keys_and_manual_settings_are_kept() -> None:
    imported = again({**LOOK, "description": "Sees.", "annotations": {"destructiveHint": True}}, BUY, SELL)

    look = imported.tools["look"]
    assert look == {
        "remote": "look.at",
        "imported": "a7a7170b",
        "title": "Look",
        "description": "Sees.",
        "permission": "readonly",
        "tags": ["network"],
        "limits": {"daily_limit": 10},
        "annotations": {"destructiveHint": True},
        "args": {"type": "object"},
    }


MINE = SPEC.replace("description: Looks.   #", "description: Mine, edited.   #")


def test_an_edited_text_is_kept_while_the_server_text_is_unchanged() -> None:
    imported = again(LOOK, BUY, SELL, spec=MINE)

    assert imported.messages == []
    assert imported.text == MINE


def test_a_removed_title_stays_removed() -> None:
    spec = SPEC.replace("    title: Look\n", "")
    assert again(LOOK, BUY, SELL, spec=spec).text == spec


def test_an_edited_text_is_kept_if_the_rest_of_the_tool_changes() -> None:
    imported = again({**LOOK, "inputSchema": {"type": "object", "required": ["at"]}}, BUY, SELL, spec=MINE)

    assert imported.messages == []
    assert imported.tools["look"]["description"] == "Mine, edited."
    assert imported.tools["look"]["args"] == {"type": "object", "required": ["at"]}


def test_a_changed_server_text_replaces_an_edited_one_and_both_are_reported() -> None:
    sees = {**LOOK, "description": "Sees."}
    imported = again(sees, BUY, SELL, spec=MINE)

    [message] = imported.messages
    assert message.startswith("TG808 specs/shop.yaml:13:18 the server has changed `look`, ")
    assert message.endswith("its `description` replaces this one")
    assert imported.tools["look"]["description"] == "Sees."
    mended = imported.text.replace("description: Sees.", "description: Mine, edited.")
    assert again(sees, BUY, SELL, spec=mended).text == mended


def test_an_unedited_text_follows_the_server_without_a_report() -> None:
    untitled = {key: value for key, value in LOOK.items() if key != "title"} | {"description": "Sees."}
    imported = again(untitled, BUY, SELL)

    assert imported.messages == []
    assert imported.tools["look"]["description"] == "Sees."
    assert "title" not in imported.tools["look"]


def test_a_text_without_a_recorded_original_is_replaced_and_reported() -> None:
    imported = again(LOOK, {**BUY, "description": "Purchases."}, SELL)

    assert [message.partition(" ")[0] for message in imported.messages] == ["TG808"]
    assert imported.tools["buy"]["description"] == "Purchases."
    assert "imported" in imported.tools["buy"]
    assert "imported" not in imported.tools["sell"]


def test_manual_field_names_are_kept_while_the_fields_exist() -> None:
    args = {"type": "object", "properties": {"x-y": TEXT, "x_y": TEXT, "x y": TEXT}}
    imported = again(LOOK, {**BUY, "inputSchema": args}, SELL)

    rename = imported.tools["buy"]["rename"]
    assert rename.keys() == {"x-y", "x y"}
    assert rename["x-y"] == "minus"
    assert rename["x y"].startswith("x_y_")


def test_a_new_tool_is_inserted_in_order() -> None:
    imported = again(LOOK, BUY, SELL, tool("rent", annotations={"readOnlyHint": True}))

    assert list(imported.tools) == ["look", "buy", "rent", "sell"]
    block = """\
  rent:
    imported: cc17a482
    description: Does rent.
    permission: readonly
    annotations: {readOnlyHint: true}
    args: {type: object}

"""
    assert block in imported.text
    assert imported.text.replace(block, "") == SPEC


def test_a_new_tool_does_not_take_an_existing_key() -> None:
    imported = again(LOOK, BUY, SELL, tool("look"))

    assert imported.outcome is not None
    [key] = imported.outcome.added
    assert key.startswith("look_")
    assert imported.tools[key]["remote"] == "look"
    assert imported.tools["look"]["remote"] == "look.at"


def test_a_missing_tool_is_removed_and_reported() -> None:
    imported = again(LOOK, BUY)

    assert imported.messages == ["TG807 specs/shop.yaml:24:3 the server no longer has `sell`, so it is removed"]
    assert imported.text == SPEC.replace("  sell:\n    description: Sells.\n    args: {type: object}\n\n", "")


def test_a_tool_that_became_invalid_is_reported_once() -> None:
    imported = again(LOOK, BUY, {**SELL, "inputSchema": {"type": "string"}})

    assert [message.partition(" ")[0] for message in imported.messages] == ["TG805"]
    assert list(imported.tools) == ["look", "buy"]


def test_a_duplicated_tool_is_updated_twice() -> None:
    spec = SPEC.replace("  sell:\n", "  buy_free:\n    remote: buy\n    description: Old.\n    cost: free\n\n  sell:\n")
    imported = again(LOOK, BUY, SELL, spec=spec)

    assert imported.tools["buy_free"]["description"] == "Buys."
    assert imported.tools["buy_free"]["cost"] == "free"
    assert imported.tools["buy_free"]["args"] == imported.tools["buy"]["args"]


HEAD = "# Ours.\ntoolgen: 1\ntoolset: mcp.shop\nkind: mcp\n"
OLD = {"look": {"remote": "look.at", "description": "Old.", "cost": "cheap"}}


@pytest.mark.parametrize(
    ("path", "spec"),
    [
        ("specs/shop.yaml", f"{HEAD}tools: {json.dumps(OLD)}\n"),
        (
            "specs/shop.yaml",
            f"{HEAD}tools:\n      look:\n        {{remote: look.at, description: Old., cost: cheap}}\n",
        ),
        ("specs/shop.yaml", f"{HEAD}tools: {{}}\n"),
        ("specs/shop.json", json.dumps({"toolgen": 1, "toolset": "mcp.shop", "kind": "mcp", "tools": OLD})),
    ],
)
def test_a_spec_in_another_layout_is_rewritten_completely(path: str, spec: str) -> None:
    imported = again(LOOK, SELL, spec=spec, path=path)

    assert imported.outcome is not None
    data = spec_file(imported.outcome.text, path).root.to_data()
    assert data["tools"].keys() >= {"sell"}
    if "look" in spec:
        assert data["tools"]["look"]["description"] == "Looks."
        assert data["tools"]["look"]["cost"] == "cheap"
    assert path.endswith(".json") or imported.text.startswith("# Ours.\n")


def test_another_draft_can_be_requested() -> None:
    imported = again(LOOK, BUY, SELL, dialect="draft-07")

    assert imported.data["dialect"] == "draft-07"
    assert imported.text.startswith("# Our shop.\ntoolgen: 1\ntoolset: mcp.shop\nkind: mcp\ndialect: draft-07\n")
    assert imported.data["server"] == {"stdio": ["npx", "shop"]}


def test_the_draft_of_a_spec_is_kept_if_none_is_requested() -> None:
    items = {"items": [{"type": "integer"}]}
    first = import_tools(tool("look", outputSchema=items), dialect="draft-07")
    second = import_text(json.dumps([tool("look", outputSchema=items)]), spec_file(first.text))

    assert second.messages == []
    assert second.text == first.text


def test_importing_twice_gives_the_same() -> None:
    tools = [
        tool("a.b", {"properties": {"x y": {}, "x-y": {}}}),
        tool("a b"),
        tool("查询"),
        tool("A_B", annotations={"openWorldHint": True}),
    ]
    first = import_tools(*tools)
    assert import_tools(*tools, spec=spec_file(first.text)).text == first.text
