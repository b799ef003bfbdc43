"""Model classes, made by datamodel-code-generator.

It is given the structure alone: one schema in which every class, field, literal and default is a token that we chose.
The tokens are then replaced by names we allocated and by literals we wrote, so that no text of a spec passes through
it, its own naming never comes into play, and the same structure always gives the same code.
"""

from __future__ import annotations

import re
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from toolgen.compiler.emit.annotations import annotation, names_in
from toolgen.compiler.emit.literals import docstring, literal
from toolgen.compiler.ir.shapes import (
    Array,
    ClassRef,
    Json,
    Literals,
    Map,
    Scalar,
    ScalarKind,
    Shape,
    Union,
    accepts_null,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from toolgen.compiler.ir.shapes import ClassType, Field

_BATCH: Final = 200
"""Classes per call: large enough to spread the cost of a call (5 ms), small enough to share among processes."""

_PARALLEL_FROM: Final = 400
"""From this many classes on, a second process earns the time it takes to start."""

_TOKEN: Final = re.compile(r"'([LV]\d+x)'|'(W\d+x)'|\b([CPW]\d+x|J0x)\b")
_BLOCK: Final = re.compile(r"^class (C\d+x)\(\w+\):\n((?:    .*\n|\n)*)", re.MULTILINE)
_BARE: Final = re.compile(r"Annotated\[(.*), Field\((?:validate_default=True|None)\)\]( = .*)?$")
_WITHOUT_USE: Final = re.compile(r", validate_default=True")
_FIELD: Final = re.compile(r"    ([PW]\d+x): (.*)")


@dataclass(frozen=True, slots=True)
class Model:
    """The source of one class, and the names that it needs beside builtins."""

    source: str
    names: frozenset[str]


def render_models(toolsets: Sequence[Sequence[ClassType]]) -> list[dict[str, Model]]:
    """Render the classes of each toolset: for each, class name to class."""
    jobs = [(index, made) for index, classes in enumerate(toolsets) for made in classes]
    batches = [jobs[start : start + _BATCH] for start in range(0, len(jobs), _BATCH)]
    prepared = [_prepare(batch) for batch in batches]
    schemas = [(batch.schema, batch.aliases) for batch in prepared]
    outputs = _in_parallel(schemas) if len(jobs) >= _PARALLEL_FROM else [_generate(*schema) for schema in schemas]
    rendered: list[dict[str, Model]] = [{} for _ in toolsets]
    for jobs_of_batch, batch, output in zip(batches, prepared, outputs, strict=True):
        for (index, made), model in zip(jobs_of_batch, batch.models(output), strict=True):
            rendered[index][made.name] = model
    return rendered


_Job = tuple[int, "ClassType"]
"""A class, and the number of the toolset it belongs to: names are unique in a toolset only."""


def _in_parallel(schemas: Sequence[tuple[Any, Mapping[str, str]]]) -> list[str]:
    with ProcessPoolExecutor(max_workers=2) as pool:
        return list(pool.map(_generate, *zip(*schemas, strict=True)))


def _generate(schema: Any, aliases: Mapping[str, str]) -> str:
    """One call of datamodel-code-generator, over tokens only."""
    from datamodel_code_generator import InputFileType, LiteralType, generate
    from datamodel_code_generator.enums import DataModelType
    from datamodel_code_generator.format import PythonVersion

    output = generate(
        schema,
        input_file_type=InputFileType.JsonSchema,
        output_model_type=DataModelType.PydanticV2BaseModel,
        target_python_version=PythonVersion.PY_311,
        base_class="toolgen.runtime.models.OpenModel",
        aliases=dict(aliases),
        enum_field_as_literal=LiteralType.All,
        formatters=[],
        disable_timestamp=True,
        strict_nullable=True,
        use_annotated=True,
        use_standard_collections=True,
        use_union_operator=True,
        skip_root_model=True,
    )
    if not isinstance(output, str):
        raise TypeError(f"datamodel-code-generator gave {type(output).__name__} instead of one module")
    return output


@dataclass
class _Batch:
    """One schema of tokens, and what the tokens stand for."""

    jobs: Sequence[_Job]
    schema: dict[str, Any] = field(default_factory=dict[str, Any])
    aliases: dict[str, str] = field(default_factory=dict[str, str])
    meaning: dict[str, str] = field(default_factory=dict[str, str])
    fields: dict[str, Field] = field(default_factory=dict[str, "Field"])

    def models(self, output: str) -> list[Model]:
        """Cut the output into classes, in the order in which they were asked for, and put names in."""
        found = {match[1]: match[2] for match in _BLOCK.finditer(f"{output}\n")}
        return [
            self._model(made, found[f"C{number}x"] if made.fields else "") for number, (_, made) in enumerate(self.jobs)
        ]

    def _model(self, made: ClassType, body: str) -> Model:
        base = "OpenModel" if made.open else "ClosedModel"
        lines = [f"class {made.name}({base}):"]
        names = {base}
        if made.description.strip():
            lines += [f"    {docstring(made.description, '    ')}", ""]
        given = [match for line in body.splitlines() if (match := _FIELD.fullmatch(line))]
        expected = {field.python for field in made.fields}
        if {self.meaning[match[1]] for match in given} != expected:
            raise ValueError(f"datamodel-code-generator gave other fields than were asked for in {made.name}")
        for match in given:
            source = _TOKEN.sub(self._meant, _WITHOUT_USE.sub("", _BARE.sub(r"\1\2", match[2])))
            lines.append(f"    {self.meaning[match[1]]}: {source}")
            names |= names_in(source)
            description = self.fields[match[1]].description
            if description.strip():
                lines.append(f"    {docstring(description, '    ')}")
        if len(lines) == 1:
            lines.append("    pass")
        return Model("\n".join(lines), frozenset(names))

    def _meant(self, match: re.Match[str]) -> str:
        return self.meaning[match[1] or match[2] or match[3]] if not match[2] else literal(self.fields[match[2]].wire)


def _prepare(jobs: Sequence[_Job]) -> _Batch:
    batch = _Batch(jobs, meaning={"J0x": "JsonValue"})
    nothing = {"type": "object", "properties": {"W0x": {"type": "string"}}}
    definitions: dict[str, Any] = {"J0x": nothing}
    batch.meaning["W0x"] = "W0x"
    tokens = {(index, made.name): f"C{number}x" for number, (index, made) in enumerate(jobs)}

    def class_token(index: int, name: str) -> str:
        token = tokens.setdefault((index, name), f"C{len(tokens)}x")
        definitions.setdefault(token, nothing)
        batch.meaning[token] = name
        return token

    def schema_of(shape: Shape, index: int) -> dict[str, Any]:
        match shape:
            case Scalar(kind):
                return (
                    {"anyOf": [{"type": "integer"}, {"type": "number"}]}
                    if kind is ScalarKind.NUMBER
                    else {"type": kind.value}
                )
            case Json():
                return {"$ref": "#/$defs/J0x"}
            case Literals(values):
                token = f"L{len(batch.meaning)}x"
                batch.meaning[token] = ", ".join(literal(value) for value in values)
                return {"enum": [token]}
            case Array(items):
                return {"type": "array", "items": schema_of(items, index)}
            case Map(values):
                return {"type": "object", "additionalProperties": schema_of(values, index)}
            case Union(members):
                return {"anyOf": [schema_of(member, index) for member in members]}
            case ClassRef(name):
                return {"$ref": f"#/$defs/{class_token(index, name)}"}

    for index, made in jobs:
        properties: dict[str, Any] = {}
        required: list[str] = []
        for item in made.fields:
            wire = f"W{len(batch.meaning)}x"
            batch.meaning[wire] = item.python
            batch.fields[wire] = item
            if item.python != item.wire:
                python = batch.aliases[wire] = f"P{wire[1:]}"
                batch.meaning[python] = item.python
                batch.fields[python] = item
            schema = schema_of(item.shape, index)
            if item.required:
                required.append(wire)
            elif item.has_default and item.default is not None:
                token = f"V{len(batch.meaning)}x"
                batch.meaning[token] = _default(item)
                schema = {"allOf": [schema], "default": token} if "$ref" in schema else {**schema, "default": token}
            properties[wire] = schema
        if made.fields:
            definitions[tokens[index, made.name]] = {"type": "object", "properties": properties, "required": required}
    batch.schema = {"$defs": definitions}
    return batch


def _default(item: Field) -> str:
    """The expression after `=`: scalars as they are, anything mutable or typed made anew for every value."""
    if isinstance(item.default, str | int | float):
        return literal(item.default)
    if item.default == [] and isinstance(item.shape, Array):
        return f"Field(default_factory=list[{annotation(item.shape.items)}])"
    return f"Field(default_factory=lambda: typed_default({annotation(item.shape)}, {literal(item.default)}))"


def is_optional(item: Field) -> bool:
    """Whether a field is typed with `None` for absence, beside the values of its shape."""
    return not item.required and (not item.has_default or item.default is None) and not accepts_null(item.shape)
