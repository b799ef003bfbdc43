"""Compact schemas: what tells a model something, in few bytes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final, TypeGuard

from toolgen.schema.args import without_injected
from toolgen.schema.json_values import is_array, is_object
from toolgen.schema.keywords import (
    DEEPEST,
    DEFINITIONS,
    IN_PLACE_LIST,
    is_deeper,
    required_of,
    schemas_below,
    with_schemas,
)
from toolgen.schema.references import definition_of, steps_to

# Unions in JSON Schema: lists of alternatives with an equivalent, shorter schema.

META_DATA: Final = frozenset({"title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"})
"""JSON Schema's vocabulary of that name: keywords without effect on validation."""

_VALUES: Final = frozenset({"type", "const", "enum"})
_BLIND_TO_NULL: Final = frozenset({
    *("minLength", "maxLength", "pattern", "format"),
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    *("items", "prefixItems", "minItems", "maxItems", "uniqueItems"),
    *("properties", "required", "additionalProperties", "patternProperties", "propertyNames"),
    *("minProperties", "maxProperties", "dependentRequired"),
})  # fmt: skip
"""Keywords that apply to values of one type other than null."""

_SAID_OF_THE_VALUE: Final = frozenset({"title", "description", "examples"})
"""Annotations that are also valid for a nullable value. A default is not: it belongs to the alternative."""


def without_union(schema: dict[str, Any]) -> dict[str, Any] | None:
    """Return one schema equivalent to a list of alternatives with only annotations next to it; None if there is none.

    These are a list of one, only types (`type: [string, integer]`), only values (an `enum`), and one schema or null.
    """
    keyword = next((each for each in IN_PLACE_LIST if each in schema), None)
    if keyword is None or not META_DATA.union((keyword,)).issuperset(schema):
        return None
    branches = schema[keyword]
    if not is_array(branches) or not branches or not all(map(_is_readable, branches)):
        return None
    whole = _whole(branches, keyword)
    return None if whole is None else put_in_place(schema, keyword, whole)


def put_in_place(schema: dict[str, Any], keyword: str, whole: dict[str, Any]) -> dict[str, Any] | None:
    """Replace `keyword` by `whole`; None if both have different values under one key."""
    if any(schema[key] != whole[key] or not isinstance(whole[key], str) for key in whole if key in schema):
        return None
    made: dict[str, Any] = {}
    for key, value in schema.items():
        made.update(whole if key == keyword else {key: value})
    return made


def is_null(schema: Any) -> bool:
    """Whether a schema accepts only null, and has no other keywords."""
    if not is_object(schema) or len(schema) != 1:
        return False
    return schema.get("type") in ("null", ["null"]) or schema.get("const", ...) is None or schema.get("enum") == [None]


def accepts_null(schema: Any) -> bool:
    """Whether a schema accepts null by its type, its values or an alternative."""
    if not _is_readable(schema):
        return False
    if "null" in types_of(schema) or None in schema.get("enum", ()):
        return True
    unions = (schema.get(union) for union in ("anyOf", "oneOf"))
    return any(is_null(branch) or accepts_null(branch) for union in unions if is_array(union) for branch in union)


def types_of(schema: dict[str, Any]) -> list[str]:
    """Return the types in a schema's `type`."""
    named = schema.get("type", [])
    return list(named) if is_array(named) else [named]


def _is_readable(schema: Any) -> TypeGuard[dict[str, Any]]:
    """Whether a schema is an object with a well-formed `type` and `enum`, if any."""
    if not is_object(schema) or not is_array(schema.get("enum", [])):
        return False
    named = schema.get("type", "any")
    types = named if is_array(named) else [named]
    return bool(types) and all(isinstance(name, str) for name in types)


def _whole(branches: list[dict[str, Any]], keyword: str) -> dict[str, Any] | None:
    if len(branches) == 1:
        return None if "default" in branches[0] else branches[0]
    if keyword == "allOf":
        return None
    is_exclusive = keyword == "oneOf"
    if all(branch.keys() == {"type"} for branch in branches):
        return _of_types(branches, is_exclusive=is_exclusive)
    if all(_VALUES.issuperset(branch) for branch in branches):
        found = _of_values(branches, is_exclusive=is_exclusive)
        if found is not None:
            return found
    others = [branch for branch in branches if not is_null(branch)]
    is_one_or_null = len(others) == 1 and len(branches) == 2
    return _or_null(others[0], is_exclusive=is_exclusive) if is_one_or_null else None


