"""The patterns that come with toolgen: those of the installed datamodel-code-generator, and they cover real tools."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import permutations, product
from typing import TYPE_CHECKING

import pytest

from tests.unit.cli.command_line import toolgen
from tests.unit.compiler.specs import toolset
from toolgen.compiler.emit.python import models
from toolgen.compiler.emit.python.models import (
    COMMON,
    LIBRARY,
    common_patterns,
    render_models,
    structures_of,
    write_patterns,
)
from toolgen.compiler.emit.templates import templates_folder
from toolgen.compiler.ir.shapes import Array, ClassRef, ClassType, Field, Json, Literals, Map, Scalar, ScalarKind, Union
from toolgen.compiler.project.versions import output_version

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from toolgen.compiler.ir.shapes import Shape


def common_fields() -> Iterator[Field]:
    """Iterate over fields of the common structures: scalars, classes, lists and maps of these, unions, with null."""
    null = Scalar(ScalarKind.NULL)
    kinds = (ScalarKind.STRING, ScalarKind.INTEGER, ScalarKind.NUMBER, ScalarKind.BOOLEAN)
    typed: list[Shape] = [*(Scalar(kind) for kind in kinds), Literals(("a",)), ClassRef("A")]
    plain = [*typed, Json(), Union((ClassRef("A"), ClassRef("B")), "kind")]
    lists: list[Shape] = [*map(Array, plain), *map(Map, plain)]
    nested: list[Shape] = [*map(Array, lists), *map(Map, lists)]
    single = [*plain, *lists, *nested]
    nullable: list[Shape] = [Union((*_members(each), null), _discriminator(each)) for each in single if each != Json()]
    pairs = [Union(pair) for pair in permutations(typed, 2)]
    pairs += [Union((each, other)) for each in typed for other in (Array(each), Map(Json()))]
    shapes: list[Shape] = [null, *single, *nullable]
    shapes += [*pairs, *(Union((*pair.members, null)) for pair in pairs), *map(Array, pairs)]
    for shape, wire in product(shapes, ("field", "other")):
        yield Field("field", wire, shape, required=True)
        yield Field("field", wire, shape, required=False)
    for shape, wire in product([*single, *nullable], ("field", "other")):
        yield Field("field", wire, shape, required=False, has_default=True, default=[])


def _members(shape: Shape) -> tuple[Shape, ...]:
    return shape.members if isinstance(shape, Union) else (shape,)


def _discriminator(shape: Shape) -> str:
    return shape.discriminator if isinstance(shape, Union) else ""


def test_a_sample_of_the_patterns_that_come_with_toolgen_is_as_the_library_writes_it() -> None:
    structures = sorted(structures_of(common_fields()))

    assert sorted(common_patterns()) == structures
    some = set(structures[::25])
    assert {key: common_patterns()[key] for key in some} == write_patterns(some)


@pytest.mark.long
def test_the_patterns_that_come_with_toolgen_are_those_of_the_library(pytestconfig: pytest.Config) -> None:
    patterns = write_patterns(structures_of(common_fields()))
    if pytestconfig.getoption("--update-cases"):
        lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(patterns[key])}" for key in sorted(patterns))
        text = f'{{"version": {json.dumps(output_version(LIBRARY))},\n"patterns": {{\n{lines}\n}}}}\n'
        (templates_folder() / COMMON).write_text(text, encoding="utf-8")

    assert common_patterns() == patterns


def test_the_patterns_of_another_version_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "output_version", lambda _: "0.0.1")

    assert common_patterns() == {}


def test_an_uncommon_structure_is_generated_beside_common_ones() -> None:
    deep = Array(Array(Array(Map(ClassRef("A")))))
    fields = (
        Field("a", "a", deep, required=True),
        Field("b", "b", Scalar(ScalarKind.STRING), required=True),
    )
    (rendered,) = render_models([[ClassType("B", "shared", fields, open=False)]])

    assert "    a: list[list[list[dict[str, A]]]]\n    b: str" in rendered["B"].source


@pytest.mark.slow
def test_a_build_of_common_structures_does_not_import_the_library(tmp_path: Path) -> None:
    args = {"type": "object", "properties": {"size": {"type": ["integer", "null"]}, "tags": {"enum": ["a", "b"]}}}
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "shop.yaml").write_text(toolset({"add": {"args": args}}), encoding="utf-8")
    code = "import sys; from toolgen.cli.front import run; run(['build']); print(LIBRARY in sys.modules)"
    code = code.replace("LIBRARY", repr(LIBRARY.replace("-", "_")))

    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)

    assert done.stdout.split()[-1] == "False"
    assert toolgen(tmp_path, "build", "--check").code == 0
