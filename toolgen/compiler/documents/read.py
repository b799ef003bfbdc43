"""Nodes to documents: choose the model by the head of the file, and report validation errors as diagnostics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.diagnostics.diagnostic import closest, nearest, shown
from toolgen.compiler.documents.base import (
    GRAMMAR,
    MODULE_TOO_LONG,
    SelectorPattern,
    SharedFile,
    SpecFileHead,
    TextPattern,
)
from toolgen.compiler.documents.evaluation import EVALUATION_HEAD
from toolgen.compiler.documents.selecting import AgentFile, CatalogFile, PolicyFile
from toolgen.compiler.documents.toolset import ToolsetFile
from toolgen.compiler.project.listing import EVALUATION_SUFFIXES, EVALUATIONS
from toolgen.compiler.source.nodes import MappingNode, Node
from toolgen.schema.references import name_of_target

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

    from toolgen.compiler.diagnostics import Span
    from toolgen.compiler.source.read import SpecFile

HEADS: Final[dict[str, type[SpecFileHead]]] = {
    "toolset": ToolsetFile,
    "agent": AgentFile,
    "catalog": CatalogFile,
    "policy": PolicyFile,
}
"""Maps the head key of a file to its model. A file without a head is a shared file."""

FileT = TypeVar("FileT", bound=SpecFileHead)
FileT_co = TypeVar("FileT_co", bound=SpecFileHead, covariant=True)


@dataclass(frozen=True, slots=True)
class Document(Generic[FileT_co]):
    """One spec file: its checked content, and its nodes with their source locations."""

    path: str
    root: MappingNode
    file: FileT_co

    def span(self, *path: str | int, key: bool = False) -> Span:
        """The span of the value at `path`, or of its key; of the nearest existing parent if there is no such value."""
        return self.root.span_at(path, key=key)

    def node(self, *path: str | int) -> Node:
        """The node at `path`, which must exist."""
        return self.root.at(path)


def read_documents(files: Sequence[SpecFile], sink: Diagnostics) -> list[Document[SpecFileHead]]:
    """Check every file against the model of its head. Invalid files are reported and omitted."""
    return [document for file in files if (document := _read_headed(file, sink)) is not None]


def _read_headed(file: SpecFile, sink: Diagnostics) -> Document[SpecFileHead] | None:
    found = Diagnostics()
    root = _mapping(file, found)
    model = None if root is None else _model_of(root, found)
    document = None if model is None else read_document(file, model, found)
    file.root.source.has_findings |= sink.take(found)
    return document


def _mapping(file: SpecFile, sink: Diagnostics) -> MappingNode | None:
    if isinstance(file.root, MappingNode):
        return file.root
    sink.report("TG101", file.root.span, "a spec file is a mapping", fix="start the file with `toolgen: 1`")
    return None


def read_document(file: SpecFile, model: type[FileT], sink: Diagnostics) -> Document[FileT] | None:
    """Check a file against a model, for files that are no specs of a package; None, with reports, if it is invalid."""
    root = _mapping(file, sink)
    if root is None:
        return None
    data = root.to_data()
    reported: set[_Place] = set()
    begun: set[_Place] = set()
    for _ in range(_ATTEMPTS):
        try:
            return Document(file.path, root, model.model_validate(data))
        except ValidationError as failure:
            refusals = list(_relevant(failure.errors(include_url=False), data, model))
        news = [refusal for refusal in refusals if not refusal.follows_from(reported, begun)]
        misspelt = {_meant(refusal, model) for refusal in news if refusal.error["type"] == "extra_forbidden"}
        for refusal in news:
            if refusal.error["type"] != "missing" or refusal.place not in misspelt:
                _report(refusal, root, model, sink)
            reported.add(refusal.place)
            begun.update(refusal.place[:length] for length in range(len(refusal.place) + 1))
        _without_errors(data, refusals)
    return None


_ATTEMPTS: Final = 4
"""How often a file is validated again without the reported parts, so that one run finds all errors."""

_Place = tuple[int | str, ...]


@dataclass(frozen=True, slots=True)
class _Refusal:
    """One pydantic error. `place` is its path in the file, `choice` that of the enclosing union, or the same."""

    error: ErrorDetails
    place: _Place
    choice: _Place

    def follows_from(self, reported: Set[_Place], begun: Set[_Place]) -> bool:
        """Whether the error may be a consequence of another one, which was reported and removed from the data.

        `reported` are the places of those errors, `begun` their prefixes.
        """
        return self.choice in begun or any(self.place[:length] in reported for length in range(len(self.place) + 1))


def _model_of(root: MappingNode, sink: Diagnostics) -> type[SpecFileHead] | None:
    heads = [key for key in root.keys() if key in HEADS]
    if len(heads) > 1:
        sink.report(
            "TG102",
            root.key_span(heads[1]),
            f"a file must have one head, but this one has {' and '.join(f'`{head}`' for head in heads)}",
            fix=f"move `{heads[1]}` and its keys to a separate file",
        )
        return None
    if "toolgen" not in root.keys():
        sink.report("TG103", root.span_at(()), "`toolgen: 1` is missing", fix="write `toolgen: 1` as the first line")
        return None
    if heads:
        return HEADS[heads[0]]
    if EVALUATION_HEAD in root.keys():
        fix = f"move it to `{EVALUATIONS}/`, with a name that ends in `{EVALUATION_SUFFIXES[0]}`"
        sink.report("TG104", root.key_span(EVALUATION_HEAD), "this is an evaluation, and no spec", fix=fix)
        return None
    for key in root.keys():
        if key not in SharedFile.model_fields and (known := nearest(key, HEADS)):
            sink.report("TG104", root.key_span(key), f"`{key}` is not a key of a spec file", fix=known)
            return None
    return SharedFile


def _relevant(errors: list[ErrorDetails], data: Any, model: type[BaseModel]) -> Iterator[_Refusal]:
    """Each error at its place in the file. For a union, only errors of the branch that matched furthest."""
    refusals = sorted((_placed(error, data) for error in errors), key=partial(_vagueness, model))
    deepest: dict[_Place, int] = {}
    for refusal in refusals:
        deepest[refusal.choice] = max(deepest.get(refusal.choice, 0), len(refusal.place))
    choices: set[_Place] = set()
    seen: set[tuple[_Place, str]] = set()
    for refusal in refusals:
        in_union = len(refusal.error["loc"]) != len(refusal.place)
        if in_union and len(refusal.place) < deepest[refusal.choice]:
            continue
        is_vague = refusal.error["type"] == "missing" or _is_of_other_branch(refusal, model)
        if in_union and is_vague and refusal.choice in choices:
            continue
        mark = (refusal.place, "" if in_union else refusal.error["type"])
        if mark not in seen:
            seen.add(mark)
            choices.add(refusal.choice)
            yield refusal


def _vagueness(model: type[BaseModel], refusal: _Refusal) -> int:
    """Rank errors by how little they tell: a branch of a union reports its own keys and type, and those of others."""
    if _is_of_other_branch(refusal, model):
        return 2
    return {"missing": 3}.get(refusal.error["type"], 1 if refusal.error["type"] in _WANTED else 0)


def _is_of_other_branch(refusal: _Refusal, model: type[BaseModel]) -> bool:
    """Whether an error is that of a key which another branch of the union has."""
    is_key = refusal.error["type"] == "extra_forbidden"
    return is_key and str(refusal.place[-1]) in known_keys(model, refusal.place[:-1])


def _placed(error: ErrorDetails, data: Any) -> _Refusal:
    """Find the path in the file: pydantic's path without the parts that name branches of a union."""
    loc = error["loc"]
    place: list[int | str] = []
    choice: _Place | None = None
    for index, part in enumerate(loc):
        if _holds(data, part):
            data = data[part]
        elif error["type"] != "missing" or index < len(loc) - 1:
            choice = tuple(place) if choice is None else choice
            continue
        place.append(part)
    return _Refusal(error, tuple(place), tuple(place) if choice is None else choice)


