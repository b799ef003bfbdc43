"""Codecs of `text`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from ... import PACKAGE

if TYPE_CHECKING:
    from .types.bounds import BoundsArgs, BoundsResult
    from .types.content import ContentArgs, ContentResult
    from .types.typeless import TypelessArgs, TypelessResult

BOUNDS_ARGS: Final[Codec[BoundsArgs]] = Codec.of_package(PACKAGE, "text.bounds", "args")
BOUNDS_RESULT: Final[Codec[BoundsResult]] = Codec.of_package(PACKAGE, "text.bounds", "result")
CONTENT_ARGS: Final[Codec[ContentArgs]] = Codec.of_package(PACKAGE, "text.content", "args")
CONTENT_RESULT: Final[Codec[ContentResult]] = Codec.of_package(PACKAGE, "text.content", "result")
TYPELESS_ARGS: Final[Codec[TypelessArgs]] = Codec.of_package(PACKAGE, "text.typeless", "args")
TYPELESS_RESULT: Final[Codec[TypelessResult]] = Codec.of_package(PACKAGE, "text.typeless", "result")
