"""Writes `docs/reference/` from its sources: models, tables, commands, tests, the public API. Run by `make docs`."""

from __future__ import annotations

from api_pages import api_pages
from changes_page import changes_page
from commands_page import commands_page
from configuration_page import configuration_page
from diagnostics_page import diagnostics_page
from lint_page import lint_page
from reference_folder import FOLDER
from requirements_page import requirements_page
from specs_page import specs_page


def pages() -> dict[str, str]:
    """Return every generated page, by file name."""
    return {
        "specs.md": specs_page(),
        "configuration.md": configuration_page(),
        **api_pages(),
        "diagnostics.md": diagnostics_page(),
        "lint.md": lint_page(),
        "changes.md": changes_page(),
        "commands.md": commands_page(),
        "requirements.md": requirements_page(),
    }


if __name__ == "__main__":
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
