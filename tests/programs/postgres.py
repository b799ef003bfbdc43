"""Real Postgres servers for tests, from Debian's package, in scratch folders.

A server has one Unix socket in its own folder and no port, so servers never collide, and nobody can reach one over a
network. `postgres_url` is an empty database on the server that all workers of a test session share; `postgres_server`
is a server of the test's own, which it may stop and restart.
"""

from __future__ import annotations

import fcntl
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

_MISSING = "Postgres is not installed (apt-get install postgresql)"
_SETTINGS = {
    "listen_addresses": "",
    "fsync": "off",  # a stopped server loses nothing, only a stopped machine would
    "full_page_writes": "off",
    "max_connections": "200",
    "shared_buffers": "32MB",
    "log_min_messages": "fatal",
}
_WITH_STRATEGIES = 150_000
"""The version of Postgres from which `CREATE DATABASE` has a strategy."""
_DATABASES = count()


def _binaries() -> Path:
    """Return the folder of the newest server's programs. Skips the test if there is none, or no client."""
    pytest.importorskip("psycopg", reason='tests of Postgres need psycopg: pip install "toolgen[postgres]"')
    found = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    on_path = shutil.which("initdb")
    if on_path is not None:
        found.append(Path(on_path).resolve().parent)
    if not found:
        pytest.skip(_MISSING)
    return max(found, key=lambda folder: [int(part) for part in folder.parent.name.split(".") if part.isdecimal()])


