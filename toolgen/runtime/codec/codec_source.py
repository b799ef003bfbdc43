"""What a codec is built from, and how it is loaded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from toolgen.runtime.base.packages import read_package, type_of

if TYPE_CHECKING:
    from toolgen.runtime.base.packages import Side


@dataclass(frozen=True, slots=True, kw_only=True)
class CodecSource:
    """The schema and the type of a codec.

    `type` is a generated model class, an alias such as `list[Profile]`, or None for plain JSON values. With `foreign`
    it is a model of the host, whose validators may reject values too. `name` is for messages.
    """

    name: str
    schema: Any
    type: Any = None
    assert_formats: bool = False
    foreign: bool = False


def compiled_source(package: str, ident: str, side: Side) -> CodecSource:
    """Read one side of a compiled tool, and import its type."""
    found = read_package(package)
    tool = found.tools[ident]
    return CodecSource(
        name=f"{ident} ({side})",
        schema=tool.get(side, True),
        type=type_of(package, tool, side),
        assert_formats=found.document.get("formats", "annotate") != "annotate",
    )
