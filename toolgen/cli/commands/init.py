"""`toolgen init`: a project to start from."""

from __future__ import annotations

import json
import os
from pathlib import Path

import click

from toolgen.compiler.documents.json_schema import spec_json_schema

_EXAMPLE = Path(__file__).resolve().parent.parent / "example"
_SCHEMA = "toolgen.schema.json"
_CONFIGURATION = """\
# Built-in toolsets: add `builtin = ["actions", "agent", "code", "internal"]`, or some of them, to a target.
targets = [{ specs = "specs", out = "generated" }]
"""


@click.command("init")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path), default=Path())
@click.option("--bare", is_flag=True, help="Only configuration and an empty `specs/`.")
def command(*, folder: Path, bare: bool) -> int:
    """Start a project in FOLDER: configuration, an example spec with its handlers, and a schema for your editor."""
    files = _bare() if bare else _example()
    taken = [path for path in files if os.path.lexists(folder / path)]
    if taken:
        raise click.UsageError(
            f"{', '.join(str(folder / path) for path in taken)} is already there; nothing was written."
        )
    try:
        (folder / "specs").mkdir(parents=True, exist_ok=True)
        for path, text in files.items():
            with (folder / path).open("x", encoding="utf-8") as file:  # never through a link that was put there
                file.write(text)
    except OSError as error:
        raise click.UsageError(f"{error.filename}: {error.strerror}") from error
    for path in files:
        click.echo(f"{folder / path}")
    where = "" if folder == Path() else f"cd {folder} && "
    click.echo(f"\nNext: {where}toolgen build" + ("" if bare else " && python app.py"))
    return 0


def _bare() -> dict[str, str]:
    return {"toolgen.toml": _CONFIGURATION, _SCHEMA: _schema()}


def _example() -> dict[str, str]:
    texts = {
        path: (_EXAMPLE / path).read_text(encoding="utf-8") for path in ("toolgen.toml", "specs/orders.yaml", "app.py")
    }
    return {**texts, _SCHEMA: _schema()}


def _schema() -> str:
    return json.dumps(spec_json_schema(), indent=2) + "\n"
