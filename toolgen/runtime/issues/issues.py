"""Issues: what is wrong with a value, in terms that a model can act on. Built from the validator's errors.

Every text is bounded, and so is their number: a payload cannot make its error large.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, cast

from toolgen.runtime.base.json_text import RepeatedKey
from toolgen.runtime.issues.issue_text import (
    MAX_FOUND,
    MAX_ISSUES,
    MAX_TEXT,
    NOTHING,
    counted,
    described,
    issue,
    joined,
    json_text,
    listed,
    quoted,
    type_name,
    with_article,
)
from toolgen.schema.json_values import is_array, is_object
from toolgen.schema.keywords import APPLIED_IN_PLACE, IN_PLACE_LIST, IN_PLACE_MAP, SCHEMA_LIST, SCHEMA_MAP
from toolgen.schema.references import at_steps, behind, followed, name_of_target, pointer_of, target_of
from toolgen.spec.text import cut

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from jsonschema_rs import ValidationError

    from toolgen.contract.records import Issue
    from toolgen.runtime.base.json_text import NotJson


# Short descriptions of what a subschema expects, and of its context.

Path = list[Any]
"""Keywords, names and indexes, from the root of a schema."""

_MOST_SCHEMAS: Final = 200
"""Keywords that are searched for the known fields of a schema."""


def expectation(subschema: Any, schema: Any, depth: int = 3) -> str:
    """Describe what a subschema expects: `string`, `one of "a", "b"`, `array of integer`."""
    if not is_object(subschema) or not depth:
        return "any value"
    node = subschema
    if "$ref" in node:
        return expectation(behind(target_of(node, schema), schema), schema, depth - 1)
    if "enum" in node:
        return f"one of {', '.join(map(json_text, node['enum'][:MAX_ISSUES]))}"
    if "const" in node:
        return json_text(node["const"])
    for keyword in ("anyOf", "oneOf"):
        if keyword in node:
            branches = node[keyword][:MAX_ISSUES]
            return " or ".join(dict.fromkeys(expectation(branch, schema, depth - 1) for branch in branches))
    types = node.get("type", "any value")
    if types == "array" and is_object(node.get("items")):
        return f"array of {expectation(node['items'], schema, depth - 1)}"
    return types if isinstance(types, str) else " or ".join(types)


def kind_of(subschema: Any, schema: Any) -> str:
    """The same if more than the type matters: the schema itself if it has other constraints."""
    node = followed(subschema, schema)
    if not is_object(node):
        return "any value" if node is True else "none"
    is_described = bool(node) and {"type", "enum", "const", "title", "description"}.issuperset(node)
    return expectation(node, schema) if is_described else json_text(node)


def at_path(path: Sequence[Any], schema: Any) -> Any:
    """Return the part of a schema at a path; None if there is none."""
    return at_steps(schema, map(str, path))


def segments(path: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Return the keywords on a path through a schema, each with the name or index that follows it, if any."""
    found: list[tuple[Any, ...]] = []
    index = 0
    while index < len(path):
        is_index = index + 1 < len(path) and isinstance(path[index + 1], int)
        length = 2 if path[index] in SCHEMA_MAP or (path[index] in SCHEMA_LIST and is_index) else 1
        found.append(tuple(path[index : index + length]))
        index += length
    return found


def fields_around(path: Path, schema: Any) -> dict[str, Any]:
    """Return the `properties` next to a keyword of a schema, and those of the schemas that contain it."""
    fields: dict[str, Any] = {}
    parts = segments(path)[:-1]
    while True:
        node = at_path([step for part in parts for step in part], schema)
        beside = node.get("properties") if is_object(node) else None
        fields = {**(beside if is_object(beside) else {}), **fields}
        if not parts or parts.pop()[0] not in APPLIED_IN_PLACE:
            return fields


