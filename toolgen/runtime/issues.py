"""Issues: what is wrong with a value, in words a model can act on. Made from the validator's errors.

Every text is bounded, and so is their number: a payload cannot make its own refusal large.
"""

from __future__ import annotations

import json
from difflib import get_close_matches
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, cast

from toolgen.contract.json_pointer import pointer_of
from toolgen.contract.json_types import is_array, is_object
from toolgen.contract.records import Issue

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from jsonschema_rs import ValidationError

MAX_ISSUES: Final = 20
MAX_FOUND: Final = 80
MAX_TEXT: Final = 200

_EXPECTED: Final[Mapping[str, str]] = {
    "const": "exactly {expected_value}",
    "contains": "an array with the items that its schema asks for",
    "exclusiveMaximum": "a number below {limit}",
    "exclusiveMinimum": "a number above {limit}",
    "format": "a valid {format}",
    "maxItems": "at most {limit} items",
    "maxLength": "at most {limit} characters",
    "maxProperties": "at most {limit} fields",
    "maximum": "a number of at most {limit}",
    "minItems": "at least {limit} items",
    "minLength": "at least {limit} characters",
    "minProperties": "at least {limit} fields",
    "minimum": "a number of at least {limit}",
    "multipleOf": "a multiple of {multiple_of}",
    "not": "anything that is not {schema}",
    "pattern": "text that matches the pattern {pattern}",
    "uniqueItems": "an array in which no item comes twice",
}
"""What most keywords ask for; their hint is to use it. The others explain themselves below."""


def issues_of(errors: Iterable[ValidationError], schema: Any) -> tuple[Issue, ...]:
    """Explain the errors of one value under `schema`, its root. At most `MAX_ISSUES` come back, in their order."""
    return tuple(islice(_explain_all(errors, schema), MAX_ISSUES))


def not_json(reason: str) -> Issue:
    """Say that a payload is no JSON at all."""
    return issue("", "json", "one JSON value", reason, f"send valid JSON: {reason}")


def not_sayable(reason: str) -> Issue:
    """Say that a value of a program cannot be written as JSON."""
    return issue("", "json", "a value that JSON can say", reason, f"give a value that JSON can say: {reason}")


def issue(pointer: str, keyword: str, expected: str, found: str, hint: str) -> Issue:
    """Build an issue with every text cut to its bound."""
    return Issue(
        pointer=_cut(pointer, MAX_TEXT),
        keyword=keyword,
        expected=_cut(expected, MAX_TEXT),
        found=_cut(found, MAX_FOUND),
        hint=_cut(hint, MAX_TEXT),
    )


def leaves_of(errors: Iterable[ValidationError]) -> Iterator[ValidationError]:
    """Give the errors that are no alternatives, and those inside all alternatives of the others."""
    for error in errors:
        branches = _branches(error)
        if branches:
            for branch in branches:
                yield from leaves_of(branch)
        else:
            yield error


def _explain_all(errors: Iterable[ValidationError], schema: Any) -> Iterator[Issue]:
    for error in errors:
        explain = _EXPLAIN.get(error.kind.name)
        if explain is not None:
            yield from explain(error, schema)
        else:
            yield _plain(error)


def _plain(error: ValidationError) -> Issue:
    detail = {name: _json(value) for name, value in error.kind.as_dict().items()}
    template = _EXPECTED.get(error.kind.name)
    expected = template.format_map(detail) if template else _cut(error.message, MAX_TEXT)
    return _here(error, expected, f"use {expected}" if template else expected)


def _here(error: ValidationError, expected: str, hint: str) -> Issue:
    return issue(pointer_of(error.instance_path), _keyword(error), expected, _describe(error.instance), hint)


def _keyword(error: ValidationError) -> str:
    last = error.schema_path[-1] if error.schema_path else ""
    return last if isinstance(last, str) and last in _EXPECTED else error.kind.name


def _required(error: ValidationError, schema: Any) -> Iterator[Issue]:
    name = str(error.kind.as_dict()["property"])
    fields = _fields_beside(error, schema)
    kind = f" ({expectation(fields[name], schema)})" if name in fields else ""
    yield _here(error, f"a field {_quoted(name)}{kind}", f"add the field {_quoted(name)}{kind}")


def _unexpected_fields(error: ValidationError, schema: Any) -> Iterator[Issue]:
    known = list(_fields_beside(error, schema))
    listed = f"known fields are {_listed(known)}" if known else "no other fields are known"
    instance = cast("dict[str, Any]", error.instance)
    for name in cast("list[str]", error.kind.as_dict()["unexpected"])[:MAX_ISSUES]:
        meant = get_close_matches(name[:MAX_TEXT], [other for other in known if other not in instance], n=1)
        question = f" (did you mean {_quoted(meant[0])}?)" if meant else ""
        pointer, found = pointer_of([*error.instance_path, name]), _describe(instance.get(name))
        yield issue(pointer, error.kind.name, listed, found, f"remove {_quoted(name)}{question}: {listed}")


def _unexpected_items(error: ValidationError, _: Any) -> Iterator[Issue]:
    yield _here(error, "no further items", "remove the items at the end that the schema does not name")


def _type(error: ValidationError, _: Any) -> Iterator[Issue]:
    types = sorted(cast("list[str]", error.kind.as_dict()["types"]), key=lambda name: name == "null")
    expected = " or ".join(map(_with_article, types))
    yield _here(error, expected, _unquoted(error.instance, types) or f"use {expected}")


def _enum(error: ValidationError, _: Any) -> Iterator[Issue]:
    options = cast("list[Any]", error.kind.as_dict()["options"])
    words = [option for option in options if isinstance(option, str)]
    near = get_close_matches(error.instance[:MAX_TEXT], words, n=1) if isinstance(error.instance, str) else []
    question = f"did you mean {_json(near[0])}? " if near else ""
    expected = f"one of {', '.join(map(_json, options))}"
    yield _here(error, expected, f"{question}use {expected}")


