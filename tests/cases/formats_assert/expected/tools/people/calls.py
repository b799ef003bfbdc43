"""Call builders of `people`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.contract.records import ABSENT
from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from pydantic import JsonValue

    from toolgen.contract.records import Absent, ToolRequest


def new_add_call(
    *,
    email: str | None = None,
    born: str | None = None,
    seen: str | None = None,
    id_: str | None = None,
    home: str | None = None,
    address: str | None = None,
    pattern: str | None = None,
    password: str | None = None,
    own: str | None = None,
    untyped: JsonValue | Absent = ABSENT,
    list_: list[str] | None = None,
) -> ToolRequest:
    """Ask for `people.add`: Add a person.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(
        idents.ADD,
        codecs.ADD_ARGS,
        {
            "email": email,
            "born": born,
            "seen": seen,
            "id": id_,
            "home": home,
            "address": address,
            "pattern": pattern,
            "password": password,
            "own": own,
            "untyped": untyped,
            "list": list_,
        },
    )
