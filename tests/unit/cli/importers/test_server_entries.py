"""Server entries: the formats that agents and editors have, and credentials that never get into a spec."""

from __future__ import annotations

import json
import re
from typing import Any

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgen.cli.importers.mcp_entries import ServerEntry, server_entries
from toolgen.execute.mcp.server import McpServer


def entry(data: dict[str, Any], path: str = ".mcp.json", only: str | None = None) -> ServerEntry:
    (found,) = server_entries(path, json.dumps(data), only)
    return found


STDIO = {"command": "npx", "args": ["-y", "@scope/server@1.2.3", "/data"]}
ARGV = ["npx", "-y", "@scope/server@1.2.3", "/data"]


@pytest.mark.parametrize(
    ("path", "text", "server"),
    [
        (".mcp.json", json.dumps({"mcpServers": {"a": STDIO}}), {"stdio": ARGV}),
        (
            "claude_desktop_config.json",
            json.dumps({"mcpServers": {"a": STDIO | {"env": {"KEY": "abc"}}}}),
            {"stdio": ARGV, "env": ["KEY"]},
        ),
        (
            ".mcp.json",
            '{"mcpServers": {"a": {"type": "sse", "url": "https://h/events", "headers": {"X-Key": "${KEY:-none}"}}}}',
            {"sse": "https://h/events", "headers": {"X-Key": "$env.KEY"}},
        ),
        (
            ".vscode/mcp.json",
            """{
              // asked once
              "inputs": [{"id": "api-key", "type": "promptString"}],
              "servers": {
                "a": {
                  "type": "http", /* streamable */ "url": "https://h/mcp//x",
                  "headers": {"Authorization": "Bearer ${input:api-key}",},
                },
              },
            }""",
            {"http": "https://h/mcp//x", "headers": {"Authorization": "Bearer $env.A_API_KEY"}},
        ),
        (
            "settings.json",
            json.dumps({"mcp": {"servers": {"a": {"command": "x", "args": ["${workspaceFolder}/y"]}}}}),
            {"stdio": ["x", "./y"]},
        ),
        ("settings.json", json.dumps({"mcp.servers": {"a": STDIO}, "editor.x": 1}), {"stdio": ARGV}),
        (
            ".cursor/mcp.json",
            json.dumps({"mcpServers": {"a": {"url": "https://h/sse?x=1", "headers": {"K": "${env:KEY}"}}}}),
            {"sse": "https://h/sse?x=1", "headers": {"K": "$env.KEY"}},
        ),
        (
            "mcp_config.json",
            json.dumps({"mcpServers": {"a": {"serverUrl": "https://h/mcp"}}}),
            {"http": "https://h/mcp"},
        ),
        (
            "settings.json",
            json.dumps({"context_servers": {"a": {"source": "custom", **STDIO, "env": None}}}),
            {"stdio": ARGV},
        ),
        (
            "settings.json",
            json.dumps({"context_servers": {"a": {"command": {"path": "x", "args": ["y"], "env": {"KEY": "1"}}}}}),
            {"stdio": ["x", "y"], "env": ["KEY"]},
        ),
        (
            "config.toml",
            '[mcp_servers.a]\ncommand = "x"\nargs = ["y"]\nenv_vars = ["HOME"]\n[mcp_servers.a.env]\nKEY = "1"\n',
            {"stdio": ["x", "y"], "env": ["KEY", "HOME"]},
        ),
        (
            "config.toml",
            (
                '[mcp_servers.a]\nurl = "https://h/mcp"\nbearer_token_env_var = "TOKEN"\n'
                'env_http_headers = {X-Org = "ORG"}\nhttp_headers = {X-Region = "eu"}\n'
            ),
            {
                "http": "https://h/mcp",
                "headers": {"X-Region": "$env.A_X_REGION", "X-Org": "$env.ORG", "Authorization": "Bearer $env.TOKEN"},
            },
        ),
        (
            ".gemini/settings.json",
            json.dumps({"mcpServers": {"a": {"httpUrl": "https://h/mcp", "headers": {"K": "$KEY"}}}}),
            {"http": "https://h/mcp", "headers": {"K": "$env.KEY"}},
        ),
        (".gemini/settings.json", json.dumps({"mcpServers": {"a": {"url": "https://h/x"}}}), {"sse": "https://h/x"}),
    ],
)
def test_every_format_becomes_the_server_of_a_spec(path: str, text: str, server: dict[str, Any]) -> None:
    (found,) = server_entries(path, text, None)
    assert (found.name, found.server) == ("a", server)


