"""Bounds: how many calls of all users a server has at the same time, and when one more is refused."""

from __future__ import annotations

from typing import Final

from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR

CALLS: Final = 512
"""Calls of all users that run at the same time; one user has half of them at most."""

UNFINISHED: Final = 2_000
"""Calls of all users that have not ended: that run, or wait for a place, a worker or a person; one user has half."""


def check_unfinished(of_user: int, of_all: int) -> None:
    """Refuse one more call of a user who has as many unfinished ones as are left to all others. Raises MCPError."""
    if of_user >= UNFINISHED - of_all:
        message = (
            f"{of_user} of your calls have not ended, of {of_all} in all: answer those that wait for a person, or "
            "cancel them, or wait until some have ended, and make this call again"
        )
        raise MCPError(code=INTERNAL_ERROR, message=message)
