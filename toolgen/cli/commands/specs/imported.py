"""What an import reports: counts of tools as text or JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from toolgen.compiler.diagnostics.codes import CODES

if TYPE_CHECKING:
    from toolgen.compiler.importers.imported import Imported


def imported_json(imported: Imported) -> dict[str, Any]:
    """Return the counts as JSON."""
    return {
        "tools": imported.total,
        "added": list(imported.added),
        "changed": list(imported.changed),
        "gone": list(imported.gone),
        "left_out": list(imported.left_out),
        "warnings": dict(imported.warnings),
    }


def show_imported(path: str, imported: Imported | None, *, left_out: int) -> None:
    """Print the counts; what is missing goes to stderr."""
    if imported is None:
        click.echo(f"{path}: not written", err=True)
        return
    counts = {"new": imported.added, "changed": imported.changed, "gone": imported.gone}
    changes = ", ".join(f"{len(keys)} {what}" for what, keys in counts.items() if keys) or "up to date"
    click.echo(f"{path}: {imported.total} tool{'s' * (imported.total != 1)}, {changes}")
    if left_out:
        click.echo(f"{left_out} omitted", err=True)
    if imported.warnings:
        named = ", ".join(f"{CODES[code].name} {count}" for code, count in sorted(imported.warnings.items()))
        click.echo(f"`toolgen build` reports warnings on their schemas: {named}", err=True)
