"""Call builders of `numbers`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.contract.records import ABSENT
from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from pydantic import JsonValue

    from toolgen.contract.records import Absent, ToolRequest


def new_bounds_call(
    *,
    at_least: int | float | None = None,
    at_most: int | None = None,
    over: int | float | None = None,
    under: int | float | None = None,
    between: int | None = None,
    nested: list[list[int | float]] | None = None,
) -> ToolRequest:
    """Ask for `numbers.bounds`: Inclusive and exclusive bounds.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(
        idents.BOUNDS,
        codecs.BOUNDS_ARGS,
        {"at_least": at_least, "at_most": at_most, "over": over, "under": under, "between": between, "nested": nested},
    )


def new_kinds_call(
    *,
    whole: int | None = None,
    real: int | float | None = None,
    wholes: list[int] | None = None,
    either: int | bool | None = None,
    both: int | float | None = None,
    scale: int | float = 1,
    ratio: int | float = 0.5,
) -> ToolRequest:
    """Ask for `numbers.kinds`: An integer may be written 1.0; a truth value is no number.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(
        idents.KINDS,
        codecs.KINDS_ARGS,
        {
            "whole": whole,
            "real": real,
            "wholes": wholes,
            "either": either,
            "both": both,
            "scale": scale,
            "ratio": ratio,
        },
        {"scale": 1, "ratio": 0.5},
    )


def new_multiples_call(
    *, even: int | None = None, cents: int | float | None = None, typeless: JsonValue | Absent = ABSENT
) -> ToolRequest:
    """Ask for `numbers.multiples`: Multiples of whole numbers and of fractions.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.MULTIPLES, codecs.MULTIPLES_ARGS, {"even": even, "cents": cents, "typeless": typeless})
