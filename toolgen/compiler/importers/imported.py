"""Imported: the outcome of an import."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgen.compiler.importers.offer import Offer
    from toolgen.compiler.importers.update import Update


@dataclass(frozen=True, slots=True)
class Imported:
    """The outcome of an import: the text of the spec, and its number of tools.

    `added`, `changed` and `gone` are keys of tools, sorted; `left_out` are the server's names of broken tools;
    `warnings` counts the warnings of a later build, by code.
    """

    text: str
    total: int
    added: tuple[str, ...]
    changed: tuple[str, ...]
    gone: tuple[str, ...]
    left_out: tuple[str, ...]
    warnings: Mapping[str, int]


def imported(text: str, update: Update, offer: Offer) -> Imported:
    """Return the outcome of an import that wrote this text."""
    total = len(update.data["tools"])
    return Imported(text, total, update.added, update.changed, update.gone, offer.left_out, offer.warnings)
