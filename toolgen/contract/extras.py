"""Extras: what an installation adds to toolgen, and the one error where it is missing."""

from __future__ import annotations

from toolgen.contract.picklable import Picklable


class MissingExtra(Picklable, ImportError):
    """Something needs an extra that is not installed. The text says what needs it, and the command that installs it."""

    def __init__(self, need: str, extra: str) -> None:
        super().__init__(f'{need}: pip install "toolgen[{extra}]"')
        self.extra = extra
