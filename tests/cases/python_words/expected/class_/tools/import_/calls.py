"""Call builders of `class.import`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from toolgen.contract.records import ABSENT
from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from pydantic import JsonValue

    from toolgen.contract.records import Absent, ToolRequest

    from .types.def_ import DefArgsDef


def new_all_call() -> ToolRequest:
    """Ask for `class.import.all`: A builtin that would hide the list of all tools.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.ALL_, codecs.ALL__ARGS, {})


def new_any_call(
    *,
    Any: str,
    Literal_: Literal["a"],
    Field_: str,
    JsonValue_: JsonValue | Absent = ABSENT,
    ToolRequest: str | None = None,
    Absent: str | None | Absent = ABSENT,
    ABSENT: str | None = None,
) -> ToolRequest:
    """Ask for `class.import.any`: A name that annotations use.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(
        idents.ANY,
        codecs.ANY_ARGS,
        {
            "Any": Any,
            "Literal": Literal_,
            "Field": Field_,
            "JsonValue": JsonValue_,
            "ToolRequest": ToolRequest,
            "Absent": Absent,
            "ABSENT": ABSENT,
        },
    )


def new_calls_call(*, build_call_: str) -> ToolRequest:
    """Ask for `class.import.calls`: A module of the toolset.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.CALLS, codecs.CALLS_ARGS, {"build_call": build_call_})


def new_codecs_call(*, codecs_: str) -> ToolRequest:
    """Ask for `class.import.codecs`: A module of the toolset.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.CODECS, codecs.CODECS_ARGS, {"codecs": codecs_})


def new_def_call(*, def_: DefArgsDef) -> ToolRequest:
    """Ask for `class.import.def`: A keyword again.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.DEF, codecs.DEF_ARGS, {"def": def_})


def new_dispatch_call() -> ToolRequest:
    """Ask for `class.import.dispatch`: A module of the toolset.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.DISPATCH, codecs.DISPATCH_ARGS, {})


def new_executor_call(*, executor: str) -> ToolRequest:
    """Ask for `class.import.executor`: A function of the toolset.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.EXECUTOR, codecs.EXECUTOR_ARGS, {"executor": executor})


def new_from_call(
    *,
    from_: str,
    class_: int,
    import_: bool,
    type_: str,
    None_: JsonValue | Absent = ABSENT,
    async_: str | None = None,
    match_: str | None = None,
    xd2e2adf7: str | None = None,
    case_: str | None = None,
) -> ToolRequest:
    """Ask for `class.import.from`: A keyword.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(
        idents.FROM,
        codecs.FROM_ARGS,
        {
            "from": from_,
            "class": class_,
            "import": import_,
            "type": type_,
            "None": None_,
            "async": async_,
            "match": match_,
            "_": xd2e2adf7,
            "case": case_,
        },
    )


def new_handlers_call() -> ToolRequest:
    """Ask for `class.import.handlers`: A class of the toolset.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.HANDLERS, codecs.HANDLERS_ARGS, {})


def new_idents_call(*, idents_: str, codecs_: str) -> ToolRequest:
    """Ask for `class.import.idents`: A module of the toolset.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.IDENTS, codecs.IDENTS_ARGS, {"idents": idents_, "codecs": codecs_})


def new_match_call() -> ToolRequest:
    """Ask for `class.import.match`: A soft keyword.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.MATCH, codecs.MATCH_ARGS, {})


def new_methods_call() -> ToolRequest:
    """Ask for `class.import.methods`: A module of the types.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.METHODS, codecs.METHODS_ARGS, {})


def new_new_registration_call() -> ToolRequest:
    """Ask for `class.import.new_registration`: A function of the toolset.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.NEW_REGISTRATION, codecs.NEW_REGISTRATION_ARGS, {})


def new_package_call(*, PACKAGE: str) -> ToolRequest:
    """Ask for `class.import.package`: The name of the root.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.PACKAGE, codecs.PACKAGE_ARGS, {"PACKAGE": PACKAGE})


def new_print_call(
    *,
    print_: str,
    list_: list[str],
    int_: int | None = None,
    dict_: dict[str, JsonValue] | None = None,
    str_: str | None = None,
    bool_: bool | None = None,
    float_: int | float | None = None,
    property_: str | None = None,
) -> ToolRequest:
    """Ask for `class.import.print`: A builtin.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(
        idents.PRINT,
        codecs.PRINT_ARGS,
        {
            "print": print_,
            "list": list_,
            "int": int_,
            "dict": dict_,
            "str": str_,
            "bool": bool_,
            "float": float_,
            "property": property_,
        },
    )


def new_shared_call(*, shared: str) -> ToolRequest:
    """Ask for `class.import.shared`: A module of the types.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.SHARED, codecs.SHARED_ARGS, {"shared": shared})


def new_transforms_call() -> ToolRequest:
    """Ask for `class.import.transforms`: A module of the toolset.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.TRANSFORMS, codecs.TRANSFORMS_ARGS, {})


def new_type_call() -> ToolRequest:
    """Ask for `class.import.type`: A soft keyword and a builtin.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.TYPE, codecs.TYPE_ARGS, {})


def new_type_checking_call() -> ToolRequest:
    """Ask for `class.import.type_checking`: A constant of typing.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.TYPE_CHECKING_, codecs.TYPE_CHECKING__ARGS, {})


def new_types_call() -> ToolRequest:
    """Ask for `class.import.types`: A module of the toolset.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.TYPES, codecs.TYPES_ARGS, {})
