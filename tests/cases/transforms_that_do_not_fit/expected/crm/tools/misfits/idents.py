"""Idents of the tools of `crm.misfits`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.deep import DeepArgs, DeepResult
    from .types.default import DefaultArgs, DefaultResult
    from .types.lost import LostArgs, LostResult
    from .types.nullable import NullableArgs, NullableResult
    from .types.optional import OptionalArgs, OptionalResult
    from .types.other_type import OtherTypeArgs, OtherTypeResult
    from .types.renamed import RenamedArgs, RenamedResult

DEEP: Final[Ident[DeepArgs, DeepResult]] = Ident("crm.misfits.deep")
"""The difference is further in."""

DEFAULT: Final[Ident[DefaultArgs, DefaultResult]] = Ident("crm.misfits.default")
"""A default on one side; another key could be what is missing."""

LOST: Final[Ident[LostArgs, LostResult]] = Ident("crm.misfits.lost")
"""A field would be lost."""

NULLABLE: Final[Ident[NullableArgs, NullableResult]] = Ident("crm.misfits.nullable")
"""Null on one side only."""

OPTIONAL: Final[Ident[OptionalArgs, OptionalResult]] = Ident("crm.misfits.optional")
"""A field that may be absent on one side."""

OTHER_TYPE: Final[Ident[OtherTypeArgs, OtherTypeResult]] = Ident("crm.misfits.other_type")
"""A field of another type."""

RENAMED: Final[Ident[RenamedArgs, RenamedResult]] = Ident("crm.misfits.renamed")
"""A required field has no counterpart."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (
    DEEP,
    DEFAULT,
    LOST,
    NULLABLE,
    OPTIONAL,
    OTHER_TYPE,
    RENAMED,
)
"""Every tool of this toolset."""
