"""Grants of sessions: answers that also allow later calls; in memory, and beside it in SQLite files and Postgres."""

from __future__ import annotations

import json
from collections.abc import Awaitable
from hashlib import sha256
from typing import Protocol, TypeAlias

from toolgen.runtime.policy.scope import Scope

Grant: TypeAlias = tuple[str, Scope, str]
"""A grant for a session: an ident, its scope, and its terms.

The terms are a text that changes with the definition of the tool, with what else runs it, and with who may answer: a
person has decided about the tool as it was.
"""


class Grants(Protocol):
    """The grants of one session.

    Any method may raise: then a call is not granted and asks, or an answer is only for the call that asked.
    """

    def holds(self, grant: Grant, /) -> bool | None:
        """Return whether a grant was given and not revoked; None if only `find` can tell."""
        ...

    async def find(self, grant: Grant, /) -> bool:
        """Return what `holds` cannot tell without waiting."""
        ...

    def add(self, grant: Grant, /) -> Awaitable[None] | None:
        """Store a grant. An awaitable completes when it holds in every process."""
        ...

    def revoke(self, tool: str = "", /) -> Awaitable[None] | None:
        """Remove the grants of a tool, or all. An awaitable completes when none of them holds in any process."""
        ...


class MemoryGrants(set[Grant]):
    """Grants in memory. Implements `Grants`."""

    def holds(self, grant: Grant, /) -> bool:
        """Return whether a grant was given and not revoked."""
        return grant in self

    async def find(self, grant: Grant, /) -> bool:
        """Return the same as `holds`."""
        return grant in self

    def revoke(self, tool: str = "", /) -> None:
        """Remove the grants of a tool, or all."""
        self.difference_update([grant for grant in self if tool in ("", grant[0])])


class GrantsError(RuntimeError):
    """Stored grants cannot be opened, read or written. The message contains no path and no credentials."""


def digest_of(value: object) -> bytes:
    """Return a digest of texts in tuples, equal for equal texts only.

    Stores only keep digests: a scope has values that a model chose, and a secret may be among them.
    """
    return sha256(json.dumps(value).encode()).digest()  # in ASCII, because texts may have lone surrogates
