"""Types of the tool `hidden`, in `attributes`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field, JsonValue

from toolgen.runtime.codec.models import ClosedModel


class HiddenArgs(ClosedModel):
    """Args of `hidden`: Private and dunder names."""

    init: Annotated[str, Field(alias="__init__")]
    class_: Annotated[str, Field(alias="__class__")]
    private: Annotated[str, Field(alias="_private")]
    name: Annotated[str, Field(alias="__name")]
    dict_: Annotated[str | None, Field(alias="__dict__")] = None
    pydantic_extra: Annotated[str | None, Field(alias="__pydantic_extra__")] = None
    trailing: Annotated[str | None, Field(alias="trailing_")] = None
    x9911f4d2: Annotated[str | None, Field(alias="__")] = None


HiddenResult: TypeAlias = JsonValue
