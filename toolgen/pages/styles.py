"""Styles: the style sheet of all pages, for light and dark, narrow windows, and print."""

from __future__ import annotations

from pathlib import Path
from typing import Final

STYLE_SHEET: Final = "style.css"
"""The name of the file, in this folder and among the files of a site."""


def style_sheet() -> str:
    """Return the text of the style sheet."""
    return (Path(__file__).parent / STYLE_SHEET).read_text(encoding="utf-8")
