"""Model classes, generated with datamodel-code-generator.

It is called once, for one class with a field for each structure that the fields of a package have: `list of a class,
optional` is one structure, for any number of fields. In its input, every class, literal and default is a token. The
generated line of a structure is the pattern of all fields with it: tokens are replaced by allocated names and by
literals. So no text of a spec is passed to it, its naming is not used, and a field depends on nothing but itself. A
thousand tools have about fifty structures. The patterns of common ones come with toolgen, as the library has generated
them from the version that they name on, because importing it takes longer than all else in a small build.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from toolgen.compiler.emit.literals import docstring, literal
from toolgen.compiler.emit.python.annotations import (
    FORMATS,
    annotation,
    annotation_of_values,
    arguments,
    checked,
    names_in,
)
from toolgen.compiler.emit.templates import templates_folder
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
    classes_in,
    has_formats,
)
from toolgen.compiler.project.versions import output_version
from toolgen.schema.json_values import canonical
from toolgen.spec.text import lines_of

if TYPE_CHECKING:
    from toolgen.compiler.ir.shapes import ClassType, Field

LIBRARY: Final = "datamodel-code-generator"
COMMON: Final = "field_patterns.json"
"""The file of the patterns of common structures, beside the templates; a test writes it."""

_TOKEN: Final = re.compile(r"'([LVW]\d*x)'|\b([CJ]\d*x)\b")
_CLASS: Final = re.compile(r"^class Mx\(\w+\):\n((?:    .*\n|\n)*)", re.MULTILINE)
_FIELD: Final = re.compile(r"    (?:W|P)(\d+)x: (.*)")
_ALIAS: Final = re.compile(r"'W\d+x'")
_BARE: Final = re.compile(r"Annotated\[(.*), Field\((?:validate_default=True|None)\)\]( = .*)?$")
_ALIASED: Final = "Annotated[C1x, Field("
_WITHOUT_USE: Final = re.compile(r", validate_default=True")


@dataclass(frozen=True, slots=True)
class Model:
    """The source of one class, and the names that it needs, except builtins."""

    source: str
    names: frozenset[str]


def render_models(
    toolsets: Sequence[Sequence[ClassType]], patterns: dict[str, str] | None = None
) -> list[dict[str, Model]]:
    """Render the classes of each toolset; each as a dict of class name to class.

    `patterns` are those of structures that are known from earlier calls; new ones are added.
    """
    patterns = {} if patterns is None else patterns
    prepared = [[(made, [_Prepared.of(item) for item in made.fields]) for made in classes] for classes in toolsets]
    structures = {item.structure for classes in prepared for _, fields in classes for item in fields}
    if not structures <= patterns.keys():
        patterns.update(common_patterns())
    patterns.update(write_patterns(structures - patterns.keys()))
    return [
        {
            made.name: _model(made, [item.source(patterns[item.structure]) for item in fields])
            for made, fields in classes
        }
        for classes in prepared
    ]


def _model(made: ClassType, sources: Sequence[str]) -> Model:
    base = "OpenModel" if made.open else "ClosedModel"
    lines = [f"class {made.name}({base}):"]
    if made.description.strip():
        lines += [f"    {docstring(made.description, '    ')}", ""]
    for item, source in zip(made.fields, sources, strict=True):
        lines.append(f"    {item.python}: {source}")
        if item.description.strip():
            lines.append(f"    {docstring(item.description, '    ')}")
    if len(lines) == 1:
        lines.append("    pass")
    return Model("\n".join(lines), frozenset({base}.union(*(names_in(source) for source in sources))))


@dataclass
class _Prepared:
    """A field as its structure, with tokens for names and literals, and the values of the tokens.

    `structure` is the JSON text of `{"schema", "required", "aliased"}`.
    """

    structure: str = ""
    parts: tuple[str, str] | None = None
    meaning: dict[str, str] = field(default_factory=dict[str, str])

    @classmethod
    def of(cls, item: Field) -> _Prepared:
        made = cls(meaning={"Jx": "JsonValue"})
        schema = made._schema(item.shape)
        if not item.required and item.has_default and item.default is not None:
            made.meaning["Vx"] = _default(item)
            schema = {"allOf": [schema], "default": "Vx"} if "$ref" in schema else {**schema, "default": "Vx"}
        aliased = item.python != item.wire
        if aliased:
            made.meaning["Wx"] = literal(item.wire)
            made._split(item.shape)
        made.structure = json.dumps({"schema": schema, "required": item.required, "aliased": aliased})
        return made

    def _split(self, shape: Shape) -> None:
        """Split a constrained type, so that its constraints and its alias are arguments of one `Field`."""
        match shape:
            case Scalar(ScalarKind.NUMBER):
                pass
            case Scalar(constraints=constraints) | Array(constraints=constraints) | Map(constraints=constraints) if (
                constraints
            ):
                self.parts = (annotation_of_values(shape), arguments(constraints))
            case _:
                pass

    def source(self, pattern: str) -> str:
        """Replace the tokens by names and literals."""
        if self.parts and pattern.startswith(_ALIASED):
            self.meaning["C1x"], self.meaning["Cx"] = self.parts
            pattern = pattern.replace(_ALIASED, f"{_ALIASED}Cx, ", 1)
        return _TOKEN.sub(lambda match: self.meaning[match[1] or match[2]], pattern)

    def _schema(self, shape: Shape) -> dict[str, Any]:
        match shape:
            case Scalar(constraints=constraints) | Array(constraints=constraints) | Map(constraints=constraints) if (
                constraints
            ):
                return {"$ref": f"#/$defs/{self._token('C', checked(shape))}"}
            case Union(members, discriminator) if discriminator:
                null = [self._schema(member) for member in members if not isinstance(member, ClassRef)]
                classes = Union(tuple(member for member in members if isinstance(member, ClassRef)), discriminator)
                return {"anyOf": [{"$ref": f"#/$defs/{self._token('C', checked(classes))}"}, *null]}
            case Scalar(format=name) if name:
                return {"$ref": f"#/$defs/{self._token('C', FORMATS[name])}"}
            case Literals(name=name) if name:
                return {"$ref": f"#/$defs/{self._token('C', name)}"}
            case Scalar(ScalarKind.NUMBER):
                return {"anyOf": [{"type": "integer"}, {"type": "number"}]}
            case Scalar(kind):
                return {"type": kind.value}
            case Json():
                return {"$ref": "#/$defs/Jx"}
            case Literals(values):
                return {"enum": [self._token("L", ", ".join(literal(value) for value in values))]}
            case Array(items):
                return {"type": "array", "items": self._schema(items)}
            case Map(values):
                return {"type": "object", "additionalProperties": self._schema(values)}
            case Union(members):
                # Each alternative once: versions of the library differ in whether they repeat one.
                found = [self._schema(member) for member in members]
                flat = [part for each in found for part in (each.get("anyOf", [each]))]
                return {"anyOf": [*{canonical(part): part for part in flat}.values()]}
            case ClassRef(name):
                return {"$ref": f"#/$defs/{self._token('C', name)}"}

    def _token(self, letter: str, meaning: str) -> str:
        token = f"{letter}{len(self.meaning)}x"
        self.meaning[token] = meaning
        return token


def common_patterns() -> dict[str, str]:
    """Return the patterns that come with toolgen, by structure; none if the library may write others."""
    known: dict[str, Any] = json.loads((templates_folder() / COMMON).read_text(encoding="utf-8"))
    patterns: dict[str, str] = known["patterns"] if known["version"] == output_version(LIBRARY) else {}
    return patterns


def structures_of(fields: Iterable[Field]) -> set[str]:
    """Return the structures of fields."""
    return {_Prepared.of(item).structure for item in fields}


def write_patterns(structures: set[str]) -> dict[str, str]:
    """Return the source after the colon of a field, for each structure, as datamodel-code-generator writes it."""
    if not structures:
        return {}
    asked = sorted(structures)
    parsed = [json.loads(structure) for structure in asked]
    nothing = {"type": "object", "properties": {"x": {"type": "string"}}}
    named = {name: nothing for structure in asked for name in re.findall(r"#/\$defs/(\w+)", structure)}
    wanted = {
        "type": "object",
        "properties": {f"W{number}x": each["schema"] for number, each in enumerate(parsed)},
        "required": [f"W{number}x" for number, each in enumerate(parsed) if each["required"]],
    }
    aliases = {f"W{number}x": f"P{number}x" for number, each in enumerate(parsed) if each["aliased"]}
    output = _generate({"$defs": {**named, "Mx": wanted}}, aliases)
    found = _CLASS.search(f"{output}\n")
    given = [match for line in lines_of(found[1] if found else "") if (match := _FIELD.fullmatch(line))]
    patterns = {asked[int(match[1])]: _plain(match[2]) for match in given}
    if patterns.keys() != structures:
        raise ValueError("datamodel-code-generator returned unexpected fields")
    return patterns


def _plain(source: str) -> str:
    """Return a field without redundant parts, and with one token for its JSON name."""
    return _ALIAS.sub("'Wx'", _WITHOUT_USE.sub("", _BARE.sub(r"\1\2", source)))


def _generate(schema: Mapping[str, Any], aliases: Mapping[str, str]) -> str:
    """One call of datamodel-code-generator, over tokens only."""
    from datamodel_code_generator import InputFileType, LiteralType, generate
    from datamodel_code_generator.enums import DataModelType
    from datamodel_code_generator.format import PythonVersion

    output = generate(
        schema,
        input_file_type=InputFileType.JsonSchema,
        output_model_type=DataModelType.PydanticV2BaseModel,
        target_python_version=PythonVersion.PY_311,
        base_class="toolgen.runtime.codec.models.OpenModel",
        aliases=dict(aliases),
        enum_field_as_literal=LiteralType.All,
        formatters=[],
        disable_timestamp=True,
        strict_nullable=True,
        field_constraints=True,  # which versions before 0.84 want beside the next
        use_annotated=True,
        use_standard_collections=True,
        use_union_operator=True,
        skip_root_model=True,
    )
    if not isinstance(output, str):
        raise TypeError(f"datamodel-code-generator returned {type(output).__name__} instead of one module")
    return output


def _default(item: Field) -> str:
    """Return the expression after `=`: a literal for scalars, a factory for mutable or typed values."""
    if isinstance(item.default, str | int | float) and not has_formats(item.shape):
        return literal(item.default)
    if item.default == [] and isinstance(item.shape, Array):
        made = f"list[{annotation(item.shape.items)}]"
        late = f"lambda: {made}()"  # a recursive class is not defined yet
        return f"Field(default_factory={late if classes_in(item.shape) else made})"
    return f"Field(default_factory=lambda: typed_default({annotation(item.shape)}, {literal(item.default)}))"
