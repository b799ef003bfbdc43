"""Types of the tool `folded`, in `yaml`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field, JsonValue

from toolgen.runtime.codec.models import ClosedModel


class FoldedArgs(ClosedModel):
    """Args of `folded`: One line of text."""

    quoted_key: Annotated[str, Field(alias="quoted key")]
    it_s: Annotated[str, Field(alias="it's")]
    complex_: Annotated[str, Field(alias="complex")]
    x7ace431c: Annotated[str, Field(alias="~")]
    true: int


FoldedResult: TypeAlias = JsonValue
