"""JSON specs in canonical form: keys in order, two columns for each level; numbers stay as they are written."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from toolgen.authoring.format.order import key_order
from toolgen.compiler.source.nodes import MappingNode, ScalarNode, SequenceNode

if TYPE_CHECKING:
    from toolgen.compiler.documents.base import SpecFileHead
    from toolgen.compiler.source.nodes import Node


def print_json(node: Node, model: type[SpecFileHead] | None) -> str:
    """Return the formatted text of a JSON spec."""
    return _text(node, 0, (), model) + "\n"


def _text(node: Node, indent: int, path: tuple[str, ...], model: type[SpecFileHead] | None) -> str:
    inner = " " * (indent + 2)
    if isinstance(node, MappingNode) and node.keys():
        order = {key: rank for rank, key in enumerate(key_order(model, path) if model is not None else ())}
        entries = sorted(node.entries(), key=lambda entry: order.get(entry[0], len(order)))
        parts = [
            f"{json.dumps(key, ensure_ascii=False)}: {_text(value, indent + 2, (*path, key), model)}"
            for key, value in entries
        ]
        return "{\n" + ",\n".join(inner + part for part in parts) + f"\n{' ' * indent}}}"
    if isinstance(node, SequenceNode) and node.items:
        parts = [_text(item, indent + 2, (*path, "*"), model) for item in node.items]
        return "[\n" + ",\n".join(inner + part for part in parts) + f"\n{' ' * indent}]"
    if isinstance(node, ScalarNode) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        return node.source.text[node.start : node.end]
    return json.dumps(node.to_data(), ensure_ascii=False)
