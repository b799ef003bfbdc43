"""What an import reports: what became of the tools, as text or JSON."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

from toolgen.cli.output import echo
from toolgen.compiler.diagnostics.codes import CODES
from toolgen.spec.templates import VARIABLE
from toolgen.spec.visible import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolgen.compiler.importers.imported import Imported


_KINDS: Final = {"resources": "resources", "resourceTemplates": "templates of resources", "prompts": "prompts"}
_NAMED: Final = 3
"""How many resources and prompts are named; the others are counted."""


def imported_json(imported: Imported) -> dict[str, Any]:
    """Return the outcome as JSON."""
    update = imported.update
    return {
        "tools": len(imported.data["tools"]),
        "added": list(update.added),
        "changed": list(update.changed),
        "renamed": [{"tool": key, "from": former, "to": name} for key, former, name in update.renamed],
        "disabled": list(update.gone),
        "removed": list(update.removed),
        "skipped": list(update.skipped),
        "conflicts": list(update.conflicts),
        "kept": list(update.kept),
        "left_out": list(imported.left_out),
        "warnings": dict(imported.warnings),
        "not_offered": {kind: list(names) for kind, names in imported.others.items()},
    }


def show_imported(path: str, imported: Imported | None, *, left_out: int) -> None:
    """Print the counts; what is missing goes to stderr."""
    if imported is None:
        echo(f"{path}: not written", err=True)
        return
    update, total = imported.update, len(imported.data["tools"])
    counts = {
        "new": update.added,
        "changed": update.changed,
        "renamed": update.renamed,
        "disabled": update.gone,
        "removed": update.removed,
    }
    changes = ", ".join(f"{len(keys)} {what}" for what, keys in counts.items() if keys) or "up to date"
    echo(f"{path}: {total} tool{'s' * (total != 1)}, {changes}")
    if update.skipped:
        listed = ", ".join(f"`{name}`" for name in update.skipped)
        message = f"not imported, because they were removed from the spec: {listed}; to import them, remove their lines"
        echo(visible(f"{message} under `imported`"), err=True)
    if left_out:
        echo(f"{left_out} omitted", err=True)
    if imported.others:
        kinds = [f"{_KINDS[kind]}: {_some(names)}" for kind, names in imported.others.items()]
        echo(visible(f"toolgen offers models tools only, so these are not offered: {'; '.join(kinds)}"), err=True)
    if imported.warnings:
        named = ", ".join(f"{CODES[code].name} {count}" for code, count in sorted(imported.warnings.items()))
        echo(f"`toolgen build` reports warnings on their schemas: {named}", err=True)


def _some(names: Sequence[str]) -> str:
    """Return the first names, and how many more there are."""
    rest = len(names) - _NAMED
    return ", ".join(f"`{name}`" for name in names[:_NAMED]) + (f" and {rest:,} more" if rest > 0 else "")


def show_variables(data: dict[str, Any]) -> None:
    """Print which environment variables the tools of an API need, and which of them are set."""
    api: dict[str, Any] = data.get("api") or {}
    auth: dict[str, dict[str, Any]] = api.get("auth") or {}
    needed = {
        variable: f"{key} of {name}"
        for name, scheme in auth.items()
        for key, value in scheme.items()
        for variable in (VARIABLE.findall(value) if isinstance(value, str) else ())
    }
    if needed:
        echo("  to run the tools, set these environment variables:")
    for variable, meaning in needed.items():
        echo(visible(f"  {variable}{' (set)' if variable in os.environ else ''}: {meaning}"))