def test_credentials_become_references_by_a_stated_rule() -> None:
    found = entry({
        "mcpServers": {
            "My Git": {
                "command": "npx",
                "args": [
                    *("mcp-remote", "https://eve:pw123@h/mcp?api_key=abc&region=eu#t", "--api-key", "hunter2"),
                    *("--token=hunter3", "--port", "80", "Authorization: Bearer hunter4", "PASSWORD=hunter5"),
                    *("--url=https://h/s/ab12cd34ef56ab12cd34/mcp", "--mode", "${MODE}", "--secret", "x${KEY}"),
                ],
                "env": {"TOKEN": "hunter6", "OTHER": "${HOME}"},
            }
        }
    })  # fmt: skip
    assert found.toolset == "mcp.my_git"
    assert found.server["stdio"] == [
        *("npx", "mcp-remote", "https://$env.MY_GIT_USER@h/mcp?api_key=$env.MY_GIT_API_KEY&region=eu#t"),
        *("--api-key", "$env.MY_GIT_API_KEY_2", "--token=$env.MY_GIT_TOKEN", "--port", "80", "$env.MY_GIT_ARG_8"),
        *("PASSWORD=$env.MY_GIT_PASSWORD", "--url=https://h/s/$env.MY_GIT_PATH/mcp", "--mode", "$env.MODE"),
        *("--secret", "$env.MY_GIT_SECRET"),
    ]
    assert found.server["env"] == ["TOKEN", "OTHER"]
    values = found.references.values
    assert values["MY_GIT_API_KEY_2"] == "hunter2"
    assert values["MY_GIT_USER"] == "eve:pw123"
    environment = found.references.environment({"HOME": "/home/ann", "TOKEN": "mine"})
    assert (environment["OTHER"], environment["TOKEN"]) == ("/home/ann", "mine")
    assert {"TOKEN", "MODE", "KEY", "MY_GIT_SECRET"} <= found.references.origins.keys()


TOKENS = st.text("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", min_size=20, max_size=40).filter(
    lambda token: sum(map(str.isdigit, token)) > 2 and not token.isdigit()
)
VALUES = TOKENS | st.text(st.characters(codec="ascii", exclude_characters="${}"), min_size=12).filter(str.strip)
SECRET_NAMES = st.sampled_from(["api_key", "token", "X-Api-Key", "access_token", "client-secret", "PASSWORD"])


@given(st.data(), VALUES, TOKENS, SECRET_NAMES)
def test_no_literal_credential_gets_into_a_spec(data: st.DataObject, value: str, token: str, name: str) -> None:
    """Values of variables and headers, values behind names of secrets, and whatever looks random."""
    described = data.draw(
        st.sampled_from([
            {"command": "x", "env": {name: value}},
            {"command": "x", "args": [f"--{name}", f"p{value}"]},
            {"command": "x", "args": [f"--{name}={token}"]},
            {"command": "x", "args": [f"{name}={token}"]},
            {"command": "x", "args": [token]},
            {"command": "x", "args": [f"https://h/{token}/mcp", f"--url=https://u:{token}@h/"]},
            {"url": f"https://h/mcp?{name}={token}"},
            {"url": f"https://h/mcp?x={token}#{token}"},
            {"url": f"https://{token}@h/mcp/{token}"},
            {"url": "https://h/mcp", "headers": {name: value, "Accept": f"{value} ${{X}}"}},
            {"url": "https://h/mcp", "headers": {"Authorization": f"Bearer {token}"}},
        ])
    )  # fmt: skip
    found = entry({"mcpServers": {"a": described}})
    literal = value if value in json.dumps(described) and value.strip() not in ("", "x", "https://h/mcp") else token
    assert literal not in json.dumps(found.server)
    assert token not in json.dumps(found.server)
    assert literal not in json.dumps(found.references.origins)
    assert literal not in repr(found)