def _of_types(branches: list[dict[str, Any]], *, is_exclusive: bool) -> dict[str, Any] | None:
    types = [name for branch in branches for name in types_of(branch)]
    overlap = len(set(types)) < len(types) or {"integer", "number"} <= set(types)
    return None if is_exclusive and overlap else {"type": _type(types)}


def _of_values(branches: list[dict[str, Any]], *, is_exclusive: bool) -> dict[str, Any] | None:
    values: list[Any] = []
    types: list[str] = []
    is_typed = True
    for branch in branches:
        listed = _listed(branch)
        named = types_of(branch) or (["null"] if listed == [None] else [])
        if listed is None or not all(_is_among(value, named) for value in listed):
            return None
        is_typed = is_typed and bool(named)
        types += named
        values += listed
    distinct: list[Any] = list({(isinstance(value, bool), value): value for value in values}.values())
    if is_exclusive and len(distinct) < len(values):
        return None
    return {"type": _type(types), "enum": distinct} if is_typed else {"enum": distinct}


def _listed(branch: dict[str, Any]) -> list[Any] | None:
    """Return the values that a branch lists, if it does, and if all are scalars with simple equality."""
    if is_null(branch):
        return [None]
    if ("const" in branch) == ("enum" in branch):
        return None
    values = [branch["const"]] if "const" in branch else branch["enum"]
    is_plain = all(value is None or isinstance(value, bool | int | str) for value in values)
    return values if is_plain else None


def _is_among(value: Any, types: list[str]) -> bool:
    match value:
        case None:
            names = {"null"}
        case bool():
            names = {"boolean"}
        case int():
            names = {"integer", "number"}
        case _:
            names = {"string"}
    return not types or not names.isdisjoint(types)


def _or_null(schema: dict[str, Any], *, is_exclusive: bool) -> dict[str, Any] | None:
    if not (_BLIND_TO_NULL | _VALUES | _SAID_OF_THE_VALUE).issuperset(schema):
        return None
    made = dict(schema)
    if "const" in made:
        made = {
            ("enum" if key == "const" else key): [value] if key == "const" else value for key, value in made.items()
        }
        if "enum" in schema:
            return None
    types, values = types_of(made), made.get("enum")
    if not types and values is None:
        return None
    takes_null = (not types or "null" in types) and (values is None or None in values)
    if takes_null:
        return None if is_exclusive else made
    if types:
        made["type"] = _type([*types, "null"])
    if values is not None and None not in values:
        made["enum"] = [*values, None]
    return made


def _type(names: list[str]) -> str | list[str]:
    distinct = list(dict.fromkeys(names))
    return distinct[0] if len(distinct) == 1 else distinct


# Compact schemas: without the parts that cost tokens but tell a model nothing.
#
# The meaning of a schema, the instances that it accepts and every description, constraint, default and example, is
# preserved; formats count as annotations, the default. Removed are: titles that repeat a name, unused definitions,
# references that can be inlined, unions with null or of values written as alternatives, `default: null` of optional
# or nullable fields, and keywords without effect. Anything unknown is unchanged.

_DRAFT_7: Final = "http://json-schema.org/draft-07/schema"
_DIALECTS: Final = ("https://json-schema.org/draft/2020-12/schema", _DRAFT_7)

