"""`toolgen login`: the whole OAuth flow against a real server, and where its tokens are kept and used."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.project.checkout import ROOT
from tests.unit.cli.forked_python import forked_python
from tests.unit.execute.mcp import conftest as servers
from toolgen.execute.mcp.tokens import LoginStore
from toolgen.execute.user_file import UserFile
from toolgen.runtime.base.errors import ExecutorError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

PROGRAM = servers.PROGRAM.with_name("oauth_server.py")


@dataclass
class Private:
    """A server that wants a login, and a user with a project in a folder."""

    folder: Path
    url: str

    @property
    def environment(self) -> dict[str, str]:
        backend = {"PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring"}  # the user has no keyring
        config = {"XDG_CONFIG_HOME": str(self.folder / "config"), "PYTHONPATH": str(ROOT)}
        return {**os.environ, **backend, **config}

    @property
    def logins(self) -> Path:
        return self.folder / "config" / "toolgen" / "logins.json"

    @property
    def given(self) -> list[str]:
        """By what each token was given: a code, or a refresh."""
        file = self.folder / "tokens"
        return [line.split()[0] for line in file.read_text().splitlines()] if file.exists() else []

    def toolgen(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [forked_python(), "-m", "toolgen", "-C", str(self.folder), *arguments]
        return subprocess.run(command, capture_output=True, text=True, env=self.environment, check=False, timeout=120)

    def login(self, *, before: Callable[[str], None] = lambda page: None) -> tuple[int, str]:
        """Log in as a person does: open the page that is printed. `before` gets it first."""
        command = [forked_python(), "-m", "toolgen", "login", "--url", self.url, "--no-browser"]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=self.environment
        ) as process:
            assert process.stdout is not None
            printed = process.stdout.readline()
            if page := re.fullmatch(r"Sign in at (\S+)\n", printed):
                before(page[1])
                with urllib.request.urlopen(page[1]) as answer:  # noqa: S310  # the page is of the server above
                    printed += answer.read().decode()
            printed += process.stdout.read()
            return process.wait(), printed


@pytest.fixture
def private(tmp_path: Path) -> Iterator[Private]:
    port = servers.free_port()
    process = servers.serve([forked_python(), str(PROGRAM), str(tmp_path), str(port)], port)
    yield Private(tmp_path, f"http://127.0.0.1:{port}/mcp")
    process.kill()
    process.wait()


def test_a_login_is_used_by_imports_and_refreshed(private: Private) -> None:
    unknown = private.toolgen("import", "mcp", "--url", private.url, "--toolset", "mcp.private")
    assert unknown.returncode == 2
    wanted = f"Error: cannot connect to {private.url}: it wants a login: run `toolgen login --url {private.url}`.\n"
    assert unknown.stderr.endswith(wanted)

    (private.folder / "seconds").write_text("1")
    code, printed = private.login()
    assert code == 0, printed
    assert "The login goes on in the terminal. You can close this page." in printed
    assert printed.endswith(f"Signed in to {private.url}\n")
    assert private.given == ["code"]
    assert private.logins.stat().st_mode & 0o777 == 0o600
    assert private.logins.parent.stat().st_mode & 0o777 == 0o700

    time.sleep(max(0, private.logins.stat().st_mtime + 1.1 - time.time()))  # until the access token has expired
    (private.folder / "seconds").write_text("3600")
    with_login = private.toolgen("import", "mcp", "--url", private.url, "--toolset", "mcp.private")
    assert (with_login.returncode, with_login.stdout) == (0, "specs/private.yaml: 1 tool, 1 new\n"), with_login.stderr
    assert private.given == ["code", "refresh"]
    again = private.toolgen("import", "mcp", "--toolset", "mcp.private")
    assert (again.returncode, again.stdout) == (0, "specs/private.yaml: 1 tool, up to date\n"), again.stderr
    assert private.given == ["code", "refresh"]
    tokens = [line.split()[1] for line in (private.folder / "tokens").read_text().splitlines()]
    assert not any(token in (private.folder / "specs" / "private.yaml").read_text() for token in tokens)

    login = json.loads(private.logins.read_text())
    login[private.url]["tokens"] |= {"access_token": "revoked", "refresh_token": "revoked"}
    private.logins.write_text(json.dumps(login))
    expired = private.toolgen("import", "mcp", "--toolset", "mcp.private")
    assert expired.returncode == 2
    assert expired.stderr.endswith(f"the login has expired: run `toolgen login --url {private.url}`.\n")

    private.logins.chmod(0o640)
    readable = private.toolgen("import", "mcp", "--toolset", "mcp.private")
    assert (readable.returncode, f"run chmod 600 {private.logins}" in readable.stderr) == (2, True)


def test_a_refused_login_leaves_nothing(private: Private) -> None:
    (private.folder / "refuse").touch()
    code, printed = private.login()
    assert code == 2
    assert "the server refused the login: not you" in printed
    assert not private.logins.exists()


def test_whoever_does_not_know_the_state_of_a_login_cannot_end_it(private: Private) -> None:
    """Any page in the browser, and any program of the machine, can send requests to the port."""
    idle: list[socket.socket] = []
    statuses: list[int] = []

    def attack(page: str) -> None:
        query = parse_qs(urlsplit(page).query)
        (redirect,) = query["redirect_uri"]
        port = urlsplit(redirect).port
        assert port is not None
        idle.append(socket.create_connection(("127.0.0.1", port)))  # as browsers do, to be faster
        for forged in ("code=forged", "code=forged&state=forged", "error=denied", "error=denied&state=", ""):
            with pytest.raises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(f"{redirect}?{forged}")  # noqa: S310  # the port of the login
            statuses.append(refused.value.code)
            refused.value.close()

    code, printed = private.login(before=attack)
    idle[0].close()
    assert (code, statuses) == (0, [400] * 5), printed
    assert private.given == ["code"]


def test_a_server_whose_url_has_a_variable_is_signed_in_to(private: Private, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRIVATE_PORT", str(urlsplit(private.url).port))
    url, private.url = private.url, "http://127.0.0.1:$env.PRIVATE_PORT/mcp"
    code, printed = private.login()
    assert code == 0, printed
    assert json.loads(private.logins.read_text()).keys() == {url}
    imported = private.toolgen("import", "mcp", "--url", private.url, "--toolset", "mcp.private")
    assert imported.returncode == 0, imported.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "Give SERVER or --url: one of them."),
        (("x", "--url", "http://h"), "Give SERVER or --url: one of them."),
        (("x",), "There is no spec of mcp.x with a `server`: give --url."),
        (
            ("--url", "http://127.0.0.1:9/mcp"),
            "cannot connect to http://127.0.0.1:9/mcp: All connection attempts failed.",
        ),
    ],
)
def test_what_cannot_be_signed_in_to_is_an_error(tmp_path: Path, options: tuple[str, ...], said: str) -> None:
    done = Private(tmp_path, "").toolgen("login", *options)
    assert (done.returncode, f"Error: {said}\n" in done.stderr) == (2, True), done.stderr


class Keyring:
    """The part of a keyring that a store uses."""

    priority = 1

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], str] = {}

    def set_password(self, service: str, name: str, text: str) -> None:
        self.kept[service, name] = text

    def get_password(self, service: str, name: str) -> str | None:
        return self.kept.get((service, name))


def test_tokens_are_in_the_keyring_where_there_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import keyring

    ring: Any = Keyring()
    monkeypatch.setattr(keyring, "get_keyring", lambda: ring)
    store = LoginStore(tmp_path / "x" / "logins.json")
    assert store.get("http://h") is None
    store.put("http://h", {"tokens": "t"})
    assert store.get("http://h") == {"tokens": "t"}
    assert json.loads(store.file.read_text()) == {"http://h": "keyring"}
    assert ring.kept == {("toolgen-mcp", "http://h"): '{"tokens": "t"}'}


@pytest.mark.parametrize(("text", "said"), [("{", "cannot be read"), ("[]", "has no JSON object")])
def test_a_broken_file_of_logins_is_an_error(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "logins.json"
    file.write_text(text)
    file.chmod(0o600)
    with pytest.raises(ExecutorError, match=said):
        LoginStore(file).get("http://h")


def test_logins_that_are_stored_at_the_same_time_are_all_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tokens of several servers expire together, and a refresh token that is lost is a login that is lost."""
    monkeypatch.setattr("toolgen.execute.mcp.tokens._keyring", lambda: None)
    store = LoginStore(tmp_path / "x" / "logins.json")
    urls = [f"http://h/{number}" for number in range(40)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda url: store.put(url, {"tokens": url}), urls))
    assert [store.get(url) for url in urls] == [{"tokens": url} for url in urls]
    assert {file.stat().st_mode & 0o777 for file in store.file.parent.iterdir()} == {0o600}


