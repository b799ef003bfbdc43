"""Idents of the tools of `nullable`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.set_ import SetArgs, SetResult

SET: Final[Ident[SetArgs, SetResult]] = Ident("nullable.set")
"""Null clears, absence keeps."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (SET,)
"""Every tool of this toolset."""
