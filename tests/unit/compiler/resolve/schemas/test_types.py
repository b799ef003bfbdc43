"""Named types: the meaning of names across files, and diagnostics for undefined ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgen.compiler.diagnostics import Diagnostics, Span
from toolgen.compiler.documents import read_documents
from toolgen.compiler.resolve.schemas import Types
from toolgen.compiler.source.read import SpecFile, parse

if TYPE_CHECKING:
    from collections.abc import Mapping

SPAN = Span("user.yaml", 7)
NAMES = "ABC"
FILES = ("a.yaml", "b.yaml")

targets = st.builds("{}#/types/{}".format, st.sampled_from(["", *FILES]), st.sampled_from(NAMES))
references = targets | st.sampled_from(["lost.yaml#/types/A", None])
tables = st.fixed_dictionaries(
    {path: st.dictionaries(st.sampled_from(NAMES), references, min_size=2) for path in FILES}
)


def types_of(tables: Mapping[str, Mapping[str, str | None]], sink: Diagnostics) -> Types:
    """Return the types of files, each a reference or a schema, one per line from the third on."""
    files: list[SpecFile] = []
    for path, table in tables.items():
        lines = [
            f'  {name}: {{$ref: "{ref}"}}' if ref else f"  {name}: {{type: string}}" for name, ref in table.items()
        ]
        text = "\n".join(["toolgen: 1", "types:", *lines])
        root = parse(text, path, sink)
        assert root
        files.append(SpecFile(path, text, root))
    return Types({each.path: each for each in read_documents(files, sink)}, sink)


def meant(types: Types, sink: Diagnostics, path: str, name: str) -> tuple[tuple[str, str] | None, list[str]]:
    """Return the meaning of a name, and its diagnostics."""
    found = types.named(path, name, SPAN)
    return (found.path, found.name) if found else None, [
        f"{diagnostic.span} {diagnostic.message}" for diagnostic in sink
    ]


TABLES: Mapping[str, Mapping[str, str | None]] = {
    "a.yaml": {
        "Own": None, "Same": "#/types/Own", "Other": "b.yaml#/types/Back", "Lost": "lost.yaml#/types/Own",
        "Unknown": "b.yaml#/types/Nobody", "Ring": "b.yaml#/types/Ring", "Tail": "#/types/Ring",
        "ToLost": "#/types/Lost", "ToUnknown": "#/types/Unknown",
    },
    "b.yaml": {"Back": "a.yaml#/types/Same", "Ring": "a.yaml#/types/Ring"},
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "means", "says"),
    [
        ("Own", ("a.yaml", "Own"), []),
        ("Same", ("a.yaml", "Own"), []),
        ("Other", ("a.yaml", "Own"), []),
        ("Lost", None, ["a.yaml:6:9 there is no spec file lost.yaml"]),
        ("ToLost", None, ["a.yaml:6:9 there is no spec file lost.yaml"]),
        ("Unknown", None, ["a.yaml:7:12 there is no type `Nobody` in b.yaml"]),
        ("ToUnknown", None, ["a.yaml:7:12 there is no type `Nobody` in b.yaml"]),
        ("Ring", None, ["a.yaml:8:3 the type `Ring` only refers to itself"]),
        ("Tail", None, ["a.yaml:8:3 the type `Ring` only refers to itself"]),
        ("Owm", None, ["user.yaml:7:1 there is no type `Owm` in a.yaml"]),
    ],
)
def test_a_name_means_the_type_at_the_end_of_its_references(
    name: str, means: tuple[str, str] | None, says: list[str]
) -> None:
    sink = Diagnostics()
    types = types_of(TABLES, sink)
    for _again in range(2):
        assert meant(types, sink, "a.yaml", name) == (means, says)


def test_each_type_of_a_cycle_is_reported_at_its_location() -> None:
    sink = Diagnostics()
    types = types_of({"a.yaml": {name: f"#/types/{after}" for name, after in zip("ABCD", "BCDB", strict=True)}}, sink)
    assert [types.named("a.yaml", name, SPAN) for name in "ABCD"] == [None] * 4
    reported = [f"{line}:3 the type `{name}` only refers to itself" for line, name in enumerate("BCD", 4)]
    assert [f"{diagnostic.span} {diagnostic.message}" for diagnostic in sink] == [f"a.yaml:{text}" for text in reported]


@given(tables, st.permutations([(path, name) for path in FILES for name in NAMES]))
def test_the_meaning_of_a_name_does_not_depend_on_earlier_lookups(
    tables: Mapping[str, Mapping[str, str | None]], order: list[tuple[str, str]]
) -> None:
    shared = types_of(tables, Diagnostics())
    for path, name in order:
        one, other = Diagnostics(), Diagnostics()
        alone = meant(types_of(tables, one), one, path, name)
        shared._sink = other
        assert meant(shared, other, path, name) == alone
