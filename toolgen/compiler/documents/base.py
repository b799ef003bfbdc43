"""What all kinds of spec files share: strict models and the grammar of names."""

from __future__ import annotations

import ast
import inspect
from dataclasses import dataclass
from itertools import pairwise
from textwrap import dedent
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, StringConstraints, WithJsonSchema
from pydantic_core import PydanticCustomError

from toolgen.spec.wire_names import words

if TYPE_CHECKING:
    from pydantic import GetJsonSchemaHandler
    from pydantic.json_schema import JsonSchemaValue
    from pydantic_core import CoreSchema

Name = r"[A-Za-z][A-Za-z0-9_-]*"
DottedNamePattern = rf"^{Name}(\.{Name})*$"
WordPattern = rf"^{Name}$"
ToolKeyPattern = r"^[A-Za-z_][A-Za-z0-9_-]*$"
TypeNamePattern = r"^[A-Z][A-Za-z0-9_]*$"
SelectorPattern = rf"^[A-Za-z0-9_.*-]*(\+{Name})*$"
TextPattern = r"\S"
VariablePattern = r"^[^=\x00]+$"
HandlerPattern = r"^[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*$"

GRAMMAR: Final = {
    DottedNamePattern: "use words of letters, digits, `_` and `-`, each starting with a letter, joined by dots",
    WordPattern: "use letters, digits, `_` and `-`, starting with a letter",
    ToolKeyPattern: "use letters, digits, `_` and `-`, not starting with a digit",
    TypeNamePattern: "use letters, digits and `_`, starting with a capital letter",
    SelectorPattern: "use a toolset, an ident, or a pattern with `*`, then `+tag`",
    VariablePattern: "write the name of an environment variable, which has no `=`",
    HandlerPattern: "write `module:name`, such as `app.tools:search`",
}
"""The patterns of names in words, for messages."""


class Spec(BaseModel):
    """Base of all spec models: no unknown keys, no implicit conversions.

    Validators are built on first use, since each takes as long as to compile several tools: defaults that are models
    are constructed without one.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Return the JSON Schema of the model, with the descriptions of its fields."""
        written = handler(schema)
        properties = handler.resolve_ref_schema(written).get("properties", {})
        for name, text in field_descriptions(cls, Spec).items():
            properties[cls.model_fields[name].alias or name]["description"] = text
        return written


class SpecFileHead(Spec):
    """The head of every spec file."""

    toolgen: Literal[1]
    """The version of the spec language, which is 1."""


MODULE_TOO_LONG: Final = "module_too_long"
_LONGEST_MODULE: Final = 250
"""Characters of a generated module or folder: file systems take 255 bytes, with `.py`, and some names get a `_`."""


def _names_modules(name: str) -> str:
    """Refuse a name for which no file can be generated: `oneTwo` is `one_two` there, which is longer."""
    if any(len("_".join(words(part))) > _LONGEST_MODULE for part in name.split(".")):
        raise PydanticCustomError(MODULE_TOO_LONG, "Name is too long", {"max_length": _LONGEST_MODULE})
    return name


@dataclass(frozen=True, slots=True)
class NameOf:
    """Marks a text that names what specs define: `kind` of it. A selector, a schema and a reference have several names.

    The editor finds every use of a name by these marks.
    """

    kind: Literal["selector", "toolset", "tool", "agent", "method", "tag", "schema", "reference"]


DottedName = Annotated[
    str, StringConstraints(pattern=DottedNamePattern, max_length=200), AfterValidator(_names_modules)
]
"""Words joined by dots, each starting with a letter."""

Word = Annotated[str, StringConstraints(pattern=WordPattern, max_length=100)]
"""One word: letters, digits, `_` and `-`, starting with a letter."""

ToolKey = Annotated[str, StringConstraints(pattern=ToolKeyPattern, max_length=200), AfterValidator(_names_modules)]
"""Letters, digits, `_` and `-`, not starting with a digit."""

TypeName = Annotated[str, StringConstraints(pattern=TypeNamePattern, max_length=100)]
"""The name of a type: letters, digits and `_`, starting with a capital letter."""

NonEmpty = Annotated[str, StringConstraints(min_length=1)]

Text = Annotated[str, StringConstraints(pattern=TextPattern)]
"""Text for people and models, not blank."""

VariableName = Annotated[str, StringConstraints(min_length=1, pattern=VariablePattern)]

ToolsetName = Annotated[DottedName, NameOf("toolset")]

TagName = Annotated[Word, NameOf("tag")]

SelectorText = Annotated[str, StringConstraints(min_length=1, pattern=SelectorPattern), NameOf("selector")]
"""A toolset, an ident, or a pattern in which `*` matches any text; then `+tag` for each required tag."""

Handler = Annotated[str, StringConstraints(pattern=HandlerPattern)]
"""An object of a Python module: `app.tools:search`."""

SCHEMA_MARK = {"x-toolgen": "schema"}
"""The placeholder for a schema in a model's JSON Schema; `json_schema.py` replaces it with a reference."""

Schema = Annotated[Any, WithJsonSchema(SCHEMA_MARK), NameOf("schema")]
"""A schema in the short form, or JSON Schema; checked by the resolver, which knows the types."""

Dialect = Literal["2020-12", "2019-09", "draft-07", "draft-06", "draft-04"]


# The shared file.


class SharedFile(SpecFileHead):
    """Types and tags for use in other files; the only kind of file without a head."""

    dialect: Dialect = "2020-12"
    """The JSON Schema draft of schemas without `$schema`."""
    types: dict[TypeName, Schema] = {}
    """Named schemas, for `$ref: "shared.yaml#/types/Name"` in other files."""
    tags: dict[Word, Text] = {}
    """Maps tags of this project, besides the built-in ones, to their meaning."""


# Descriptions of fields: the strings below the annotations of a model, read from its source when they are asked for.
#
# pydantic would read them when a class is defined, which takes as long as defining it, in every build.


def field_descriptions(model: type, base: type) -> dict[str, str]:
    """Return the descriptions of the fields that a class and those between it and `base` define, by name."""
    found: dict[str, str] = {}
    for each in reversed(model.__mro__[: model.__mro__.index(base)]):
        found |= _own(each)
    return found


def _own(model: type) -> dict[str, str]:
    [definition] = ast.parse(dedent(inspect.getsource(model))).body
    return {
        field.target.id: inspect.cleandoc(below.value.value)
        for field, below in pairwise(definition.body if isinstance(definition, ast.ClassDef) else ())
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(below, ast.Expr)
        and isinstance(below.value, ast.Constant)
        and isinstance(below.value.value, str)
    }
