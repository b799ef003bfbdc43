"""Types of the tool `recursive`, in `old`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.models import ClosedModel

from .shared import Tree


class RecursiveArgs(ClosedModel):
    tree: Tree


RecursiveResult: TypeAlias = Tree