def fields_evaluated(path: Path, schema: Any) -> list[str]:
    """Return the names of fields known to the schema next to a keyword, or to its subschemas."""
    names: dict[str, None] = {}
    waiting, seen = [at_path(path[:-1], schema)], set[int]()
    while waiting and len(seen) < _MOST_SCHEMAS:
        node = waiting.pop()
        if not is_object(node) or id(node) in seen:
            continue
        seen.add(id(node))
        if is_object(node.get("properties")):
            names.update(dict.fromkeys(node["properties"]))
        below = [node.get(keyword) for keyword in ("if", "then", "else")]
        below += [each for keyword in IN_PLACE_LIST if is_array(listed_ := node.get(keyword)) for each in listed_]
        below += [each for keyword in IN_PLACE_MAP if is_object(named := node.get(keyword)) for each in named.values()]
        below += [target_of(node, schema)] if "$ref" in node else []
        waiting += reversed(below)
    return list(names)


def known_fields(path: Path, schema: Any) -> str:
    """Describe which fields an object may have, if the keyword at a path rejects all others."""
    node = at_path(path[:-1], schema)
    own = node if is_object(node) else {}
    names = fields_evaluated(path, schema) if path[-1] == "unevaluatedProperties" else list(own.get("properties", {}))
    patterns = own.get("patternProperties", {})
    known = [f"known fields are {listed(names)}"] if names else []
    known += [f"names that match {' or '.join(map(json_text, patterns))} are known"] if patterns else []
    return ", and ".join(known) if known else "no other fields are known"


def reason(path: Path, schema: Any) -> str:
    """Describe the condition under which the keyword at a path applies: `because …`; empty if there is none.

    Only conditions on one field are described: that it has a value, or is given.
    """
    parts = segments(path)[:-1]
    while parts and parts[-1][0] in APPLIED_IN_PLACE:
        keyword, *name = parts.pop()
        if keyword in IN_PLACE_MAP:
            return f"because {quoted(str(name[0]))} is given"
        if keyword in ("then", "else"):
            node = at_path([step for part in parts for step in part], schema)
            return _because(node["if"], schema, holds=keyword == "then") if is_object(node) and "if" in node else ""
    return ""


def _because(condition: Any, schema: Any, *, holds: bool) -> str:
    condition = followed(condition, schema)
    if not is_object(condition) or not {"properties", "required", "type"}.issuperset(condition):
        return ""
    fields, required = condition.get("properties", {}), condition.get("required", [])
    if not fields and len(required) == 1:
        return f"because {quoted(required[0])} is {'given' if holds else 'not given'}"
    if len(fields) != 1 or not set(required) <= fields.keys():
        return ""
    ((name, field),) = fields.items()
    if not is_object(field) or not ({"const"} == field.keys() - {"type"} or {"enum"} == field.keys() - {"type"}):
        return ""
    value = expectation(field, schema)
    if holds:
        return f"because {quoted(name)} is {value}" if required else f"because {quoted(name)} is {value} or not given"
    return f"because {quoted(name)} is not {value}"


# Issues of alternatives: if no branch of `anyOf` or `oneOf` fits, several of `oneOf` do, or the one of `not` does.

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from jsonschema_rs import ValidationError

    from toolgen.contract.records import Issue

    Explain = Callable[[Iterable[ValidationError], Any], Iterator[Issue]]

_FIXED: Final = frozenset({"const", "enum"})
_WRONG_TYPE: Final = frozenset({*_FIXED, "falseSchema", "type"})
_NOTES: Final = frozenset({"$comment", "description", "title"})
_HOW_MANY: Final = {"anyOf": "at least", "oneOf": "exactly"}


def branches_of(error: ValidationError) -> list[list[ValidationError]]:
    """Return the errors of each alternative; an empty list for one that fits."""
    return cast("list[list[ValidationError]]", error.kind.as_dict().get("context", []))


