"""Logins: the tokens of each server, in the system's keyring where there is one, else in a file of the user's."""

from __future__ import annotations

import json
import os
import stat
import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, cast

from toolgen.runtime.base.errors import ExecutorError
from toolgen.spec.files import open_file
from toolgen.spec.writing import make_private_folder, open_lock, write_inside

if sys.platform != "win32":
    import fcntl

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

_SERVICE: Final = "toolgen-mcp"
_IN_KEYRING: Final = "keyring"
_ALL_BUT_USER: Final = stat.S_IRWXG | stat.S_IRWXO
_CHANGING: Final = Lock()


def _default_file() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming") / "toolgen" / "logins.json"
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "toolgen" / "logins.json"


@dataclass(frozen=True, slots=True)
class LoginStore:
    """The logins of a user, by the URL of the server.

    `file` names each server that was signed in to, so that the keyring is only asked for one that it has. Without the
    package `keyring`, or a keyring of the system, the file has the tokens; only its user can read it.
    """

    file: Path = field(default_factory=_default_file)

    def get(self, url: str) -> dict[str, Any] | None:
        """Return what was stored for a server. Raises `ExecutorError` for a file that others can read, or is broken."""
        found = self._read().get(url)
        if found != _IN_KEYRING:
            return found
        keyring = _keyring()
        with _keyring_errors():
            text = None if keyring is None else keyring.get_password(_SERVICE, url)
        return None if text is None else cast("dict[str, Any]", json.loads(text))

    def put(self, url: str, login: Mapping[str, Any]) -> None:
        """Store what a server gave. Raises `ExecutorError` where it cannot be stored."""
        keyring = _keyring()
        if keyring is not None:
            with _keyring_errors():
                keyring.set_password(_SERVICE, url, json.dumps(login))
        with self._exclusive():
            logins = self._read()
            entry = dict(login) if keyring is None else _IN_KEYRING
            if logins.get(url) != entry:
                self._write({**logins, url: entry})

    @contextmanager
    def _exclusive(self) -> Generator[None]:
        """Be the only one that changes the file: the tokens of several servers may be refreshed at the same time."""
        with _CHANGING:
            try:
                make_private_folder(self.file.parent)
                lock = open_lock(self.file.with_name(f".{self.file.name}.lock"))
            except OSError as error:
                raise _not_written(self.file, error) from error
            try:
                if sys.platform != "win32":
                    fcntl.flock(lock, fcntl.LOCK_EX)
                yield
            finally:
                os.close(lock)

    def _read(self) -> dict[str, Any]:
        try:
            with open_file(self.file) as opened:
                if sys.platform != "win32" and os.fstat(opened.fileno()).st_mode & _ALL_BUT_USER:
                    raise ExecutorError(f"{self.file} can be read by others than its user: run chmod 600 {self.file}")
                logins = json.load(opened)
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            raise ExecutorError(f"{self.file} cannot be read: {error}") from error
        if not isinstance(logins, dict):
            raise ExecutorError(f"{self.file} has no logins: remove it, and sign in again")
        return cast("dict[str, Any]", logins)

    def _write(self, logins: Mapping[str, Any]) -> None:
        try:
            write_inside(self.file.parent, self.file.name, json.dumps(logins, indent=1).encode(), mode=0o600)
        except OSError as error:
            raise _not_written(self.file, error) from error


def _not_written(file: Path, error: OSError) -> ExecutorError:
    return ExecutorError(f"{file} cannot be written: {error.strerror}")


@contextmanager
def _keyring_errors() -> Generator[None]:
    try:
        yield
    except Exception as error:  # each backend has errors of its own, beside `KeyringError`
        raise ExecutorError(
            f"the keyring of the system cannot be used: {str(error) or type(error).__name__}"
        ) from error


def _keyring() -> Any:
    """Return the system's keyring, or None without one."""
    try:
        import keyring
        from keyring.backends import fail
    except ImportError:
        return None
    backend = keyring.get_keyring()
    return None if isinstance(backend, fail.Keyring) or backend.priority <= 0 else backend
