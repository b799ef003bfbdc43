"""Args form: the args of a tool as fields of a form, from its schema, and what a person did to them as JSON.

The JSON value is the only state. A form is made from it, and what was typed is compared with what the form showed: so a
number keeps its spelling, and what a form cannot show stays as it is.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, Final, NamedTuple
from urllib.parse import quote, unquote

from toolgen.pages.fields import Bound, bounds_of
from toolgen.runtime.base.json_text import MAX_DEPTH, is_deeper
from toolgen.schema.fields import SchemaField, fields_of, merged, resolved
from toolgen.schema.json_values import is_array, is_number, is_object, number_of
from toolgen.schema.references import child, escape, steps_of
from toolgen.spec.text import cut, visible_json

_MOST_FIELDS: Final = 500
"""Maximum fields of a form; the rest is edited as JSON."""

_MOST_OPTIONS: Final = 500_000
"""Maximum characters of the options of all fields of a form, of which the first ones have them; others are JSON."""

_OF_OPTION: Final = 50
"""Characters that an option has on a page beside its texts."""

_MOST_ITEMS: Final = 100
_DEEPEST: Final = 12
_LONG_TEXT: Final = 80
_SUMMARY: Final = 60
_VALUES: Final = 4

_INPUT_TYPES: Final = {"date": "date", "email": "email", "uri": "url"}

_NOT_IN_INPUTS: Final = re.compile(r"[\x00\r\ud800-\udfff]")
"""Characters that no input of a page can hold, or that come back as others."""

_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_BASE64: Final = re.compile(r"[A-Za-z0-9+/]*={0,2}")

_ABSENT: Final = object()


@dataclass(frozen=True, slots=True, kw_only=True)
class FormField:
    """One field of a form.

    `kind` is `text`, `number`, `boolean`, `choice`, `constant`, `object`, `list`, `map`, `union` or `json`; a text that
    no input can hold is `json`. `shown` is the text in its input; of a file, whose text is base64, it is empty, and
    `size` is the number of its bytes. `options` are pairs of a value and a label. `key` is its name below its parent;
    it `can_go` if it is an item of a list or an entry of a map.
    """

    pointer: str
    key: str
    kind: str
    label: str
    description: str = ""
    bounds: tuple[Bound, ...] = ()
    required: bool = False
    present: bool = True
    shown: str = ""
    input_type: str = "text"
    is_secret: bool = False
    is_nullable: bool = False
    can_go: bool = False
    options: tuple[tuple[str, str], ...] = ()
    chosen: int = 0
    size: int | None = None
    fields: tuple[FormField, ...] = ()
    can_add: bool = False

    @property
    def id(self) -> str:
        """Its id on the page, which depends on its pointer alone."""
        return f"f-{hashlib.sha256(self.pointer.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"

    @property
    def address(self) -> str:
        """Its pointer as inputs have it in their names, in ASCII: browsers change other names."""
        return quote(self.pointer, safe="/~", errors="surrogatepass")


class _Options(NamedTuple):
    """What can be chosen in a field: options, the `alternatives` that they stand for, and the characters they take.

    `found_in` are the parts of the schema that they were found by, which live as long.
    """

    options: tuple[tuple[str, str], ...]
    alternatives: Sequence[Any]
    size: int
    found_in: Sequence[Any]


def pointer_at(address: str) -> str:
    """Return the pointer of the field with an address."""
    return unquote(address, errors="surrogatepass")


@dataclass(slots=True)
class _Reader:
    """Reads a schema along a value."""

    root: Any
    choices: Mapping[str, int]
    secrets: frozenset[str]
    left: int = _MOST_FIELDS
    options_left: int = _MOST_OPTIONS
    fields: dict[str, tuple[Any, FormField]] = field(default_factory=dict[str, "tuple[Any, FormField]"])
    """The schema and the field of each pointer."""
    found_options: dict[tuple[int, ...], _Options] = field(default_factory=dict[tuple[int, ...], _Options])
    """Options by the identities of the parts of the schema that have them: all items of a list have the same."""

    def read(self, found: SchemaField, pointer: str, value: Any, depth: int = 0, *, can_go: bool = False) -> FormField:
        """Return the field for a value of a schema; `_ABSENT` for none."""
        schema, is_nullable = _without_null(found.schema, self.root)
        made = FormField(
            pointer=pointer,
            key=found.name,
            kind="json",
            label=str(found.schema.get("title", "")) or found.name or "args",
            description=found.description,
            bounds=bounds_of(schema),
            required=found.required,
            present=value is not _ABSENT,
            is_secret=_pattern(pointer) in self.secrets or schema.get("format") == "password",
            is_nullable=is_nullable,
            can_go=can_go,
        )
        self.left -= 1
        made = self._of_kind(made, schema, value, depth)
        self.fields[pointer] = found.schema, made
        return made

    def _of_kind(self, made: FormField, schema: Mapping[str, Any], value: Any, depth: int) -> FormField:
        if self.left <= 0 or depth > _DEEPEST:
            return _as_json(made, value)
        if "const" in schema:
            return replace(made, kind="constant", shown=_json(schema["const"]))
        if is_array(schema.get("enum")):
            found = self._options([schema["enum"]], lambda: (_choices(schema["enum"]), ()))
            return _as_json(made, value) if found is None else _as_choice(made, found.options, value)
        parts = _union_parts(schema)
        if parts:
            found_in = [*parts, *schema_beside(schema).values()]
            found = self._options(found_in, lambda: _named_alternatives(schema, self.root))
            return _as_json(made, value) if found is None else self._as_union(made, found, value, depth)
        kind = _type_of(schema, self.root)
        if kind == "object":
            return self._as_object(made, schema, value, depth)
        if kind == "array" and is_object(schema.get("items")) and "prefixItems" not in schema:
            return self._as_list(made, schema, value, depth)
        if kind in _OF_TYPE and (value in (_ABSENT, None) or _fits_type(value, kind)):
            return _OF_TYPE[kind](made, schema, value)
        return _as_json(made, value)

    def _options(
        self, found_in: Sequence[Any], find: Callable[[], tuple[Sequence[tuple[str, str]], Sequence[Any]]]
    ) -> _Options | None:
        """Return the options that parts of a schema have, found once; None if the form has no room for them."""
        key = tuple(map(id, found_in))
        found = self.found_options.get(key)
        if found is None:
            options, alternatives = find()
            size = sum(len(value) + len(label) + _OF_OPTION for value, label in options)
            found = self.found_options[key] = _Options(tuple(options), alternatives, size, found_in)
        if found.size > self.options_left:
            return None
        self.options_left -= found.size
        return found

    def _as_object(self, made: FormField, schema: Mapping[str, Any], value: Any, depth: int) -> FormField:
        named = [each for each in fields_of(schema, self.root) if not _is_pattern(each, schema)]
        others = schema.get("additionalProperties", True)
        if value is not _ABSENT and not is_object(value):
            return _as_json(made, value)
        if not named and (others is False or not is_object(others)) and others is not False:
            return _as_json(made, value)
        is_open = value is not _ABSENT or (made.required and depth < 5) or not made.pointer
        given: Mapping[str, Any] = value if is_object(value) else {}
        fields: list[FormField] = []
        for each in named if is_open else ():
            pointer = f"{made.pointer}/{escape(each.name)}"
            fields.append(self.read(each, pointer, given.get(each.name, _ABSENT), depth + 1))
        known = {each.name for each in named}
        extra = [name for name in given if name not in known]
        if is_object(others) or extra:
            for name in extra[:_MOST_ITEMS]:
                inner = _named(name, others if is_object(others) else True, self.root)
                fields.append(self.read(inner, f"{made.pointer}/{escape(name)}", given[name], depth + 1, can_go=True))
        kind = "object" if named or others is False else "map"
        return replace(made, kind=kind, fields=tuple(fields), present=is_open, can_add=is_object(others))

    def _as_list(self, made: FormField, schema: Mapping[str, Any], value: Any, depth: int) -> FormField:
        if value is not _ABSENT and not is_array(value):
            return _as_json(made, value)
        items: Sequence[Any] = value if is_array(value) else ()
        if len(items) > _MOST_ITEMS:
            return _as_json(made, value)
        fields: list[FormField] = []
        for at, each in enumerate(items):
            inner = _named(str(at), schema["items"], self.root)
            item = self.read(inner, f"{made.pointer}/{at}", each, depth + 1, can_go=True)
            fields.append(replace(item, label=f"item {at + 1}"))
        return replace(made, kind="list", fields=tuple(fields), present=True, can_add=True)

    def _as_union(self, made: FormField, found: _Options, value: Any, depth: int) -> FormField:
        alternatives = found.alternatives
        chosen = self.choices.get(made.pointer, -1)
        if not 0 <= chosen < len(alternatives) or (
            value is not _ABSENT and _score(alternatives[chosen], value, self.root) < 0
        ):
            scores = [_score(each, value, self.root) for each in alternatives]
            chosen = -1 if value is _ABSENT else scores.index(max(scores))
        made = replace(made, kind="union", options=found.options, chosen=chosen)
        if chosen < 0:
            return replace(made, present=False)
        inner = _named(made.key, alternatives[chosen], self.root)
        shown = self._of_kind(
            replace(made, kind="json", required=True, description=inner.description, is_nullable=False),
            _without_null(inner.schema, self.root)[0],
            value,
            depth + 1,
        )
        return replace(made, fields=(replace(shown, label="value"),))


def form_of(
    schema: Any, value: Any, *, choices: Mapping[str, int] | None = None, secrets: Sequence[str] = ()
) -> FormField:
    """Return the form of args: a field of kind `object`, or `json` where the schema has no fields.

    `choices` are the alternatives of unions that a person chose, by pointer; `secrets` the pointers of secret fields.
    """
    return _read(schema, value, choices or {}, secrets).fields[""][1]


def _read(schema: Any, value: Any, choices: Mapping[str, int], secrets: Sequence[str]) -> _Reader:
    reader = _Reader(schema, choices, frozenset(secrets))
    reader.read(_named("", schema, schema, required=True), "", value)
    return reader


def initial(schema: Any) -> Any:
    """Return the args that an empty form begins with: those that can have one value only."""
    made = _blank(schema, schema)
    return {} if made is None else made


def each_field(form: FormField) -> Iterator[FormField]:
    """Yield a field and all below it; the value of a union has the pointer of the union."""
    yield form
    for each in form.fields:
        yield from each_field(each)


def typed(
    schema: Any,
    value: Any,
    inputs: Mapping[str, str],
    *,
    choices: Mapping[str, int] | None = None,
    secrets: Sequence[str] = (),
) -> Any:
    """Return args with what a person typed: texts of inputs by pointer, which differ from what the form showed."""
    reader = _read(schema, value, choices or {}, secrets)
    for each in each_field(reader.fields[""][1]):
        text = inputs.get(each.pointer)
        if text is None or each.kind in ("object", "list", "map", "union") or _same_text(text, each.shown):
            continue
        value = _set(value, each.pointer, _value_of(each, text))
    return value


class NameTaken(ValueError):
    """An entry of this name is there already."""


def changed(schema: Any, value: Any, action: str, pointer: str, name: str = "", *, choices: dict[str, int]) -> Any:
    """Return args after an action on a field: `add`, `remove`, or `choose` with the number of an alternative.

    `add` on a map takes the name of the entry. What the form does not have changes nothing. `choose` is noted in
    `choices`. Raises `NameTaken`.
    """
    reader = _read(schema, value, choices, ())
    if pointer not in reader.fields and action != "remove":
        return value
    if action == "remove":
        return _set(value, pointer, _ABSENT)
    given, made = reader.fields[pointer]
    inner = _without_null(given, schema)[0]
    if action == "choose":
        alternatives = _alternatives(inner, schema)
        chosen = number_of(name)
        if chosen is None or chosen >= len(alternatives):
            choices.pop(pointer, None)
            return _set(value, pointer, _ABSENT)
        choices[pointer] = chosen
        return _set(value, pointer, _blank(alternatives[chosen], schema))
    while made.kind == "union" and made.fields:
        inner = _without_null(_named("", _alternatives(inner, schema)[made.chosen], schema).schema, schema)[0]
        made = made.fields[0]
    if made.kind == "list":
        item = _blank(inner["items"], schema)
        return _set(value, pointer, [*_at(value, pointer, []), item])
    if made.kind in ("map", "object") and name:
        if any(name == each.key for each in made.fields) or name in _at(value, pointer, {}):
            raise NameTaken(f"there is an entry called `{name}` already")
        return _set(value, f"{pointer}/{escape(name)}", _blank(inner.get("additionalProperties", True), schema))
    return _set(value, pointer, _blank(inner, schema)) if not made.present else value


# Kinds: what a field shows.


def _as_json(made: FormField, value: Any) -> FormField:
    return replace(made, kind="json", shown="" if value is _ABSENT else _json(value, indent=True))


def _as_text(made: FormField, schema: Mapping[str, Any], value: Any) -> FormField:
    shown = "" if value in (_ABSENT, None) else value
    if _is_file(schema) and not made.is_secret and _BASE64.fullmatch(shown) and len(shown) % 4 == 0:
        size = None if value in (_ABSENT, None) else len(shown) * 3 // 4 - shown.count("=")
        return replace(made, kind="text", input_type="file", size=size)
    if _NOT_IN_INPUTS.search(shown):
        return _as_json(made, value)
    return replace(made, kind="text", shown=shown, input_type=_input_type(made, schema, shown))


def _input_type(made: FormField, schema: Mapping[str, Any], shown: str) -> str:
    """Return the type of input for a text: a special one only if it gives the text back as it is."""
    limit = schema.get("maxLength")
    if "\n" in shown or (not made.is_secret and (len(shown) > _LONG_TEXT or (is_number(limit) and limit > 200))):
        return "long"
    if made.is_secret:
        return "password"
    wanted = _INPUT_TYPES.get(str(schema.get("format")), "text")
    keeps = not shown or _is_date(shown) if wanted == "date" else shown == shown.strip(" \t\f")
    return wanted if keeps else "text"


def _is_date(text: str) -> bool:
    try:
        return _DATE.fullmatch(text) is not None and date.fromisoformat(text) is not None
    except ValueError:
        return False


def _is_file(schema: Mapping[str, Any]) -> bool:
    """Whether a text is bytes as base64. A text with `format: binary` is sent as it is, so it is none."""
    return schema.get("contentEncoding") == "base64" or schema.get("format") == "byte"


def _as_number(made: FormField, schema: Mapping[str, Any], value: Any) -> FormField:
    return replace(made, kind="number", shown="" if value in (_ABSENT, None) else _json(value))


def _as_boolean(made: FormField, _schema: Mapping[str, Any], value: Any) -> FormField:
    return replace(
        made,
        kind="boolean",
        shown="" if value in (_ABSENT, None) else _json(value),
        options=(("true", "true"), ("false", "false")),
    )


def _choices(values: Sequence[Any]) -> list[tuple[str, str]]:
    return [(_json(each), each if isinstance(each, str) and each else _json(each)) for each in values]


def _as_choice(made: FormField, options: tuple[tuple[str, str], ...], value: Any) -> FormField:
    shown = "" if value is _ABSENT else _json(value)
    if shown and all(shown != each for each, _ in options):
        options = (*options, (shown, shown))
    return replace(made, kind="choice", options=options, shown=shown)


_OF_TYPE: Final = {"string": _as_text, "number": _as_number, "integer": _as_number, "boolean": _as_boolean}


def _fits_type(value: Any, kind: str) -> bool:
    if kind == "string":
        return isinstance(value, str)
    return isinstance(value, bool) if kind == "boolean" else is_number(value)


def _value_of(made: FormField, text: str) -> Any:
    """Return the value of what was typed; `_ABSENT` if that is nothing. Text that is no such value stays text."""
    if made.kind == "text":
        text = text.replace("\r\n", "\n")
        return text if text or (made.required and not made.is_nullable) else None if made.required else _ABSENT
    if not text.strip():
        return None if made.is_nullable and made.required else _ABSENT
    try:
        found = json.loads(text, parse_constant=str)
    except (ValueError, RecursionError):
        return text
    return text if is_deeper(found, MAX_DEPTH) else found


def _same_text(typed_text: str, shown: str) -> bool:
    """Whether an input is as it was shown: browsers send lines with CR LF."""
    return typed_text.replace("\r\n", "\n") == shown.replace("\r\n", "\n")


# Schemas: what a form needs to know of them.


def _named(name: str, schema: Any, root: Any, *, required: bool = False) -> SchemaField:
    target, reference = resolved(schema, root)
    own, found = (each if is_object(each) else {} for each in (schema, target))
    return SchemaField(name, schema, {**found, **own}, reference, required)


def _is_pattern(each: SchemaField, schema: Mapping[str, Any]) -> bool:
    patterns = schema.get("patternProperties")
    return is_object(patterns) and each.name.strip("/") in patterns


def _without_null(schema: Mapping[str, Any], root: Any) -> tuple[Mapping[str, Any], bool]:
    """Return a schema without its alternative null, and whether it has one."""
    kinds = schema.get("type")
    if is_array(kinds) and "null" in kinds:
        others = [each for each in kinds if each != "null"]
        return {**schema, "type": others[0] if len(others) == 1 else others}, True
    for keyword in ("anyOf", "oneOf"):
        if is_array(schema.get(keyword)):
            others = [each for each in schema[keyword] if not (is_object(each) and each.get("type") == "null")]
            if len(others) == len(schema[keyword]):
                continue
            rest = {key: value for key, value in schema.items() if key != keyword}
            if len(others) == 1:
                return {**_named("", others[0], root).schema, **rest}, True
            return {**rest, keyword: others}, True
    return schema, False


def _union_parts(schema: Mapping[str, Any]) -> Sequence[Any]:
    """Return the alternatives of a union as its schema has them; none for one that says which fields go together."""
    for keyword in ("oneOf", "anyOf"):
        found = schema.get(keyword)
        if is_array(found) and found:
            is_union = all(is_object(each) and each.keys() - {"required", "not"} for each in found)
            return found if is_union else ()
    return ()


def _alternatives(schema: Mapping[str, Any], root: Any) -> list[Any]:
    """Return the alternatives of a union, with what its schema says beside them."""
    return [{**schema_beside(schema), **_named("", each, root).schema} for each in _union_parts(schema)]


def _named_alternatives(schema: Mapping[str, Any], root: Any) -> tuple[list[tuple[str, str]], list[Any]]:
    """Return the options and the alternatives of a union."""
    alternatives = _alternatives(schema, root)
    return [(str(at), name) for at, name in enumerate(_summaries(alternatives, root))], alternatives


def schema_beside(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a schema says beside its alternatives about the fields of an object."""
    return (
        {key: schema[key] for key in ("properties", "required", "type") if key in schema}
        if "properties" in schema
        else {}
    )


