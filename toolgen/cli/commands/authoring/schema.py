"""`toolgen schema`: the JSON Schema of spec files."""

from __future__ import annotations

import json

import click

from toolgen.authoring.editor_schema import spec_json_schema
from toolgen.cli.output import echo
from toolgen.spec.writing import named_place, write_inside


@click.command("schema")
@click.option("-o", "--output", type=click.Path(dir_okay=False), help="Write to a file instead of printing.")
def command(*, output: str | None) -> int:
    """Print the JSON Schema of spec files.

    Editors with YAML support complete and check specs that start with
    `# yaml-language-server: $schema=toolgen.schema.json`.
    """
    text = json.dumps(spec_json_schema(), indent=2) + "\n"
    if output is None:
        echo(text, nl=False)
    else:
        try:
            write_inside(*named_place(output), text.encode())
        except OSError as error:
            raise click.UsageError(f"{output} cannot be written: {error.strerror}.") from None
        echo(f"{output}: written")
    return 0
