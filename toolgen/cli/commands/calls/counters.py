"""Where commands count calls for limits per user: where they keep their record."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeAlias

import click

from toolgen.runtime.base.postgres import is_postgres_url
from toolgen.runtime.policy.rate_limits.postgres import PostgresCounters
from toolgen.runtime.policy.rate_limits.sqlite import CountersError, SqliteCounters

if TYPE_CHECKING:
    from toolgen.runtime.catalog.catalog import Catalog

StoredCounters: TypeAlias = "SqliteCounters | PostgresCounters"


def limited(catalog: Catalog, idents: Iterable[str]) -> list[str]:
    """Return those of the tools that have limits per user, sorted."""
    return sorted(ident for ident in idents if catalog.definition(ident).settings.limits.are_per_user)


def counters_of(store: str | None, catalog: Catalog) -> StoredCounters | None:
    """Return the counters of a store: in a file beside its file, or in its Postgres database.

    None without a store, and where no tool has limits per user. Not in the file of the store: that has only what the
    chain of a record protects. Raises click.UsageError.
    """
    if store is None or not limited(catalog, catalog):
        return None
    if is_postgres_url(store):
        return PostgresCounters(store)
    try:
        return SqliteCounters(f"{store}.limits")
    except CountersError as error:
        raise click.UsageError(f"{store}.limits: {error}") from error
