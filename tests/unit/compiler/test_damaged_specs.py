"""Specs with randomly damaged text or data: diagnostics or a package that parses, no traceback.

They are those of the cases, the examples, and the built-in toolsets. The damage is the same in every run.
"""

from __future__ import annotations

import copy
import json
import shutil
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.case import all_cases
from tests.hostile.building import shown
from tests.project.checkout import ROOT
from tests.unit.compiler.specs import raw, resolved, toolset
from toolgen.compiler.compile import compile_specs
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.documents import read_documents
from toolgen.compiler.emit import emit
from toolgen.compiler.project.config import Target
from toolgen.compiler.resolve import resolve
from toolgen.compiler.source.read import SpecFile, parse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path


VALUES: list[Any] = [
    *(None, True, False, 0, -1, 1.5, 10**30, "", "x", "string", "Thing", "a.b", "a__b", "*", "+x", "..", "\u202e"),
    *("{{args.x}}", "$args", "$entry", "#", "draft-04", "mcp", "agent", "command"),
    *([], [[]], [{}], ["string"], {}, {"": ""}, {"a": None}),
    *({"type": "string"}, {"type": "object"}, {"enum": []}, {"const": None}, {"not": {}}, {"anyOf": []}),
    *({"$ref": "#"}, {"$ref": "#/types/X"}, {"$ref": "#/$defs/a"}, {"$ref": 1, "$defs": []}, {"$id": "x", "$ref": "#"}),
    {"type": ["object", "null"], "properties": {"x": True}},
    {"type": "object", "properties": {"a": {"$ref": "#"}}},
    {"allOf": [{"$ref": "#"}]},
    {"$id": "http://[", "allOf": [{"$ref": "#"}]},
    {"$id": "http://a/b", "$ref": "//["},
    {"type": "object", "properties": {"a": {"$ref": "#", "default": {}}}},
]  # fmt: skip
KEYS = [
    "x",
    "",
    "a b",
    "x?",
    "x!",
    "$ref",
    "$id",
    "type",
    "properties",
    "required",
    "items",
    "default",
    "from",
    "__class__",
    "metadata",
    "allOf",
    "$schema",
    "$anchor",
    "dialect",
    "inject",
    "one_of",
]


BYTES = [
    *(
        b"\0",
        b"\xff",
        b"\xc3",
        b"\xe2\x80\xae",
        b"\xef\xbb\xbf",
        b"\r",
        b"\t",
        b"\n",
        b"\n\n  ",
        b" ",
        b"'",
        b'"',
        b"\\u",
    ),
    *(
        b"&a ",
        b"*a",
        b"<<: ",
        b"? ",
        b": ",
        b"- ",
        b"{",
        b"}",
        b"[",
        b"]",
        b",",
        b"#",
        b"|\n",
        b">-\n",
        b"---\n",
        b"...\n",
    ),
    *(b"!!python/object:os.system ", b"!!binary ", b"%YAML 1.1\n", b"1e999", b".nan", b"0x1F", b"0o7", b"~", b"yes"),
]

seeded = settings(derandomize=True, suppress_health_check=[HealthCheck.too_slow], deadline=None)


@settings(seeded, max_examples=2 * settings().max_examples)
@given(st.data(), st.integers(1, 4), st.sampled_from(["full", "core"]))
def test_a_damaged_spec_is_reported_or_gives_a_package_that_parses(
    data: st.DataObject, hits: int, profile: str
) -> None:
    check(damaged_data(data, hits), profile)


@pytest.mark.long
@settings(seeded, max_examples=6000)
@given(st.data(), st.integers(1, 8), st.sampled_from(["full", "core"]))
def test_more_damaged_specs_are_reported_or_give_a_package_that_parses(
    data: st.DataObject, hits: int, profile: str
) -> None:
    check(damaged_data(data, hits), profile)


@settings(seeded, max_examples=2 * settings().max_examples)
@given(st.data(), st.integers(1, 3))
def test_damaged_text_is_reported_or_gives_a_package_that_parses(data: st.DataObject, hits: int) -> None:
    check(damaged_texts(data, hits))


@pytest.mark.long
@settings(seeded, max_examples=6000)
@given(st.data(), st.integers(1, 6))
def test_more_damaged_texts_are_reported_or_give_a_package_that_parses(data: st.DataObject, hits: int) -> None:
    check(damaged_texts(data, hits))


@pytest.mark.slow
def test_an_unreadable_file_suppresses_other_reports(tmp_path: Path) -> None:
    """It may define names that other files use."""
    checked = 0
    for case in all_cases():
        root = tmp_path / case.folder.name
        shutil.copytree(case.folder, root)
        files = [path for path in (root / "specs").rglob("*.*") if path.is_file()]
        if len(files) < 2 or (root / "toolgen.toml").exists() or codes_of(root):
            continue
        for path in files:
            text = path.read_text()
            path.write_text("{")
            assert codes_of(root) == ["TG003"], f"{path} cannot be read"
            path.write_text(text)
            checked += 1
    assert checked >= 20


def codes_of(root: Path) -> list[str]:
    sink = Diagnostics()
    compile_specs(root, Target(), sink)
    return [found.code for found in sink]


