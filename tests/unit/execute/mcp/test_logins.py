"""Stored logins: an answer of a person is for the login that they were asked about, and for no other account."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
import urllib.request
from textwrap import indent
from typing import TYPE_CHECKING, Any

import httpx2
import pytest
from mcp.client.auth import OAuthFlowError, OAuthRegistrationError, OAuthTokenError
from mcp.shared.auth import OAuthToken

from tests.together import READY, together
from tests.unit.cli.forked_python import forked_python
from tests.unit.execute.http.api import package_of
from tests.unit.execute.mcp import conftest as servers
from toolgen.contract.records import ToolRequest
from toolgen.execute.mcp import McpExecutor, McpServer, mcp_executor
from toolgen.execute.mcp import tokens as tokens_of_logins
from toolgen.execute.mcp.sign_in import mcp_sign_in
from toolgen.execute.mcp.tokens import LoginAuth, LoginStore, Tokens, client_metadata, stored_auth
from toolgen.runtime import Runtime, allow_all
from toolgen.runtime.base.errors import CallFailed, ExecutorError
from toolgen.runtime.policy.approval import answered, ask_before_call, question_id
from toolgen.runtime.policy.permission import Decision, PermissionDecision, PermissionRequest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from toolgen.runtime import Catalog

PROGRAM = servers.PROGRAM.with_name("oauth_server.py")
SECRET = "mcp.private.secret"
SPEC = """
toolgen: 1
toolset: mcp.private
kind: mcp
server: {{http: "{url}", retries: 1, on_drift: warn}}
tools:
  secret:
    description: Return the secret.
    permission: write
    tags: [{tags}]
    args: {{}}
    result: {{type: object, properties: {{result: {{type: string}}}}, required: [result]}}
