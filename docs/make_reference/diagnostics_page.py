"""The reference of diagnostics, from their table."""

from __future__ import annotations

from toolgen.compiler.diagnostics.codes import CODES


def diagnostics_page() -> str:
    """Return the page of all diagnostic codes: what each means and how to fix it."""
    parts = [
        "# Diagnostics\n\nThe same texts as `toolgen explain CODE`. Errors stop a build; warnings and notes do not."
    ]
    parts += [f"## {row.code} {row.name}\n\n*{row.severity.value}.* {row.explanation}" for row in CODES.values()]
    return "\n\n".join(parts) + "\n"