def explain_alternatives(error: ValidationError, schema: Any, explain: Explain) -> Iterator[Issue]:
    """Explain why a value fits none of its alternatives, or more than one of `oneOf`.

    The closest alternatives are named; if none has the right type, the types are.
    """
    branches = branches_of(error)
    if not all(branches):
        yield _several_fit(error, [index for index, branch in enumerate(branches) if not branch], schema)
        return
    near = [branch for branch in branches if not _has_wrong_type(error, branch)]
    if not near:
        wrong = [inner for branch in branches for inner in branch if _is_wrong_type(error, inner)]
        yield _any_of(list(explain(wrong, schema)), error.kind.name)
    elif all(inner.kind.name == "required" and _is_here(error, inner) for branch in near for inner in branch):
        yield _missing_fields(error, near, schema)
    elif place := _discriminator(near):
        fixed = [inner for branch in near for inner in branch if _is_fixed_at(inner, place)]
        yield _any_of(list(explain(fixed, schema)))
    else:
        explained = [list(explain(branch, schema)) for branch in near]
        if all(len(each) == 1 for each in explained) and len({each[0].pointer for each in explained}) == 1:
            yield _any_of([each[0] for each in explained])
        else:
            yield from explained[near.index(min(near, key=_distance))]


def explain_not(error: ValidationError, schema: Any) -> Iterator[Issue]:
    """Explain what a value must not be."""
    refused = followed(error.kind.as_dict()["schema"], schema)
    expected, hint = _opposite(refused, error.instance)
    hint = hint if error.instance_path else hint.removeprefix("remove it: ")
    yield issue(pointer_of(error.instance_path), "not", expected, described(error.instance), hint)


def _opposite(refused: Any, value: Any) -> tuple[str, str]:
    asked = {key: each for key, each in refused.items() if key not in _NOTES} if is_object(refused) else {}
    if not asked:
        return "nothing", "remove it: no value is allowed here"
    fields = _required_alone(asked)
    if fields:
        which = f"the field {quoted(fields[0])}" if len(fields) == 1 else f"at least one of the fields {listed(fields)}"
        return f"no object with {joined(map(quoted, fields), 'and')}", f"remove {which}"
    branches = asked.get("anyOf")
    each_alone = [_required_alone(each) for each in branches] if is_array(branches) and len(asked) == 1 else []
    if each_alone and all(len(each) == 1 for each in each_alone) and is_object(value):
        refused_names = [each[0] for each in each_alone]
        found = [name for name in refused_names if name in value]
        what = f"the field {quoted(found[0])}" if len(found) == 1 else f"the fields {listed(found)}"
        return f"no object with {joined(map(quoted, refused_names), 'or')}", f"remove {what}"
    words = ""
    if asked.keys() - {"type"} in ({"const"}, {"enum"}):
        words = f"a value other than {', '.join(map(json_text, asked.get('enum', [asked.get('const')])))}"
    elif asked.keys() == {"type"}:
        types = asked["type"] if is_array(asked["type"]) else [asked["type"]]
        words = f"a value that is not {joined(map(with_article, types), 'or')}"
    elif asked.keys() - {"type"} == {"pattern"}:
        words = f"text that does not match the pattern {json_text(asked['pattern'])}"
    if words:
        return words, f"use {words}"
    return (
        f"a value that does not match {json_text(asked)}",
        f"change it so that it does not match {json_text(asked)}",
    )


def _any_of(issues: Sequence[Issue], keyword: str = "") -> Issue:
    """Return one issue for several ways to fix the same value."""
    first = issues[0]
    expected = " or ".join(dict.fromkeys(each.expected for each in issues[:MAX_ISSUES]))
    hint = first.hint if len({each.hint for each in issues}) == 1 else f"use {expected}"
    return issue(first.pointer, keyword or first.keyword, expected, first.found, hint)