class PostgresServer:
    """A server in a folder, run by an unprivileged user, because Postgres refuses to be run by root."""

    def __init__(self, folder: Path, like: PostgresServer | None = None) -> None:
        """Take a folder, and create the server's files there if it has none. Call `start` to run it.

        They are copies of those of a server that has never run, if there is one: that takes a tenth of the time.
        """
        self.folder = folder
        self._data = folder / "data"
        self._binaries = _binaries()
        if not self._data.exists():
            if os.geteuid() == 0:
                os.chown(folder, *_unprivileged())
            if like is not None:
                subprocess.run(["cp", "-a", like._data, self._data], check=True)
            else:
                self._run("initdb", "--auth=trust", "--username=postgres", "--encoding=UTF8", "--locale=C", "--no-sync")
            with (self._data / "postgresql.conf").open("a") as file:
                file.write("".join(f"{name} = '{value}'\n" for name, value in _SETTINGS.items()))
                file.write(f"unix_socket_directories = '{folder}'\n")

    def url(self, database: str = "postgres") -> str:
        return f"postgresql://postgres@/{database}?host={self.folder}"

    def new_database(self, disk: Path | None = None, like: str = "template1") -> str:
        """Create a database, with its tables on a disk if one is given, and return its URL.

        It is empty, or a copy of the database `like`, to which nothing may be connected. Files are copied as they are:
        to write all pages to the log, as is done by default from Postgres 15 on, takes three times as long.
        """
        import psycopg
        from psycopg.sql import SQL, Identifier

        name = f"test_{os.getpid()}_{next(_DATABASES)}"
        with psycopg.connect(self.url(), autocommit=True) as connection:
            strategy = SQL("STRATEGY file_copy" if connection.info.server_version >= _WITH_STRATEGIES else "")
            create = SQL("CREATE DATABASE {} TEMPLATE {} {}")
            connection.execute(create.format(Identifier(name), Identifier(like), strategy))
            if disk is not None:
                connection.execute(SQL("CREATE TABLESPACE {} LOCATION {}").format(Identifier(name), str(disk)))
                connection.execute(SQL("ALTER DATABASE {0} SET TABLESPACE {0}").format(Identifier(name)))
        return self.url(name)

    def drop(self, url: str) -> None:
        """Remove a database, with all connections to it: to remove those of a session at its end takes minutes."""
        import psycopg
        from psycopg.conninfo import conninfo_to_dict
        from psycopg.sql import SQL, Identifier

        name = conninfo_to_dict(url)["dbname"]
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(Identifier(str(name))))

    def start(self) -> None:
        self._run("pg_ctl", "start", "--wait", "--silent", f"--log={self.folder / 'log'}")

    def stop(self, *, immediate: bool = False) -> None:
        """Stop the server: an immediate stop is like a crash of it, and all connections are cut."""
        self._run("pg_ctl", "stop", "--wait", "--silent", f"--mode={'immediate' if immediate else 'fast'}")

    def restart(self, *, immediate: bool = True) -> None:
        self.stop(immediate=immediate)
        self.start()

    @property
    def socket(self) -> Path:
        return self.folder / ".s.PGSQL.5432"

    @property
    def is_running(self) -> bool:
        return (self._data / "postmaster.pid").exists()

    def _run(self, program: str, *args: str) -> None:
        command = [str(self._binaries / program), f"--pgdata={self._data}", *args]
        user, group = _unprivileged() if os.geteuid() == 0 else (None, None)
        done = subprocess.run(
            command,
            user=user,
            group=group,
            extra_groups=None if user is None else [],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{program}: {done.stderr}"


def _unprivileged() -> tuple[int, int]:
    """Return the ids of the user and the group that run servers for root: `postgres` of the package, or `nobody`."""
    for name in ("postgres", "nobody"):
        try:
            found = pwd.getpwnam(name)
        except KeyError:
            continue
        return found.pw_uid, found.pw_gid
    pytest.skip("Postgres needs an unprivileged user: this system has neither `postgres` nor `nobody`")


@contextmanager
def standing_still(url: str) -> Iterator[None]:
    """Stop the server's side of all connections of toolgen to a database: it acknowledges, and answers nothing."""
    import psycopg

    sessions = "SELECT pid FROM pg_stat_activity WHERE application_name = 'toolgen' AND datname = current_database()"
    with psycopg.connect(url) as connection:
        stopped = [pid for (pid,) in connection.execute(sessions)]
    assert stopped
    for pid in stopped:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in stopped:
            os.kill(pid, signal.SIGCONT)


@contextmanager
def new_server(like: PostgresServer | None = None) -> Iterator[PostgresServer]:
    """Run a server in a new folder. If Postgres is not installed, the test is skipped."""
    with _folder() as folder:
        server = PostgresServer(folder, like)
        server.start()
        try:
            yield server
        finally:
            if server.is_running:
                server.stop(immediate=True)


@contextmanager
def _folder() -> Iterator[Path]:
    """Create a folder in the system's temporary folder: the paths of pytest's folders are too long for a socket."""
    folder = Path(tempfile.mkdtemp(prefix="postgres-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def shared_server(locks: Path, session: str) -> Iterator[PostgresServer]:
    """Run one server for all processes of a test session: the first that needs it starts it, the last one stops it.

    Each process holds a lock on a file in the folder `locks` while it uses the server. The kernel releases the locks of
    a process that was killed.
    """
    folder = Path(tempfile.gettempdir()) / f"postgres-{session}"
    with (locks / "postgres.lock").open("a") as starting, (locks / "postgres.users").open("a") as users:
        fcntl.flock(starting, fcntl.LOCK_EX)
        folder.mkdir(mode=0o700, exist_ok=True)
        server = PostgresServer(folder)
        if not server.is_running:
            server.start()
        fcntl.flock(users, fcntl.LOCK_SH)
        fcntl.flock(starting, fcntl.LOCK_UN)
        try:
            yield server
        finally:
            fcntl.flock(starting, fcntl.LOCK_EX)
            try:
                fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                pass  # another process uses it
            else:
                server.stop(immediate=True)
                shutil.rmtree(folder)
            finally:  # not by closing the files: a lock lasts as long as any copy of a descriptor
                for lock in (users, starting):
                    fcntl.flock(lock, fcntl.LOCK_UN)


@pytest.fixture(scope="session")
def shared_postgres(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[PostgresServer]:
    """Return the server of the test session. A test may not stop it."""
    worker: dict[str, str] | None = getattr(request.config, "workerinput", None)
    if worker is None:
        with new_server() as server:
            yield server
    else:
        locks = tmp_path_factory.getbasetemp().parent  # the folder of the session, above those of the workers
        with shared_server(locks, worker["testrunuid"]) as server:
            yield server


@pytest.fixture
def postgres_url(shared_postgres: PostgresServer) -> Iterator[str]:
    """Return the URL of an empty database."""
    url = shared_postgres.new_database()
    yield url
    shared_postgres.drop(url)


@pytest.fixture(scope="session")
def initialized_postgres() -> Iterator[PostgresServer]:
    """Return a server that never runs, and is copied."""
    with _folder() as folder:
        yield PostgresServer(folder)


@pytest.fixture
def postgres_server(initialized_postgres: PostgresServer) -> Iterator[PostgresServer]:
    """Return a running server that this test alone uses."""
    with new_server(initialized_postgres) as server:
        yield server