"""
NAMES = iter(range(1000))


@pytest.fixture
def url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A server that wants a login, and a user without a keyring."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    port = servers.free_port()
    process = servers.serve([forked_python(), str(PROGRAM), str(tmp_path), str(port)], port)
    yield f"http://127.0.0.1:{port}/mcp"
    process.kill()
    process.wait()


def catalog_of(url: str, folder: Path, tags: str = "network", retries: int = 1) -> Catalog:
    spec = SPEC.format(url=url, tags=tags).replace("retries: 1", f"retries: {retries}")
    return package_of(folder, f"logins_{next(NAMES)}", spec)


def runtime_of(catalog: Catalog) -> Runtime:
    return Runtime(catalog, executors=[mcp_executor(catalog, "mcp.private")], permission=allow_all)


def given(folder: Path) -> list[str]:
    """What the server did with tokens."""
    return [line.split()[0] for line in (folder / "tokens").read_text().splitlines()]


def expire(url: str) -> None:
    """Let the access token that is stored be over."""
    stored = LoginStore().get(url)
    assert stored is not None
    LoginStore().put(url, {**stored, "expires_at": 1.0})


async def sign_in(url: str) -> str:
    """Sign in anew, as another account may be; return the id of the login."""

    def show(page: str) -> None:
        asyncio.get_running_loop().run_in_executor(None, urllib.request.urlopen, page)  # the page is of the server

    assert await mcp_sign_in(McpServer(http=url), show)
    return LoginStore().id_of(url)


@pytest.mark.parametrize("tags", ["", "network"])
def test_an_answer_is_for_the_login_that_was_stored_when_it_was_asked_for(url: str, tmp_path: Path, tags: str) -> None:
    catalog = catalog_of(url, tmp_path, tags)

    async def calls() -> list[str]:
        runtime = Runtime(catalog, executors=[mcp_executor(catalog, "mcp.private")], permission=ask_before_call)
        run, request = runtime.start_run(), ToolRequest(name=SECRET, tool_call_id="c")
        codes: list[str] = []

        async def ask() -> PermissionRequest:
            question = await runtime.permission_request(request, run)
            assert question is not None
            return question

        async def call(question: PermissionRequest) -> None:
            with answered(question, PermissionDecision(decision=Decision.ALLOW_ONCE)):
                result = await runtime.invoke(request, run=run)
            codes.append(result.error.code if result.error else "ok")

        before = await ask()
        logins = [await sign_in(url)]
        await call(before)  # there was no login
        first = await ask()
        assert question_id(await ask()) == question_id(first)
        await call(first)
        logins.append(await sign_in(url))
        await call(first)
        second = await ask()
        await call(second)  # the connection of the first login is still open, and is not used
        assert len({*logins, ""}) == 3
        assert len({question_id(each) for each in (before, first, second)}) == 3
        return codes

    assert asyncio.run(calls()) == ["permission_denied", "ok", "permission_denied", "ok"]
    given, used = ((tmp_path / name).read_text().splitlines() for name in ("tokens", "calls"))
    assert used == [line.removeprefix("code ") for line in given]


def test_a_grant_of_a_session_is_for_one_login(url: str, tmp_path: Path) -> None:
    catalog = catalog_of(url, tmp_path)
    asked: list[str] = []

    def permission(request: PermissionRequest) -> Decision:
        asked.append(dict(request.scope or ())["login"])
        return Decision.ALLOW_FOR_SESSION

    async def calls() -> list[str]:
        runtime = Runtime(catalog, executors=[mcp_executor(catalog, "mcp.private")], permission=permission)
        run, logins = runtime.start_run(), []
        for _ in range(2):
            logins.append(await sign_in(url))
            for _ in range(2):
                result = await runtime.invoke(ToolRequest(name=SECRET), run=run)
                assert result.error is None, result.error
        return logins

    assert asyncio.run(calls()) == asked


def test_a_login_that_changes_while_a_person_decides_is_not_used(url: str, tmp_path: Path) -> None:
    catalog = catalog_of(url, tmp_path)

    async def permission(_request: PermissionRequest) -> Decision:
        await sign_in(url)
        return Decision.ALLOW_ONCE

    async def call() -> str:
        await sign_in(url)
        runtime = Runtime(catalog, executors=[mcp_executor(catalog, "mcp.private")], permission=permission)
        result = await runtime.invoke(ToolRequest(name=SECRET))
        return result.error.code if result.error else "ok"

    assert asyncio.run(call()) == "changed_since_asked"


def test_a_refresh_of_an_older_login_does_not_replace_the_one_that_is_stored(url: str, tmp_path: Path) -> None:
    catalog = catalog_of(url, tmp_path)

    async def calls() -> str:
        runtime = Runtime(catalog, executors=[mcp_executor(catalog, "mcp.private")], permission=allow_all)
        (tmp_path / "seconds").write_text("1")
        await sign_in(url)
        assert (await runtime.invoke(ToolRequest(name=SECRET))).error is None
        (tmp_path / "seconds").write_text("3600")
        later = await sign_in(url)
        await asyncio.sleep(1.1)  # until the token of the first login, whose connection is open, has expired
        assert (await runtime.invoke(ToolRequest(name=SECRET))).error is None
        return later

    later = asyncio.run(calls())
    given = [line.split()[0] for line in (tmp_path / "tokens").read_text().splitlines()]
    assert given[-2:] == ["code", "refresh"]  # on a busy machine the first login was refreshed before, too
    assert LoginStore().id_of(url) == later


def test_a_call_whose_login_cannot_be_read_is_refused_before_a_person_is_asked(url: str, tmp_path: Path) -> None:
    catalog = catalog_of(url, tmp_path)

    def permission(_request: PermissionRequest) -> Decision:
        raise AssertionError

    async def call() -> str:
        await sign_in(url)
        LoginStore().file.chmod(0o644)
        runtime = Runtime(catalog, executors=[mcp_executor(catalog, "mcp.private")], permission=permission)
        result = await runtime.invoke(ToolRequest(name=SECRET))
        return result.error.code if result.error else "ok"

    assert asyncio.run(call()) == "login_unreadable"


def test_the_state_of_a_login_is_known_without_asking_and_without_its_token(url: str, tmp_path: Path) -> None:
    async def test() -> None:
        executor = mcp_executor(catalog_of(url, tmp_path), "mcp.private").executor
        assert isinstance(executor, McpExecutor)
        assert (executor.state().connection, executor.state().login) == ("not connected", "none")
        with pytest.raises(CallFailed, match="it wants a login"):
            await executor.check(10)
        assert (executor.state().connection, executor.state().login) == ("failed", "needed")
        await sign_in(url)
        assert (await executor.check(10)).tools == 1
        state = executor.state()
        assert (state.connection, state.login) == ("connected", "stored")
        stored = LoginStore().get(url)
        assert stored is not None
        assert stored["tokens"]["access_token"] not in repr(state)
        assert stored["tokens"]["refresh_token"]
        LoginStore().put(url, {**stored, "expires_at": 1.0})
        assert executor.state().login == "stored"  # it is refreshed
        LoginStore().put(url, {**stored, "tokens": {**stored["tokens"], "refresh_token": None}, "expires_at": 1.0})
        assert executor.state().login == "expired"
        LoginStore().file.chmod(0o644)
        assert executor.state().login == "unreadable"
        await executor.close()

    asyncio.run(test())


def test_a_login_that_the_server_takes_no_more_has_expired(url: str, tmp_path: Path) -> None:
    async def test() -> None:
        executor = mcp_executor(catalog_of(url, tmp_path), "mcp.private").executor
        assert isinstance(executor, McpExecutor)
        await sign_in(url)
        stored = LoginStore().get(url)
        assert stored is not None
        tokens = {**stored["tokens"], "access_token": "guessed-token", "refresh_token": "guessed-refresh"}
        LoginStore().put(url, {**stored, "tokens": tokens})
        assert executor.state().login == "stored"
        with pytest.raises(CallFailed, match="login"):
            await executor.check(10)
        state = executor.state()
        assert (state.connection, state.login) == ("failed", "expired")
        assert "guessed" not in repr(state)
        await executor.close()

    asyncio.run(test())


def later(hours: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the clock of this process go on: to its clients, access tokens are over after an hour."""
    now = time.time
    monkeypatch.setattr(time, "time", lambda: now() + hours * 3600)