def _holds(data: Any, part: int | str) -> bool:
    """Whether a mapping has a key, or a list an index."""
    if isinstance(data, dict):
        return part in data
    return isinstance(data, list) and isinstance(part, int) and part < len(data)


def _without_errors(data: Any, refusals: list[_Refusal]) -> None:
    """Remove the reported parts from the data, and insert a placeholder text where one is missing.

    A list is removed as a whole, because removing an item would shift the others.
    """
    for refusal in refusals:
        place, error = refusal.place, refusal.error
        parent: dict[Any, Any] | None = None
        key: int | str = ""
        node = data
        for part in place[: -1 if error["type"] == "missing" else None]:
            if not _holds(node, part):
                parent, node = None, None
                break
            if isinstance(node, dict):
                parent, key = node, part
            node = node[part]
        if error["type"] == "missing" and isinstance(node, dict):
            node[place[-1]] = "?"
        elif parent is not None:
            parent.pop(key, None)


_ELSEWHERE: Final = {
    **dict.fromkeys(("parameters", "params", "input", "inputs", "input_schema", "inputSchema"), "args"),
    **dict.fromkeys(("return", "returns", "output", "outputs", "output_schema", "outputSchema", "response"), "result"),
}
"""The words of other formats for keys of a tool."""


def _report(refusal: _Refusal, root: MappingNode, model: type[BaseModel], sink: Diagnostics) -> None:
    place, error = refusal.place, refusal.error
    is_key = "[key]" in error["loc"]
    name = str(place[-1]) if place else ""
    match error["type"]:
        case "extra_forbidden":
            known = known_keys(model, place[:-1])
            if _is_of_other_branch(refusal, model):
                message = f"`{name}` is not a key beside the others of {_where(place[:-1])}"
                sink.report("TG104", root.span_at(place, key=True), message, fix="choose one way to write it")
                return
            meant = _ELSEWHERE.get(name, "")
            fix = f"it is called `{meant}` here" if meant in known else nearest(name, known)
            fix = fix or f"the keys here are {', '.join(f'`{key}`' for key in known)}"
            sink.report(
                "TG104", root.span_at(place, key=True), f"`{name}` is not a key of {_where(place[:-1])}", fix=fix
            )
        case "missing":
            message = f"`{name}` is missing from {_where(place[:-1])}"
            sink.report("TG103", root.span_at(place[:-1], key=True), message, fix=_meaning(model, place))
        case _:
            span = root.span_at(place, key=is_key)
            code = "TG503" if _pattern(error) == SelectorPattern else "TG105"
            fix = _fix(error) or ("" if is_key else _meaning(model, place))
            sink.report(code, span, _message(error, name, is_key=is_key), fix=fix)


