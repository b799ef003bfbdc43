"""Any edits of a person, any changes of a source, imported twice: nothing is lost, all else follows, it is stable."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import yaml
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.unit.compiler.importers.importing import import_text, spec_file
from toolgen.authoring.format.format import formatted
from toolgen.schema.json_values import canonical
from toolgen.schema.references import pointer_of

if TYPE_CHECKING:
    from collections.abc import Iterator

Path = tuple[str | int, ...]

unhurried = settings(
    max_examples=settings().max_examples // 2,
    deadline=None,
    phases=set(Phase) - {Phase.shrink},
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

_NAMES = st.sampled_from(["a", "b", "c.d", "e-f"])
_FIELDS = st.sampled_from(["id", "token", "x-y", "type", "list"])
_TEXTS = st.sampled_from(["One.", "Two.", "Three lines.\nof text.\n", "  spaced", "#/types/Item"])
_REFERENCE = st.just({"$ref": "#/$defs/Item"})
_SCALAR = st.fixed_dictionaries(
    {"type": st.sampled_from(["string", "integer", ["string", "null"]])},
    optional={"description": _TEXTS, "enum": st.just(["p", "q"]), "maximum": st.integers(0, 3)},
)
_FIELD = st.one_of(
    _SCALAR,
    _REFERENCE,
    st.builds(lambda items: {"type": "array", "items": items}, _SCALAR),
    st.builds(lambda branches: {"anyOf": branches}, st.lists(_SCALAR, min_size=1, max_size=2)),
    st.builds(lambda fields: {"type": "object", "properties": fields}, st.dictionaries(_FIELDS, _SCALAR, max_size=2)),
)


@st.composite
def _schemas(draw: st.DrawFn) -> dict[str, Any]:
    fields = draw(st.dictionaries(_FIELDS, _FIELD, max_size=3))
    required = [name for name in fields if draw(st.booleans())]
    item = draw(st.sampled_from([{"type": "object", "properties": {"key": {"type": "string"}}}, {"type": "integer"}]))
    return {
        "type": "object",
        "properties": fields,
        **({"required": required} if required else {}),
        **({"$defs": {"Item": item}} if _refers(fields) else {}),
    }


def _refers(value: Any) -> bool:
    return '"#/$defs/Item"' in json.dumps(value)


@st.composite
def _tools(draw: st.DrawFn) -> dict[str, Any]:
    made: dict[str, Any] = {"description": draw(_TEXTS), "inputSchema": draw(_schemas())}
    if draw(st.booleans()):
        made["title"] = draw(st.sampled_from(["Title", "Other"]))
    if draw(st.booleans()):
        made["outputSchema"] = draw(_schemas())
    if draw(st.booleans()):
        hint = draw(st.sampled_from(["readOnlyHint", "destructiveHint", "openWorldHint"]))
        made["annotations"] = {hint: draw(st.booleans())}
    return made


_SOURCES = st.dictionaries(_NAMES, _tools(), min_size=1, max_size=3)


@st.composite
def _changed(draw: st.DrawFn, source: dict[str, Any]) -> dict[str, Any]:
    """Some tools stay as they are, some change in part, some go, and some come."""
    made = {name: tool for name, tool in source.items() if draw(st.integers(0, 4))}
    for name in list(made):
        if draw(st.booleans()):
            other = draw(_tools())
            made[name] = {
                key: draw(st.sampled_from([made[name].get(key, value), value])) for key, value in other.items()
            }
    return {**made, **(draw(_SOURCES) if draw(st.booleans()) or not made else {})}


def _answer(source: dict[str, Any]) -> str:
    return json.dumps({"instructions": "Shop.", "tools": [{"name": name, **tool} for name, tool in source.items()]})


_GUARDS: list[tuple[str, Any]] = [
    ("confirm", "Sure?"),
    ("limits", {"daily_limit": 3}),
    ("roles", ["main"]),
    ("cost", "cheap"),
    ("permission", "readonly"),
    ("reminder", "Mind."),
]
_ADDED: list[tuple[str, Any]] = [("writeOnly", True), ("description", "Mine."), ("x-mine", 1), ("format", "password")]


def _mappings(value: Any, path: Path = ()) -> Iterator[Path]:
    """Yield the places of schemas of fields."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in ("properties", "$defs") and isinstance(inner, dict):
                yield from ((*path, key, name) for name in inner)
            yield from _mappings(inner, (*path, key))


def _at(value: Any, path: Path) -> Any:
    for step in path:
        value = value.get(step) if isinstance(value, dict) else None
    return value


