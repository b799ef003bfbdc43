"""Codecs of `drafts.nineteen`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from .... import PACKAGE

if TYPE_CHECKING:
    from .types.arrays import ArraysArgs, ArraysResult
    from .types.tree import TreeArgs, TreeResult

ARRAYS_ARGS: Final[Codec[ArraysArgs]] = Codec.of_package(PACKAGE, "drafts.nineteen.arrays", "args")
ARRAYS_RESULT: Final[Codec[ArraysResult]] = Codec.of_package(PACKAGE, "drafts.nineteen.arrays", "result")
TREE_ARGS: Final[Codec[TreeArgs]] = Codec.of_package(PACKAGE, "drafts.nineteen.tree", "args")
TREE_RESULT: Final[Codec[TreeResult]] = Codec.of_package(PACKAGE, "drafts.nineteen.tree", "result")