def _type_of(schema: Mapping[str, Any], root: Any) -> str:
    given = schema.get("type")
    if isinstance(given, str):
        return given
    if given is None and ("properties" in schema or any(fields_of(each, root) for each in merged(schema, root))):
        return "object"
    return ""


def _score(schema: Any, value: Any, root: Any) -> int:
    """Return how well an alternative fits a value; negative if it cannot."""
    found = _named("", schema, root).schema
    if value is _ABSENT:
        return 0
    if "const" in found:
        return 9 if found["const"] == value else -1
    if is_array(found.get("enum")):
        return 9 if value in found["enum"] else -1
    kind = _type_of(found, root)
    if kind and not _is_of(value, kind):
        return -1
    score = 1 if kind else 0
    if is_object(value):
        for each in fields_of(found, root):
            inner = value.get(each.name, _ABSENT)
            if inner is _ABSENT:
                score -= 2 if each.required else 0
                continue
            score += 1
            allowed = [each.schema["const"]] if "const" in each.schema else each.schema.get("enum")
            if is_array(allowed):
                score += 5 if inner in allowed else -9
        if found.get("additionalProperties") is False:
            score -= 2 * len(value.keys() - {each.name for each in fields_of(found, root)})
        return max(score, 0)
    return score


def _is_of(value: Any, kind: str) -> bool:
    if kind == "object":
        return is_object(value)
    if kind == "array":
        return is_array(value)
    if kind == "null":
        return value is None
    if kind in _OF_TYPE:
        return value is None or _fits_type(value, kind)
    return True


