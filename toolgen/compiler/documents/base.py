"""What all kinds of spec files share: strict models and the grammar of names."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, StringConstraints, WithJsonSchema

Name = r"[A-Za-z][A-Za-z0-9_-]*"
ToolKeyPattern = r"^[A-Za-z_][A-Za-z0-9_-]*$"


class Spec(BaseModel):
    """A part of a spec file: no unknown keys, no silent conversions."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, use_attribute_docstrings=True)


class SpecFileHead(Spec):
    """What every spec file starts with."""

    toolgen: Literal[1]
    """The version of the spec language."""


DottedName = Annotated[str, StringConstraints(pattern=rf"^{Name}(\.{Name})*$", max_length=200)]
"""Words joined by dots; each starts with a letter."""

Word = Annotated[str, StringConstraints(pattern=rf"^{Name}$", max_length=100)]
"""One word: letters, digits, `_` and `-`; a letter first."""

ToolKey = Annotated[str, StringConstraints(pattern=ToolKeyPattern, max_length=200)]
"""Letters, digits, `_` and `-`; not a digit first."""

TypeName = Annotated[str, StringConstraints(pattern=r"^[A-Z][A-Za-z0-9_]*$", max_length=100)]
"""A name of a type: letters, digits and `_`; a capital first."""

NonEmpty = Annotated[str, StringConstraints(min_length=1)]

SCHEMA_MARK = {"x-toolgen": "schema"}
"""What stands for a schema in the JSON Schema of a model; `json_schema.py` puts the definition in its place."""

Schema = Annotated[Any, WithJsonSchema(SCHEMA_MARK)]
"""A schema in the short form, or JSON Schema; checked by the resolver, which knows the types."""

Dialect = Literal["2020-12", "2019-09", "draft-07", "draft-06", "draft-04"]
Role = Literal["main", "sub", "fork", "worker"]