def _meant(refusal: _Refusal, model: type[BaseModel]) -> _Place:
    """The place of the key that an unknown key seems to misspell, or its own place."""
    *parent, name = refusal.place
    return (*parent, closest(str(name), known_keys(model, tuple(parent))) or name)


def _where(place: tuple[int | str, ...]) -> str:
    return f"`{'.'.join(str(part) for part in place)}`" if place else "the file"


def known_keys(model: type[BaseModel], place: tuple[int | str, ...]) -> list[str]:
    """The keys that the model allows at a place, according to its JSON Schema."""
    schema = _json_schema(model)
    candidates: list[Any] = [schema]
    for part in place:
        candidates = [inner for node in candidates for inner in _inside(node, part, schema)]
    keys = {key: None for node in candidates for key in _flatten(node, schema, "properties")}
    return [key for key in keys if key != "toolgen"]


def _meaning(model: type[BaseModel], place: _Place) -> str:
    """Return what a key is for, as the first sentence of its description says; empty for what has none."""
    schema = _json_schema(model)
    candidates: list[Any] = [schema]
    for part in place:
        candidates = [inner for node in candidates for inner in _inside(node, part, schema)]
    text = next((str(node["description"]) for node in candidates if "description" in node), "")
    first = text.partition(". ")[0].rstrip(".").replace("\n", " ")
    return f"`{place[-1]}`: {first[0].lower()}{first[1:]}" if first and place else ""