def check(files: Mapping[str, bytes], profile: str = "full") -> None:
    """Compile files, render the diagnostics, and check the package, if there is one."""
    sink = Diagnostics()
    texts = {path: content.decode("utf-8", "replace") for path, content in files.items()}
    roots = {path: parse(content, path, sink) for path, content in sorted(files.items())}
    specs = [SpecFile(path, texts[path], root) for path, root in roots.items() if root is not None]
    catalog = resolve(read_documents(specs, sink), sink, profile=profile, formats="annotate")
    shown(sink, texts)
    made = {} if sink.has_errors else emit(catalog)
    assert [path for path, text in made.items() if path.endswith(".py") and not parses(text)] == []


def damaged_data(data: st.DataObject, hits: int) -> dict[str, bytes]:
    """Draw the specs of one folder with parts of their data changed."""
    damaged = copy.deepcopy(read(data.draw(st.sampled_from(places()))))
    for _ in range(hits if damaged else 0):
        damage(data, damaged[data.draw(st.sampled_from(sorted(damaged)))])
    return {f"{path}.json": json.dumps(content).encode() for path, content in damaged.items()}


def damaged_texts(data: st.DataObject, hits: int) -> dict[str, bytes]:
    """Draw the specs of one folder with bytes of a file changed."""
    files = dict(texts(data.draw(st.sampled_from(places()))))
    path = data.draw(st.sampled_from(sorted(files)))
    for _ in range(hits):
        text = files[path]
        start = data.draw(st.integers(0, len(text)))
        end = min(len(text), start + data.draw(st.sampled_from([0, 0, 1, 1, 2, 9, 99])))
        other = texts(data.draw(st.sampled_from(places())))
        put = data.draw(
            st.sampled_from([b"", text[start:end] * 2, *BYTES, *(each[start:end] for each in other.values())])
        )
        files[path] = text[:start] + put + text[end:]
    return files


def parses(text: str) -> bool:
    """Return whether a text is valid Python."""
    try:
        compile(text, "<generated>", "exec")
    except (SyntaxError, ValueError):
        return False
    return True


def damage(data: st.DataObject, spec: Any) -> None:
    """Replace or remove a value of a spec, rename its key, or repeat another part there."""
    paths = [path for path in paths_of(spec) if path]
    if not paths:
        return
    *way, last = data.draw(st.sampled_from(paths))
    parent = at(spec, way)
    match data.draw(st.sampled_from(["value", "drop", "rename", "repeat"])):
        case "drop":
            del parent[last]
        case "rename" if isinstance(parent, dict):
            parent[data.draw(st.sampled_from(KEYS))] = parent.pop(last)
        case "repeat":
            parent[last] = copy.deepcopy(at(spec, data.draw(st.sampled_from(paths))))
        case _:
            parent[last] = copy.deepcopy(data.draw(st.sampled_from(VALUES)))


def paths_of(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    yield path
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in entries:
        yield from paths_of(inner, (*path, step))


def at(value: Any, path: Any) -> Any:
    for step in path:
        value = value[step]
    return value


@cache
def places() -> list[Path]:
    """Return the folders whose specs are compiled together."""
    folders = [
        *(case.folder / "specs" for case in all_cases()),
        ROOT / "specs" / "examples",
        ROOT / "specs" / "builtin",
    ]
    return [folder for folder in folders if texts(folder)]


@cache
def texts(folder: Path) -> dict[str, bytes]:
    """Return the spec files of a folder, by path."""
    found = sorted(place for place in folder.rglob("*") if place.is_file())
    return {place.relative_to(folder).as_posix(): place.read_bytes() for place in found}


@cache
def read(folder: Path) -> dict[str, Any]:
    """Return the data of the spec files of a folder, as far as they can be read."""
    roots = {path: parse(text, path, Diagnostics()) for path, text in texts(folder).items()}
    return {path: root.to_data() for path, root in roots.items() if root is not None}


USES: dict[str, Callable[[Any], Any]] = {
    "itself": lambda part: part,
    "or null": lambda part: {"anyOf": [part, {"type": "null"}]},
    "one of": lambda part: {"oneOf": [{"type": "string"}, part]},
    "all of": lambda part: {"allOf": [{"type": "object", "properties": {"a": {"type": "string"}}}, part]},
    "field": lambda part: {"type": "object", "properties": {"a": part}, "required": ["a"]},
    "field or null": lambda part: {"type": "object", "properties": {"a": {"anyOf": [part, {"type": "null"}]}}},
    "items": lambda part: {"type": "array", "items": part},
    "values": lambda part: {"type": "object", "additionalProperties": part},
    "not": lambda part: {"not": part},
}


@pytest.mark.parametrize("dialect", ["2020-12", "draft-07"])
@pytest.mark.parametrize("missing", ["#/types/Gone", "other.yaml#/types/Gone", "1.json#/types/Gone"])
@pytest.mark.parametrize("outer", USES)
@pytest.mark.parametrize("inner", USES)
@pytest.mark.variants(120)
def test_a_type_that_is_not_there_is_the_only_error(inner: str, outer: str, missing: str, dialect: str) -> None:
    types = {"Made": raw(USES[inner]({"$ref": missing})), "Outer": raw(USES[outer]({"$ref": "#/types/Made"}))}
    args = {"type": "object", "properties": {"a": {"anyOf": [{"$ref": "#/types/Outer"}, {"type": "null"}]}}}
    tools = {"t": {"args": args, "result": raw({"$ref": "#/types/Made"})}}
    found = resolved(toolset(tools, types=types, dialect=dialect))
    assert set(found.codes) <= {"TG201", "TG204"}, found.messages
    assert len({message.partition(" ")[2].partition(" ")[0] for message in found.messages}) == 1
