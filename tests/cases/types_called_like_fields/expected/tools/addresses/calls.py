"""Call builders of `addresses`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from toolgen.contract.records import ToolRequest

    from .types.move import MoveArgsMoveResult
    from .types.shared import Address, Zip


def new_move_call(
    *,
    Address_: Address,
    Zip_: list[Zip] | None = None,
    Street: str | None = None,
    MoveArgs_: str | None = None,
    MoveResult: MoveArgsMoveResult | None = None,
) -> ToolRequest:
    """Ask for `addresses.move`: Fields and types of the same names.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(
        idents.MOVE,
        codecs.MOVE_ARGS,
        {"Address": Address_, "Zip": Zip_, "Street": Street, "MoveArgs": MoveArgs_, "MoveResult": MoveResult},
    )
