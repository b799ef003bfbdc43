"""Conversion of schemas of older drafts to draft 2020-12, for APIs that support only that.

Drafts 04 to 07 list the items of a tuple in `items`, have `definitions` and `dependencies`, and ignore keywords next to
a `$ref`; in draft 04, `exclusiveMinimum` and `exclusiveMaximum` are booleans.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from toolgen.schema.free_names import free_name
from toolgen.schema.json_values import is_array, is_object
from toolgen.schema.keywords import ANNOTATIONS, DEFINITIONS, with_schemas
from toolgen.schema.references import reference_to, steps_to

_OLD: Final = ("draft-07", "draft-06", "draft-04", "draft-03")
_EXCLUSIVE: Final = (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum"))


def is_old(schema: Mapping[str, Any]) -> bool:
    """Whether the `$schema` of a schema is a draft that ignores keywords next to a `$ref`."""
    return any(draft in str(schema.get("$schema", "")) for draft in _OLD)


def as_2020_12(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return an equivalent schema of draft 2020-12; one that already is stays unchanged.

    All definitions of the root are moved to `$defs`; a name that is taken gets a number at its end.
    """
    there, others = (_definitions(schema, keyword) for keyword in DEFINITIONS)
    names: dict[str, str] = {}
    taken, numbers = set(there), dict[str, int]()
    for name in others:
        names[name] = free_name(name, taken, numbers)
        taken.add(names[name])
    translation = _Translation(names, is_old=is_old(schema))
    made = translation.part({name: value for name, value in schema.items() if name not in ("$schema", *DEFINITIONS)})
    definitions = {**there, **{names[name]: each for name, each in others.items()}}
    translated = {name: translation.part(each) for name, each in definitions.items()}
    return {**made, "$defs": translated} if translated else dict(made)


def _definitions(schema: Mapping[str, Any], keyword: str) -> dict[str, Any]:
    found = schema.get(keyword)
    return found if is_object(found) else {}


@dataclass(frozen=True, slots=True)
class _Translation:
    """The new names of `definitions`, and whether keywords next to references are ignored."""

    names: Mapping[str, str]
    is_old: bool

    def part(self, schema: Any) -> Any:
        """Translate a schema and its subschemas."""
        if not is_object(schema):
            return schema
        if self.is_old and "$ref" in schema:
            schema = {name: value for name, value in schema.items() if name == "$ref" or name in ANNOTATIONS}
        made = {name: with_schemas(name, value, self.part) for name, value in schema.items()}
        if "$ref" in made:
            made["$ref"] = self._reference(made["$ref"])
        if self.is_old:
            _split_dependencies(made)
        _name_prefix_items(made)
        for exclusive, bound in _EXCLUSIVE:
            if isinstance(made.get(exclusive), bool) and made.pop(exclusive) and bound in made:
                made[exclusive] = made.pop(bound)
        return made

    def _reference(self, reference: Any) -> Any:
        match steps_to(reference):
            case ("definitions", name, *rest) if name in self.names:
                return reference_to(["$defs", self.names[name], *rest])
            case _:
                return reference


def _name_prefix_items(part: dict[str, Any]) -> None:
    if not is_array(part.get("items")):
        return
    part["prefixItems"] = part.pop("items")
    if "additionalItems" in part:
        part["items"] = part.pop("additionalItems")


def _split_dependencies(part: dict[str, Any]) -> None:
    dependencies = part.pop("dependencies", None)
    if not is_object(dependencies):
        return
    names = {name: each for name, each in dependencies.items() if is_array(each)}
    schemas = {name: each for name, each in dependencies.items() if not is_array(each)}
    part |= {"dependentRequired": names} if names else {}
    part |= {"dependentSchemas": schemas} if schemas else {}
