"""The database of durable runs, as commands take it."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from toolgen.engine.protocol import Engine

database_option = click.option(
    "--database",
    required=True,
    envvar="TOOLGEN_DATABASE",
    show_envvar=True,
    metavar="URL",
    help="The database of the runs: postgresql://…, or the path of an SQLite file.",
)


def url_of(database: str) -> str:
    """Return the URL of a database. Raises click.UsageError for what is none, and without `toolgen[dbos]`."""
    try:
        from toolgen.engine.dbos import database_url
    except ImportError as error:
        raise click.UsageError(str(error)) from None
    try:
        return database_url(database)
    except ValueError as error:
        raise click.UsageError(f"--database: {error}") from error


def open_engine(database: str) -> Engine:
    """Connect to a database that a worker has prepared, and make none. Raises click.UsageError."""
    url = url_of(database)
    from toolgen.engine.dbos.database import is_missing_file

    if is_missing_file(url):
        raise click.UsageError(f"--database: there is no file {database}: `toolgen worker` makes it when it starts.")
    logging.getLogger("dbos").setLevel(logging.CRITICAL)  # what fails is reported below
    from toolgen.engine.dbos import DbosEngine
    from toolgen.runtime.events.records import StoreError

    try:
        return DbosEngine(url, waits=False)
    except StoreError as error:
        raise click.UsageError(f"{error}; has a worker been started with it?") from error
