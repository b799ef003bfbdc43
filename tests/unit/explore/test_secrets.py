"""Secrets of a call, also those that the host injects, are at no door of the explorer, wherever a handler puts them."""

from __future__ import annotations

import asyncio
import base64
import json
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings

from tests.properties.test_secrets import FORMS, Host, Made, calls, runtime_of, traces, unhurried, words
from tests.unit.explore.browsing import Browser
from toolgen.contract.records import ContentBlock, ToolCallMeta, ToolResult
from toolgen.explore import ask_in_page, explorer
from toolgen.record.memory import MemoryStore
from toolgen.runtime import Catalog, Runtime, ToolDefinition
from toolgen.runtime.calls.result import RAW
from toolgen.runtime.redact.credentials import REDACTED

if TYPE_CHECKING:
    from collections.abc import Callable


async def doors(browser: Browser, args: Any) -> dict[str, str]:
    """Make a call, allow it if it asks, and return what every door shows of it, by its path."""
    call = await browser.call("own.tool", args)
    shown: dict[str, str] = {}
    asked = await browser.until(call, "asking", "ended")
    if asked["question"] is not None:
        for path in (f"/calls/{call}", f"/api/calls/{call}", "/inbox", "/api/inbox"):
            shown[f"{path} asks"] = await browser.page(path)
        await browser.post(f"/calls/{call}/answer", question=asked["question"]["id"], decision="allow_once")
    run = (await browser.until(call, "ended"))["run"]
    paths = [
        *(f"{root}/calls/{call}" for root in ("", "/api")),
        *(f"{root}/runs/{run}{part}" for root in ("", "/api") for part in ("", "/summary", "/replay", "/calls/1/save")),
        *(f"{root}/{each}" for root in ("", "/api") for each in ("inbox", "runs", "servers", "find?query=own")),
        f"/api/calls/{call}/result",
        f"/calls/{call}/events",
    ]
    shown |= {path.split("?")[0]: await browser.page(path) for path in paths}
    for number in (1, 2):
        shown[f"media {number}"] = (await browser.http.get(f"/calls/{call}/media/{number}")).text
    return shown


@settings(unhurried, max_examples=40)
@given(calls(words))
def test_no_door_shows_a_secret_of_a_call_wherever_the_host_puts_it(made: Made) -> None:
    async def test(folder: Path) -> dict[str, str]:
        store = MemoryStore()
        runtime = runtime_of(made, Host(made), store, folder, ask_in_page)
        return await doors(await Browser(explorer(runtime, store=store, project=folder)).start(), made.args)

    with TemporaryDirectory() as name:
        shown = asyncio.run(test(Path(name)))
    found = [
        (path, secret, trace)
        for path, text in shown.items()
        for secret in made.secrets
        for trace in traces(secret)
        if trace in text
    ]
    assert not found


PIN, WORD, NUMBER, KEY = "x7q2", "zq7-hunter-2", 884_421_937, "zq7-key-of-the-host"


def _both(make: Callable[[str], Any]) -> Any:
    return [make(KEY), make(WORD)]


VALUES: dict[str, Callable[[], Any]] = {
    "a number": lambda: {"deep": [{"n": NUMBER}, NUMBER]},
    "a short word": lambda: f"the pin is {PIN}.",
    "a name of a member": lambda: {WORD: {KEY: [WORD]}},
    "blocks": lambda: ToolResult(
        value="x",
        blocks=(
            ContentBlock(type="text", data=f"{WORD} of {PIN}"),
            ContentBlock(type="json", data={"n": [NUMBER], "with": KEY}),
            ContentBlock(type="text", data=f"{'.' * 200}{KEY[:10]}"),
            ContentBlock(type="text", data=f"{KEY[8:]}{'.' * 200}"),
        ),
    ),
    "beside the value": lambda: ToolResult(
        value={"n": NUMBER}, message=KEY, side_effects=(f"sent:{WORD}",), metadata={"k": {KEY: [NUMBER, WORD]}}
    ),
    "a picture": lambda: ToolResult(
        value="x",
        metadata={
            RAW: {
                "content": [
                    {
                        "type": "image",
                        "mimeType": "image/png",
                        "data": base64.b64encode(f"..{each}..".encode()).decode(),
                    }
                    for each in (KEY, WORD)
                ]
            }
        },
    ),
    "much": lambda: [f"{KEY} {WORD} {number}" for number in range(4_000)],
    **{form: partial(_both, make) for form, make in FORMS.items()},
}


@pytest.mark.parametrize("value", VALUES)
def test_an_explorer_shows_of_a_result_what_the_record_has(value: str) -> None:
    schema = {
        "type": "object",
        "properties": {
            "pin": {"type": "string", "writeOnly": True},
            "words": {"type": "array", "items": {"type": "string", "format": "password"}},
            "in": {"type": "object", "properties": {"number": {"type": "integer", "writeOnly": True}}},
        },
    }
    args = {"pin": PIN, "words": [WORD], "in": {"number": NUMBER}}
    metadata = {"inject": ["api_key"], "args_secrets": ["/api_key"]}

    def handle(_args: Any, _meta: ToolCallMeta) -> Any:
        return VALUES[value]()

    async def test() -> None:
        catalog, store = Catalog(), MemoryStore()
        tool = ToolDefinition(
            name="own.tool",
            description="x",
            permission="readonly",
            input_schema=schema,
            result_schema={},
            metadata=metadata,
        )
        catalog.register(tool, handle, profile="full")
        runtime = Runtime(catalog, permission=ask_in_page, store=store, inject={"api_key": lambda _: KEY})
        browser = await Browser(explorer(runtime, store=store)).start()
        call = await browser.call("own.tool", args)
        ended = await browser.until(call, "ended")
        assert ended["result"]["success"], ended["result"]
        result = (await browser.get(f"/calls/{call}/result"))["result"]
        media = [(await browser.http.get(f"/calls/{call}/media/{number}")).text for number in (1, 2)]
        text = json.dumps([ended, result, media])
        assert not [secret for secret in (PIN, WORD, str(NUMBER), KEY, KEY[:10], KEY[8:]) if secret in text]
        recorded = (await store.read(ended["run"])).results[0].content
        shown = {"value": result["value"], "blocks": result["content"]}
        assert not [name for name in shown if name in recorded and recorded[name] != shown[name]]
        assert (result["message"], result["side_effects"]) == (
            recorded.get("message"),
            recorded.get("side_effects", []),
        )
        assert REDACTED in text

    asyncio.run(test())
