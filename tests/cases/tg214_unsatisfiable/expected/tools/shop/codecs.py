"""Codecs of `shop`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from ... import PACKAGE

if TYPE_CHECKING:
    from .types.bounds import BoundsArgs, BoundsResult
    from .types.enum import EnumArgs, EnumResult
    from .types.refused import RefusedArgs, RefusedResult
    from .types.required import RequiredArgs, RequiredResult
    from .types.sizes import SizesArgs, SizesResult

BOUNDS_ARGS: Final[Codec[BoundsArgs]] = Codec.of_package(PACKAGE, "shop.bounds", "args")
BOUNDS_RESULT: Final[Codec[BoundsResult]] = Codec.of_package(PACKAGE, "shop.bounds", "result")
ENUM_ARGS: Final[Codec[EnumArgs]] = Codec.of_package(PACKAGE, "shop.enum", "args")
ENUM_RESULT: Final[Codec[EnumResult]] = Codec.of_package(PACKAGE, "shop.enum", "result")
REFUSED_ARGS: Final[Codec[RefusedArgs]] = Codec.of_package(PACKAGE, "shop.refused", "args")
REFUSED_RESULT: Final[Codec[RefusedResult]] = Codec.of_package(PACKAGE, "shop.refused", "result")
REQUIRED_ARGS: Final[Codec[RequiredArgs]] = Codec.of_package(PACKAGE, "shop.required", "args")
REQUIRED_RESULT: Final[Codec[RequiredResult]] = Codec.of_package(PACKAGE, "shop.required", "result")
SIZES_ARGS: Final[Codec[SizesArgs]] = Codec.of_package(PACKAGE, "shop.sizes", "args")
SIZES_RESULT: Final[Codec[SizesResult]] = Codec.of_package(PACKAGE, "shop.sizes", "result")