def _missing_fields(error: ValidationError, branches: Sequence[Sequence[ValidationError]], schema: Any) -> Issue:
    """Explain which fields are missing, if the closest alternatives lack only fields."""
    sets = [list(dict.fromkeys(str(inner.kind.as_dict()["property"]) for inner in branch)) for branch in branches]
    kinds: dict[str, dict[str, None]] = {}
    for branch in branches[:MAX_ISSUES]:
        for inner in branch:
            name = str(inner.kind.as_dict()["property"])
            field = fields_around(inner.schema_path, schema).get(name)
            kinds.setdefault(name, {}).update({} if field is None else {expectation(field, schema): None})
    keyword, pointer, found = error.kind.name, pointer_of(error.instance_path), described(error.instance)

    def described_field(name: str) -> str:
        return f"{quoted(name)} ({' or '.join(kinds[name])})" if kinds.get(name) else quoted(name)

    if len({tuple(names) for names in sets}) == 1:
        what = f"{'a field' if len(sets[0]) == 1 else 'the fields'} {joined(map(described_field, sets[0]), 'and')}"
        return issue(pointer, "required", what, found, f"add {what.replace('a field', 'the field', 1)}")
    if all(len(names) == 1 for names in sets):
        names = dict.fromkeys(names[0] for names in sets[:MAX_ISSUES])
        what = f"{_HOW_MANY[keyword]} one of the fields {', '.join(map(described_field, names))}"
        return issue(pointer, keyword, what, found, f"add {what}")
    what = ", or ".join(
        f"the field{'s' if len(names) > 1 else ''} {joined(map(described_field, names), 'and')}"
        for names in sets[:MAX_ISSUES]
    )
    return issue(pointer, keyword, what, found, f"add {what}")


def _several_fit(error: ValidationError, fitting: Sequence[int], schema: Any) -> Issue:
    branches = at_path(error.schema_path, schema)
    subschemas = [branches[index] if is_array(branches) and index < len(branches) else None for index in fitting]
    sets = [_required_alone(followed(each, schema)) for each in subschemas]
    pointer, found = pointer_of(error.instance_path), described(error.instance)
    if all(len(names) == 1 for names in sets):
        every = [_required_alone(followed(each, schema)) for each in branches]
        names = [names[0] for names in every if len(names) == 1]
        expected = f"exactly one of the fields {listed(names)}"
        return issue(pointer, "oneOf", expected, found, f"remove all but one of {listed([each[0] for each in sets])}")
    if all(sets):
        groups = "; ".join(joined(map(quoted, names), "and") for names in sets[:MAX_ISSUES])
        hint = f"remove fields until only one of these is complete: {groups}"
        return issue(pointer, "oneOf", "the fields of exactly one alternative", found, hint)
    labels = [_label(each, index, schema) for each, index in zip(subschemas, fitting, strict=True)]
    if len(set(labels)) < len(labels):
        labels = [f"alternative {index + 1}" for index in fitting]
    hint = f"it fits {joined(labels, 'and')}: change it so that it fits exactly one of them"
    return issue(pointer, "oneOf", "exactly one of the alternatives", found, hint)


def _label(subschema: Any, index: int, schema: Any) -> str:
    node = followed(subschema, schema)
    if is_object(node) and isinstance(node.get("title"), str):
        return str(node["title"])
    if is_object(subschema) and (name := name_of_target(subschema.get("$ref"))):
        return name
    words = expectation(node, schema)
    return f"alternative {index + 1}" if words in ("any value", "object") else f"alternative {index + 1} ({words})"


def _required_alone(subschema: Any) -> list[str]:
    """Return the fields that a schema requires, if that is all it checks."""
    if not is_object(subschema) or "required" not in subschema:
        return []
    is_alone = subschema.keys() - _NOTES <= {"required", "type"} and subschema.get("type", "object") == "object"
    return list(subschema["required"]) if is_alone else []


def _discriminator(branches: Sequence[Sequence[ValidationError]]) -> list[str | int]:
    """Return the path of a field with a fixed value that every alternative rejects; empty if there is none."""
    first, *others = [[inner.instance_path for inner in branch if inner.kind.name in _FIXED] for branch in branches]
    common = [place for place in first if all(place in places for places in others)]
    return common[0] if common else []


def _is_fixed_at(error: ValidationError, place: Sequence[str | int]) -> bool:
    return error.kind.name in _FIXED and error.instance_path == place


def _is_here(error: ValidationError, inner: ValidationError) -> bool:
    return inner.instance_path == error.instance_path


def _has_wrong_type(error: ValidationError, branch: Sequence[ValidationError]) -> bool:
    return any(_is_wrong_type(error, inner) for inner in branch)


def _is_wrong_type(error: ValidationError, inner: ValidationError) -> bool:
    return inner.kind.name in _WRONG_TYPE and _is_here(error, inner)


