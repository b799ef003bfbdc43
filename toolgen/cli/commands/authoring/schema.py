"""`toolgen schema`: the JSON Schemas of spec files and of evaluations."""

from __future__ import annotations

import json

import click

from toolgen.authoring.editor_schema import evaluation_json_schema, spec_json_schema
from toolgen.cli.output import echo
from toolgen.cli.packages import built_catalogs
from toolgen.cli.project import project
from toolgen.spec.writing import named_place, write_inside


@click.command("schema")
@click.option("--evaluations", is_flag=True, help="The schema of `evals/*.eval.yaml`, with the tools of this project.")
@click.option("-o", "--output", type=click.Path(dir_okay=False), help="Write to a file instead of printing.")
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
        try:
            write_inside(*named_place(output), text.encode())
        except OSError as error:
            raise click.UsageError(f"{output} cannot be written: {error.strerror}.") from None
        echo(f"{output}: written")
    return 0
