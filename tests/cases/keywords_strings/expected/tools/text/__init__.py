"""`text`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.bounds import (
        BoundsArgs as BoundsArgs,
        BoundsArgsDeep as BoundsArgsDeep,
        BoundsArgsDeepInner as BoundsArgsDeepInner,
        BoundsResult as BoundsResult,
    )
    from .types.content import ContentArgs as ContentArgs, ContentResult as ContentResult
    from .types.typeless import TypelessArgs as TypelessArgs, TypelessResult as TypelessResult
    from . import codecs as codecs
    from .calls import (
        new_bounds_call as new_bounds_call,
        new_content_call as new_content_call,
        new_typeless_call as new_typeless_call,
    )
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import BOUNDS as BOUNDS, CONTENT as CONTENT, TYPELESS as TYPELESS
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "BOUNDS": ".idents",
            "BoundsArgs": ".types.bounds",
            "BoundsArgsDeep": ".types.bounds",
            "BoundsArgsDeepInner": ".types.bounds",
            "BoundsResult": ".types.bounds",
            "CONTENT": ".idents",
            "ContentArgs": ".types.content",
            "ContentResult": ".types.content",
            "Handlers": ".dispatch",
            "TYPELESS": ".idents",
            "TypelessArgs": ".types.typeless",
            "TypelessResult": ".types.typeless",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_bounds_call": ".calls",
            "new_content_call": ".calls",
            "new_registration": ".dispatch",
            "new_typeless_call": ".calls",
        },
    )