HIDDEN = "hunter2secretpw"


@pytest.mark.parametrize(
    "arguments",
    [
        ["--header", "Authorization: Basic aHVudGVyMnNlY3JldHB3Og=="],  # the name ends at the colon, not at `=`
        ["--header=Authorization: Basic aHVudGVyMnNlY3JldHB3Og=="],
        [f"Server=tcp://db;User=a;Password={HIDDEN}"],
        [f"AccountKey={HIDDEN}==;Endpoint=https://h"],
        [f'{{"url": "https://h/x", "apiKey": "{HIDDEN}"}}'],
        ["-c", f"curl -H 'Authorization: Bearer {HIDDEN}' https://h/x"],
        ["-c", f"API_KEY={HIDDEN} serve --url https://h/x"],
        [f"https://a/x,https://u:{HIDDEN}@b/y"],
        [f"--url=https://h/mcp?key={HIDDEN}"],
        ["https://sk-hunter2secretpw0123456789.example.com/x"],
        ["--user", f"admin:{HIDDEN}"],
        ["-u", f"admin:{HIDDEN}"],
        ["--pat", HIDDEN],
        ["--key", HIDDEN],
        ["--token", f"${{PREFIX}}/{HIDDEN}"],
    ],
    ids=lambda arguments: " ".join(arguments)[:30],
)
def test_a_credential_in_the_middle_of_an_argument_becomes_a_reference(arguments: list[str]) -> None:
    """What an argument looks like as a whole decides, after its parts were looked at."""
    found = entry({"mcpServers": {"a": {"command": "x", "args": arguments}}})
    shown = json.dumps(found.server)
    assert HIDDEN not in shown
    assert "aHVudGVy" not in shown
    environment = found.references.environment({"PREFIX": "p"})
    resolved = McpServer.from_catalog(found.server).resolved(environment)
    assert list(resolved.stdio) == ["x", *(each.replace("${PREFIX}", "p") for each in arguments)]
    assert set(re.findall(r"env\.(\w+)", shown)) <= found.references.origins.keys()


def test_a_value_with_references_and_text_is_put_together_for_the_import() -> None:
    found = entry({"mcpServers": {"a": {"url": "https://h/mcp", "headers": {"X": "v ${X} w"}}}})
    assert found.server["headers"] == {"X": "$env.A_X"}
    assert found.references.environment({"X": "1"})["A_X"] == "v 1 w"


def test_a_reference_that_runs_into_the_next_word_is_an_error() -> None:
    with pytest.raises(click.UsageError, match="letters right behind"):
        entry({"mcpServers": {"a": {"url": "https://${HOST}name/mcp"}}})


def servers(entries: dict[str, Any], only: str | None = None) -> dict[str, ServerEntry]:
    return {found.name: found for found in server_entries("mcp.json", json.dumps({"servers": entries}), only)}


def test_a_literal_does_not_take_the_name_of_another_variable() -> None:
    args = ["--token", "t-111111", "--key", "k-111111"]
    found = servers({"a": {"command": "x", "args": args, "env": {"A_TOKEN": "t-222222", "OTHER": "${A_KEY}"}}})["a"]
    assert found.server["stdio"] == ["x", "--token", "$env.A_TOKEN_2", "--key", "$env.A_KEY_2"]
    environment = found.references.environment({"A_KEY": "k-222222"})
    assert environment["A_TOKEN"] == "t-222222"
    assert environment["A_TOKEN_2"] == "t-111111"
    assert (environment["A_KEY_2"], environment["OTHER"]) == ("k-111111", "k-222222")


def test_what_an_editor_asks_for_has_a_variable_for_each_name() -> None:
    headers = {"X-A": "${input:api-key}", "X-B": "${input:api_key}", "X-C": "Bearer ${input:api-key}", "Api-Key": "v"}
    found = servers({"a": {"url": "https://h", "headers": headers}})["a"]
    assert found.server["headers"] == {
        "X-A": "$env.A_API_KEY", "X-B": "$env.A_API_KEY_2", "X-C": "Bearer $env.A_API_KEY",
        "Api-Key": "$env.A_API_KEY_3",
    }  # fmt: skip


