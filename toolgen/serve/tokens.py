"""Tokens: which user a bearer token belongs to. They come from a file that only its owner can read, or a variable."""

from __future__ import annotations

import hashlib
import hmac
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from toolgen.runtime.base.bearer import token_problem
from toolgen.runtime.base.json_text import NotJson, parse
from toolgen.schema.json_values import is_array, is_object
from toolgen.spec.files import open_file
from toolgen.spec.sensitive import note_private

_LARGEST: Final = 1024 * 1024


class TokensError(ValueError):
    """Tokens that cannot be used. The message names no token."""


class Tokens:
    """The bearer tokens of users: `HttpSettings(authenticate=Tokens({"ana": token}))`.

    Only digests are kept, and all of them are compared, each in constant time. Raises `TokensError` for a token that
    is shorter than 16 characters or belongs to two users, and where there is none.
    """

    def __init__(self, tokens: Mapping[str, str | list[str]]) -> None:
        self._users: dict[bytes, str] = {}
        for user, given in tokens.items():
            if not user:
                raise TokensError("a token has no user: its key is empty")
            for token in [given] if isinstance(given, str) else given:
                if problem := token_problem(token):
                    raise TokensError(f"a token of {user} {problem}")
                if self._users.setdefault(_digest(token), user) != user:
                    raise TokensError(f"a token of {user} is also the token of another user")
        if not self._users:
            raise TokensError("there is no token, so no client could call")

    def __call__(self, token: str) -> str | None:
        """Return the user of a token; None for an unknown token."""
        digest = _digest(token)
        found = [user for known, user in self._users.items() if hmac.compare_digest(known, digest)]
        return found[0] if found else None

    @classmethod
    def from_file(cls, path: str | Path) -> Tokens:
        """Read a JSON object of a token, or a list of tokens, for each user. Raises `TokensError`.

        The file must belong to the user who runs this process, and no other user may read it.
        """
        text = _read_private(Path(path))
        try:
            data: Any = parse(text)
        except NotJson as error:
            raise TokensError(f"{path} is not JSON: {error.advice}") from error
        if not is_object(data) or not all(map(_is_tokens, data.values())):
            raise TokensError(f'{path} must hold an object of tokens by user: {{"ana": "…", "bo": ["…", "…"]}}')
        return cls(data)

    @classmethod
    def from_variable(cls, name: str, user: str) -> Tokens:
        """Take the token of a user from an environment variable. Raises `TokensError`."""
        token = os.environ.get(name)
        if not token:
            raise TokensError(f"the environment has no variable {name}")
        return cls({user: token})


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


def _is_tokens(value: Any) -> bool:
    return isinstance(value, str) or (is_array(value) and all(isinstance(each, str) for each in value))


def _read_private(path: Path) -> bytes:
    note_private(path)
    try:
        with open_file(path) as file:
            status = os.fstat(file.fileno())
            if status.st_uid != os.geteuid() or status.st_mode & 0o077:
                raise TokensError(f"{path} can be read by others: `chmod 600 {path}`, as its owner")
            text = file.read(_LARGEST + 1)
    except OSError as error:
        raise TokensError(f"{path} cannot be read: {error.strerror or error}") from error
    if len(text) > _LARGEST:
        raise TokensError(f"{path} has more than {_LARGEST:,} bytes")
    return text
