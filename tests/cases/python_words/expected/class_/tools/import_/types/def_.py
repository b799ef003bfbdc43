"""Types of the tool `def`, in `class.import`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field, JsonValue

from toolgen.runtime.codec.models import ClosedModel


class DefArgsDefLambda(ClosedModel):
    pass_: Annotated[str, Field(alias="pass")]


class DefArgsDef(ClosedModel):
    lambda_: Annotated[DefArgsDefLambda, Field(alias="lambda")]


class DefArgs(ClosedModel):
    """Args of `def`: A keyword again."""

    def_: Annotated[DefArgsDef, Field(alias="def")]


DefResult: TypeAlias = JsonValue