@st.composite
def _edits(draw: st.DrawFn, data: dict[str, Any]) -> list[tuple[Path, Any]]:
    """Choose places of a spec, and what a person writes there."""
    made: dict[Path, Any] = {}
    places = [place for place in _mappings(data["tools"], ("tools",)) if len(place) > 3]
    places += list(_mappings(data.get("types", {}), ("types",)))
    for _ in range(draw(st.integers(0, 4))):
        key = draw(st.sampled_from(sorted(data["tools"])))
        kind = draw(st.sampled_from(["guard", "text", "schema"]))
        if kind == "guard":
            name, value = draw(st.sampled_from(_GUARDS))
            made["tools", key, name] = value
        elif kind == "text":
            made["tools", key, draw(st.sampled_from(["description", "title"]))] = draw(
                st.sampled_from(["Mine.", "Ours."])
            )
        elif places:
            name, value = draw(st.sampled_from(_ADDED))
            made[(*draw(st.sampled_from(places)), name)] = value
    return list(made.items())


def _written(data: dict[str, Any], edits: list[tuple[Path, Any]]) -> str:
    changed = json.loads(json.dumps(data))
    for path, value in edits:
        _at(changed, path[:-1])[path[-1]] = value
    text = yaml.safe_dump(changed, sort_keys=False, allow_unicode=True)
    return formatted("specs/shop.yaml", text, spec_file(text).root)


def _is_there(data: dict[str, Any], path: Path, value: Any) -> bool:
    """Whether an edit is in force, or kept in view. That of a type may be in a copy of it, where a tool has its own."""
    if canonical(_at(data, path)) == canonical(value):
        return True
    if path[0] == "tools":
        kept = data["tools"][path[1]].get("kept", {})
        return kept.get(pointer_of(path[2:])) == value or any(
            isinstance(each, list) and json.dumps(value) in json.dumps(each) for each in kept.values()
        )
    if canonical(data.get("kept", {}).get(pointer_of(path))) == canonical(value):
        return True
    texts = [json.dumps(each, sort_keys=True) for each in (data.get("types", {}), data["tools"])]
    return any(f'"{path[-1]}": {json.dumps(value)}' in text for text in texts)


@unhurried
@given(st.data())
def test_nothing_a_person_wrote_is_lost_and_all_else_follows_the_source(data: st.DataObject) -> None:
    source = data.draw(_SOURCES)
    first = import_text(_answer(source))
    if first.outcome is None or first.outcome.left_out:
        return
    edits = data.draw(_edits(first.data))
    text = _written(first.data, edits)
    changed = data.draw(_changed(source))

    imported = import_text(_answer(changed), spec_file(text))
    if imported.outcome is None or imported.outcome.left_out:
        return

    for path, value in edits:
        assert _is_there(imported.data, path, value), (path, value)
    assert formatted("specs/shop.yaml", imported.text, spec_file(imported.text).root) == imported.text
    again = import_text(_answer(changed), spec_file(imported.text))
    assert again.text == imported.text
    assert not again.messages or {message[:5] for message in again.messages} <= {f"TG8{n}" for n in range(10, 22)}

    edited = {path[1] for path, _ in edits if path[0] == "tools"}
    if not any(path[0] == "types" for path, _ in edits):
        fresh = import_text(_answer(changed)).data
        for key, tool in fresh["tools"].items():
            if key in imported.tools and key not in edited:
                for name in ("title", "description", "annotations"):
                    assert imported.tools[key].get(name) == tool.get(name)
                assert _expanded(imported.tools[key], imported.data) == _expanded(tool, fresh)


@st.composite
def _objects(draw: st.DrawFn, prefix: str, depth: int = 0) -> dict[str, Any]:
    """Draw an object of fields with names and values that no other has."""
    fields: dict[str, Any] = {}
    for number in range(draw(st.integers(1, 3))):
        name = f"{prefix}{number}"
        kind = draw(st.sampled_from(["text", "choice", "object"] if depth < 2 else ["text", "choice"]))
        if kind == "object":
            fields[name] = draw(_objects(f"{name}_", depth + 1))
        else:
            choice = {"enum": [f"{name}v{value}" for value in range(draw(st.integers(2, 3)))]}
            fields[name] = {"type": "string", **(choice if kind == "choice" else {})}
    return {"type": "object", "properties": fields}


