"""Formatting of one spec: its text in canonical order and style, with the same values and comments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.authoring.format.json_text import print_json
from toolgen.authoring.format.order import model_of
from toolgen.authoring.format.printer import print_tree
from toolgen.authoring.format.tree import read_tree
from toolgen.authoring.text.comments import comments_of
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.source.read import parse
from toolgen.schema.json_values import canonical

if TYPE_CHECKING:
    from toolgen.compiler.source.nodes import Node


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
