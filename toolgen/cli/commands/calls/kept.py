"""What `--store` keeps of calls: their record, and their counts for limits per user."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import click

from toolgen.cli.commands.calls.log import KEY_VARIABLE
from toolgen.record.chain import ChainError, ChainKey
from toolgen.record.stores import open_store
from toolgen.runtime.base.postgres import is_postgres_url
from toolgen.runtime.events.records import StoreError
from toolgen.runtime.policy.rate_limits.postgres import PostgresCounters
from toolgen.runtime.policy.rate_limits.sqlite import CountersError, SqliteCounters

if TYPE_CHECKING:
    from toolgen.record.stores import DurableStore
    from toolgen.runtime.catalog.catalog import Catalog

StoredCounters: TypeAlias = "SqliteCounters | PostgresCounters"

store_option = click.option(
    "--store",
    metavar="FILE|URL",
    help="Keep a record of all calls there: a file, or postgresql://host/database. Limits per user are counted in "
    "FILE.limits, or in the database.",
)


def key_of_record() -> ChainKey | None:
    """Return the key that records are chained with, if the environment has one. Raises click.UsageError."""
    try:
        return ChainKey.from_environment(KEY_VARIABLE) if KEY_VARIABLE in os.environ else None
    except ChainError as error:
        raise click.UsageError(str(error)) from error


@dataclass(frozen=True, slots=True)
class Kept:
    """What is kept of the calls of a command: their record, and their counts for limits per user. Close it."""

    store: DurableStore | None = None
    counters: StoredCounters | None = None

    @classmethod
    def of(cls, target: str | None, catalog: Catalog) -> Kept:
        """Open what a person named with `--store`, which may be new. Raises click.UsageError."""
        if target is None:
            return cls()
        try:
            return cls(open_store(target, key=key_of_record()), _counters_of(target, catalog))
        except (StoreError, ImportError) as error:
            raise click.UsageError(str(error)) from error

    async def aclose(self) -> None:
        """Close the store and the counters."""
        if self.store is not None:
            await self.store.close()
        if self.counters is not None:
            await self.counters.aclose()


def limited(catalog: Catalog, idents: Iterable[str]) -> list[str]:
    """Return those of the tools that have limits per user, sorted."""
    return sorted(ident for ident in idents if catalog.definition(ident).settings.limits.are_per_user)


def _counters_of(store: str, catalog: Catalog) -> StoredCounters | None:
    """Return the counters of a store: in a file beside its file, or in its Postgres database.

    None where no tool has limits per user. Not in the file of the store: that has only what the
    chain of a record protects. Raises click.UsageError.
    """
    if not limited(catalog, catalog):
        return None
    if is_postgres_url(store):
        return PostgresCounters(store)
    try:
        return SqliteCounters(f"{store}.limits")
    except CountersError as error:
        raise click.UsageError(f"{store}.limits: {error}") from error
