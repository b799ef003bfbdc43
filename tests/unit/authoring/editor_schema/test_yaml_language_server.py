"""An editor with the language server for YAML completes every key, offline, with what `toolgen schema` prints."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import pytest

from tests.programs.installed import environment, needs, program
from tests.unit.authoring.language_client import CURSOR, Client, language_client
from toolgen.authoring.editor_schema import spec_json_schema
from toolgen.compiler.resolve.keywords import ALL, RAW

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

pytestmark = needs("yaml-language-server")

SCHEMA = spec_json_schema()
TOOL = "toolgen: 1\ntoolset: a\ntools:\n  t:\n    description: d\n"
CATALOG = "toolgen: 1\ncatalog: a\ncategories:\n  c:\n    description: d\n"
CASES = "toolgen: 1\neval: a\ncases:\n  c:\n    question: q\n"
HTTP = "    http:\n      method: GET\n      path: /x\n"
PLACES = {
    "ToolSpec": TOOL + "    |",
    "LimitsSpec": TOOL + "    limits:\n      daily_limit: 1\n      |",
    "AccessSpec": TOOL + "    access:\n      read: a\n      |",
    "TagSpec": TOOL + "    tag:\n      prefix: T\n      |",
    "CommandSpec": TOOL + "    command:\n      cwd: a\n      |",
    "HintsSpec": TOOL + "    hints:\n      |",
    "BoundedSpec": TOOL + "    bounded:\n      cursor: a\n      |",
    "ExampleSpec": TOOL + "    examples:\n      - args: {}\n        |",
    "HttpSpec": TOOL + HTTP + "      |",
    "BodySpec": TOOL + HTTP + "      body:\n        media_type: a\n        |",
    "ParamSpec": TOOL + HTTP + "      params:\n        p:\n          in: query\n          |",
    "ToolDefaultsSpec": "toolgen: 1\ntoolset: a\ndefaults:\n  |\ntools: {}\n",
    "ServerSpec": "toolgen: 1\ntoolset: a\nserver:\n  retries: 1\n  |\ntools: {}\n",
    "ApiSpec": "toolgen: 1\ntoolset: a\napi:\n  retries: 1\n  |\ntools: {}\n",
    "AuthSpec": "toolgen: 1\ntoolset: a\napi:\n  auth:\n    x:\n      type: bearer\n      |\ntools: {}\n",
    "ToolsetFile": "toolgen: 1\ntoolset: a\n|",
    "AgentFile": "toolgen: 1\nagent: a\n|",
    "CatalogFile": "toolgen: 1\ncatalog: a\n|",
    "PolicyFile": "toolgen: 1\npolicy: a\n|",
    "EvalFile": "toolgen: 1\neval: a\n|",
    "CaseSpec": CASES + "    |",
    "CallSpec": CASES + "    expect:\n      - call: a\n        |",
    "AlternativesSpec": CASES + "    expect:\n      - |",
    "UserSpec": CASES + "    messages:\n      - |",
    "AssistantSpec": CASES + "    messages:\n      - |",
    "ResultSpec": CASES + "    results:\n      - call: a\n        |",
    "SharedFile": "toolgen: 1\ntypes: {}\n|",
    "CategorySpec": CATALOG + "    |",
    "ActionSpec": CATALOG + "    actions:\n      x:\n        target: t\n        |",
    "SearchSpec": CATALOG + "search:\n  |",
    "MandateSpec": CATALOG + "mandates:\n  - text: a\n    |",
    "HotListSpec": CATALOG + "hot_list:\n  |",
    "PathsSpec": "toolgen: 1\npolicy: a\npaths:\n  |",
    "PolicyLimitsSpec": "toolgen: 1\npolicy: a\nlimits:\n  |",
}


def with_server(folder: Path, look: Callable[[Client], Awaitable[None]]) -> None:
    """Start the server with the schema for all files, as an editor would; it may not reach the network."""
    (folder / "toolgen.schema.json").write_text(json.dumps(SCHEMA), encoding="utf-8")
    settings = {
        "schemas": {(folder / "toolgen.schema.json").as_uri(): "*"},
        "schemaStore": {"enable": False},
        **dict.fromkeys(("validate", "completion", "hover"), True),
    }
    offline = {**environment(), **dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:1")}

    async def body() -> None:
        command = (str(program("yaml-language-server")), "--stdio")
        async with language_client(folder, *command, settings={"yaml": settings}, environment=offline) as client:
            while not await client.diagnostics("ready.yaml", "toolgen: 2\n"):
                pass  # it has not read its settings yet
            await look(client)

    asyncio.run(body())


def test_every_key_of_every_model_is_completed(tmp_path: Path) -> None:
    async def look(client: Client) -> None:
        for model, text in PLACES.items():
            written, _, _ = text.partition(CURSOR)
            keys = {key for key in SCHEMA["$defs"][model]["properties"] if f"{key}:" not in written}
            items = {item.label: item for item in await client.completions(f"{model}.yaml", text)}
            assert keys - items.keys() == set(), model
            assert all(items[key].documentation for key in keys), model

    with_server(tmp_path, look)


def test_schemas_are_completed_and_checked(tmp_path: Path) -> None:
    field = TOOL + "    args:\n      f:"

    async def look(client: Client) -> None:
        async def offered(text: str) -> set[str]:
            return {item.label.strip('"') for item in await client.completions("a.yaml", text)}

        assert await offered(f"{field} |") >= {"string", "integer", "number", "boolean", "object", "null", "any"}
        assert await offered(f"{field}\n        t|") >= RAW
        assert await offered(f"{field}\n        type: string\n        |") == ALL - {"type"}
        assert await offered(f"{field}\n        type: |") >= {"string", "array"}
        assert {"uri", "uuid"} <= await offered(f"{field}\n        type: string\n        format: u|")
        assert await offered("toolgen: 1\npolicy: p\nrules:\n  x: a|") >= {"allow", "ask"}
        assert "The least number of characters." in await client.hover(
            "a.yaml", f"{field} {{type: string, minL|ength: 1}}"
        )

    with_server(tmp_path, look)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (TOOL, ""),
        (TOOL + "    acess: {}\n", "Property acess is not allowed."),
        (TOOL + "    permission: reed\n", '"readonly", "write"'),
        (TOOL + "    limits: {daily_limit: -1}\n", "below the minimum"),
    ],
)
@pytest.mark.variants(2)
def test_files_are_checked(text: str, message: str, tmp_path: Path) -> None:
    async def look(client: Client) -> None:
        found = await client.diagnostics("a.yaml", text)
        assert (message in found[0].message) if message else found == []

    with_server(tmp_path, look)
