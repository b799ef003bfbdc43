"""`refs`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.anchors import AnchorsArgs as AnchorsArgs, AnchorsResult as AnchorsResult
    from .types.pointers import (
        PointersArgs as PointersArgs,
        PointersArgsPoint as PointersArgsPoint,
        PointersResult as PointersResult,
    )
    from .types.resources import ResourcesArgs as ResourcesArgs, ResourcesResult as ResourcesResult
    from . import codecs as codecs
    from .calls import (
        new_anchors_call as new_anchors_call,
        new_pointers_call as new_pointers_call,
        new_resources_call as new_resources_call,
    )
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import ANCHORS as ANCHORS, POINTERS as POINTERS, RESOURCES as RESOURCES
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "ANCHORS": ".idents",
            "AnchorsArgs": ".types.anchors",
            "AnchorsResult": ".types.anchors",
            "Handlers": ".dispatch",
            "POINTERS": ".idents",
            "PointersArgs": ".types.pointers",
            "PointersArgsPoint": ".types.pointers",
            "PointersResult": ".types.pointers",
            "RESOURCES": ".idents",
            "ResourcesArgs": ".types.resources",
            "ResourcesResult": ".types.resources",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_anchors_call": ".calls",
            "new_pointers_call": ".calls",
            "new_registration": ".dispatch",
            "new_resources_call": ".calls",
        },
    )
