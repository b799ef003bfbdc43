"""Logins: the tokens of each server, in the system's keyring where there is one, else in a file of the user's."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, cast

from toolgen.execute.user_file import UserFile, user_folder
from toolgen.runtime.base.errors import ExecutorError

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping
    from pathlib import Path

_SERVICE: Final = "toolgen-mcp"
_IN_KEYRING: Final = "keyring"


def _default_file() -> Path:
    return user_folder() / "logins.json"


@dataclass(frozen=True, slots=True)
class LoginStore:
    """The logins of a user, by the URL of the server.

    `file` names each server that was signed in to, so that the keyring is only asked for one that it has. Without the
    package `keyring`, or a keyring of the system, the file has the tokens; only its user can read it.
    """

    file: Path = field(default_factory=_default_file)

    def get(self, url: str) -> dict[str, Any] | None:
        """Return what was stored for a server. Raises `ExecutorError` for a file that others can read, or is broken."""
        found: Any = UserFile(self.file).read().get(url)
        if found != _IN_KEYRING:
            return cast("dict[str, Any] | None", found)
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
        with UserFile(self.file).changed() as logins:
            logins[url] = dict(login) if keyring is None else _IN_KEYRING


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