def _distance(branch: Sequence[ValidationError]) -> tuple[int, int]:
    return sum(inner.kind.name in _FIXED for inner in branch), len(branch)


__all__ = ["MAX_FOUND", "MAX_ISSUES", "MAX_TEXT", "issue", "issues_of", "leaves_of", "not_json", "not_serializable"]

_EXPECTED: Final[Mapping[str, str]] = {
    "exclusiveMaximum": "a number below {limit}",
    "exclusiveMinimum": "a number above {limit}",
    "maximum": "a number of at most {limit}",
    "minimum": "a number of at least {limit}",
    "multipleOf": "a multiple of {multiple_of}",
    "pattern": "text that matches the pattern {pattern}",
}
"""What some keywords expect; their hint is to use it."""

_EXAMPLES: Final = {"date": "2026-01-31", "date-time": "2026-01-31T09:30:00Z", "time": "09:30:00Z"}
"""What texts of some formats look like; not of UUIDs, which a model would send as they stand."""

_COUNTED: Final[Mapping[str, tuple[str, str]]] = {
    "maxItems": ("at most", "item"),
    "maxLength": ("at most", "character"),
    "maxProperties": ("at most", "field"),
    "minItems": ("at least", "item"),
    "minLength": ("at least", "character"),
    "minProperties": ("at least", "field"),
}


def issues_of(errors: Iterable[ValidationError], schema: Any) -> tuple[Issue, ...]:
    """Explain the errors of one value under `schema`, its root. Returns at most `MAX_ISSUES`, in their order."""
    return tuple(islice(_explain_all(errors, schema), MAX_ISSUES))


def not_json(problem: NotJson) -> Issue:
    """Return the issue for a payload that is not JSON, by what reading it raised."""
    if isinstance(problem, RepeatedKey):
        key = f"`{problem.key}`"
        return issue(problem.pointer, "json", f"{key} once", f"{key} twice", f"send {key} once")
    return issue(problem.pointer, "json", "JSON", str(problem), problem.hint or "send one JSON value")


def not_serializable(reason: str) -> Issue:
    """Return the issue for a value that is not JSON-serializable."""
    return issue("", "json", "a JSON-serializable value", reason, f"use a JSON-serializable value: {reason}")


def not_checkable(value: Any, limit: int) -> Issue:
    """Return the issue for a value that could take the validator too long."""
    expected = f"a value that its schema checks in at most {limit:,} steps"
    return issue("", "schema", expected, described(value), "nest the value less deeply, or split it over several calls")


def not_listable(value: Any) -> Issue:
    """Return the issue for a value with too many possible errors to list."""
    hint = "compare the value with its schema: it is too large to list the errors of each alternative"
    return issue("", "schema", "a value that fits one of the alternatives of its schema", described(value), hint)


def leaves_of(errors: Iterable[ValidationError]) -> Iterator[ValidationError]:
    """Return the errors, with those of alternatives replaced by the errors inside each alternative."""
    for error in errors:
        branches = branches_of(error)
        if any(branches):
            for branch in branches:
                yield from leaves_of(branch)
        else:
            yield error


def _explain_all(errors: Iterable[ValidationError], schema: Any) -> Iterator[Issue]:
    for error in errors:
        explain = _EXPLAIN.get(error.kind.name, _plain)
        because = reason(error.schema_path, schema)
        for each in explain(error, schema):
            yield (
                issue(each.pointer, each.keyword, each.expected, each.found, f"{each.hint}, {because}")
                if because
                else each
            )


def _plain(error: ValidationError, _: Any) -> Iterator[Issue]:
    kind = error.kind.name
    detail = {name: json_text(value) for name, value in error.kind.as_dict().items()}
    if kind in _COUNTED:
        how, noun = _COUNTED[kind]
        expected = f"{how} {counted(error.kind.as_dict()['limit'], noun)}"
    elif kind in _EXPECTED:
        expected = _EXPECTED[kind].format_map(detail)
    else:
        expected = cut(error.message, MAX_TEXT)
    yield _here(error, expected, f"use {expected}" if kind in _COUNTED or kind in _EXPECTED else expected)


