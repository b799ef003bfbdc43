"""Types of the tool `print`, in `class.import`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field, JsonValue

from toolgen.runtime.codec.models import ClosedModel


class PrintArgs(ClosedModel):
    """Args of `print`: A builtin."""

    print_: Annotated[str, Field(alias="print")]
    list_: Annotated[list[str], Field(alias="list")]
    int_: Annotated[int | None, Field(alias="int")] = None
    dict_: Annotated[dict[str, JsonValue] | None, Field(alias="dict")] = None
    str_: Annotated[str | None, Field(alias="str")] = None
    bool_: Annotated[bool | None, Field(alias="bool")] = None
    float_: Annotated[int | float | None, Field(alias="float")] = None
    property_: Annotated[str | None, Field(alias="property")] = None


PrintResult: TypeAlias = JsonValue
