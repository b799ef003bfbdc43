"""Call builders of `choices`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.contract.records import ABSENT
from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from pydantic import JsonValue

    from toolgen.contract.records import Absent, ToolRequest

    from .types.all_of import AllOfArgsRecord
    from .types.one_of import OneOfArgsShapeCircle, OneOfArgsShapeRectangle
    from .types.shared import Cat, Dog


def new_all_of_call(*, name: str, record: AllOfArgsRecord | None = None) -> ToolRequest:
    """Ask for `choices.all_of`: Everything at once.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.ALL_OF, codecs.ALL_OF_ARGS, {"name": name, "record": record})


def new_any_of_call(
    *,
    id_: int | str,
    pet: Cat | Dog | None = None,
    many: list[str | list[str]] | None = None,
    loose: JsonValue | Absent = ABSENT,
) -> ToolRequest:
    """Ask for `choices.any_of`: One of several kinds.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.ANY_OF, codecs.ANY_OF_ARGS, {"id": id_, "pet": pet, "many": many, "loose": loose})


def new_at_the_root_call(*, path: str | None = None, content: str | None = None, url: str | None = None) -> ToolRequest:
    """Ask for `choices.at_the_root`: A choice of whole objects.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.AT_THE_ROOT, codecs.AT_THE_ROOT_ARGS, {"path": path, "content": content, "url": url})


def new_nested_call(*, deep: JsonValue) -> ToolRequest:
    """Ask for `choices.nested`: Combinators in combinators.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.NESTED, codecs.NESTED_ARGS, {"deep": deep})


def new_nothing_like_call(*, code: JsonValue | Absent = ABSENT, word: str | None = None) -> ToolRequest:
    """Ask for `choices.nothing_like`: Anything but.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.NOTHING_LIKE, codecs.NOTHING_LIKE_ARGS, {"code": code, "word": word})


def new_one_of_call(*, number: int, shape: OneOfArgsShapeCircle | OneOfArgsShapeRectangle | None = None) -> ToolRequest:
    """Ask for `choices.one_of`: Exactly one of several.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.ONE_OF, codecs.ONE_OF_ARGS, {"number": number, "shape": shape})