_DATA: Final = frozenset({"const", "default", "enum", "examples", "title", "description", "$comment"})
_PLACE_MATTERS: Final = frozenset({
    *("$id", "$schema", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$dynamicRef", "$recursiveRef"),
})  # fmt: skip
"""Keywords that resolve parts of a schema other than from its root; with one of these, parts are not moved."""

_DRAFTS_DIFFER: Final = frozenset({
    *("additionalItems", "dependencies", "prefixItems", "dependentSchemas", "dependentRequired", "minContains"),
    *("maxContains", "unevaluatedItems", "unevaluatedProperties", "contentEncoding", "contentMediaType"),
})  # fmt: skip
"""Keywords that one of draft-07 and 2020-12 knows and the other does not."""


def compact(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return an equivalent schema in fewer bytes.

    Pure, deterministic and idempotent: `compact(compact(schema)) == compact(schema)`. The result may share parts with
    `schema`. A schema of a dialect other than 2020-12 and draft-07, or nested more than 100 levels deep, is returned
    unchanged. Takes linear time and space: nothing is duplicated.
    """
    dialect = schema.get("$schema", _DIALECTS[0])
    if not isinstance(dialect, str) or dialect.rstrip("#") not in _DIALECTS or is_deeper(schema, DEEPEST):
        return dict(schema)
    return _Compaction(dict(schema), is_draft_7=dialect.rstrip("#") == _DRAFT_7).whole()


def model_args_schema(args: Mapping[str, Any], inject: Collection[str] = ()) -> dict[str, Any]:
    """Return the args schema for models: compact, and without injected fields.

    An open object would reject these with `false`, which reveals their names to a model.
    """
    return compact(without_injected(args, inject))


class _Compaction:
    """The compaction of one schema. Definitions are identified by their keyword and name."""

    def __init__(self, root: dict[str, Any], *, is_draft_7: bool) -> None:
        self._root = root
        self._is_draft_7 = is_draft_7
        self._survey = _Survey(root)
        self._finished: dict[_Definition, Any] = {}
        self._placed: set[_Definition] = set()
        self._drafts_differ = False

    def whole(self) -> dict[str, Any]:
        """Compact all of it."""
        own = {key: value for key, value in self._root.items() if key not in ("$schema", "$id", *DEFINITIONS)}
        if not self._survey.is_plain:
            own = {key: value for key, value in self._root.items() if key != "$schema" or self._is_draft_7}
            return self._whole(own)
        for definition in self._survey.live:
            self._finished[definition] = self._node(self._survey.definitions[definition])
        made = self._whole(own)
        kept: dict[str, dict[str, Any]] = {}
        for keyword, name in self._survey.definitions:
            if (keyword, name) in self._finished and (keyword, name) not in self._placed:
                kept.setdefault(keyword, {})[name] = self._settled(self._finished[keyword, name], (name,))
        needs_dialect = self._is_draft_7 and self._drafts_differ
        return {**({"$schema": self._root["$schema"]} if needs_dialect else {}), **made, **kept}

    def _whole(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Compact the root schema, whose title is dropped if it is the name of a class."""
        made: dict[str, Any] = self._node(schema, _class_name(schema))
        while name := _class_name(made):
            made = self._settled(made, name)
        return made

    def _node(self, schema: Any, names: Collection[str] = (), *, is_choice: bool = False) -> Any:
        """Compact one schema in a place with `names`; `is_choice` if it is one of several alternatives."""
        if not is_object(schema):
            return schema
        made: dict[str, Any] = {}
        for keyword, value in schema.items():
            if keyword == "title" and _repeats(value, names):
                continue
            below = self._below(keyword, value, schema)
            if not self._is_waste(keyword, below):
                made[keyword] = below
        if self._survey.is_plain:
            made = self._with_definition(made, is_choice=is_choice)
        self._look_for_draft(made)
        return self._settled(made, names)

    def _below(self, keyword: str, value: Any, schema: dict[str, Any]) -> Any:
        if keyword == "description" and isinstance(value, str):
            return value.rstrip()
        if keyword == "properties" and is_object(value):
            required = required_of(schema)
            return {name: self._field(name, each, is_required=name in required) for name, each in value.items()}
        if keyword in DEFINITIONS and is_object(value):
            return {name: self._node(each, (name,)) for name, each in value.items()}
        is_union = keyword in ("anyOf", "oneOf") and is_array(value)
        is_choice = is_union and sum(not is_null(each) for each in value) > 1
        return with_schemas(keyword, value, lambda each: self._node(each, is_choice=is_choice))

    def _field(self, name: str, schema: Any, *, is_required: bool) -> Any:
        made = self._node(schema, (name,))
        if is_required or not is_object(made) or made.get("default", ...) is not None or not accepts_null(made):
            return made
        return {keyword: value for keyword, value in made.items() if keyword != "default"}

    def _is_waste(self, keyword: str, value: Any) -> bool:
        match keyword:
            case "$comment":
                return True
            case "description":
                return bool(value == "")
            case "required":
                return bool(value == [])
            case "additionalProperties":
                return value in (True, {}) and self._survey.is_plain and not self._survey.has_unevaluated
            case "$defs" | "definitions":
                return self._survey.is_plain
            case _:
                return False

    def _with_definition(self, schema: dict[str, Any], *, is_choice: bool) -> dict[str, Any]:
        """Inline the target of a reference, if it is the only reference to it and the keywords do not conflict."""
        definition = definition_of(schema.get("$ref"))
        if definition is None or definition not in self._survey.used_once:
            return schema
        target = self._finished[definition]
        if not is_object(target) or not META_DATA.union(("$ref",)).issuperset(schema):
            return schema
        # The name may be the only thing that distinguishes alternatives.
        is_named = is_choice and "title" not in schema
        target = target if is_named else self._settled(target, (definition[1],))
        made = None if is_deeper(target, DEEPEST) else put_in_place(schema, "$ref", target)
        if made is None:
            return schema
        self._placed.add(definition)
        return made

    def _settled(self, schema: Any, names: Collection[str]) -> Any:
        """Drop a title that repeats a name, and unions if possible, until nothing changes."""
        while is_object(schema):
            if "title" in schema and _repeats(schema["title"], names):
                schema = {keyword: value for keyword, value in schema.items() if keyword != "title"}
            shorter = without_union(schema) if self._survey.is_plain else None
            if shorter is None:
                break
            schema = shorter
        return schema

    def _look_for_draft(self, schema: dict[str, Any]) -> None:
        self._drafts_differ = (
            self._drafts_differ
            or not _DRAFTS_DIFFER.isdisjoint(schema)
            or is_array(schema.get("items"))
            or ("$ref" in schema and not META_DATA.union(("$ref",)).issuperset(schema))
        )


_Definition = tuple[str, str]


class _Survey:
    """The references in a schema.

    `is_plain` means that all references are to the root or its definitions, so that parts can be moved. Then `live` are
    the used definitions, each after those it refers to (except one in a cycle), and `used_once` those with exactly one
    reference.
    """

    def __init__(self, root: dict[str, Any]) -> None:
        self.definitions: dict[_Definition, Any] = {
            (keyword, name): each
            for keyword in DEFINITIONS
            if is_object(root.get(keyword))
            for name, each in root[keyword].items()
        }
        self.is_plain = True
        self.has_unevaluated = False
        self._uses = Counter[_Definition]()
        own = {key: value for key, value in root.items() if key not in ("$schema", "$id")}
        self.live = self._reached(own)
        self.used_once = {definition for definition in self.live if self._uses[definition] == 1}

    def _reached(self, root: dict[str, Any]) -> list[_Definition]:
        """Walk from the root, without recursion, which could be as deep as the longest chain of definitions."""
        finished: dict[_Definition, None] = {}
        seen: set[_Definition] = set()
        path: list[tuple[_Definition | None, Iterator[_Definition]]] = [(None, iter(self._references(root)))]
        while path:
            definition, references = path[-1]
            following = next((each for each in references if each not in seen), None)
            if following is not None:
                seen.add(following)
                path.append((following, iter(self._references(self.definitions[following]))))
                continue
            path.pop()
            if definition is not None:
                finished[definition] = None
        return list(finished)

    def _references(self, schema: Any) -> list[_Definition]:
        """Count the references of a schema, and detect keywords that prevent moving its parts."""
        found: list[_Definition] = []
        nodes = [schema]
        while nodes:
            node = nodes.pop()
            if not is_object(node):
                continue
            self.is_plain = self.is_plain and _PLACE_MATTERS.isdisjoint(node)
            self.has_unevaluated = self.has_unevaluated or "unevaluatedProperties" in node
            for keyword, value in node.items():
                if keyword == "$ref":
                    found += self._referred(value)
                elif keyword in DEFINITIONS:
                    continue
                elif (below := list(schemas_below(keyword, value))) or keyword in _DATA:
                    nodes += below
                else:
                    found += self._mentioned(value)
        return found

    def _referred(self, reference: Any) -> list[_Definition]:
        definition = definition_of(reference)
        if definition is None or definition not in self.definitions:
            self.is_plain = self.is_plain and steps_to(reference) == ()
            return []
        self._uses[definition] += 1
        return [definition]

    def _mentioned(self, data: Any) -> list[_Definition]:
        """Return definitions that a keyword names as text, such as `discriminator`; they are kept with their names."""
        found: list[_Definition] = []
        values = [data]
        while values:
            value = values.pop()
            if is_array(value) or is_object(value):
                values += value.values() if is_object(value) else value
            elif (definition := definition_of(value)) in self.definitions:
                found.append(definition)
                self._uses[definition] += 2
        return found


def _repeats(title: Any, names: Collection[str]) -> bool:
    """Whether a title only repeats a name: `Created After` for `created_after`."""
    if not isinstance(title, str):
        return False
    return not title.strip() or any(title == name or (_letters(title) == _letters(name) != "") for name in names)


def _class_name(schema: dict[str, Any]) -> tuple[str, ...]:
    title = schema.get("title")
    return (title,) if isinstance(title, str) and title.isidentifier() else ()


def _letters(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())
