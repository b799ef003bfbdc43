"""Types of the tool `published`, in `odd`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field, JsonValue

from toolgen.runtime.codec.models import ClosedModel


class PublishedArgs(ClosedModel):
    """Args of `published`: Names found in published tools."""

    from_: Annotated[str, Field(alias="from")]
    class_: Annotated[str, Field(alias="class")]
    Content_Type: Annotated[str, Field(alias="Content-Type")]
    PM2_5: Annotated[int | float, Field(alias="PM2.5")]
    r_d: Annotated[bool, Field(alias="r&d")]
    n0_18: Annotated[int, Field(alias="0-18")]
    asset_id: Annotated[str, Field(alias=" asset_id ")]
    array: Annotated[list[str], Field(alias="array[]")]
    camelCase: str
    groe: Annotated[int | float | None, Field(alias="größe")] = None
    x77710aed: Annotated[str | None, Field(alias="日本語")] = None
    naive_cafe: Annotated[str | None, Field(alias="naïve café")] = None
    select: Annotated[str | None, Field(alias="$select")] = None
    type_: Annotated[str | None, Field(alias="@type")] = None
    a_b_c: Annotated[str | None, Field(alias="a.b.c")] = None
    x_y_z: Annotated[str | None, Field(alias="x/y~z")] = None
    n100: Annotated[int | float | None, Field(alias="100%")] = None
    x3973e022: Annotated[str | None, Field(alias="-")] = None
    xf0443a34: Annotated[str | None, Field(alias="😀")] = None
    quote_s: Annotated[str | None, Field(alias="quote\"s'")] = None
    back_slash: Annotated[str | None, Field(alias="back\\slash")] = None
    line_break: Annotated[str | None, Field(alias="line\nbreak")] = None
    braces: Annotated[str | None, Field(alias="{{braces}}")] = None
    UPPER: str | None = None


PublishedResult: TypeAlias = JsonValue
