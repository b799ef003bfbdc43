"""Refusals: how a handler says that a call was understood and cannot be done, in words that a model can act on."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from toolgen.runtime import CallFailed, FailureKind

if TYPE_CHECKING:
    from collections.abc import Collection


def rejected(code: str, message: str, hint: str = "") -> CallFailed:
    """Make what ends a call that was understood, and cannot be done."""
    return CallFailed(FailureKind.DOMAIN_REJECTION, code, message, hint)


def not_found(what: str, name: str, known: Collection[str]) -> CallFailed:
    """Make what ends a call that names a thing of a kind, such as `skill`, that there is not: with the nearest names.

    The code is `<what>_not_found`.
    """
    meant = get_close_matches(name, known)
    hint = f"did you mean {' or '.join(meant)}?" if meant else f"there are {', '.join(sorted(known)) or 'none'}"
    return rejected(f"{what}_not_found", f"there is no {what} {name[:64]!r}", hint)
