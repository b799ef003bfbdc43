"""Grants of sessions, in memory, in a file and in Postgres: which calls they cover, where they hold, and revocation."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
from contextlib import closing, contextmanager
from math import nan
from typing import TYPE_CHECKING, Any, TypeVar

import psycopg
import pytest

from tests.programs.forks import forked, in_child
from tests.unit.runtime.tools import call, catalog_of, code_of, runtime_of
from toolgen.contract.records import ToolCallMeta, ToolRequest
from toolgen.runtime.policy.grants import GrantsError, MemoryGrants
from toolgen.runtime.policy.grants.postgres import PostgresGrants
from toolgen.runtime.policy.grants.sqlite import SqliteGrants
from toolgen.runtime.policy.permission import Decision, PermissionRequest
from toolgen.runtime.runs.run import MOST_OTHERS, Session

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator
    from pathlib import Path

    from tests.programs.postgres import PostgresServer
    from toolgen.runtime.policy.grants import Grant, Grants

T = TypeVar("T")

SCOPED = catalog_of(metadata={"access": {"scope": ["book"]}}, tags={"dangerous"})

BOOK: Grant = ("own.tool", (("scope", "home"),), "terms")


class Host:
    """A process of its own: what it opens is not shared with other hosts."""

    def __init__(self, stored: SqliteGrants | PostgresGrants | None = None) -> None:
        self._stored = stored
        self._in_memory: dict[tuple[str | None, str], MemoryGrants] = {}
        self.asked: list[PermissionRequest] = []

    def grants(self, user: str | None, session: str) -> Grants:
        if self._stored is not None:
            return self._stored.of(user, session)
        return self._in_memory.setdefault((user, session), MemoryGrants())

    def calls(self, *books: Any, user: str | None = "ann", session: str = "s1", decision: str = "") -> list[str]:
        """Make calls one after the other in a new run of a session; return their codes."""

        async def make() -> list[str]:
            runtime = runtime_of(SCOPED, permission=lambda request: self._answer(request, decision))
            meta = ToolCallMeta(user=user, session_id=session)
            run = runtime.start_run(meta=meta, session=Session(grants=self.grants(user, session)))
            made = [await call(runtime, payload=json.dumps({"book": each}), user=user, run=run) for each in books]
            return list(map(code_of, made))

        return self.run(make())

    def calls_at_once(self, number: int) -> list[str]:
        async def answer(request: PermissionRequest) -> Any:
            await asyncio.sleep(0.01)
            return self._answer(request)

        async def make() -> list[str]:
            runtime = runtime_of(SCOPED, permission=answer)
            meta = ToolCallMeta(user="ann", session_id="s1")
            run = runtime.start_run(meta=meta, session=Session(grants=self.grants("ann", "s1")))
            made = [call(runtime, payload='{"book": "home"}', run=run) for _ in range(number)]
            return [code_of(result) for result in await asyncio.gather(*made)]

        return self.run(make())

    def revoke(self, tool: str = "", *, user: str | None = "ann", session: str = "s1") -> None:
        async def revoke() -> None:
            waiting = self.grants(user, session).revoke(tool)
            if waiting is not None:
                await waiting

        self.run(revoke())

    def run(self, made: Coroutine[Any, Any, T]) -> T:
        async def run() -> T:
            try:
                return await made
            finally:
                if isinstance(self._stored, PostgresGrants):
                    await self._stored.aclose()

        return asyncio.run(run())

    def close(self) -> None:
        if isinstance(self._stored, SqliteGrants):
            self._stored.close()

    def _answer(self, request: PermissionRequest, decision: str = "") -> Any:
        self.asked.append(request)
        return decision or Decision.ALLOW_FOR_SESSION


@contextmanager
def hosts_of(kind: str, request: pytest.FixtureRequest, folder: Path) -> Iterator[Callable[[], Host]]:
    """Return a function that opens the same grants again, as another process does."""
    url = request.getfixturevalue("postgres_url") if kind == "postgres" else ""
    opened: list[Host] = []

    def new() -> Host:
        stored: SqliteGrants | PostgresGrants | None = None
        if kind != "memory":
            stored = PostgresGrants(url) if url else SqliteGrants(folder / "grants.db")
        opened.append(Host(stored))
        return opened[-1]

    yield new
    for host in opened:
        host.close()


@pytest.fixture(params=["sqlite", "postgres"])
def new_host(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[], Host]]:
    with hosts_of(request.param, request, tmp_path) as new:
        yield new


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def host(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Host]:
    with hosts_of(request.param, request, tmp_path) as new:
        yield new()


def test_reg_88_a_grant_covers_later_calls_of_its_scope_only(host: Host) -> None:
    assert host.calls("home", "home", "work", "home") == ["ok"] * 4
    assert [request.scope for request in host.asked] == [(("scope", "home"),), (("scope", "work"),)]


def test_reg_88_scopes_are_compared_as_json_values(host: Host) -> None:
    values: list[Any] = [1, "1", 1.0, True, "true", None, "null", ["a", "b"], ["b", "a"], '["a","b"]', "a\0b"]
    assert host.calls(*values, *values[:2]) == ["ok"] * (len(values) + 2)
    different = len(values) - 1  # 1.0 is 1
    without_scope = 1  # null is an absent arg
    assert len(host.asked) == different
    host.calls(*values)
    assert len(host.asked) == different + without_scope


def test_reg_88_one_allowed_call_is_no_grant(host: Host) -> None:
    assert host.calls("home", "home", decision=Decision.ALLOW_ONCE) == ["ok", "ok"]
    assert host.calls("home", decision=Decision.DENY) == ["permission_denied"]
    assert len(host.asked) == 3


def test_a_grant_is_of_one_user_and_one_session(host: Host) -> None:
    host.calls("home")
    for user, session in (("ben", "s1"), ("ann", "s2"), (None, "s1"), ("s1", "ann")):
        host.calls("home", user=user, session=session)
    assert len(host.asked) == 5
    host.calls("home")
    assert len(host.asked) == 5


def test_a_grant_is_of_the_user_and_the_session_of_the_call_that_asked(host: Host) -> None:
    """One run may have calls of many users, as adapters make them: its session is that of its own user."""
    asked: list[tuple[str | None, str | None]] = []

    def answer(request: PermissionRequest) -> Decision:
        asked.append((request.meta.user, request.meta.session_id))
        return Decision.ALLOW_FOR_SESSION

    whose = [(None, None), ("ann", "s1"), ("bob", None), ("bob", "s1"), ("ann", "s2"), ("ann", None), (None, "s2")]

    async def make() -> None:
        runtime = runtime_of(SCOPED, permission=answer)
        of_run = ToolCallMeta(user="ann", session_id="s1")
        run = runtime.start_run(meta=of_run, session=Session(grants=host.grants("ann", "s1")))
        request = ToolRequest(name="own.tool", payload='{"book": "home"}')
        for _ in range(2):
            for user, session in whose:
                await runtime.invoke(request, meta=ToolCallMeta(user=user, session_id=session), run=run)
        # Adapters ask before the call.
        for user, is_granted in (("ann", True), ("bob", True), ("cy", False)):
            question = await runtime.permission_request(request, run, meta=ToolCallMeta(user=user))
            assert (question is None) == is_granted

    host.run(make())
    assert asked == [(None, None), ("bob", None), ("ann", "s2")]  # what a call does not say is as in its run


def test_sessions_of_others_in_a_run_are_bounded() -> None:
    session = Session()
    first = session.of("ann", None)
    first.grants.add(("own.tool", (), ""))
    for number in range(MOST_OTHERS):
        session.of(f"client-{number}", None)
    assert len(session.others) == MOST_OTHERS
    assert session.of("ann", None) is not first


def test_a_revoked_grant_asks_again(host: Host) -> None:
    host.calls("home", "work")
    host.calls("home", session="s2")
    host.revoke("own.other")
    host.calls("home", "work")
    assert len(host.asked) == 3
    host.revoke("own.tool")
    host.calls("home")
    host.revoke()
    host.calls("home")
    assert len(host.asked) == 5
    host.calls("home", session="s2")
    assert len(host.asked) == 5, "of this session nothing was revoked"


def test_a_grant_and_its_revocation_hold_in_other_processes(new_host: Callable[[], Host]) -> None:
    one, other = new_host(), new_host()
    one.calls("home")
    other.calls("home")
    new_host().revoke()
    other.calls("home", decision=Decision.DENY)
    assert (len(one.asked), len(other.asked)) == (1, 1)


def test_concurrent_calls_of_one_scope_ask_once(host: Host) -> None:
    assert host.calls_at_once(20) == ["ok"] * 20
    assert len(host.asked) == 1


def test_nothing_of_a_user_or_a_scope_is_stored(tmp_path: Path, postgres_url: str) -> None:
    with closing(SqliteGrants(tmp_path / "grants.db")) as file:
        for grants in (file, PostgresGrants(postgres_url)):
            Host(grants).calls("s3cr3t-book", user="ann@example.org", session="my-session")
    with psycopg.connect(postgres_url) as connection:
        rows = repr(connection.execute("SELECT * FROM toolgen.grants").fetchall()).encode()
    assert b"own.tool" in rows
    stored = rows + b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert all(text not in stored for text in (b"s3cr3t", b"ann@", b"my-session"))


@pytest.mark.slow
def test_without_the_database_calls_ask_and_an_answer_is_for_one_call(
    postgres_server: PostgresServer, caplog: pytest.LogCaptureFixture
) -> None:
    host = Host(PostgresGrants(postgres_server.url()))
    host.calls("home")
    postgres_server.stop(immediate=True)
    assert host.calls("home", "home") == ["ok", "ok"]
    assert host.calls("home", decision=Decision.DENY) == ["permission_denied"]
    assert len(host.asked) == 4
    assert "the grants of own.tool cannot be looked up; the call asks" in caplog.text
    assert "a grant of own.tool cannot be stored; later calls ask again" in caplog.text
    with pytest.raises(GrantsError, match="the grants cannot be read or written"):
        host.revoke()
    postgres_server.start()
    host.calls("home")
    assert len(host.asked) == 4, "the first answer was stored"


def test_grants_in_a_file_that_was_deleted_hold_no_more(tmp_path: Path) -> None:
    path = tmp_path / "grants.db"
    with closing(SqliteGrants(path)) as one, closing(SqliteGrants(path)) as other:
        one.of("ann", "s1").add(BOOK)
        path.unlink()
        assert not one.of("ann", "s1").holds(BOOK)
        one.of("ann", "s1").add(BOOK)
        assert other.of("ann", "s1").holds(BOOK)


@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited")
@pytest.mark.parametrize("answer", ["no", "", 1, 0, (False,), ["x"], object(), nan])
@pytest.mark.parametrize("how", ["holds", "find", "async holds"])
def test_grants_that_answer_no_bool_grant_nothing(answer: Any, how: str, caplog: pytest.LogCaptureFixture) -> None:
    class Wrong(MemoryGrants):
        def holds(self, _grant: Any, /) -> Any:
            return None if how == "find" else self.find(()) if how == "async holds" else answer

        async def find(self, _grant: Any, /) -> Any:
            return answer

        def of(self, _user: Any, _session: Any) -> Grants:
            return self

    stored: Any = Wrong()
    host = Host(stored)
    assert host.calls("home", "home", decision=Decision.DENY) == ["permission_denied"] * 2
    assert len(host.asked) == 2
    assert "the grants of own.tool cannot be looked up; the call asks" in caplog.text


def test_a_damaged_file_asks(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "grants.db"
    with closing(SqliteGrants(path)) as file:
        host = Host(file)
        host.calls("home")
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("ALTER TABLE grants RENAME TO others")
        host.calls("home")
    assert len(host.asked) == 2
    assert "the grants of own.tool cannot be looked up; the call asks" in caplog.text


def test_a_file_that_is_not_of_grants_is_refused(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "other.db")) as connection:
        connection.execute("CREATE TABLE grants (x)")
    with pytest.raises(GrantsError, match="the file is not a file of grants of toolgen"):
        SqliteGrants(tmp_path / "other.db")


def test_what_a_child_revokes_holds_after_its_parent_has_ended(tmp_path: Path) -> None:
    parent, other = SqliteGrants(tmp_path / "grants.db"), ("own.tool", (("scope", "work"),), "terms")
    parent.of("ann", "s1").add(BOOK)
    reading, writing = os.pipe()

    def revoke() -> list[bool]:
        os.read(reading, 1)  # until the parent has closed its grants, as where a daemon starts
        grants = parent.of("ann", "s1")
        grants.revoke("own.tool")
        grants.add(other)
        return [grants.holds(BOOK), grants.holds(other)]

    with forked(revoke) as answer:
        parent.close()
        os.write(writing, b"1")
        assert answer() == [False, True]
        with closing(SqliteGrants(tmp_path / "grants.db")) as others:
            assert [others.of("ann", "s1").holds(grant) for grant in (BOOK, other)] == [False, True]


def test_parents_and_children_share_grants_in_a_file(tmp_path: Path) -> None:
    with closing(SqliteGrants(tmp_path / "grants.db")) as grants:
        grants.of("ann", "s1").add(BOOK)
        assert in_child(lambda: grants.of("ann", "s1").holds(BOOK)) is True
        assert in_child(grants.of("ann", "s1").revoke) is None
        assert not grants.of("ann", "s1").holds(BOOK)


def test_grants_that_a_child_cannot_open_are_an_error(tmp_path: Path) -> None:
    grants = SqliteGrants(tmp_path / "grants.db")
    grants.of("ann", "s1").add(BOOK)

    def look() -> bool:
        (tmp_path / "grants.db").write_bytes(b"no database" * 1000)
        return grants.of("ann", "s1").holds(BOOK)

    assert "GrantsError" in in_child(look)


def test_grants_that_were_closed_stay_closed_in_a_child(tmp_path: Path) -> None:
    grants = SqliteGrants(tmp_path / "grants.db")
    grants.close()
    assert "GrantsError" in in_child(lambda: grants.of("ann", "s1").holds(BOOK))
