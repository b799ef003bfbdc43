"""Reach: no door starts a program, or sends a variable, for a spec of any kind, that nobody has agreed to."""

from __future__ import annotations

import asyncio
import json
import re
import sys
import threading
from base64 import b64decode
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from zlib import crc32

import pytest

from tests.project.checkout import ROOT
from tests.unit.cli.at_terminal import at_terminal
from tests.unit.cli.command_line import toolgen
from tests.unit.execute.http.api import package_of
from toolgen.compiler.resolve.toolsets.http import is_base_url
from toolgen.execute import CommandHost, specified_executors
from toolgen.execute.reach import Reached, reached
from toolgen.runtime import PathPolicy, Runtime, ToolRequest, allow_all
from toolgen.runtime.base.errors import ExecutorError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from toolgen.runtime import Catalog

RAW_SERVER = ROOT / "tests" / "unit" / "execute" / "mcp" / "raw_server.py"
KEY = "hunter2hunter2"
_GET = "tools: {get: {description: Get., permission: readonly, args: {}, http: {method: GET, path: /a}}}\n"
_TOOL = "tools: {get: {description: Get., permission: readonly, args: {}}}\n"
KINDS = {
    "the auth of an API": "kind: http\napi: {base_url: 'URL', auth: {key: {type: bearer, token: $env.SHOP_KEY}}}\n"
    + _GET,
    "a header of an API": "kind: http\napi: {base_url: 'URL', headers: {X-Key: Key $env.SHOP_KEY}}\n" + _GET,
    "a tool with a URL of its own": "kind: http\napi: {base_url: 'https://api.shop.example', "
    "auth: {key: {type: api_key, in: query, name: k, value: $env.SHOP_KEY}}}\n"
    + _GET.replace("/a", "/a, base_url: 'URL'"),
    "the token endpoint of an API": "kind: http\napi: {base_url: 'http://127.0.0.1:9', auth: {key: {type: oauth2, "
    "token_url: 'URL/token', client_id: $env.SHOP_KEY, client_secret: $env.SHOP_KEY}}}\n" + _GET,
    "a server with a URL": "kind: mcp\nserver: {http: 'URL/mcp', headers: {X-Key: $env.SHOP_KEY}}\n" + _TOOL,
    "a server that is a program": "kind: mcp\nserver: {stdio: ARGV, env: [SHOP_KEY]}\n" + _TOOL,
    "a command that is a program": "kind: command\n"
    + _TOOL.replace("args: {}", "args: {}, command: {exec: ARGV, env: [SHOP_KEY]}"),
}
"""Specs that send a variable of the environment, by what they send it with."""

OPEN = "toolgen: 1\npolicy: open\nrules: {'*': allow}\nnetwork: {'*': allow}\n"
"""The repository's own policy, which asks nobody about anything."""


