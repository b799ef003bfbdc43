"""Types of the tool `keys`, in `objects`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field, JsonValue

from toolgen.runtime.codec.models import ClosedModel, OpenModel


class KeysArgsMixed(OpenModel):
    id_: Annotated[str | None, Field(alias="id")] = None


class KeysArgsShortNamed(OpenModel):
    ok: bool | None = None


class KeysArgs(ClosedModel):
    """Args of `keys`: Keys by pattern and by name."""

    headers: dict[str, JsonValue] | None = None
    mixed: KeysArgsMixed | None = None
    named: dict[str, JsonValue] | None = None
    short_named: KeysArgsShortNamed | None = None


KeysResult: TypeAlias = JsonValue
