"""Call builders of `nullable`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.contract.records import ABSENT
from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from toolgen.contract.records import Absent, ToolRequest

    from .types.set_ import SetArgsAddress
    from .types.shared import Person


def new_set_call(
    *,
    age: int | None,
    email: str | None | Absent = ABSENT,
    phone: str | None | Absent = ABSENT,
    tags: list[str] | None | Absent = ABSENT,
    address: SetArgsAddress | None | Absent = ABSENT,
    owner: Person | None | Absent = ABSENT,
    none: None | Absent = ABSENT,
    level: int | None | Absent = ABSENT,
    mode: str | None = "fast",
    note: str | None = None,
) -> ToolRequest:
    """Ask for `nullable.set`: Null clears, absence keeps.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(
        idents.SET,
        codecs.SET_ARGS,
        {
            "age": age,
            "email": email,
            "phone": phone,
            "tags": tags,
            "address": address,
            "owner": owner,
            "none": none,
            "level": level,
            "mode": mode,
            "note": note,
        },
        {"mode": "fast"},
    )