def test_connections_of_a_process_refresh_a_login_once(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def calls() -> list[str]:
        await sign_in(url)
        runtimes = [runtime_of(catalog_of(url, tmp_path)) for _ in range(3)]
        codes: list[str] = []
        for _ in range(3):
            results = await asyncio.gather(*(each.invoke(ToolRequest(name=SECRET)) for each in runtimes))
            codes += [result.error.message if result.error else "ok" for result in results]
            later(2, monkeypatch)
        return codes

    assert asyncio.run(calls()) == ["ok"] * 9
    assert given(tmp_path) == ["code", "refresh", "refresh"]


REQUEST = f"""
import sys
import asyncio
import httpx2
from toolgen.execute.mcp.tokens import stored_auth

def wait():
    {indent(READY, " " * 4)}

async def request():
    async with httpx2.AsyncClient(auth=await stored_auth(sys.argv[1])) as client:
        wait()
        print((await client.post(sys.argv[1], json={{}})).status_code)

asyncio.run(request())
"""


def test_processes_refresh_a_login_once(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", forked_python())
    asyncio.run(sign_in(url))
    expire(url)
    printed = [each for _, each in together(REQUEST, *[[url]] * 4)]
    assert set(printed).isdisjoint({"", "401"})
    assert given(tmp_path) == ["code", "refresh"]
    assert {each.name for each in (tmp_path / "config" / "toolgen").iterdir()} == {"logins.json"}


HOLD = """
import sys, time
from pathlib import Path
from toolgen.execute.mcp.tokens import LoginStore, Tokens
import asyncio

async def hold():
    async with Tokens(sys.argv[1], LoginStore(), {}).alone():
        print("held", flush=True)
        time.sleep(60)

asyncio.run(hold())
"""


def test_who_waits_for_a_refresh_goes_on_when_the_process_that_makes_it_dies(url: str, tmp_path: Path) -> None:
    async def call() -> str:
        await sign_in(url)
        expire(url)
        holder = subprocess.Popen([forked_python(), "-c", HOLD, url], stdout=subprocess.PIPE)  # noqa: ASYNC220  # as above
        assert holder.stdout is not None
        await asyncio.to_thread(holder.stdout.readline)
        waiting = asyncio.create_task(runtime_of(catalog_of(url, tmp_path)).invoke(ToolRequest(name=SECRET)))
        await asyncio.sleep(1)  # the event loop is not held up
        assert not waiting.done()
        holder.kill()
        holder.communicate()
        result = await waiting
        return result.error.message if result.error else "ok"

    assert asyncio.run(call()) == "ok"


def test_who_waits_for_a_refresh_waits_for_a_bounded_time(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tokens_of_logins, "_PATIENCE", 0.2)

    async def call() -> tuple[str, str]:
        await sign_in(url)
        expire(url)
        async with Tokens(url, LoginStore(), {}).alone():
            result = await runtime_of(catalog_of(url, tmp_path)).invoke(ToolRequest(name=SECRET))
        assert result.error is not None
        return result.error.code, result.error.message

    code, message = asyncio.run(call())
    assert code == "server_unreachable"
    assert "refreshed elsewhere" in message
    assert given(tmp_path) == ["code"]


@pytest.mark.parametrize("retries", [0, 1])
@pytest.mark.parametrize("is_away", [False, True])
def test_a_call_whose_login_cannot_be_refreshed_was_not_sent(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, retries: int, *, is_away: bool
) -> None:
    async def calls() -> tuple[set[str], set[str]]:
        await sign_in(url)
        stored = LoginStore().get(url)
        assert stored is not None
        if is_away:
            place = f"http://127.0.0.1:{servers.free_port()}/token"
            LoginStore().put(url, {**stored, "server": {**stored["server"], "token_endpoint": place}})
        runtime = runtime_of(catalog_of(url, tmp_path, retries=retries))
        assert (await runtime.invoke(ToolRequest(name=SECRET))).error is None
        (tmp_path / "refuse").write_text("")
        later(2, monkeypatch)
        results = await asyncio.gather(*(runtime.invoke(ToolRequest(name=SECRET)) for _ in range(3)))
        errors = [each.error for each in results if each.error is not None]
        assert len(errors) == 3
        return {each.code for each in errors}, {each.message for each in errors}

    codes, messages = asyncio.run(calls())
    assert codes == {"server_unreachable"}, messages
    assert is_away or all("the login has expired" in each for each in messages), messages
    assert not any("taken effect" in each for each in messages)
    assert len((tmp_path / "calls").read_text().splitlines()) == 1


def stored_login(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ends: float) -> LoginStore:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    store = LoginStore(tmp_path / "logins.json")
    tokens = {"access_token": "a", "token_type": "Bearer", "refresh_token": "r"}
    client = {"client_id": "c", "redirect_uris": ["http://127.0.0.1/callback"]}
    store.put(SERVER, {"tokens": tokens, "client": client, "id": "1", "expires_at": ends})
    return store


def test_a_request_is_sent_again_with_tokens_that_were_stored_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = stored_login(tmp_path, monkeypatch, time.time() + 60)

    async def test() -> list[str]:
        auth = await stored_auth(SERVER, store)
        assert auth is not None
        flow = auth.async_auth_flow(httpx2.Request("POST", SERVER))
        signed = [(await anext(flow)).headers["Authorization"]]
        stored = store.get(SERVER)
        assert stored is not None
        store.put(SERVER, {**stored, "tokens": {**stored["tokens"], "access_token": "b"}})
        signed.append((await flow.asend(httpx2.Response(401))).headers["Authorization"])
        assert auth.has_sent_since(0)
        with pytest.raises(OAuthFlowError, match="has expired"):
            await flow.asend(httpx2.Response(401))
        assert not auth.has_sent_since(0)
        return signed

    assert asyncio.run(test()) == ["Bearer a", "Bearer b"]


@pytest.mark.parametrize("status", [429, 503])
def test_a_login_whose_refresh_fails_for_a_while_has_not_expired(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    store = stored_login(tmp_path, monkeypatch, 1.0)

    async def test() -> None:
        auth = await stored_auth(SERVER, store)
        assert auth is not None
        flow = auth.async_auth_flow(httpx2.Request("POST", SERVER))
        refresh = await anext(flow)
        with pytest.raises(ExecutorError, match=f"cannot be refreshed now: .* {status}"):
            await flow.asend(httpx2.Response(status, request=refresh))
        flow = auth.async_auth_flow(httpx2.Request("POST", SERVER))
        refresh = await anext(flow)
        assert b"refresh_token=r" in refresh.content
        token = {"access_token": "b", "token_type": "Bearer", "expires_in": 60}
        signed = await flow.asend(httpx2.Response(200, json=token, request=refresh))
        assert signed.headers["Authorization"] == "Bearer b"
        await flow.aclose()

    asyncio.run(test())


def auth_of(store: LoginStore, url: str = "http://here/mcp") -> LoginAuth:
    async def never(*_: object) -> Any:
        raise AssertionError

    tokens = Tokens(url, store, {"id": "1"})
    auth = tokens.auth = LoginAuth(url, client_metadata("http://127.0.0.1/callback"), tokens, never, never)
    return auth


async def ask(auth: httpx2.Auth, url: str, named: str, sent: list[str]) -> None:
    """Send a request to a server that wants a login, and names where to look for it; note the URLs of all requests."""
    request = httpx2.Request("POST", url)
    answers = {url: httpx2.Response(401, headers={"WWW-Authenticate": f'Bearer resource_metadata="{named}"'})}
    flow = auth.async_auth_flow(request)
    try:
        outgoing = await anext(flow)
        while len(sent) < 10:
            sent.append(str(outgoing.url))
            answer = answers.get(sent[-1], httpx2.Response(404))
            answer.request = outgoing
            outgoing = await flow.asend(answer)
    finally:
        await flow.aclose()


SERVER = "https://mcp.example/mcp"


@pytest.mark.parametrize(
    ("named", "why"),
    [
        ("http://auth.example/.well-known", "not HTTPS"),
        ("http://mcp.example/.well-known", "not HTTPS"),
        ("https://169.254.169.254/latest", "not on the internet"),
        ("https://2852039166/latest", "not on the internet"),
        ("https://127.0.0.1:8443/", "not on the internet"),
        ("https://[::1]/", "not on the internet"),
        ("https://[64:ff9b::a00:1]/", "not on the internet"),
        ("https://localhost/", "not on the internet"),
        ("https://vault/", "not on the internet"),
        ("https://db.internal/", "not on the internet"),
    ],
)
def test_a_server_of_the_internet_names_no_internal_host_for_a_login(tmp_path: Path, named: str, why: str) -> None:
    auth = auth_of(LoginStore(tmp_path / "logins.json"), SERVER)
    sent = list[str]()
    with pytest.raises(OAuthFlowError, match=why):
        asyncio.run(ask(auth, SERVER, named, sent))
    assert sent == [SERVER]
    open_page = auth.context.redirect_handler
    assert open_page is not None

    async def open_in_a_browser() -> None:
        await open_page(named)

    with pytest.raises(OAuthFlowError, match=why):
        asyncio.run(open_in_a_browser())


@pytest.mark.parametrize(
    ("url", "named"),
    [
        (SERVER, "https://auth.example/.well-known"),
        ("http://localhost:1/mcp", "http://127.0.0.1:2/.well-known"),
        ("http://tools/mcp", "https://auth.example/.well-known"),
    ],
)
def test_a_login_is_looked_for_where_a_server_names_it(tmp_path: Path, url: str, named: str) -> None:
    sent = list[str]()
    with pytest.raises(OAuthRegistrationError):  # nothing is there
        asyncio.run(ask(auth_of(LoginStore(tmp_path / "logins.json"), url), url, named, sent))
    assert sent[:2] == [url, named]


def test_nothing_is_asked_for_a_login_where_nobody_can_sign_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    store = LoginStore(tmp_path / "logins.json")
    tokens = {"access_token": "a", "token_type": "Bearer", "refresh_token": "r"}
    client = {"client_id": "c", "redirect_uris": ["http://127.0.0.1/callback"]}
    places = {f"{each}_endpoint": f"https://auth.example/{each}" for each in ("authorization", "token")}
    stored = {"tokens": tokens, "client": client, "server": {"issuer": "https://auth.example", **places}}

    async def test(ends: float) -> list[str]:
        store.put(SERVER, {**stored, "id": "1", "expires_at": ends})
        auth = await stored_auth(SERVER, store)
        assert auth is not None
        sent = list[str]()
        with pytest.raises(OAuthFlowError, match=f"run `toolgen login --url {SERVER}`"):
            await ask(auth, SERVER, "https://elsewhere.example/.well-known", sent)
        return sent

    assert asyncio.run(test(time.time() + 60)) == [SERVER]
    assert asyncio.run(test(1.0)) == ["https://auth.example/token"]


@pytest.mark.parametrize("seconds", [10**400, -(10**400), 3600, 0, None])
def test_a_login_is_stored_whatever_the_lifetime_of_its_token(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: int | None
) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    store = LoginStore(tmp_path / "logins.json")
    auth, given = auth_of(store), OAuthToken.model_validate({"access_token": "t-1", "expires_in": seconds})

    auth.context.update_token_expiry(given)  # as the SDK does, in this order
    asyncio.run(auth.context.storage.set_tokens(given))

    stored = store.get("http://here/mcp")
    assert stored is not None
    assert stored["tokens"]["access_token"] == "t-1"
    ends = stored.get("expires_at")
    assert (ends is None) is (seconds is None)
    assert ends is None or abs(ends - time.time()) < 11 * 365 * 24 * 3600


@pytest.mark.parametrize("text", ["", "t\r\nX: 1", "t-\u00e9", "t-\ud800", " t", "t\0"])
@pytest.mark.parametrize("key", ["access_token", "refresh_token"])
def test_a_token_that_no_request_has_is_refused(tmp_path: Path, text: str, key: str) -> None:
    auth = auth_of(LoginStore(tmp_path / "logins.json"))
    with pytest.raises(OAuthTokenError, match="no request has"):
        auth.context.update_token_expiry(
            OAuthToken.model_validate({"access_token": "t"}).model_copy(update={key: text})
        )
    assert auth.context.current_tokens is None
