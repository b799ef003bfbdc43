"""Types of the tool `from`, in `class.import`."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, JsonValue

from toolgen.runtime.codec.models import ClosedModel


class FromArgs(ClosedModel):
    """Args of `from`: A keyword."""

    from_: Annotated[str, Field(alias="from")]
    class_: Annotated[int, Field(alias="class")]
    import_: Annotated[bool, Field(alias="import")]
    None_: Annotated[JsonValue | None, Field(alias="None")] = None
    async_: Annotated[str | None, Field(alias="async")] = None
    match_: Annotated[str | None, Field(alias="match")] = None
    type_: Annotated[str, Field(alias="type")]
    xd2e2adf7: Annotated[str | None, Field(alias="_")] = None
    case_: Annotated[str | None, Field(alias="case")] = None


class FromResult(ClosedModel):
    """Result of `from`: A keyword."""

    return_: Annotated[str, Field(alias="return")]
    yield_: Annotated[int, Field(alias="yield")]
