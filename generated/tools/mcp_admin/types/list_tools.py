"""Types of the tool `list_tools`, in `mcp_admin`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field, JsonValue

from toolgen.runtime.codec.models import ClosedModel


class ListToolsArgs(ClosedModel):
    """Args of `list_tools`: List the tools of one server."""

    server: str


class ListToolsResultItem(ClosedModel):
    id_: Annotated[str, Field(alias="id")]
    description: str
    input_schema: dict[str, JsonValue]


ListToolsResult: TypeAlias = list[ListToolsResultItem]