def _summaries(alternatives: Sequence[Any], root: Any) -> list[str]:
    """Return what the alternatives of a union are called, each by another name.

    Those that would have one name have the keys with it that only they require, or else their number.
    """
    found = [_named("", each, root) for each in alternatives]
    texts = [cut(_summary(each, root), _SUMMARY) for each in found]
    required = [{each.name for each in fields_of(one.schema, root) if each.required} for one in found]
    same = Counter(texts)
    keys = Counter((text, key) for text, own in zip(texts, required, strict=True) for key in own)
    names: list[str] = []
    taken: set[str] = set()
    for at, text in enumerate(texts):
        own = [key for key in sorted(required[at]) if keys[text, key] == 1]
        apart = f"with {', '.join(own)}" if own else f"alternative {at + 1}"
        name = text if text and same[text] == 1 else cut(" ".join(filter(None, [text, f"({apart})"])), _SUMMARY)
        names.append(name if name not in taken else f"{cut(text, _SUMMARY)} (alternative {at + 1})")
        taken.add(names[-1])
    return names


def _summary(found: SchemaField, root: Any, depth: int = 0) -> str:
    """Return what an alternative is called by itself: its title, its discriminators, its keys, or its type."""
    schema = found.schema
    title = str(schema.get("title") or found.reference.rpartition("/")[2])
    fields = [*fields_of(schema, root)]
    marks = [f"{each.name} {_json(value)}" for each in fields for value in _only_value(each.schema)][:2]
    if title:
        return " ".join([title, *(f"({each})" for each in marks)])
    if marks:
        return ", ".join(marks)
    if fields:
        return ", ".join([each.name for each in fields if each.required] or [each.name for each in fields])
    values = [schema["const"]] if "const" in schema else schema.get("enum")
    if is_array(values):
        return " or ".join(map(_json, values[:_VALUES])) + (" …" if len(values) > _VALUES else "")
    kind = _type_of(schema, root)
    if kind == "array" and is_object(schema.get("items")) and depth < 2:
        inner = _summary(_named("", schema["items"], root), root, depth + 1)
        return f"list of {inner}" if inner else "list"
    return f"{kind} ({schema['format']})" if kind and isinstance(schema.get("format"), str) else kind


