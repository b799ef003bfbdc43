"""Formatting of one spec: its text in canonical order and style, with the same values and comments."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from toolgen.authoring.format.printer import print_tree
from toolgen.authoring.format.tree import key_order, model_of, read_tree
from toolgen.authoring.text import comments_of
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.source.nodes import MappingNode, ScalarNode, SequenceNode
from toolgen.compiler.source.read import parse
from toolgen.schema.json_values import canonical

if TYPE_CHECKING:
    from toolgen.compiler.documents.base import SpecFileHead
    from toolgen.compiler.source.nodes import Node


# JSON specs in canonical form: keys in order, two columns for each level; numbers stay as they are written.


def print_json(node: Node, model: type[SpecFileHead] | None) -> str:
    """Return the formatted text of a JSON spec."""
    return _node_text(node, 0, (), model) + "\n"


def _node_text(node: Node, indent: int, path: tuple[str, ...], model: type[SpecFileHead] | None) -> str:
    inner = " " * (indent + 2)
    if isinstance(node, MappingNode) and node.keys():
        order = {key: rank for rank, key in enumerate(key_order(model, path) if model is not None else ())}
        entries = sorted(node.entries(), key=lambda entry: order.get(entry[0], len(order)))
        parts = [
            f"{json.dumps(key, ensure_ascii=False)}: {_node_text(value, indent + 2, (*path, key), model)}"
            for key, value in entries
        ]
        return "{\n" + ",\n".join(inner + part for part in parts) + f"\n{' ' * indent}}}"
    if isinstance(node, SequenceNode) and node.items:
        parts = [_node_text(item, indent + 2, (*path, "*"), model) for item in node.items]
        return "[\n" + ",\n".join(inner + part for part in parts) + f"\n{' ' * indent}]"
    if isinstance(node, ScalarNode) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        return node.source.text[node.start : node.end]
    return json.dumps(node.to_data(), ensure_ascii=False)


def formatted(path: str, text: str, root: Node) -> str:
    """Return the formatted text of a spec, given with its parsed content. Line ends become line feeds.

    Raises RuntimeError if the result would have other values or comments, which is a defect of the formatter.
    """
    model = model_of(root)
    if path.lower().endswith(".json"):
        made = print_json(root, model)
        comments: tuple[list[str], list[str]] = ([], [])
    else:
        tree = read_tree(text, root)
        made = print_tree(tree, text, model)
        comments = (sorted(tree.comments), sorted(comment.text for comment in comments_of(made)))
    again = parse(made, path, Diagnostics())
    if again is None or canonical(again.to_data()) != canonical(root.to_data()):
        raise RuntimeError(f"{path}: formatting would change a value; nothing was written")
    if comments[0] != comments[1]:  # keys move with their comments, so the order may differ
        raise RuntimeError(f"{path}: formatting would lose a comment; nothing was written")
    return made
