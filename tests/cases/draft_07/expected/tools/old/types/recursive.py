"""Types of the tool `recursive`, in `old`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.codec.models import ClosedModel

from .shared import Tree


class RecursiveArgs(ClosedModel):
    """Args of `recursive`: Types in themselves."""

    tree: Tree


RecursiveResult: TypeAlias = Tree
