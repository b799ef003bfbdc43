"""`toolgen schema`: the JSON Schemas of spec files and of evaluations."""

from __future__ import annotations

import json
from typing import Final

import click

from toolgen.authoring.editor_schema import SCHEMA_TITLES, evaluation_json_schema, spec_json_schema
from toolgen.cli.output import echo
from toolgen.cli.packages import built_catalogs
from toolgen.cli.project import project
from toolgen.schema.json_values import is_object
from toolgen.spec.files import read_file
from toolgen.spec.writing import Changed, named_place, place_inside, replace_inside

_LARGEST: Final = 10_000_000
"""Bytes of a file that is looked at; a larger one has no schema."""


@click.command("schema")
@click.option("--evaluations", is_flag=True, help="The schema of `evals/*.eval.yaml`, with the tools of this project.")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False),
    help="Write to a new file, or one with such a schema, instead of printing.",
)
def command(*, evaluations: bool, output: str | None) -> int:
    """Print the JSON Schema of spec files.

    Editors with YAML support complete and check specs that start with
    `# yaml-language-server: $schema=toolgen.schema.json`. With --evaluations, they complete the idents of tools in
    cases, and check args; that schema changes with the tools.
    """
    schema = evaluation_json_schema(list(built_catalogs(project()).values())) if evaluations else spec_json_schema()
    text = json.dumps(schema, indent=2) + "\n"
    if output is None:
        echo(text, nl=False)
    else:
        _write(output, text)
        echo(f"{output}: written")
    return 0


def _write(output: str, text: str) -> None:
    """Write a schema, in place of none but an earlier one. Raises click.UsageError."""
    folder, path = named_place(output)
    try:
        before = read_file(place_inside(folder, path), _LARGEST)
    except FileNotFoundError:
        before = None
    except OSError as error:
        raise click.UsageError(f"{output} cannot be written: {error.strerror}.") from None
    if before and not _is_schema(before):
        raise click.UsageError(f"{output} is not a schema that toolgen wrote: remove it, or name another file.")
    try:
        replace_inside(folder, path, before, text.encode())
    except Changed:
        raise click.UsageError(f"{output} has changed meanwhile: try again.") from None
    except OSError as error:
        raise click.UsageError(f"{output} cannot be written: {error.strerror}.") from None


def _is_schema(content: bytes) -> bool:
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        return False
    return is_object(found) and found.get("title") in SCHEMA_TITLES
