"""Users: the run in which the calls of each user are made, with limits, grants and a record of its own."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mcp.server.auth.middleware.auth_context import get_access_token

from toolgen.runtime.runs.run import RunProgress, Session

if TYPE_CHECKING:
    from toolgen.runtime.calls.runtime import Runtime
    from toolgen.runtime.runs.run import Run


def user_of_token() -> str | None:
    """Return the user of the token that the current request came with; None without tokens."""
    token = get_access_token()
    return None if token is None else token.subject


class UserRuns:
    """The runs of a server, all like the one that it was given: for each user one, which lasts as long as the server.

    Without tokens there is only the one that was given. When that is over, so are those that were made from it, before
    and after.
    """

    def __init__(self, runtime: Runtime, run: Run, on_progress: Callable[[str, Mapping[str, Any]], None]) -> None:
        self._runtime = runtime
        self._given = replace(run, on_progress=on_progress)
        self._runs: dict[str, Run] = {}

    @property
    def are_over(self) -> bool:
        """Whether no more calls are made: the given run was aborted, or has ended."""
        return self._given.progress.is_over

    def run_of(self, user: str | None) -> Run:
        """Return the run of a user; None is the user of the given run."""
        if user is None:
            return self._given
        if user not in self._runs:
            meta = replace(
                self._given.meta,
                user=user,
                run_id=f"run_{secrets.token_hex(16)}",
                agent_id=f"agent_{secrets.token_hex(16)}",
            )
            run = replace(self._given, meta=meta, session=Session(), progress=RunProgress())
            self._given.add_child(run)
            self._runs[user] = run
        return self._runs[user]

    async def close(self) -> None:
        """End the runs that were made. Raises `StoreError`."""
        for run in self._runs.values():
            self._given.progress.child_runs.remove(run)
            await self._runtime.end_run(run)
        self._runs.clear()