def _here(error: ValidationError, expected: str, hint: str) -> Issue:
    return issue(pointer_of(error.instance_path), error.kind.name, expected, described(error.instance), hint)


def _pattern(error: ValidationError, schema: Any) -> Iterator[Issue]:
    if "pattern" in error.kind.as_dict():
        yield from _plain(error, schema)
        return
    text = "text that can be matched with its pattern in bounded time"
    yield _here(error, text, "send a shorter or simpler text: the pattern takes too many steps for this one")


def _format(error: ValidationError, _: Any) -> Iterator[Issue]:
    name = str(error.kind.as_dict()["format"])
    example = f", such as {_EXAMPLES[name]}" if name in _EXAMPLES else ""
    expected = f"a valid {json_text(name)}{example}"
    yield _here(error, expected, f"use {expected}")


def _required(error: ValidationError, schema: Any) -> Iterator[Issue]:
    name = str(error.kind.as_dict()["property"])
    fields = fields_around(error.schema_path, schema)
    kind = f" ({expectation(fields[name], schema)})" if name in fields else ""
    hint = f"add the field {quoted(name)}{kind}"
    triggers, instance = at_path(error.schema_path, schema), cast("dict[str, Any]", error.instance)
    if is_object(triggers):
        given = [field for field, names in triggers.items() if is_array(names) and name in names and field in instance]
        hint = f"{hint}, because {joined(map(quoted, given), 'and')} {'is' if len(given) == 1 else 'are'} given"
    pointer = pointer_of([*error.instance_path, name])
    yield issue(pointer, error.kind.name, f"a field {quoted(name)}{kind}", NOTHING, hint)


def _unexpected_fields(error: ValidationError, schema: Any) -> Iterator[Issue]:
    from difflib import get_close_matches  # slow to import, and most payloads fit

    expected = known_fields(error.schema_path, schema)
    known = list(fields_around(error.schema_path, schema))
    instance = cast("dict[str, Any]", error.instance)
    for name in cast("list[str]", error.kind.as_dict()["unexpected"])[:MAX_ISSUES]:
        meant = get_close_matches(name[:MAX_TEXT], [other for other in known if other not in instance], n=1)
        question = f" (did you mean {quoted(meant[0])}?)" if meant else ""
        pointer, found = pointer_of([*error.instance_path, name]), described(instance.get(name))
        yield issue(pointer, error.kind.name, expected, found, f"remove {quoted(name)}{question}: {expected}")


def _additional_items(error: ValidationError, _: Any) -> Iterator[Issue]:
    expected = f"at most {counted(error.kind.as_dict()['limit'], 'item')}"
    yield _here(error, expected, f"send {expected}: the schema describes no more")


def _unevaluated_items(error: ValidationError, _: Any) -> Iterator[Issue]:
    yield _here(error, "only items that the schema describes", "remove the items that the schema does not describe")


def _unique(error: ValidationError, _: Any) -> Iterator[Issue]:
    first: dict[str, int] = {}
    repeated: list[str] = []
    for index, item in enumerate(cast("list[Any]", error.instance)):
        earlier = first.setdefault(_canonical(item), index)
        if earlier != index:
            repeated.append(f"item {index} (it equals item {earlier})")
    hint = f"remove {joined(repeated, 'and')}; items are counted from 0"
    yield _here(error, "an array without duplicate items", hint)


def _canonical(value: Any) -> str:
    """Return a text that is the same for values that are equal in JSON, such as `1` and `1.0`."""
    if is_object(value):
        return f"{{{','.join(sorted(f'{json.dumps(key)}:{_canonical(each)}' for key, each in value.items()))}}}"
    if is_array(value):
        return f"[{','.join(map(_canonical, value))}]"
    return json.dumps(int(value) if isinstance(value, float) and value.is_integer() else value, default=str)


def _contains(error: ValidationError, schema: Any) -> Iterator[Issue]:
    path = error.schema_path
    node = at_path(path[:-1], schema)
    siblings = node if is_object(node) else {}
    if path[-1] == "maxContains":
        how, number = "at most", siblings.get("maxContains")
    else:
        how, number = "at least", siblings.get("minContains", 1)
    expected = f"{how} {counted(number, 'item')} of this kind: {kind_of(siblings.get('contains'), schema)}"
    yield _here(error, f"an array with {expected}", f"include {expected}")


