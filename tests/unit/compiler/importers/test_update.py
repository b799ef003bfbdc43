"""Importing again: what an import wrote follows the server, what a person wrote stays, and nothing is lost."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

from tests.unit.compiler.importers.importing import Import, import_text, import_tools, spec_file, tool
from toolgen.authoring.format.format import formatted

TEXT = {"type": "string"}
LOOK = tool(
    "look.at", {"type": "object", "properties": {"at": TEXT, "token": TEXT}}, description="Looks.", title="Look"
)
BUY = tool("buy", {"type": "object", "properties": {"x-y": TEXT, "x_y": TEXT, "z": TEXT}}, description="Buys.")
SELL = tool("sell", description="Sells.")

FIRST = import_tools(LOOK, BUY, SELL).text
GUARDS: dict[str, Any] = {
    "confirm": "Really look at {{args.at}}?",
    "limits": {"daily_limit": 10},
    "access": {"read": ["at"]},
    "tags": ["dangerous"],
    "roles": ["main"],
    "examples": [{"args": {"at": "sun"}}],
    "wire_name": "look_here",
    "reminder": "Do not stare.",
}


def edited(change: Any, text: str = FIRST) -> str:
    """Return a spec with its data changed, formatted as `fmt` writes it."""
    data = spec_file(text).root.to_data()
    change(data)
    dumped = yaml.safe_dump(data, sort_keys=False, allow_unicode=True)
    return formatted("specs/shop.yaml", dumped, spec_file(dumped).root)


def again(*tools: object, spec: str = FIRST, dialect: str | None = None) -> Import:
    return import_text(json.dumps(tools), spec_file(spec), dialect=dialect)


def guarded(text: str = FIRST) -> str:
    def change(data: Any) -> None:
        data["tools"]["look_at"] |= GUARDS
        data["tools"]["look_at"]["args"]["properties"]["token"]["writeOnly"] = True

    return edited(change, text)


def codes(imported: Import) -> list[str]:
    return [message.partition(" ")[0] for message in imported.messages]


def test_unchanged_tools_are_not_touched() -> None:
    spec = guarded()
    imported = again(SELL, BUY, LOOK, spec=spec)
    assert imported.messages == []
    assert imported.text == spec


def test_what_is_written_is_what_fmt_writes() -> None:
    for text in (FIRST, again({**LOOK, "description": "Line.\nLine.\n"}, BUY, tool("rent"), spec=guarded()).text):
        assert formatted("specs/shop.yaml", text, spec_file(text).root) == text


def test_comments_stay_also_inside_of_changed_tools() -> None:
    spec = (
        FIRST.replace("  look_at:\n", "  # Looking is free.\n  look_at:\n")
        .replace("description: Looks.", "description: Looks.  # not at the sun")
        .replace("at: {type: string}", "at: {type: string}  # where")
    )
    less = {**LOOK, "description": "Sees.", "inputSchema": {"type": "object", "properties": {"token": TEXT}}}
    text = again(less, BUY, SELL, spec=spec).text
    assert "  # Looking is free.\n  look_at:\n" in text
    assert "description: Sees.  # not at the sun" in text
    assert "# where" in text


def test_aliases_are_written_out_where_a_change_needs_it() -> None:
    spec = FIRST.replace("at: {type: string}", "at: &text {type: string}").replace(
        "token: {type: string}", "token: *text"
    )
    more = {**LOOK, "inputSchema": {"type": "object", "properties": {"at": TEXT, "token": {"type": "integer"}}}}
    properties = again(more, BUY, SELL, spec=spec).tools["look_at"]["args"]["properties"]
    assert properties == {"at": TEXT, "token": {"type": "integer"}}


@pytest.mark.parametrize("key", ["&k look_at:", "&k 'look_at':", '? &k "look_at"\n  :'])
def test_an_alias_of_a_key_is_written_out(key: str) -> None:
    spec = FIRST.replace("  look_at:\n", f"  {key}\n", 1).replace("description: Looks.", "description: *k", 1)
    imported = again({**LOOK, "title": "Sees."}, BUY, SELL, spec=spec)
    assert imported.tools["look_at"].items() >= {"description": "look_at", "title": "Sees."}.items()


def test_guards_stay_whatever_changes() -> None:
    changed = {
        **LOOK,
        "description": "Sees.",
        "inputSchema": {
            "type": "object",
            "properties": {"at": {"type": "integer"}, "token": {**TEXT, "description": "T."}},
        },
        "annotations": {"destructiveHint": True},
    }
    imported = again(changed, BUY, SELL, spec=guarded())
    look = imported.tools["look_at"]
    assert look.items() >= GUARDS.items()
    assert look["description"] == "Sees."
    assert look["args"]["properties"]["token"] == {"type": "string", "description": "T.", "writeOnly": True}
    assert look["args"]["properties"]["at"] == {"type": "integer"}
    assert imported.messages == []


def test_a_fix_of_lint_stays() -> None:
    """`lint --fix` marks secrets; the next import must not remove the marks."""
    spec = FIRST.replace("token: {type: string}", "token: {type: string, writeOnly: true}")
    assert again({**LOOK, "description": "Sees."}, BUY, SELL, spec=spec).text.count("writeOnly: true") == 1


MINE = FIRST.replace("description: Looks.", "description: Mine.")


def test_an_edited_text_is_kept_beside_the_text_of_the_server() -> None:
    imported = again({**LOOK, "description": "Sees."}, BUY, SELL, spec=MINE)
    [message] = imported.messages
    assert message.startswith("TG808 specs/shop.yaml:")
    assert "the server has changed `description` of `look_at`, which you have edited" in message
    assert imported.tools["look_at"]["description"] == "Mine."
    assert imported.tools["look_at"]["source"] == {"/description": "Sees."}
    second = again({**LOOK, "description": "Sees."}, BUY, SELL, spec=imported.text)
    assert (second.text, second.messages) == (imported.text, [])


def test_an_edited_text_is_in_view_also_without_a_change_of_the_server() -> None:
    imported = again(LOOK, BUY, SELL, spec=MINE)
    assert imported.messages == []
    assert imported.tools["look_at"]["source"] == {"/description": "Looks."}


def test_a_person_who_takes_the_text_of_the_server_follows_it_again() -> None:
    sees = {**LOOK, "description": "Sees."}
    kept = again(sees, BUY, SELL, spec=MINE).text
    taken = again(sees, BUY, SELL, spec=kept.replace("description: Mine.", "description: Sees."))
    assert "source" not in taken.tools["look_at"]
    followed = again({**LOOK, "description": "Watches."}, BUY, SELL, spec=taken.text)
    assert followed.tools["look_at"]["description"] == "Watches."
    assert followed.messages == []


def test_what_a_person_removed_stays_removed() -> None:
    def change(data: Any) -> None:
        look = data["tools"]["look_at"]
        del look["title"], look["args"]["properties"]["token"]
        del data["tools"]["sell"]

    spec = edited(change)
    shown = {
        **LOOK,
        "title": "Have a look",
        "inputSchema": {"type": "object", "properties": {"at": TEXT, "token": {"type": "integer"}}},
    }
    imported = again(shown, BUY, {**SELL, "description": "Sells all."}, spec=spec)
    assert "title" not in imported.tools["look_at"]
    assert imported.tools["look_at"]["args"]["properties"] == {"at": TEXT}
    assert imported.outcome is not None
    assert imported.outcome.update.skipped == ("sell",)
    assert sorted(imported.tools) == ["buy", "look_at"]


OPTIONS: dict[str, Any] = {
    "type": "object",
    "properties": {"dry": {"type": "boolean"}, "wipe": {"type": "boolean"}, "mode": {"enum": ["safe", "purge"]}},
}
MODE = "/args/properties/opts/properties/mode/enum"
WIPE = "/args/properties/opts/properties/wipe"


def clean(**fields: Any) -> dict[str, Any]:
    definitions = fields.pop("definitions", {})
    schema = {"type": "object", "properties": fields, **({"$defs": definitions} if definitions else {})}
    return tool("clean", schema, description="Cleans.")


def narrowed() -> str:
    """Return a spec from which a person removed an arg, a field and a value."""

    def change(data: Any) -> None:
        args = data["tools"]["clean"]["args"]["properties"]
        del args["force"], args["opts"]["properties"]["wipe"]
        args["opts"]["properties"]["mode"]["enum"] = ["safe"]

    return edited(change, import_tools(clean(force={"type": "boolean"}, opts=OPTIONS)).text)


@pytest.mark.parametrize(
    "force",
    [
        {"type": ["boolean", "null"]},
        {"anyOf": [{"type": "boolean"}, {"type": "null"}]},
        {"$ref": "#/$defs/Force"},
        {"enum": [True, False]},
        {"const": True},
        {},
    ],
)
def test_an_arg_that_a_person_removed_stays_removed_whatever_its_schema_becomes(force: Any) -> None:
    definitions = {"Force": {"type": "boolean"}} if "$ref" in force else {}
    imported = again(clean(force=force, opts=OPTIONS, definitions=definitions), spec=narrowed())
    assert imported.messages == []
    args = imported.tools["clean"]["args"]["properties"]
    assert list(args) == ["opts"]
    assert list(args["opts"]["properties"]) == ["dry", "mode"]
    assert args["opts"]["properties"]["mode"]["enum"] == ["safe"]


@pytest.mark.parametrize(
    ("opts", "definitions"),
    [
        ({"$ref": "#/$defs/Opts"}, {"Opts": OPTIONS}),
        ({"anyOf": [OPTIONS, {"type": "null"}]}, {}),
        ({"type": "array", "items": OPTIONS}, {}),
        ({"type": "object", "properties": {"all": OPTIONS}}, {}),
    ],
)
def test_what_a_person_removed_is_reported_where_the_source_moves_it(opts: Any, definitions: Any) -> None:
    moved = clean(opts=opts, definitions=definitions)
    imported = again(moved, spec=narrowed())
    assert set(codes(imported)) == {"TG809"}
    assert any(
        "`args.properties.opts.properties.wipe` of `clean`, which you removed" in each for each in imported.messages
    )
    assert imported.tools["clean"]["kept"] == {WIPE: None, MODE: ["safe"]}
    assert imported.outcome is not None
    assert imported.outcome.is_incomplete
    second = again(moved, spec=imported.text)
    assert (second.text, second.messages) == (imported.text, [])
    back = again(clean(opts={**OPTIONS, "required": ["wipe", "dry"]}), spec=imported.text)
    fields = back.tools["clean"]["args"]["properties"]["opts"]
    assert list(fields["properties"]) == ["dry", "mode"]
    assert (fields["required"], fields["properties"]["mode"]["enum"]) == (["dry"], ["safe"])
    assert "kept" not in back.tools["clean"]


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ({"enum": ["safe", "purge", "burn"]}, ["safe"]),
        ({"enum": ["safe", "burn"]}, ["safe"]),
        ({"enum": ["burn"]}, ["safe"]),
        ({"enum": ["safe", "purge"]}, ["safe"]),
        ({"type": "string"}, ["safe"]),
    ],
)
def test_no_import_adds_to_values_that_a_person_made_fewer(mode: Any, expected: list[str]) -> None:
    opts = {**OPTIONS, "properties": {**OPTIONS["properties"], "mode": mode}}
    imported = again(clean(force={"type": "boolean"}, opts=opts), spec=narrowed())
    assert imported.tools["clean"]["args"]["properties"]["opts"]["properties"]["mode"]["enum"] == expected
    assert codes(imported) == (["TG808"] if "burn" in mode.get("enum", ()) else [])


def test_values_that_nobody_edited_follow_the_source() -> None:
    first = import_tools(clean(mode={"enum": ["safe", "purge"]})).text
    imported = again(clean(mode={"enum": ["purge", "burn"]}), spec=first)
    assert imported.tools["clean"]["args"]["properties"]["mode"]["enum"] == ["purge", "burn"]
    assert imported.messages == []


def test_what_a_person_removed_from_a_type_is_reported_where_the_type_gets_another_name() -> None:
    def both(name: str) -> list[Any]:
        opts = {"opts": {"$ref": f"#/$defs/{name}"}}
        return [{**clean(definitions={name: OPTIONS}, **opts), "name": each} for each in ("clean", "wash")]

    def change(data: Any) -> None:
        fields = data["types"]["Opts"]["properties"]
        del fields["wipe"]
        fields["mode"]["enum"] = ["safe"]

    spec = edited(change, import_tools(*both("Opts")).text)
    assert again(*both("Opts"), spec=spec).messages == []
    imported = again(*both("Choice"), spec=spec)
    assert set(codes(imported)) == {"TG809"}
    wipe, mode = "/types/Opts/properties/wipe", "/types/Opts/properties/mode/enum"
    assert imported.data["kept"] == {wipe: None, mode: ["safe"]}
    second = again(*both("Choice"), spec=imported.text)
    assert (second.text, second.messages) == (imported.text, [])


def test_a_tool_without_fingerprints_counts_as_edited() -> None:
    def change(data: Any) -> None:
        del data["imported"]["buy"]
        data["tools"]["buy"]["args"]["properties"]["z"]["writeOnly"] = True

    imported = again(LOOK, {**BUY, "description": "Purchases."}, SELL, spec=edited(change))
    assert codes(imported) == ["TG808"]
    assert imported.tools["buy"]["description"] == "Buys."
    assert imported.tools["buy"]["args"]["properties"]["z"]["writeOnly"] is True


def test_damaged_fingerprints_lose_nothing() -> None:
    spec = edited(lambda data: data.update(imported=dict.fromkeys(data["imported"], "<<<")), guarded())
    assert again(LOOK, BUY, SELL, spec=spec).tools["look_at"].items() >= GUARDS.items()


def test_an_edit_of_a_part_that_is_gone_is_kept_and_reported() -> None:
    gone = {**LOOK, "inputSchema": {"type": "object", "properties": {"at": TEXT}}}
    imported = again(gone, BUY, SELL, spec=guarded())
    assert codes(imported) == ["TG809"]
    assert imported.outcome is not None
    assert imported.outcome.is_incomplete
    assert imported.tools["look_at"]["args"]["properties"] == {"at": TEXT}
    assert imported.tools["look_at"]["kept"] == {"/args/properties/token/writeOnly": True}
    second = again(gone, BUY, SELL, spec=imported.text)
    assert (second.text, second.messages) == (imported.text, [])
    back = again(LOOK, BUY, SELL, spec=imported.text)
    assert back.tools["look_at"]["args"]["properties"]["token"] == {"type": "string", "writeOnly": True}
    assert "kept" not in back.tools["look_at"]


def test_a_tool_that_is_gone_stays_disabled_until_it_is_back() -> None:
    spec = guarded()
    imported = again(BUY, SELL, spec=spec)
    [message] = imported.messages
    assert message.endswith("the server does not offer `look.at`, so `look_at` is disabled")
    assert imported.outcome is not None
    assert imported.outcome.is_incomplete
    assert imported.tools["look_at"].items() >= GUARDS.items()
    assert imported.tools["look_at"]["disabled"] is True
    assert sorted(imported.resolved()) == ["buy", "sell"]
    second = again(BUY, SELL, spec=imported.text)
    assert (second.text, second.messages) == (imported.text, [])
    assert again(LOOK, BUY, SELL, spec=imported.text).text == spec


def test_a_tool_that_a_person_disabled_stays_disabled() -> None:
    spec = edited(lambda data: data["tools"]["sell"].update(disabled=True))
    assert again(LOOK, BUY, {**SELL, "description": "Sells all."}, spec=spec).tools["sell"]["disabled"] is True


def test_a_tool_that_became_invalid_is_disabled() -> None:
    imported = again(LOOK, BUY, {**SELL, "inputSchema": {"type": "string"}})
    assert codes(imported) == ["TG805", "TG807"]
    assert imported.messages[1].endswith("`sell` of the server is skipped, so `sell` is disabled")
    assert imported.tools["sell"]["disabled"] is True


def test_a_renamed_tool_that_is_else_equal_keeps_all_that_was_written() -> None:
    imported = again({**LOOK, "name": "look.here"}, BUY, SELL, spec=guarded())
    assert codes(imported) == ["TG822"]
    assert imported.outcome is not None
    assert imported.outcome.update.renamed == (("look_at", "look.at", "look.here"),)
    assert imported.tools["look_at"].items() >= {**GUARDS, "remote": "look.here"}.items()
    assert sorted(imported.tools) == ["buy", "look_at", "sell"]


def test_another_tool_with_the_same_args_does_not_inherit_what_was_allowed() -> None:
    """A server cannot slip another tool under a name that was reviewed."""
    spec = edited(lambda data: data["tools"]["look_at"].update(permission="readonly"))
    imported = again({**LOOK, "name": "delete.at", "description": "Deletes."}, BUY, SELL, spec=spec)
    assert codes(imported) == ["TG807"]
    assert "permission" not in imported.tools["delete_at"]
    assert imported.tools["look_at"]["disabled"] is True


def test_a_key_that_a_person_renamed_is_found() -> None:
    def change(data: Any) -> None:
        data["tools"] = {"shop_buy" if key == "buy" else key: each for key, each in data["tools"].items()}
        data["tools"]["shop_buy"]["remote"] = "buy"

    imported = again(LOOK, {**BUY, "description": "Purchases."}, SELL, spec=edited(change))
    assert imported.tools["shop_buy"]["description"] == "Purchases."
    assert sorted(imported.tools) == ["look_at", "sell", "shop_buy"]


def test_a_server_may_withdraw_that_a_tool_is_readonly_but_not_claim_it() -> None:
    readonly = {**SELL, "annotations": {"readOnlyHint": True}}
    first = import_tools(readonly, BUY)
    assert first.tools["sell"]["permission"] == "readonly"
    withdrawn = again(SELL, BUY, spec=first.text)
    assert "permission" not in withdrawn.tools["sell"]
    claimed = again(readonly, BUY, spec=withdrawn.text)
    assert "permission" not in claimed.tools["sell"]


def test_a_server_may_call_a_tool_dangerous_but_not_harmless() -> None:
    dangerous = {**SELL, "annotations": {"destructiveHint": True}}
    marked = again(LOOK, BUY, dangerous)
    assert marked.tools["sell"]["tags"] == ["dangerous"]
    assert again(LOOK, BUY, SELL, spec=marked.text).tools["sell"]["tags"] == ["dangerous"]


def test_manual_field_names_are_kept_while_the_fields_exist() -> None:
    spec = edited(lambda data: data["tools"]["buy"].update(rename={"x-y": "minus", "z": "zed"}))
    args = {"type": "object", "properties": {"x-y": TEXT, "x_y": TEXT, "x y": TEXT}}
    imported = again(LOOK, {**BUY, "inputSchema": args}, SELL, spec=spec)
    rename = imported.tools["buy"]["rename"]
    assert rename["x-y"] == "minus"
    assert rename["x y"].startswith("x_y_")


def test_a_new_tool_is_inserted_in_order() -> None:
    imported = again(LOOK, BUY, SELL, tool("rent", annotations={"readOnlyHint": True}))
    assert list(imported.tools) == ["buy", "look_at", "rent", "sell"]


def test_a_new_tool_does_not_take_an_existing_key() -> None:
    imported = again(LOOK, BUY, SELL, tool("look_at"))
    assert imported.outcome is not None
    [key] = imported.outcome.update.added
    assert key.startswith("look_at_")
    assert imported.tools[key]["remote"] == "look_at"
    assert imported.tools["look_at"]["remote"] == "look.at"


def test_a_duplicated_tool_is_updated_twice() -> None:
    def change(data: Any) -> None:
        data["tools"]["buy_free"] = {**data["tools"]["buy"], "remote": "buy", "cost": "free"}

    imported = again(LOOK, {**BUY, "description": "Purchases."}, SELL, spec=edited(change))
    assert imported.tools["buy_free"]["description"] == "Purchases."
    assert imported.tools["buy_free"]["cost"] == "free"
    assert imported.tools["buy_free"]["args"] == imported.tools["buy"]["args"]


def test_a_schema_in_the_short_form_stays_as_a_whole() -> None:
    spec = edited(lambda data: data["tools"]["look_at"].update(args={"at": "string"}))
    integer = {**LOOK, "inputSchema": {"type": "object", "properties": {"at": {"type": "integer"}}}}
    imported = again(integer, BUY, SELL, spec=spec)
    assert codes(imported) == ["TG808"]
    assert imported.tools["look_at"]["args"] == {"at": "string"}
    assert imported.tools["look_at"]["source"]["/args"]["properties"] == {"at": {"type": "integer"}}


OLD = {"look": {"remote": "look.at", "description": "Old.", "cost": "cheap"}}
HEAD = "# Ours.\ntoolgen: 1\ntoolset: mcp.shop\nkind: mcp\n"


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
def test_a_spec_that_a_person_wrote_gets_the_tools_in_any_layout(path: str, spec: str) -> None:
    imported = import_text(json.dumps([LOOK, SELL]), spec_file(spec, path))
    data = spec_file(imported.text, path).root.to_data()
    assert data["tools"].keys() >= {"sell"}
    if "look" in spec:
        assert data["tools"]["look"]["description"] == "Old."
        assert data["tools"]["look"]["cost"] == "cheap"
        assert data["tools"]["look"]["args"]["properties"].keys() == {"at", "token"}
    assert path.endswith(".json") or imported.text.startswith("# Ours.\n")


def test_another_draft_can_be_requested() -> None:
    imported = again(LOOK, BUY, SELL, dialect="draft-07")
    assert imported.data["dialect"] == "draft-07"


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


def test_edits_of_a_shared_type_stay_wherever_the_type_is_written() -> None:
    """A definition of two tools is a type; when one tool is left with it, and when there are two again, edits stay."""
    item: dict[str, Any] = {"type": "object", "properties": {"key": TEXT, "name": TEXT}}

    def using(name: str, **more: Any) -> dict[str, Any]:
        args = {"type": "object", "properties": {"item": {"$ref": "#/$defs/Item"}}, "$defs": {"Item": {**item, **more}}}
        return tool(name, args)

    first = import_tools(using("a"), using("b")).text

    def mark(data: Any) -> None:
        data["types"]["Item"]["properties"]["key"]["writeOnly"] = True

    spec = edited(mark, first)
    other = {"properties": {**item["properties"], "more": TEXT}}
    for tools in (
        [using("a"), using("b", **other)],
        [using("a", **other), using("b", **other)],
        [using("a"), tool("b")],
        [using("a"), using("b"), using("c")],
    ):
        imported = again(*tools, spec=spec)
        places = [imported.data.get("types", {}), *(each["args"].get("$defs", {}) for each in imported.tools.values())]
        items = [place["Item"] for place in places if "Item" in place]
        assert items
        assert all(each["properties"]["key"] == {"type": "string", "writeOnly": True} for each in items)
        second = again(*tools, spec=imported.text)
        assert second.text == imported.text
        back = again(using("a"), using("b"), spec=imported.text)
        assert back.data["types"]["Item"]["properties"]["key"]["writeOnly"] is True


def test_the_instructions_of_a_server_follow_unless_edited() -> None:
    def with_instructions(text: str, spec: str) -> Import:
        return import_text(json.dumps({"instructions": text, "tools": [SELL]}), spec_file(spec))

    first = import_text(json.dumps({"instructions": "Shop.", "tools": [SELL]})).text
    assert with_instructions("Store.", first).data["description"] == "Store."
    edited_text = first.replace("description: Shop.", "description: Ours.")
    imported = with_instructions("Store.", edited_text)
    assert imported.data["description"] == "Ours."
    assert imported.data["source"] == {"/description": "Store."}
    assert codes(imported) == ["TG808"]