class Listener(ThreadingHTTPServer):
    """A host that notes what it is sent."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.received = ""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        listener: Any = self.server
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        listener.received += f"{self.path} {self.headers} {body}\n"
        self.send_response(404)
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_POST = do_GET  # noqa: N815  # the name in http.server

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the name in http.server
        pass


@pytest.fixture
def listener() -> Iterator[Listener]:
    with Listener() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


class Clone:
    """A repository that somebody cloned: its specs are not theirs."""

    def __init__(self, folder: Path, listener: Listener) -> None:
        self.folder, self._listener = folder, listener
        (folder / "specs").mkdir(parents=True)
        (folder / "specs/open.yaml").write_text(OPEN)

    def write(self, kind: str, **changes: str) -> None:
        """Write and build a spec. `changes` are texts of it and what stands there instead."""
        mark = f"open({str(self.folder / 'started')!r}, 'a').write(os.environ.get('SHOP_KEY', ''))"
        script = f"import os; {mark}; exec(open({str(RAW_SERVER)!r}).read())"
        text = KINDS[kind].replace("URL", self._listener.url)
        text = text.replace("ARGV", json.dumps([sys.executable, "-c", script, "."]))
        for old, new in changes.items():
            assert old in text
            text = text.replace(old, new)
        name = "mcp.shop" if "kind: mcp" in text else "shop"
        (self.folder / "specs/shop.yaml").write_text(f"toolgen: 1\ntoolset: {name}\n{text}")
        built = toolgen(self.folder, "build")
        assert built.code == 0, built.err
        self.tool = f"{name}.get"

    @property
    def leaked(self) -> bool:
        """Whether the variable was sent, or the program started, since this was asked last."""
        mark = self.folder / "started"
        found = mark.exists() or KEY in self._listener.received
        mark.unlink(missing_ok=True)
        self._listener.received = ""
        return found

    def at_a_terminal(self, *arguments: str, answer: str = "y\n") -> str:
        """Run a command at a terminal, and return what it shows there."""
        return at_terminal(self.folder, *arguments, answer=answer)


@pytest.fixture(autouse=True)
def _environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_KEY", KEY)
    monkeypatch.setenv("OTHER_KEY", KEY)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


@pytest.fixture
def clone(tmp_path: Path, listener: Listener) -> Clone:
    return Clone(tmp_path / "clone", listener)


def catalog_of(folder: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> Catalog:
    """Compile the spec of a toolset, `shop` or `mcp.shop`."""
    monkeypatch.syspath_prepend(str(folder))
    name = f"reached_{crc32(text.encode())}"
    toolset = "mcp.shop" if "kind: mcp" in text else "shop"
    return package_of(folder, name, f"toolgen: 1\ntoolset: {toolset}\n{text}")


@pytest.mark.parametrize("kind", KINDS)
def test_no_spec_reaches_in_code_what_the_host_does_not_allow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, listener: Listener, kind: str
) -> None:
    mark = tmp_path / "started"
    argv = json.dumps([sys.executable, "-c", f"open({str(mark)!r}, 'a')"])
    catalog = catalog_of(tmp_path, monkeypatch, KINDS[kind].replace("URL", listener.url).replace("ARGV", argv))
    (toolset,) = catalog.toolsets
    may_not: dict[str, Any] = {"may_reach": lambda each: "SHOP_KEY" not in each.variables}
    commands = CommandHost(paths=PathPolicy(str(tmp_path)))
    for settings in ({}, may_not):
        with pytest.raises(ExecutorError, match=r"nobody has allowed that .*, with the values of SHOP_KEY"):
            specified_executors(catalog, commands=commands, **settings)
    assert len(specified_executors(catalog, may_reach=lambda _: True)) == ("command" not in kind)  # no folder is named
    (registration,) = specified_executors(catalog, may_reach=lambda _: True, commands=commands)
    executor: Any = registration.executor

    async def call() -> None:
        await Runtime(catalog, executors=[registration], permission=allow_all).invoke(
            ToolRequest(name=f"{toolset}.get")
        )
        if hasattr(executor, "close"):
            await executor.close()

    asyncio.run(call())
    received = listener.received + base64_texts(listener.received)
    assert KEY in received or mark.exists(), "the spec of this test sends nothing"


def base64_texts(text: str) -> str:
    """Return what is base64 in headers of basic authentication."""
    return "".join(b64decode(each).decode() for each in re.findall(r"Basic (\S+)", text))


AT_THE_COMMAND_LINE = (
    "the auth of an API", "a server with a URL", "a server that is a program", "a command that is a program",
)  # fmt: skip


@pytest.mark.parametrize("kind", AT_THE_COMMAND_LINE)
def test_no_command_reaches_what_nobody_has_allowed(clone: Clone, kind: str) -> None:
    clone.write(kind)
    call = ["call", clone.tool, "{}"]
    for command in (call, ["serve"], ["serve", "--http", "0"]):
        done = toolgen(clone.folder, *command)
        assert done.code == 2, (command, done.err)
        assert ", with the values of SHOP_KEY\n" in done.err
        assert "pass --trust-specs" in done.err
        assert KEY not in done.err
        assert not clone.leaked, command
    toolgen(clone.folder, *call, "--yes")
    assert clone.leaked, "the specs of this test send nothing"
    assert "serving 1 tool" in toolgen(clone.folder, "serve", "--trust-specs").err


def test_a_login_shows_the_host_that_gets_a_variable_before_it_does(clone: Clone) -> None:
    clone.write("a server with a URL")
    done = toolgen(clone.folder, "login", "mcp.shop", "--no-browser")
    assert done.code == 2
    assert "/mcp, with the values of SHOP_KEY\n" in done.err
    assert not clone.leaked
    toolgen(clone.folder, "login", "mcp.shop", "--no-browser", "--yes")
    assert clone.leaked


@pytest.mark.parametrize(
    "kind",
    [
        "the auth of an API",
        "a command that is a program",
        pytest.param("a server that is a program", marks=pytest.mark.long),
    ],
)
def test_consent_is_remembered_for_exactly_what_was_shown(clone: Clone, kind: str, listener: Listener) -> None:
    clone.write(kind)
    call = ("call", clone.tool, "{}")
    assert clone.at_a_terminal(*call, answer="n\n").count("Go on?") == 1
    assert not clone.leaked
    toolgen(clone.folder, *call, "--yes")  # which is for this call alone
    assert clone.leaked
    assert toolgen(clone.folder, *call).code == 2
    assert not clone.leaked
    assert clone.at_a_terminal(*call).count("Go on?") == 1
    assert clone.leaked
    for command in (call, ("serve",)):
        done = toolgen(clone.folder, *command)
        assert "with the values of" not in done.err
        assert "pass --" not in done.err
    assert clone.leaked
    for change in _changes(kind, listener):
        clone.write(kind, **change)
        done = toolgen(clone.folder, *call)
        assert (done.code, "pass --trust-specs" in done.err) == (2, True), change
        assert not clone.leaked, change
    clone.write(kind)
    assert "pass --" not in toolgen(clone.folder, *call).err


def _changes(kind: str, listener: Listener) -> list[dict[str, str]]:
    """What stands elsewhere in a spec with another variable, with one more, and with another host or program."""
    if "program" in kind:
        return [{"[SHOP_KEY]": "[OTHER_KEY]"}, {"[SHOP_KEY]": "[SHOP_KEY, OTHER_KEY]"}, {'"-c"': '"-Bc"'}]
    more, place = "X-O: $env.OTHER_KEY", "headers: {" if "headers: {" in KINDS[kind] else "api: {"
    return [
        {"$env.SHOP_KEY": "$env.OTHER_KEY"},
        {place: f"{place}{more}, " if place == "headers: {" else f"{place}headers: {{{more}}}, "},
        {listener.url: listener.url.replace("127.0.0.1", "localhost")},
    ]


def test_consent_is_of_one_project(clone: Clone, tmp_path: Path, listener: Listener) -> None:
    clone.write("the auth of an API")
    assert clone.at_a_terminal("call", "shop.get", "{}").count("Go on?") == 1
    assert clone.leaked
    other = Clone(tmp_path / "other", listener)
    other.write("the auth of an API")
    assert toolgen(other.folder, "call", "shop.get", "{}").code == 2
    assert not other.leaked
    kept = tmp_path / "config/toolgen/consents.json"
    assert kept.stat().st_mode & 0o77 == 0
    kept.chmod(0o644)
    done = toolgen(clone.folder, "call", "shop.get", "{}")
    assert (done.code, "can be read by others" in done.err) == (2, True)


def test_what_an_app_in_the_process_answers_is_sent_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = KINDS["the auth of an API"].replace("base_url: 'URL'", "app: 'app:app'")
    assert reached(catalog_of(tmp_path, monkeypatch, text), "shop") == []


def test_each_part_of_what_is_reached_is_bound() -> None:
    found = Reached(named_by="mcp.shop", program=("run",), variables=("SHOP_KEY",))
    others = [
        replace(found, named_by="mcp.other"),
        replace(found, program=("run", "x")),
        replace(found, variables=("SHOP_KEY", "X")),
        replace(found, url="https://h"),
        replace(found, code="m:f"),
    ]
    assert len({found, *others}) == 6


SEARCHING = ['function = "own_vectors:embed"', pytest.param('path = "model"', marks=pytest.mark.long), "url"]
LOOKS = ("list", "stats", "prompt", "export openai", "docs", "lint", "show shop.get", "policy explain shop.get")


@pytest.mark.parametrize("searching", SEARCHING)
def test_an_embedding_class_of_a_repository_is_asked_about_where_it_is_used(
    clone: Clone, searching: str, listener: Listener
) -> None:
    clone.write("the auth of an API")
    endpoint = f'{{url = "{listener.url}", model = "m", key_variable = "SHOP_KEY"}}'
    settings = f"classes.own = {endpoint}" if searching == "url" else f"classes.own.{searching}"
    (clone.folder / "toolgen.toml").write_text(
        f'[action_retrieval]\nembedding_class = "own"\n{settings}\n[tool_use]\nchat = "retrieval"\n'
    )
    (clone.folder / "own_vectors.py").write_text(
        f"open({str(clone.folder / 'started')!r}, 'w')\ndef embed(texts): return [[1.0]] * len(texts)\n"
    )
    assert toolgen(clone.folder, "build").code == 0
    for command in LOOKS:
        done = toolgen(clone.folder, *command.split())
        assert "Traceback" not in done.err
        assert not clone.leaked, (command, done.err)
    for asked in (("search", "get"), ("eval", "suggest")):
        done = toolgen(clone.folder, *asked)
        assert done.code == 2
        assert "the embedding class own " in done.err
        assert "pass --yes" in done.err
        assert not clone.leaked
    toolgen(clone.folder, "search", "get", "--yes")
    assert clone.leaked == (searching != 'path = "model"')


@pytest.mark.parametrize(
    "host",
    [
        "good.example\u3002evil.example",
        "evil.example\\good.example",
        "good.example%2eevil.example",
        "\uff45vil.example",
    ],
)
def test_no_url_of_a_spec_has_a_host_that_clients_read_otherwise(host: str) -> None:
    assert not is_base_url(f"https://{host}")
    assert is_base_url("https://good.example:8443/v1")
    assert is_base_url("http://[::1]:80")
    assert is_base_url("https://$env.TENANT.good.example")
