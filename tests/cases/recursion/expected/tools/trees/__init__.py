"""`trees`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.direct import DirectArgs as DirectArgs, DirectResult as DirectResult
    from .types.local import LocalArgs as LocalArgs, LocalArgsBranch as LocalArgsBranch, LocalResult as LocalResult
    from .types.mutual import MutualArgs as MutualArgs, MutualResult as MutualResult
    from .types.root import RootArgs as RootArgs, RootResult as RootResult
    from .types.shared import (
        Expression as Expression,
        ExpressionOption1 as ExpressionOption1,
        ExpressionOption2 as ExpressionOption2,
        File as File,
        Folder as Folder,
        Json as Json,
        Menu as Menu,
        Names as Names,
        Node as Node,
        Rule as Rule,
        Test as Test,
        Tree as Tree,
    )
    from .types.unions import UnionsArgs as UnionsArgs, UnionsResult as UnionsResult
    from . import codecs as codecs
    from .calls import (
        new_direct_call as new_direct_call,
        new_local_call as new_local_call,
        new_mutual_call as new_mutual_call,
        new_root_call as new_root_call,
        new_unions_call as new_unions_call,
    )
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import DIRECT as DIRECT, LOCAL as LOCAL, MUTUAL as MUTUAL, ROOT as ROOT, UNIONS as UNIONS
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "DIRECT": ".idents",
            "DirectArgs": ".types.direct",
            "DirectResult": ".types.direct",
            "Expression": ".types.shared",
            "ExpressionOption1": ".types.shared",
            "ExpressionOption2": ".types.shared",
            "File": ".types.shared",
            "Folder": ".types.shared",
            "Handlers": ".dispatch",
            "Json": ".types.shared",
            "LOCAL": ".idents",
            "LocalArgs": ".types.local",
            "LocalArgsBranch": ".types.local",
            "LocalResult": ".types.local",
            "MUTUAL": ".idents",
            "Menu": ".types.shared",
            "MutualArgs": ".types.mutual",
            "MutualResult": ".types.mutual",
            "Names": ".types.shared",
            "Node": ".types.shared",
            "ROOT": ".idents",
            "RootArgs": ".types.root",
            "RootResult": ".types.root",
            "Rule": ".types.shared",
            "Test": ".types.shared",
            "Tree": ".types.shared",
            "UNIONS": ".idents",
            "UnionsArgs": ".types.unions",
            "UnionsResult": ".types.unions",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_direct_call": ".calls",
            "new_local_call": ".calls",
            "new_mutual_call": ".calls",
            "new_registration": ".dispatch",
            "new_root_call": ".calls",
            "new_unions_call": ".calls",
        },
    )
