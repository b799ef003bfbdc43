"""The canonical order of keys: that of the documents' models, with what a reader looks for first at the start."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from toolgen.compiler.documents.read import HEADS, known_keys
from toolgen.compiler.documents.shared import SharedFile
from toolgen.compiler.source.nodes import MappingNode

if TYPE_CHECKING:
    from toolgen.compiler.documents.base import SpecFileHead
    from toolgen.compiler.source.nodes import Node

_TOOL: Final = (
    "handler", "remote", "imported", "disabled", "wire_name", "title", "description", "permission", "tags", "roles",
    "annotations", "http", "args", "one_of", "inject", "result", "result_inferred", "bounded", "access", "confirm",
)  # fmt: skip
_TOOLSET: Final = ("toolset", "kind", "description", "tags", "import", "dialect", "server", "api", "types", "methods")
_KEPT: Final = frozenset(
    {"args", "result", "types", "payload", "server_data", "annotations", "icons", "source", "kept"}
)
"""Keys whose values are schemas, what fits them, or a server's: their order is part of what a model sees."""


def model_of(root: Node) -> type[SpecFileHead] | None:
    """Return the model of a file, by its head; None if it is not a spec."""
    if not isinstance(root, MappingNode) or "toolgen" not in root.keys():
        return None
    return next((HEADS[key] for key in root.keys() if key in HEADS), SharedFile)


def key_order(model: type[SpecFileHead], path: tuple[str, ...]) -> tuple[str, ...]:
    """Return the keys of the mapping at a path in the canonical order; empty where the author's order counts.

    A path has `*` for each index, and names stay as they are written.
    """
    if not _KEPT.isdisjoint(path):
        return ()
    return _order(model, ("tools", "name", *path[2:]) if len(path) > 1 and path[0] == "tools" else path)


@cache
def _order(model: type[SpecFileHead], path: tuple[str, ...]) -> tuple[str, ...]:
    known = known_keys(model, tuple(0 if step == "*" else step for step in path))
    if not path:
        return tuple(dict.fromkeys(("toolgen", *(_TOOLSET if "toolset" in known else ()), *known)))
    first = _TOOL if len(path) == 2 and path[0] == "tools" else ()
    return tuple(dict.fromkeys((*first, *known))) if known else ()
