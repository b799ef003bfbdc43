"""Credentials: what one door to a spec takes for one, every door does; none gets into a spec."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.authoring.lint.examples import codes, linted
from tests.unit.cli.command_line import toolgen
from tests.unit.compiler.importers.openapi.api import OK, openapi
from toolgen.cli.importers.mcp import described_server
from toolgen.cli.importers.mcp_entries import server_entries

if TYPE_CHECKING:
    from pathlib import Path

TOKEN: Final = "NDc3ZTk2YzItOWQ3Ni00ZjA1LTg4YjQtN2E5ZjM2ZDRlZjBi"
UUID: Final = "0d8e6a1c-2f7b-4c1d-9a53-6f0e1b2c3d4e"

URLS: Final = {
    "path": f"https://h.example/api/s/{TOKEN}/mcp",
    "UUID in the path": f"https://h.example/{UUID}/mcp",
    "query": f"https://h.example/mcp?profile={TOKEN}",
    "query by its name": "https://h.example/mcp?api_key=abcdef",
    "query without a name": f"https://h.example/mcp?{TOKEN}",
    "fragment": f"https://h.example/mcp#{TOKEN}",
    "user": "https://ann:hunter2hunter2@h.example/mcp",
}
HARMLESS: Final = [
    "https://h.example/mcp", "https://h.example/v1/projects/2024/mcp?profile=default", "http://127.0.0.1:8000/mcp",
    "https://h.example/mcp?key=$env.KEY", "https://h.example/$env.PART/mcp",
]  # fmt: skip
ARGV: Final = {
    "flag": ["npx", "server", "--api-key", "hunter2hunter2"],
    "flag with its value": ["npx", "server", "--token=hunter2hunter2"],
    "URL": ["npx", "mcp-remote", URLS["path"]],
    "variable": ["env", "API_TOKEN=hunter2hunter2", "server"],
}
HEADERS: Final = {
    "by its name": ("X-Api-Key", "abcdef"),
    "scheme": ("X-Other", "Bearer abcdef"),
    "by its looks": ("X-Other", TOKEN),
}


def server_of(entry: dict[str, Any]) -> dict[str, Any]:
    """Return the server that an import of a configuration writes into a spec."""
    [found] = server_entries("mcp.json", json.dumps({"mcpServers": {"shop": entry}}), None)
    return found.server


def is_refused(url: str | None = None, stdio: str | None = None, *headers: str) -> bool:
    """Return whether the command line is refused; fails if the message shows the credential."""
    message = ""
    try:
        described_server(url, None, stdio, headers, ())
    except click.UsageError as error:
        message = error.message
    assert not any(secret in message for secret in (TOKEN, UUID, "abcdef", "hunter2"))
    return "has a credential, and specs are committed" in message


def spec(server: dict[str, Any]) -> dict[str, str]:
    tools = {"look": {"description": "Looks at the cart of the customer.", "permission": "readonly"}}
    return {
        "specs/a.json": json.dumps(
            {"toolgen": 1, "toolset": "mcp.shop", "kind": "mcp", "server": server, "tools": tools}
        )
    }


@pytest.mark.parametrize("place", URLS)
def test_a_credential_in_a_url(place: str) -> None:
    url = URLS[place]
    assert is_refused(url)
    assert "$env.SHOP_" in server_of({"url": url})["http"]
    assert codes(linted(spec({"http": url}))) == ["TL711"]


@pytest.mark.parametrize("url", HARMLESS)
def test_a_url_without_one(url: str) -> None:
    assert not is_refused(url)
    assert server_of({"url": url})["http"] == url
    assert "TL711" not in codes(linted(spec({"http": url})))


@pytest.mark.parametrize("place", ARGV)
def test_a_credential_in_a_command_line(place: str) -> None:
    command, *args = ARGV[place]
    assert is_refused(None, " ".join(ARGV[place]))
    assert "$env.SHOP_" in " ".join(server_of({"command": command, "args": args})["stdio"])
    assert codes(linted(spec({"stdio": ARGV[place]}))) == ["TL711"]


@pytest.mark.parametrize("place", HEADERS)
def test_a_credential_in_a_header(place: str) -> None:
    name, value = HEADERS[place]
    url = "https://h.example"
    assert is_refused(url, None, f"{name}={value}")
    assert "$env.SHOP_" in server_of({"url": url, "headers": {name: value}})["headers"][name]
    assert codes(linted(spec({"http": url, "headers": {name: value}}))) == ["TL711"]
    assert not is_refused(url, None, f"{name}=Bearer $env.KEY")
    assert "TL711" not in codes(linted(spec({"http": url, "headers": {name: "Bearer $env.KEY"}})))


SEGMENTS: Final = st.text("abcXYZ0189-_.", max_size=24) | st.sampled_from([TOKEN, UUID, "$env.KEY", "v1", "mcp"])


@given(st.lists(SEGMENTS, max_size=3), st.lists(st.tuples(st.sampled_from(["a", "key", "token", ""]), SEGMENTS)))
def test_both_doors_to_a_server_agree_on_any_url(path: list[str], query: list[tuple[str, str]]) -> None:
    asked = "&".join(f"{name}={value}" if name else value for name, value in query)
    url = f"https://h.example/{'/'.join(path)}{'?' if asked else ''}{asked}"
    assert is_refused(url) == (server_of({"url": url})["http"] != url)


def test_a_value_of_a_variable_is_no_name() -> None:
    with pytest.raises(click.UsageError, match="--env API_TOKEN: give the name of a variable, without its value"):
        described_server(None, None, "npx server", (), ("API_TOKEN=hunter2hunter2",))


def test_a_server_of_a_description_with_a_credential_is_not_taken(tmp_path: Path) -> None:
    """It may be the server of the API, that of one operation, or the one that gives tokens."""
    own = {"get": {"operationId": "own", "servers": [{"url": f"https://other.example/{TOKEN}"}], **OK}}
    flow = {"tokenUrl": f"https://h.example/{TOKEN}/token", "scopes": {}}
    document = openapi(
        {"/a": {"get": {"operationId": "a", **OK}}, "/own": own},
        servers=[{"url": "https://h.example/{key}/v1", "variables": {"key": {"default": TOKEN}}}],
        security=[{"login": []}],
        components={"securitySchemes": {"login": {"type": "oauth2", "flows": {"clientCredentials": flow}}}},
    )
    (tmp_path / "api.json").write_text(json.dumps(document), encoding="utf-8")

    done = toolgen(tmp_path, "import", "openapi", "api.json", "--toolset", "shop.api", "--format", "json")

    text = (tmp_path / "specs" / "shop.api.yaml").read_text(encoding="utf-8")
    assert (TOKEN in text, "base_url" in text, TOKEN in done.out) == (False, False, False)
    found = {each["message"].partition("the path of the URL has a credential")[0] for each in done.json["diagnostics"]}
    assert found == {
        "the server cannot be used: ", "the server of `own` cannot be used: ",
        "the security scheme `login` cannot be read (",
    }  # fmt: skip


def test_the_url_of_a_description_with_a_credential_is_refused(tmp_path: Path) -> None:
    done = toolgen(tmp_path, "import", "openapi", f"http://127.0.0.1:9/{TOKEN}/api.json", "--toolset", "shop.api")
    assert (done.code, "the path of the URL has a credential" in done.err, TOKEN in done.err) == (2, True, False)