def _alternatives(error: ValidationError, schema: Any) -> Iterator[Issue]:
    """Explain the branch that comes nearest; where none has even the right type, say which types there are."""
    branches = _branches(error)
    if not branches:
        yield _here(error, "one of the alternatives", "it fits several alternatives: make it fit exactly one")
        return
    nearest = min(branches, key=lambda branch: _distance(error, branch))
    if _distance(error, nearest)[0]:
        all_issues = [issue for branch in branches for issue in _explain_all(branch, schema)]
        pointer = pointer_of(error.instance_path)
        here = dict.fromkeys(issue.expected for issue in all_issues if issue.pointer == pointer)
        expected = " or ".join(here)
        yield _here(error, expected, f"use {expected}")
    else:
        yield from _explain_all(nearest, schema)


def _distance(error: ValidationError, branch: Sequence[ValidationError]) -> tuple[bool, int, int]:
    wrong_type = any(
        inner.kind.name in {"type", "enum", "const", "falseSchema"} and inner.instance_path == error.instance_path
        for inner in branch
    )
    return wrong_type, sum(inner.kind.name in {"const", "enum"} for inner in branch), len(branch)


def _branches(error: ValidationError) -> list[list[ValidationError]]:
    context = cast("list[list[ValidationError]]", error.kind.as_dict().get("context", []))
    return [branch for branch in context if branch]


def _property_names(error: ValidationError, schema: Any) -> Iterator[Issue]:
    inner = cast("ValidationError", error.kind.as_dict()["error"])
    for cause in _explain_all([inner], schema):
        name = str(inner.instance)
        yield issue(
            pointer_of([*error.instance_path, name]),
            "propertyNames",
            f"a field name that is {cause.expected}",
            _quoted(name),
            f"rename the field {_quoted(name)}: its name must be {cause.expected}",
        )


def _refused(error: ValidationError, _: Any) -> Iterator[Issue]:
    yield _here(error, "nothing", "remove it: no value is allowed here")


_EXPLAIN: Final[Mapping[str, Callable[[ValidationError, Any], Iterator[Issue]]]] = {
    "additionalItems": _unexpected_items,
    "additionalProperties": _unexpected_fields,
    "anyOf": _alternatives,
    "enum": _enum,
    "falseSchema": _refused,
    "oneOf": _alternatives,
    "propertyNames": _property_names,
    "required": _required,
    "type": _type,
    "unevaluatedItems": _unexpected_items,
    "unevaluatedProperties": _unexpected_fields,
}


def expectation(subschema: Any, schema: Any, depth: int = 3) -> str:
    """Say in a few words what a subschema asks for: `string`, `one of "a", "b"`, `array of integer`."""
    if not is_object(subschema) or not depth:
        return "any value"
    node = subschema
    if "$ref" in node:
        return expectation(_follow(node["$ref"], schema), schema, depth - 1)
    if "enum" in node:
        return f"one of {', '.join(map(_json, node['enum']))}"
    if "const" in node:
        return _json(node["const"])
    for keyword in ("anyOf", "oneOf"):
        if keyword in node:
            return " or ".join(dict.fromkeys(expectation(branch, schema, depth - 1) for branch in node[keyword]))
    types = node.get("type", "any value")
    if types == "array" and is_object(node.get("items")):
        return f"array of {expectation(node['items'], schema, depth - 1)}"
    return types if isinstance(types, str) else " or ".join(types)


def _follow(ref: str, schema: Any) -> Any:
    return _at(ref[2:].split("/"), schema) if ref.startswith("#/") else None


def _at(path: Iterable[str | int], schema: Any) -> Any:
    node = schema
    for part in path:
        if is_object(node):
            node = node.get(str(part))
        elif is_array(node) and isinstance(part, int):
            node = node[part]
        else:
            return None
    return node


def _fields_beside(error: ValidationError, schema: Any) -> dict[str, Any]:
    """Find the `properties` beside the keyword that failed; none where it stands alone."""
    node = _at(error.schema_path[:-1], schema)
    return node.get("properties", {}) if is_object(node) else {}


def _unquoted(instance: Any, types: Sequence[str]) -> str:
    """Models often send the right value as a string; say so where that is what happened."""
    if not isinstance(instance, str) or len(instance) > 10_000:
        return ""
    try:
        value = json.loads(instance)
    except (ValueError, RecursionError):
        return ""
    kind = _type_name(value)
    if kind in types or (kind == "integer" and "number" in types):
        return f"send {_with_article(kind)}, not a string that holds one"
    return ""


def _type_name(value: Any) -> str:
    if value is None:
        return "null"
    names = {"bool": "boolean", "int": "integer", "float": "number", "str": "string", "list": "array", "dict": "object"}
    return names[type(value).__name__]


def _with_article(type_name: str) -> str:
    if type_name == "null":
        return type_name
    return f"an {type_name}" if type_name[0] in "aio" else f"a {type_name}"


def _describe(value: Any) -> str:
    """Show a value shortly, without spelling out what it contains."""
    if is_object(value):
        return f"an object with {_listed(list(islice(value, MAX_ISSUES)))}" if value else "an empty object"
    if is_array(value):
        return f"an array of {len(value)} items"
    return _json(value[:MAX_FOUND] if isinstance(value, str) else value)


def _json(value: Any) -> str:
    return _cut(json.dumps(value, ensure_ascii=False, default=str), MAX_TEXT)


def _quoted(name: str) -> str:
    return f"`{_cut(name, MAX_FOUND)}`"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(_quoted, names[:MAX_ISSUES]))


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
