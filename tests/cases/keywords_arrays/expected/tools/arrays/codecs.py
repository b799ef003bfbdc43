"""Codecs of `arrays`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from ... import PACKAGE

if TYPE_CHECKING:
    from .types.contents import ContentsArgs, ContentsResult
    from .types.lengths import LengthsArgs, LengthsResult
    from .types.places import PlacesArgs, PlacesResult
    from .types.typeless import TypelessArgs, TypelessResult

CONTENTS_ARGS: Final[Codec[ContentsArgs]] = Codec.of_package(PACKAGE, "arrays.contents", "args")
CONTENTS_RESULT: Final[Codec[ContentsResult]] = Codec.of_package(PACKAGE, "arrays.contents", "result")
LENGTHS_ARGS: Final[Codec[LengthsArgs]] = Codec.of_package(PACKAGE, "arrays.lengths", "args")
LENGTHS_RESULT: Final[Codec[LengthsResult]] = Codec.of_package(PACKAGE, "arrays.lengths", "result")
PLACES_ARGS: Final[Codec[PlacesArgs]] = Codec.of_package(PACKAGE, "arrays.places", "args")
PLACES_RESULT: Final[Codec[PlacesResult]] = Codec.of_package(PACKAGE, "arrays.places", "result")
TYPELESS_ARGS: Final[Codec[TypelessArgs]] = Codec.of_package(PACKAGE, "arrays.typeless", "args")
TYPELESS_RESULT: Final[Codec[TypelessResult]] = Codec.of_package(PACKAGE, "arrays.typeless", "result")
