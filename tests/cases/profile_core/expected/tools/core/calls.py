"""Call builders of `core`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from toolgen.contract.records import ABSENT
from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from pydantic import JsonValue

    from toolgen.contract.records import Absent, ToolRequest

    from .types.shared import Point


def new_everything_call(
    *,
    points: list[Point],
    mode: Literal["a", "b"] = "a",
    name: str | None = None,
    open_: dict[str, JsonValue] | None = None,
    flag: bool | None = None,
    none: None | Absent = ABSENT,
) -> ToolRequest:
    """Ask for `core.everything`: Objects, arrays, scalars, enums, bounds, lengths, defaults, nesting.

    Args:
        mode: The mode.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(
        idents.EVERYTHING,
        codecs.EVERYTHING_ARGS,
        {"points": points, "mode": mode, "name": name, "open": open_, "flag": flag, "none": none},
        {"mode": "a"},
    )