def _type(error: ValidationError, _: Any) -> Iterator[Issue]:
    types = sorted(cast("list[str]", error.kind.as_dict()["types"]), key=lambda name: name == "null")
    expected = " or ".join(map(with_article, types))
    yield _here(error, expected, _unquoted(error.instance, types) or f"use {expected}")


def _enum(error: ValidationError, _: Any) -> Iterator[Issue]:
    detail = error.kind.as_dict()
    options = cast("list[Any]", detail["options"] if "options" in detail else [detail["expected_value"]])
    expected = (
        f"one of {', '.join(map(json_text, options))}" if "options" in detail else f"exactly {json_text(options[0])}"
    )
    meant = _nearest(error.instance, options)
    question = f"did you mean {meant}? " if meant else ""
    yield _here(error, expected, f"{question}use {expected}")


def _nearest(value: Any, options: Sequence[Any]) -> str:
    """Return the option closest to a text, or equal to it but for case or quotes around a number."""
    if not isinstance(value, str):
        return ""
    from difflib import get_close_matches  # as above

    value = value[:MAX_TEXT]
    words: dict[str, str] = {each.casefold(): each for each in reversed(options) if isinstance(each, str)}
    near = get_close_matches(value.casefold(), list(words), n=1)
    if near:
        return json_text(words[near[0]]) if len(options) > 1 or near[0] == value.casefold() else ""
    spelled = (option for option in options if not isinstance(option, str) and json_text(option) == value)
    return next((f"{json_text(option)}, without quotes" for option in spelled), "")


def _property_names(error: ValidationError, schema: Any) -> Iterator[Issue]:
    inner = cast("ValidationError", error.kind.as_dict()["error"])
    name = str(inner.instance)
    for cause in _explain_all([inner], schema):
        pointer = pointer_of([*error.instance_path, name])
        expected, hint = f"a field name that is {cause.expected}", f"its name must be {cause.expected}"
        yield issue(pointer, "propertyNames", expected, quoted(name), f"rename the field {quoted(name)}: {hint}")


def _refused(error: ValidationError, _: Any) -> Iterator[Issue]:
    keyword, *name = ([(), *segments(error.schema_path)][-1]) or ("",)
    if keyword == "propertyNames":
        yield _here(error, "an object without fields", "remove all fields: none is allowed here")
    elif keyword in IN_PLACE_MAP:
        yield _here(error, f"no object with {quoted(str(name[0]))}", f"remove the field {quoted(str(name[0]))}")
    else:
        yield _here(error, "nothing", f"{'remove it: ' if error.instance_path else ''}no value is allowed here")


def _alternatives(error: ValidationError, schema: Any) -> Iterator[Issue]:
    yield from explain_alternatives(error, schema, _explain_all)


_EXPLAIN: Final[Mapping[str, Callable[[ValidationError, Any], Iterator[Issue]]]] = {
    "additionalItems": _additional_items,
    "additionalProperties": _unexpected_fields,
    "anyOf": _alternatives,
    "const": _enum,
    "contains": _contains,
    "enum": _enum,
    "falseSchema": _refused,
    "format": _format,
    "not": explain_not,
    "oneOf": _alternatives,
    "pattern": _pattern,
    "propertyNames": _property_names,
    "required": _required,
    "type": _type,
    "unevaluatedItems": _unevaluated_items,
    "unevaluatedProperties": _unexpected_fields,
    "uniqueItems": _unique,
}


def _unquoted(instance: Any, types: Sequence[str]) -> str:
    """Return a hint if the value is a string that contains the right value, as models often send."""
    if not isinstance(instance, str) or len(instance) > 10_000:
        return ""
    try:
        value = json.loads(instance)
    except (ValueError, RecursionError):
        return ""
    kind = type_name(value)
    if kind in types or (kind == "integer" and "number" in types):
        return f"send {with_article(kind)}, not a string that holds one"
    return ""
