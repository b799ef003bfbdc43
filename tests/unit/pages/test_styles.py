"""The style sheet of all pages."""

from __future__ import annotations

from toolgen.pages.styles import style_sheet


def test_pages_are_light_and_dark_and_request_nothing() -> None:
    text = style_sheet()
    assert "prefers-color-scheme: dark" in text
    assert "url(" not in text
    assert "@import" not in text
