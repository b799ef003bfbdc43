"""Errors of a comparison that a person can act on."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from toolgen.compiler.diagnostics import Diagnostic


class DiffError(Exception):
    """A comparison is not possible; the message says what is wrong, and how to fix it."""


class SpecsError(DiffError):
    """The specs of one version have errors. `diagnostics` are all of them; `sources` the texts that they refer to."""

    def __init__(self, message: str, diagnostics: Sequence[Diagnostic], sources: Mapping[str, str]) -> None:
        super().__init__(message)
        self.diagnostics = diagnostics
        self.sources = sources
