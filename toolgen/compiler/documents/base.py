"""What all kinds of spec files share: strict models and the grammar of names."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, StringConstraints, WithJsonSchema

Name = r"[A-Za-z][A-Za-z0-9_-]*"
DottedNamePattern = rf"^{Name}(\.{Name})*$"
WordPattern = rf"^{Name}$"
ToolKeyPattern = r"^[A-Za-z_][A-Za-z0-9_-]*$"
TypeNamePattern = r"^[A-Z][A-Za-z0-9_]*$"
SelectorPattern = rf"^[A-Za-z0-9_.*-]*(\+{Name})*$"
TextPattern = r"\S"

GRAMMAR: Final = {
    DottedNamePattern: "write words of letters, digits, `_` and `-`, each with a letter first, joined by dots",
    WordPattern: "write letters, digits, `_` and `-`, a letter first",
    ToolKeyPattern: "write letters, digits, `_` and `-`, no digit first",
    TypeNamePattern: "write letters, digits and `_`, a capital first",
    SelectorPattern: "write a toolset, an ident, or a pattern with `*`, then `+tag`",
}
"""What the patterns of names say, for people."""


class Spec(BaseModel):
    """A part of a spec file: no unknown keys, no silent conversions."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, use_attribute_docstrings=True)


class SpecFileHead(Spec):
    """What every spec file starts with."""

    toolgen: Literal[1]
    """The version of the spec language."""


DottedName = Annotated[str, StringConstraints(pattern=DottedNamePattern, max_length=200)]
"""Words joined by dots; each starts with a letter."""

Word = Annotated[str, StringConstraints(pattern=WordPattern, max_length=100)]
"""One word: letters, digits, `_` and `-`; a letter first."""

ToolKey = Annotated[str, StringConstraints(pattern=ToolKeyPattern, max_length=200)]
"""Letters, digits, `_` and `-`; not a digit first."""

TypeName = Annotated[str, StringConstraints(pattern=TypeNamePattern, max_length=100)]
"""A name of a type: letters, digits and `_`; a capital first."""

NonEmpty = Annotated[str, StringConstraints(min_length=1)]

Text = Annotated[str, StringConstraints(pattern=TextPattern)]
"""Text for people and models, which is more than blanks."""

SelectorText = Annotated[str, StringConstraints(min_length=1, pattern=SelectorPattern)]
"""A toolset, an ident, or a pattern in which `*` is any text; then `+tag` for each tag that a tool must have."""

SCHEMA_MARK = {"x-toolgen": "schema"}
"""What stands for a schema in the JSON Schema of a model; `json_schema.py` puts the definition in its place."""

Schema = Annotated[Any, WithJsonSchema(SCHEMA_MARK)]
"""A schema in the short form, or JSON Schema; checked by the resolver, which knows the types."""

Dialect = Literal["2020-12", "2019-09", "draft-07", "draft-06", "draft-04"]
Role = Literal["main", "sub", "fork", "worker"]
