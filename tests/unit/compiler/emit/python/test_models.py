from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from hypothesis import given, settings
from hypothesis import strategies as st

from toolgen.compiler.emit.python.annotations import annotation
from toolgen.compiler.emit.python.models import render_models
from toolgen.compiler.ir.shapes import Array, ClassRef, ClassType, Field, Json, Literals, Map, Scalar, ScalarKind, Union

if TYPE_CHECKING:
    from toolgen.compiler.ir.shapes import Shape

STRING = Scalar(ScalarKind.STRING)
TOKENS = ("Vx", "'Vx'", "C1x", "L1x", "Wx", "Jx", "W0x", "Field(None)", ", validate_default=True")
"""Placeholders for the generator, and its other output; a spec may contain the same text."""


def field(wire: str, shape: Shape, **more: Any) -> Field:
    return Field(**{"python": wire, "wire": wire, "shape": shape, "required": True, **more})


def rendered(*fields: Field) -> str:
    [models] = render_models([[ClassType("Order", "order", fields, open=False)]])
    return models["Order"].source


def shapes() -> st.SearchStrategy[Shape]:
    scalars = st.sampled_from([Scalar(kind) for kind in ScalarKind if kind is not ScalarKind.NULL])
    names = st.sampled_from([ClassRef("Person"), ClassRef("Money")])
    literals = st.sampled_from([Literals(("a", "b")), Literals((1,)), Literals((True,))])

    def deeper(inner: st.SearchStrategy[Shape]) -> st.SearchStrategy[Shape]:
        return st.builds(Array, inner) | st.builds(Map, inner)

    return st.recursive(scalars | names | literals | st.just(Json()), deeper, max_leaves=3)


@st.composite
def fields(draw: st.DrawFn) -> Field:
    wire = draw(st.sampled_from(["id", "Content-Type", "name"]))
    return field(wire, draw(shapes()), python=wire.replace("-", "_"), required=draw(st.booleans()))


def test_fields_have_the_types_of_their_shapes() -> None:
    union = Union((Array(ClassRef("Person")), Map(Scalar(ScalarKind.NUMBER)), Scalar(ScalarKind.NULL)))
    assert rendered(field("who", union), field("why", Literals(("a", "b")), required=False)).splitlines() == [
        "class Order(ClosedModel):",
        "    who: list[Person] | dict[str, int | float] | None",
        '    why: Literal["a", "b"] | None = None',
    ]


def test_constraints_are_part_of_the_types() -> None:
    short = Scalar(ScalarKind.STRING, (("max_length", 3), ("pattern", '^"[a-c]')))
    half = Scalar(ScalarKind.NUMBER, (("gt", 0.5),))
    assert rendered(
        field("a", short),
        field("b-c", short, python="b_c"),
        field("d-e", half, python="d_e"),
        field("f", Map(Array(short, (("min_length", 1),))), required=False),
        field("g", Union((short, Scalar(ScalarKind.NULL)))),
        field("h", Union((ClassRef("A"), Scalar(ScalarKind.NULL), ClassRef("B")), "kind"), required=False),
    ).splitlines()[1:] == [
        r"""    a: Annotated[str, Field(max_length=3, pattern="^\"[a-c]")]""",
        r"""    b_c: Annotated[str, Field(max_length=3, pattern="^\"[a-c]", alias="b-c")]""",
        """    d_e: Annotated[Annotated[int, Field(gt=0)] | Annotated[float, Field(gt=0.5)], Field(alias="d-e")]""",
        (
            r"""    f: dict[str, Annotated[list[Annotated[str, Field(max_length=3, pattern="^\"[a-c]")]], """
            "Field(min_length=1)]] | None = None"
        ),
        r"""    g: Annotated[str, Field(max_length=3, pattern="^\"[a-c]")] | None""",
        """    h: Annotated[A | B, Field(discriminator="kind")] | None = None""",
    ]


def test_a_json_name_that_is_not_a_python_name_becomes_an_alias() -> None:
    source = rendered(field("Content-Type", STRING, python="Content_Type"))
    assert source.splitlines()[1] == '    Content_Type: Annotated[str, Field(alias="Content-Type")]'


def test_mutable_defaults_use_a_factory() -> None:
    words, person = Array(STRING), ClassRef("Person")
    source = rendered(
        field("limit", Scalar(ScalarKind.INTEGER), required=False, has_default=True, default=10),
        field("words", words, required=False, has_default=True, default=[]),
        field("owner", person, required=False, has_default=True, default={"name": "Ada"}),
    )
    assert source.splitlines()[1:] == [
        "    limit: int = 10",
        "    words: list[str] = Field(default_factory=list[str])",
        '    owner: Person = Field(default_factory=lambda: typed_default(Person, {"name": "Ada"}))',
    ]


def test_a_class_without_fields_has_a_body() -> None:
    assert rendered() == "class Order(ClosedModel):\n    pass"


def test_names_to_import_are_collected() -> None:
    [models] = render_models([[ClassType("Order", "order", (field("who", Array(ClassRef("Person"))),), open=True)]])
    assert models["Order"].names == {"OpenModel", "list", "Person"}


def test_text_that_looks_like_a_placeholder_is_kept() -> None:
    source = rendered(
        field("one", Literals(TOKENS)),
        *(field(f"f{i}", STRING, required=False, has_default=True, default=text) for i, text in enumerate(TOKENS)),
        *(field(text, STRING, python=f"g{i}") for i, text in enumerate(TOKENS)),
    )
    texts = [str(node.value) for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant)]
    assert sorted(texts) == sorted(TOKENS * 3)


@settings(max_examples=settings().max_examples // 2)
@given(st.lists(fields(), min_size=1, max_size=4, unique_by=lambda field: field.wire))
def test_the_code_of_a_field_depends_only_on_that_field(together: list[Field]) -> None:
    alone = [rendered(each).partition("\n")[2] for each in together]
    assert rendered(*together).partition("\n")[2] == "\n".join(alone)


@settings(max_examples=30)
@given(shapes())
def test_models_and_annotations_have_the_same_types(shape: Shape) -> None:
    assert rendered(field("value", shape)).splitlines()[1] == f"    value: {annotation(shape)}"
