"""Types of the tool `direct`, in `trees`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field, JsonValue

from toolgen.runtime.codec.models import ClosedModel

from .shared import Node, Tree


class DirectArgs(ClosedModel):
    """Args of `direct`: A type in itself."""

    list_: Annotated[Node, Field(alias="list")]
    tree: Tree | None = None
    menu: dict[str, JsonValue] | None = None
    names: list[JsonValue] | None = None


DirectResult: TypeAlias = Tree
