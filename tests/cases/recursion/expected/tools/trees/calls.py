"""Call builders of `trees`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from pydantic import JsonValue

    from toolgen.contract.records import ToolRequest

    from .types.local import LocalArgsBranch
    from .types.root import RootArgs
    from .types.shared import ExpressionOption1, ExpressionOption2, File, Folder, Node, Rule, Tree


def new_direct_call(
    *,
    list_: Node,
    tree: Tree | None = None,
    menu: dict[str, JsonValue] | None = None,
    names: list[JsonValue] | None = None,
) -> ToolRequest:
    """Ask for `trees.direct`: A type in itself.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.DIRECT, codecs.DIRECT_ARGS, {"list": list_, "tree": tree, "menu": menu, "names": names})


def new_local_call(*, tree: LocalArgsBranch | None = None) -> ToolRequest:
    """Ask for `trees.local`: A local definition that contains itself.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.LOCAL, codecs.LOCAL_ARGS, {"tree": tree})


def new_mutual_call(*, folder: Folder, file: File | None = None) -> ToolRequest:
    """Ask for `trees.mutual`: Two types in each other.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.MUTUAL, codecs.MUTUAL_ARGS, {"folder": folder, "file": file})


def new_root_call(*, name: str, inner: RootArgs | None = None) -> ToolRequest:
    """Ask for `trees.root`: The args themselves, all the way down.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.ROOT, codecs.ROOT_ARGS, {"name": name, "inner": inner})


def new_unions_call(
    *,
    json_: str | int | float | list[JsonValue] | dict[str, JsonValue],
    expression: ExpressionOption1 | ExpressionOption2 | None = None,
    rule: Rule | None = None,
) -> ToolRequest:
    """Ask for `trees.unions`: Choices that contain themselves.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.UNIONS, codecs.UNIONS_ARGS, {"json": json_, "expression": expression, "rule": rule})