@cache
def _json_schema(model: type[BaseModel]) -> dict[str, Any]:
    return model.model_json_schema(by_alias=True)


def _flatten(node: Any, root: Any, keyword: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for variant in _variants(node, root):
        found.update(variant.get(keyword, {}))
    return found


def _variants(node: Any, root: Any) -> Iterator[dict[str, Any]]:
    if "$ref" in node:
        name = name_of_target(node["$ref"])
        if name in root.get("$defs", {}):
            yield from _variants(root["$defs"][name], root)
    yield node
    for keyword in ("anyOf", "allOf", "oneOf"):
        for inner in node.get(keyword, ()):
            yield from _variants(inner, root)


def _inside(node: Any, part: int | str, root: Any) -> Iterator[Any]:
    for variant in _variants(node, root):
        if isinstance(part, int):
            if isinstance(variant.get("items"), dict):
                yield variant["items"]
        elif part in variant.get("properties", {}):
            yield variant["properties"][part]
        else:
            if isinstance(variant.get("additionalProperties"), dict):
                yield variant["additionalProperties"]
            yield from variant.get("patternProperties", {}).values()


_WANTED: Final = {
    "string_type": "text",
    "int_type": "an integer",
    "float_type": "a number",
    "bool_type": "`true` or `false`",
    "list_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "too_short": "not empty",
    "string_too_short": "non-empty text",
}
"""Maps pydantic error types to what is expected, in terms of the spec language."""

_BOUNDS: Final = {
    "greater_than_equal": ("at least", "ge"),
    "less_than_equal": ("at most", "le"),
    "too_long": ("no longer than", "max_length"),
    "string_too_long": ("no longer than", "max_length"),
    MODULE_TOO_LONG: ("no longer, with `_` between its words, than", "max_length"),
}
"""The same for errors with a bound, with the key of the bound in the error's context."""


def _message(error: ErrorDetails, name: str, *, is_key: bool) -> str:
    subject = f"`{name}`" if name and not name.isdigit() else "this"
    wanted = _WANTED.get(error["type"])
    pattern = _pattern(error)
    if pattern == TextPattern:
        wanted = _WANTED["string_too_short"]
    elif pattern == SelectorPattern:
        return f"`{error['input']}` is not a selector"
    elif pattern:
        what = "name" if is_key else "value"
        return f"`{name if is_key else error['input']}` is not a valid {what} here"
    if error["type"] == "literal_error":
        wanted = str(error.get("ctx", {}).get("expected", "")).replace("'", "`")
    bound = _BOUNDS.get(error["type"])
    if bound:
        wanted = f"{bound[0]} {error.get('ctx', {}).get(bound[1])}"
    if wanted:
        return f"{subject} must be {wanted}, but is {shown(error['input'])}"
    text = error["msg"]
    return f"{subject}: {text[0].lower()}{text[1:]}, found {shown(error['input'])}"


def _pattern(error: ErrorDetails) -> str:
    """The pattern that a text does not match, if that is the error."""
    return str(error.get("ctx", {}).get("pattern", "")) if error["type"] == "string_pattern_mismatch" else ""


def _fix(error: ErrorDetails) -> str:
    context = error.get("ctx", {})
    if error["type"] == "literal_error" and isinstance(error["input"], str):
        words = [word.strip("' ") for word in str(context.get("expected", "")).replace(" or ", ",").split(",")]
        return nearest(error["input"], words)
    if grammar := GRAMMAR.get(_pattern(error)):
        return grammar
    if error["type"] == "string_type" and isinstance(error["input"], bool | int | float):
        return "quote it"
    return ""
