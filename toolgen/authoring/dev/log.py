"""The page as plain text: a block for each change, whose parts are printed as they are found."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, Self

from toolgen.authoring.dev.page import Part
from toolgen.authoring.dev.texts import build_problems, changes, header, lint_problems, problems, surface
from toolgen.spec.visible import visible

if TYPE_CHECKING:
    from toolgen.authoring.dev.page import Page
    from toolgen.authoring.dev.texts import Section


_MOST: Final = 20
"""Items of a section."""


class Log:
    """Blocks of text, for logs and for terminals that cannot be drawn on. A context; `echo` prints a line."""

    def __init__(self, echo: Callable[[str], None]) -> None:
        self._echo = echo
        self._number = 0
        self._left: set[Part] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        pass

    def open(self) -> None:
        """Do nothing: there is no terminal to take."""

    def close(self) -> None:
        """Do nothing: there is no terminal to give back."""

    def show(self, page: Page) -> None:
        """Print what is new of the newest version."""
        if page.number != self._number:
            if self._number:
                self._echo("")
            self._echo(f"{page.at} {visible(page.cause)}")
            self._number, self._left = page.number, set(Part)
        if page.setting and self._left:
            self._print(problems(page))
            self._left = set()
            self._echo("watching for changes")
        for part in Part:
            if part in self._left and not page.shown(part).is_stale:
                self._left.remove(part)
                for section in _sections(page, part):
                    self._print(section)
                if not self._left:
                    self._echo("watching for changes")

    def _print(self, section: Section) -> None:
        self._echo(section.title.plain)
        for item in section.items[:_MOST]:
            self._echo(f"  {item.plain}")
        if len(section.items) > _MOST:
            self._echo(f"  … and {len(section.items) - _MOST:,} more")


def _sections(page: Page, part: Part) -> list[Section]:
    if part is Part.BUILD:
        return [header(page), build_problems(page)]
    if part is Part.LINT:
        return [lint_problems(page)]
    return [changes(page) if part is Part.CHANGES else surface(page)]
