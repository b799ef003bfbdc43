"""Call builders of `truth`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.contract.records import ABSENT
from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from pydantic import JsonValue

    from toolgen.contract.records import Absent, ToolRequest


def new_anything_goes_call() -> ToolRequest:
    """Ask for `truth.anything_goes`: Args that take whatever object comes.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.ANYTHING_GOES, codecs.ANYTHING_GOES_ARGS, {})


def new_everywhere_call(
    *,
    any_: JsonValue | Absent = ABSENT,
    never: JsonValue | Absent = ABSENT,
    list_: list[JsonValue] | None = None,
    empty: list[JsonValue] | None = None,
    either: JsonValue | Absent = ABSENT,
) -> ToolRequest:
    """Ask for `truth.everywhere`: Booleans as schemas.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(
        idents.EVERYWHERE,
        codecs.EVERYWHERE_ARGS,
        {"any": any_, "never": never, "list": list_, "empty": empty, "either": either},
    )


def new_short_call(
    *, any_: JsonValue, named: JsonValue, never: JsonValue | Absent = ABSENT, list_: list[JsonValue] | None = None
) -> ToolRequest:
    """Ask for `truth.short`: In the short form, and by name.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.SHORT, codecs.SHORT_ARGS, {"any": any_, "named": named, "never": never, "list": list_})
