"""`drafts.nineteen`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.arrays import ArraysArgs as ArraysArgs, ArraysResult as ArraysResult
    from .types.shared import Tag as Tag
    from .types.tree import TreeArgs as TreeArgs, TreeResult as TreeResult
    from . import codecs as codecs
    from .calls import new_arrays_call as new_arrays_call, new_tree_call as new_tree_call
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import ARRAYS as ARRAYS, TREE as TREE
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "ARRAYS": ".idents",
            "ArraysArgs": ".types.arrays",
            "ArraysResult": ".types.arrays",
            "Handlers": ".dispatch",
            "TREE": ".idents",
            "Tag": ".types.shared",
            "TreeArgs": ".types.tree",
            "TreeResult": ".types.tree",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_arrays_call": ".calls",
            "new_registration": ".dispatch",
            "new_tree_call": ".calls",
        },
    )
