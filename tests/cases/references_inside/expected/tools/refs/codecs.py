"""Codecs of `refs`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from ... import PACKAGE

if TYPE_CHECKING:
    from .types.anchors import AnchorsArgs, AnchorsResult
    from .types.pointers import PointersArgs, PointersResult
    from .types.resources import ResourcesArgs, ResourcesResult

ANCHORS_ARGS: Final[Codec[AnchorsArgs]] = Codec.of_package(PACKAGE, "refs.anchors", "args")
ANCHORS_RESULT: Final[Codec[AnchorsResult]] = Codec.of_package(PACKAGE, "refs.anchors", "result")
POINTERS_ARGS: Final[Codec[PointersArgs]] = Codec.of_package(PACKAGE, "refs.pointers", "args")
POINTERS_RESULT: Final[Codec[PointersResult]] = Codec.of_package(PACKAGE, "refs.pointers", "result")
RESOURCES_ARGS: Final[Codec[ResourcesArgs]] = Codec.of_package(PACKAGE, "refs.resources", "args")
RESOURCES_RESULT: Final[Codec[ResourcesResult]] = Codec.of_package(PACKAGE, "refs.resources", "result")
