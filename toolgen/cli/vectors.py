"""The embedding class of the configuration, for commands that compare the vectors of tools."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import click

from toolgen.cli.consent import Consent
from toolgen.cli.folders import importable
from toolgen.cli.output import echo
from toolgen.execute.reach import Reached
from toolgen.spec.files import LeadsOut
from toolgen.spec.text import visible
from toolgen.spec.writing import make_folder_inside, place_inside

if TYPE_CHECKING:
    from pathlib import Path

    from toolgen.compiler.project.config import Config
    from toolgen.llm.search.index import SearchIndex
    from toolgen.llm.search.vectors import Read, Vectors

KEPT: Final = ".toolgen/vectors.db"
"""The file, relative to the project, that stores the vectors of an embedding class."""


def ask_for_embedding(config: Config, *, yes: bool) -> None:
    """Show what the embedding class reaches, and ask a person once; then the project's code may be imported for it.

    Raises click.UsageError if it may not be used.
    """
    Consent(config.root, yes=yes).ask(_reached(config))
    name = config.tool_use.embedding_class
    if "function" not in config.tool_use.embedding_classes.get(name, {}):
        return
    from toolgen.cli.executors import raised  # slow to import

    try:
        importable(config)
    except (Exception, SystemExit) as error:  # the parents of a package are the project's own code
        why = visible(raised(error, config.root))
        raise click.UsageError(f"The embedding class {name} cannot be used: {why}") from error


def vectors_of(config: Config, index: SearchIndex, read: Read) -> Vectors | None:
    """Return the vectors of the documents of an index; None if no embedding class is configured.

    Raises EmbeddingError, as they do.
    """
    if not config.tool_use.embedding_class:
        return None
    from toolgen.llm.search.vectors import Vectors  # slow to import, as what follows
    from toolgen.llm.tool_use import embedder_named

    embedder = embedder_named(config.tool_use.embedding_class, config.tool_use.embedding_classes)
    return None if embedder is None else Vectors(index, embedder, read, _kept(config.root), patience=math.inf)


def _reached(config: Config) -> list[Reached]:
    """Return what the embedding class of a configuration reaches."""
    name = config.tool_use.embedding_class
    table = config.tool_use.embedding_classes.get(name, {})
    shown = f"the embedding class {name}"
    if "url" in table:
        key = table.get("key_variable")
        return [Reached(named_by=shown, url=table["url"], variables=(key,))] if key else []
    code = table.get("function") or table.get("path")
    return [Reached(named_by=shown, code=code)] if code else []


def _kept(root: Path) -> Path | None:
    """The file for vectors; None, with a warning, if it cannot be created or a link leads outside the project."""
    kept = root / KEPT
    try:
        place_inside(root, KEPT)
        make_folder_inside(root, kept.parent.name)
    except LeadsOut:
        echo(f"vectors are not cached: {KEPT} is a link that leads out of the project", err=True)
        return None
    except OSError as error:
        echo(f"vectors are not cached: the folder {kept.parent.name} cannot be created: {error.strerror}", err=True)
        return None
    return kept
