"""Types of the tool `openness`, in `objects`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field, JsonValue

from toolgen.runtime.codec.models import ClosedModel, OpenModel


class OpennessArgsClosed(ClosedModel):
    a: int | None = None


class OpennessArgsExplicit(OpenModel):
    a: int | None = None


class OpennessArgsOpen(OpenModel):
    a: int | None = None


class OpennessArgsTyped(OpenModel):
    a: int | None = None


class OpennessArgs(OpenModel):
    """Args of `openness`: An open object keeps what it is given; a closed one refuses it."""

    open_: Annotated[OpennessArgsOpen | None, Field(alias="open")] = None
    closed: OpennessArgsClosed
    typed: OpennessArgsTyped | None = None
    nothing: dict[str, JsonValue] | None = None
    explicit: OpennessArgsExplicit | None = None


OpennessResult: TypeAlias = JsonValue
