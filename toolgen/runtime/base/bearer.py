"""Bearer tokens: what every door that takes one asks of it."""

from __future__ import annotations

from typing import Final

_SHORTEST: Final = 16
"""Characters of a token, at least: what is shorter could be guessed."""


def token_problem(token: str) -> str:
    """Return what is wrong with a token that clients are to send; empty if nothing is.

    A header carries visible ASCII alone, so no client could send a token with a line end or an umlaut.
    """
    if len(token) < _SHORTEST or not all("!" <= char <= "~" for char in token):
        return f"is no word of at least {_SHORTEST} ASCII characters"
    return ""