def test_one_process_at_a_time_changes_the_file(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from toolgen.execute.mcp import tokens\n"
        "tokens._keyring = lambda: None\n"
        "print('ready', flush=True)\n"
        "tokens.LoginStore(Path(sys.argv[1])).put('http://other', {'tokens': 't'})\n"
    )
    store = LoginStore(tmp_path / "logins.json")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [forked_python(), "-c", program, str(store.file)]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) as other:
        with UserFile(store.file).changed() as logins:
            assert other.stdout is not None
            other.stdout.readline()
            with pytest.raises(subprocess.TimeoutExpired):
                other.wait(0.5)
            logins["http://own"] = {"tokens": "t"}
        assert other.wait(60) == 0
    assert json.loads(store.file.read_text()).keys() == {"http://own", "http://other"}


def test_a_keyring_that_refuses_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import keyring
    from keyring.errors import KeyringLocked

    class Locked(Keyring):
        def set_password(self, service: str, name: str, text: str) -> None:
            raise KeyringLocked("it is locked")

        def get_password(self, service: str, name: str) -> str | None:
            raise KeyringLocked("it is locked")

    monkeypatch.setattr(keyring, "get_keyring", Locked)
    file = tmp_path / "logins.json"
    store = LoginStore(file)
    with pytest.raises(ExecutorError, match="the keyring of the system cannot be used: it is locked"):
        store.put("http://h", {"tokens": "t"})
    file.write_text('{"http://h": "keyring"}')
    file.chmod(0o600)
    with pytest.raises(ExecutorError, match="cannot be used: it is locked"):
        store.get("http://h")
