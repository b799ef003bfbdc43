"""Call builders of `attributes`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from pydantic import JsonValue

    from toolgen.contract.records import ToolRequest


def new_empty_call(*, xe3b0c442: str, x36a9e7f1: int, other: str | None = None) -> ToolRequest:
    """Ask for `attributes.empty`: A field without a name.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.EMPTY, codecs.EMPTY_ARGS, {"": xe3b0c442, " ": x36a9e7f1, "other": other})


def new_hidden_call(
    *,
    init: str,
    class_: str,
    private: str,
    name: str,
    dict_: str | None = None,
    pydantic_extra: str | None = None,
    trailing: str | None = None,
    x9911f4d2: str | None = None,
) -> ToolRequest:
    """Ask for `attributes.hidden`: Private and dunder names.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(
        idents.HIDDEN,
        codecs.HIDDEN_ARGS,
        {
            "__init__": init,
            "__class__": class_,
            "_private": private,
            "__name": name,
            "__dict__": dict_,
            "__pydantic_extra__": pydantic_extra,
            "trailing_": trailing,
            "__": x9911f4d2,
        },
    )


def new_parameters_call(
    *,
    self: str,
    args: list[str],
    meta: dict[str, JsonValue],
    cls: str,
    kwargs: str | None = None,
    result: str | None = None,
    made: str | None = None,
    rebuilt_: str | None = None,
) -> ToolRequest:
    """Ask for `attributes.parameters`: Names that generated functions use themselves.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(
        idents.PARAMETERS,
        codecs.PARAMETERS_ARGS,
        {
            "self": self,
            "args": args,
            "meta": meta,
            "cls": cls,
            "kwargs": kwargs,
            "result": result,
            "made": made,
            "rebuilt": rebuilt_,
        },
    )


def new_pydantic_call(
    *,
    model_config_: str,
    model_fields_: list[str],
    schema_: dict[str, JsonValue],
    json_: str,
    copy_: bool,
    dict_: str,
    model_dump_: int | None = None,
    construct_: str | None = None,
    model_own: str | None = None,
    validate_: bool = True,
) -> ToolRequest:
    """Ask for `attributes.pydantic`: Names that a model has already.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(
        idents.PYDANTIC,
        codecs.PYDANTIC_ARGS,
        {
            "model_config": model_config_,
            "model_fields": model_fields_,
            "schema": schema_,
            "json": json_,
            "copy": copy_,
            "dict": dict_,
            "model_dump": model_dump_,
            "construct": construct_,
            "model_own": model_own,
            "validate": validate_,
        },
        {"validate": True},
    )