SERVERS = st.sampled_from(["a", "a_b", "a-b", "A", "a_b_c"])
PLACES = st.sampled_from(["b-c", "b_c", "c", "C", "key", "token"])


@given(st.dictionaries(SERVERS, st.tuples(*[st.lists(PLACES, max_size=3, unique=True)] * 3), min_size=1), st.data())
def test_no_two_credentials_share_a_variable(
    shapes: dict[str, tuple[list[str], list[str], list[str]]], data: st.DataObject
) -> None:
    """Those of one server, and of several, whichever of them are imported; a variable of a program keeps its name."""
    entries: dict[str, Any] = {}
    for server, (headers, flags, env) in shapes.items():
        if headers:
            literal = {name: f"h-{server}-{name}-{index}" for index, name in enumerate(headers)}
            entries[server] = {"url": "https://h.example", "headers": literal}
            continue
        args = [text for index, name in enumerate(flags) for text in (f"--{name}-token", f"f-{server}-{index}")]
        literal = {f"A_{name.upper().replace('-', '_')}_TOKEN": f"e-{server}-{index}" for index, name in enumerate(env)}
        entries[server] = {"command": "x", "args": args, "env": literal}
    found = servers(entries)

    values: dict[str, set[str]] = {}
    for each in found.values():
        own = entries[each.name].get("env", {})
        environment = each.references.environment({})
        assert {name: environment[name] for name in own} == own
        for name, value in environment.items():
            if name not in own:
                values.setdefault(name, set()).add(value)
    fixed = {name for each in entries.values() for name in each.get("env", {})}
    assert all(len(each) == 1 for each in values.values())
    assert fixed.isdisjoint(values)
    only = data.draw(st.sampled_from(sorted(entries)))
    assert servers(entries, only)[only].server == found[only].server


def test_servers_that_are_switched_off_are_imported_by_name_alone() -> None:
    data = {"mcpServers": {"on": STDIO, "off": STDIO | {"disabled": True}, "out": STDIO | {"enabled": False}}}
    assert entry(data).name == "on"
    assert entry(data, only="off").name == "off"


@pytest.mark.parametrize(
    ("name", "toolset"), [("GitHub", "github"), ("a__b.c_", "a_b_c"), ("7zip", "server_7zip"), ("é", "server")]
)
def test_toolsets_are_named_after_entries(name: str, toolset: str) -> None:
    assert entry({"mcpServers": {name: STDIO}}).toolset == f"mcp.{toolset}"


@pytest.mark.parametrize(
    ("path", "text", "only", "said"),
    [
        ("a.json", "{", None, "a.json is not valid JSON"),
        ("a.toml", "[", None, "a.toml is not valid TOML"),
        ("a.json", '{"mcpServers": {}}', None, "a.json has no MCP servers: they are under one of `mcpServers`, "),
        ("a.json", '{"mcpServers": {"a": {}}}', None, "`a` of a.json cannot be read: it has neither a `command`"),
        ("a.json", '{"mcpServers": {"a": 1}}', None, "`a` of a.json cannot be read: it is not an object"),
        ("a.json", '{"mcpServers": {"a": {"command": "x", "args": "y"}}}', None, "`args` is not a list"),
        ("a.json", '{"mcpServers": {"a": {"command": "x", "env": [1]}}}', None, "`env` is not an object"),
        ("a.json", '{"mcpServers": {"a": {"url": "x", "headers": 1}}}', None, "`headers` is not an object"),
        ("a.json", '{"mcpServers": {"a": {"url": "x"}}}', "b", "a.json has no server `b`. It has a."),
    ],
)
def test_what_is_no_server_is_an_error(path: str, text: str, only: str | None, said: str) -> None:
    with pytest.raises(click.UsageError) as caught:
        server_entries(path, text, only)
    assert said in caught.value.message