def _only_value(schema: Mapping[str, Any]) -> list[Any]:
    """Return the value of a schema that allows one only, in a list; none for others."""
    if "const" in schema:
        return [schema["const"]]
    values = schema.get("enum")
    return [*values] if is_array(values) and len(values) == 1 else []


def _blank(schema: Any, root: Any, depth: int = 0) -> Any:
    """Return what a new value begins with: constants and defaults, and else nothing."""
    found = _named("", schema, root).schema
    found = _without_null(found, root)[0]
    if "default" in found:
        return found["default"]
    if "const" in found:
        return found["const"]
    alternatives = _alternatives(found, root)
    if alternatives:
        return _blank(alternatives[0], root, depth + 1) if depth < _DEEPEST else None
    kind = _type_of(found, root)
    if kind == "object":
        required = [each for each in fields_of(found, root) if each.required and "const" in each.schema]
        return {each.name: each.schema["const"] for each in required}
    return {"array": [], "string": ""}.get(kind)


# Values: places in the args, by pointer.


def _set(value: Any, pointer: str, new: Any) -> Any:
    """Return a copy with a value at a pointer, or without one; objects on the way are made."""
    if not pointer:
        return {} if new is _ABSENT else new
    head, slash, rest = pointer[1:].partition("/")
    name = head.replace("~1", "/").replace("~0", "~")
    below = slash + rest
    if is_array(value):
        at = number_of(name)
        if at is None or at >= len(value):
            return value
        if not below and new is _ABSENT:
            return [*value[:at], *value[at + 1 :]]
        return [*value[:at], _set(value[at], below, new), *value[at + 1 :]]
    given: dict[str, Any] = dict(value) if is_object(value) else {}
    if not below:
        if new is _ABSENT:
            given.pop(name, None)
        else:
            given[name] = new
        return given
    if new is _ABSENT and name not in given:
        return value
    given[name] = _set(given.get(name, {}), below, new)
    return given


def _at(value: Any, pointer: str, default: Any) -> Any:
    for key in steps_of(pointer):
        value = child(value, key)
    return default if value is None else value


def _pattern(pointer: str) -> str:
    """Return a pointer with `*` for indexes, as pointers of secret fields have it."""
    return "/".join("*" if part.isdecimal() else part for part in pointer.split("/"))


def _json(value: Any, *, indent: bool = False) -> str:
    return visible_json(json.dumps(value, ensure_ascii=False, indent=2 if indent else None))
