"""Issues of alternatives: if no branch of `anyOf` or `oneOf` fits, several of `oneOf` do, or the one of `not` does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from toolgen.runtime.issues.expectation import at_path, expectation, fields_around, followed
from toolgen.runtime.issues.issue_text import (
    MAX_ISSUES,
    described,
    issue,
    joined,
    json_text,
    listed,
    quoted,
    with_article,
)
from toolgen.schema.json_values import is_array, is_object
from toolgen.schema.pointer import pointer_of

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
    if is_object(subschema) and isinstance(subschema.get("$ref"), str):
        return str(subschema["$ref"].rpartition("/")[2])
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
