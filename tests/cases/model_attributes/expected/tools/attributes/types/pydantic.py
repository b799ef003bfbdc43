"""Types of the tool `pydantic`, in `attributes`."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, JsonValue

from toolgen.runtime.codec.models import ClosedModel


class PydanticArgs(ClosedModel):
    """Args of `pydantic`: Names that a model has already."""

    model_config_: Annotated[str, Field(alias="model_config")]
    model_fields_: Annotated[list[str], Field(alias="model_fields")]
    schema_: Annotated[dict[str, JsonValue], Field(alias="schema")]
    json_: Annotated[str, Field(alias="json")]
    copy_: Annotated[bool, Field(alias="copy")]
    dict_: Annotated[str, Field(alias="dict")]
    model_dump_: Annotated[int | None, Field(alias="model_dump")] = None
    construct_: Annotated[str | None, Field(alias="construct")] = None
    model_own: str | None = None
    validate_: Annotated[bool, Field(alias="validate")] = True


class PydanticResultModelConfig(ClosedModel):
    model_fields_: Annotated[str, Field(alias="model_fields")]


class PydanticResult(ClosedModel):
    """Result of `pydantic`: Names that a model has already."""

    model_config_: Annotated[PydanticResultModelConfig, Field(alias="model_config")]
    model_extra_: Annotated[int, Field(alias="model_extra")]