@st.composite
def _moved(draw: st.DrawFn, schema: Any, definitions: dict[str, Any]) -> Any:
    """Give a schema another form, and its parts."""
    if not isinstance(schema, dict):
        return schema
    made = dict(schema)
    if "properties" in made:
        made["properties"] = {name: draw(_moved(each, definitions)) for name, each in made["properties"].items()}
    match draw(st.sampled_from(["same", "same", "nullable", "reference", "list", "inside"])):
        case "nullable":
            return {"anyOf": [made, {"type": "null"}]}
        case "reference":
            name = f"{draw(st.sampled_from('ABC'))}{len(definitions)}"
            definitions[name] = made
            return {"$ref": f"#/$defs/{name}"}
        case "list":
            return {"type": "array", "items": made}
        case "inside":
            return {"type": "object", "properties": {f"in{len(definitions)}": made}}
        case _:
            return made


def _names_and_values(value: Any, data: dict[str, Any]) -> Iterator[str]:
    """Yield the names of fields and the values in a schema, and in the types that it refers to."""
    if isinstance(value, dict):
        if isinstance(reference := value.get("$ref"), str) and reference.startswith("#/types/"):
            yield from _names_and_values(data["types"][reference.rpartition("/")[2]], data)
        for key, inner in value.items():
            if key in ("properties", "enum"):
                yield from inner
            yield from _names_and_values(inner, data)
    elif isinstance(value, list):
        for item in value:
            yield from _names_and_values(item, data)


def _stands(values: Any, schema: Any) -> bool:
    """Whether a schema has a list of values, beside others that allow more."""
    if isinstance(schema, list):
        return any(_stands(values, item) for item in schema)
    return isinstance(schema, dict) and (
        schema.get("enum") == values or any(_stands(values, inner) for inner in schema.values())
    )


def _removable(value: Any) -> Iterator[tuple[Any, str]]:
    """Yield each field and each value of a schema with the object or list that holds it."""
    for name, inner in value.get("properties", {}).items():
        yield value["properties"], name
        yield from _removable(inner)
    for item in value.get("enum", [])[1:]:
        yield value["enum"], item


@unhurried
@given(st.data())
def test_nothing_a_person_removed_comes_back_unnoticed(data: st.DataObject) -> None:
    schema = data.draw(_objects("f"))
    data_of_spec = json.loads(json.dumps(import_text(_answer({"a": _tool_of(schema, {})})).data))
    args = data_of_spec["tools"]["a"]["args"]
    places = list(_removable(args))
    chosen = data.draw(st.lists(st.sampled_from(places), min_size=1, max_size=3, unique_by=lambda each: each[1]))
    removed = [each for each in chosen if not any(each[1].startswith((f"{name}_", f"{name}v")) for _, name in chosen)]
    for owner, name in removed:
        if isinstance(owner, dict):
            owner.pop(name)
        else:
            owner.remove(name)
    reviewed = set(_names_and_values(args, {}))
    text = _written(data_of_spec, [])

    definitions: dict[str, Any] = {}
    moved = {
        **schema,
        "properties": {key: data.draw(_moved(each, definitions)) for key, each in schema["properties"].items()},
    }
    answer = _answer({"a": _tool_of(moved, definitions)})
    imported = import_text(answer, spec_file(text))

    tool = imported.data["tools"]["a"]
    told = " ".join(imported.messages)
    for owner, name in removed:
        if name not in set(_names_and_values(tool["args"], imported.data)) or _stands(owner, tool["args"]):
            continue
        assert imported.outcome is not None
        assert imported.outcome.is_incomplete
        assert "at another place now" in told
        if isinstance(owner, dict):
            assert any(each.endswith(f"/{name}") and note is None for each, note in tool["kept"].items())
        else:
            assert owner in tool["kept"].values()
    assert reviewed <= {*_names_and_values(tool["args"], imported.data)}
    again = import_text(answer, spec_file(imported.text))
    assert (again.text, again.messages) == (imported.text, [])


def _tool_of(schema: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    return {"description": "One.", "inputSchema": {**schema, **({"$defs": definitions} if definitions else {})}}


def _expanded(tool: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    """Return the schemas of a tool with the definitions that they refer to, wherever these are written."""

    def expanded(value: Any, own: dict[str, Any]) -> Any:
        if isinstance(value, dict):
            if isinstance(reference := value.get("$ref"), str):
                name = reference.rpartition("/")[2]
                return expanded(own[name] if name in own else data["types"][name], own)
            return {key: expanded(inner, own) for key, inner in value.items() if key != "$defs"}
        return [expanded(item, own) for item in value] if isinstance(value, list) else value

    sides = {side: tool[side] for side in ("args", "result") if side in tool}
    return {side: expanded(value, value.get("$defs", {})) for side, value in sides.items()}
