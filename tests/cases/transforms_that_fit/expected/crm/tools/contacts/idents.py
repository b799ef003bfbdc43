"""Idents of the tools of `crm.contacts`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.names import NamesArgs, NamesResult
    from .types.nested import NestedArgs, NestedResult
    from .types.open_ import OpenArgs, OpenResult
    from .types.same import SameArgs, SameResult
    from .types.save import SaveArgs, SaveResult

NAMES: Final[Ident[NamesArgs, NamesResult]] = Ident("crm.contacts.names")
"""Injected fields called like names of the function."""

NESTED: Final[Ident[NestedArgs, NestedResult]] = Ident("crm.contacts.nested")
"""Objects in objects are classes of their own on each side, and are made anew."""

OPEN: Final[Ident[OpenArgs, OpenResult]] = Ident("crm.contacts.open")
"""Open objects keep their other keys."""

SAME: Final[Ident[SameArgs, SameResult]] = Ident("crm.contacts.same")
"""The same shapes on both sides."""

SAVE: Final[Ident[SaveArgs, SaveResult]] = Ident("crm.contacts.save")
"""The tenant comes from the call's context; the trace is left out; a default fills what is required."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (
    NAMES,
    NESTED,
    OPEN,
    SAME,
    SAVE,
)
"""Every tool of this toolset."""
