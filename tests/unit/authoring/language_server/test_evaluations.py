"""Evaluations in an editor: what is wrong in them, what may be written, and names that change with the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.authoring.language_client import CURSOR, Client
from tests.unit.authoring.language_server.project import FILES

if TYPE_CHECKING:
    from tests.unit.authoring.language_server.conftest import Serve

pytestmark = pytest.mark.xdist_group("language server")  # whose tests share one server

PATH = "evals/shop.eval.yaml"
ORDERS = "specs/shop/orders.yaml"
CASES = FILES[PATH]
CALL = "    expect: [{call: shop.orders.refund, args: {order_id: o-1}}]\n"
BLOCK = "    expect:\n      - call: shop.orders.find\n"


def test_what_no_longer_fits_the_tools_is_shown_in_the_evaluation(serve: Serve) -> None:
    async def look(client: Client) -> None:
        client.show(PATH, CASES.replace("call: shop.orders.refund", "call: shop.orders.refnd"))
        found = (await client.all_diagnostics("toolgen.toml", PATH))[PATH]
        assert [(each.code, each.range.start.line, each.message.partition("\n")[0]) for each in found] == [
            ("TG901", 5, "there is no tool `shop.orders.refnd`")
        ]
        client.show(PATH, CASES)
        assert not (await client.all_diagnostics("toolgen.toml", PATH))[PATH]
        client.show(ORDERS, FILES[ORDERS].replace("args: {order_id: string}", "args: {order_id: integer}"))
        found = (await client.all_diagnostics("toolgen.toml", PATH))[PATH]
        assert [(each.code, each.range.start.line) for each in found] == [("TG902", 5)]

    serve(look)


def test_a_misspelled_tool_is_corrected(serve: Serve) -> None:
    async def look(client: Client) -> None:
        text = CASES.replace("call: shop.orders.refund", "call: shop.orders.refnd")
        client.show(PATH, text)
        await client.all_diagnostics("toolgen.toml", PATH)
        place = client.range_of(text, "shop.orders.refnd")
        (action,) = [each for each in await client.actions(PATH, place) if each.title.startswith("Write")]
        assert action.title == "Write `shop.orders.refund`"
        assert action.edit is not None
        assert action.edit.changes is not None
        ((edit,),) = action.edit.changes.values()
        assert (edit.range, edit.new_text) == (place, "shop.orders.refund")

    serve(look)


def test_the_form_is_checked_at_once(serve: Serve) -> None:
    async def look(client: Client) -> None:
        found = await client.diagnostics(PATH, CASES.replace("avoid:", "avoids:"))
        assert [(each.code, each.range.start.line) for each in found] == [("TG104", 6)]
        assert await client.diagnostics(PATH, CASES) == []

    serve(look)


@pytest.mark.parametrize(
    ("text", "offered"),
    [
        ("toolgen: 1\n|", {"eval", "toolset"}),
        ("toolgen: 1\neval: a\n|", {"cases", "agent", "system"}),
        (CASES.replace(CALL, "    |\n"), {"expect", "turns", "results"}),
        (CASES.replace(CALL, "    expect: [{call: |}]\n"), {"shop.orders.refund", "shop.orders.find"}),
        (CASES.replace(CALL, "    expect:\n      - call: shop.or|\n"), {"shop.orders.refund"}),
        (CASES.replace(CALL, "    expect: [{one_of: [{call: |}]}]\n"), {"shop.orders.refund"}),
        (CASES.replace(CALL, "    results: [{call: |}]\n"), {"shop.orders.refund"}),
        (CASES.replace(CALL, "    expect: [{call: shop.orders.find, args: {|}}]\n"), {"customer", "to"}),
        (
            CASES.replace(CALL, "    expect:\n      - call: shop.orders.find\n        args:\n          cu|\n"),
            {"customer"},
        ),
        (CASES.replace(CALL, "    expect: [{call: shop.orders.find, fields: {|}}]\n"), {"customer", "to"}),
        (CASES.replace("[shop.orders.find]", "[|]"), {"shop.orders", "shop.orders.find"}),
        (CASES.replace("[shop.orders.find]", "[shop.orders+|]"), {"shop.orders+billing", "shop.orders+readonly"}),
    ],
)
def test_keys_tools_args_and_selectors_are_completed(text: str, offered: set[str], serve: Serve) -> None:
    async def look(client: Client) -> None:
        found = {item.label for item in await client.completions(PATH, text)}
        assert offered - found == set()
        if "args: {" in text:
            assert "order_id" not in found

    serve(look)


def test_a_tool_is_found_from_its_case(serve: Serve) -> None:
    async def look(client: Client) -> None:
        await client.diagnostics(PATH, CASES)
        text = CASES.replace("shop.orders.refund", f"shop.orders.re{CURSOR}fund")
        (place,) = await client.definitions(PATH, text)
        assert place.uri.endswith(ORDERS)
        assert "Refund an order." in await client.hover(PATH, text)
        assert "The calls that are right" in await client.hover(PATH, CASES.replace("expect:", f"ex{CURSOR}pect:"))

    serve(look)


def test_an_evaluation_is_formatted(serve: Serve) -> None:
    async def look(client: Client) -> None:
        await client.diagnostics(PATH, CASES)
        assert not await client.formatting(PATH)
        await client.diagnostics(PATH, CASES.replace("    avoid: [", "    avoid:  [ "))
        assert await client.formatting(PATH)

    serve(look)
