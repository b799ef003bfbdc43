"""Codecs of `parts`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from ... import PACKAGE

if TYPE_CHECKING:
    from .types.items import ItemsArgs, ItemsResult
    from .types.typed_rest import TypedRestArgs, TypedRestResult
    from .types.whole import WholeArgs, WholeResult

ITEMS_ARGS: Final[Codec[ItemsArgs]] = Codec.of_package(PACKAGE, "parts.items", "args")
ITEMS_RESULT: Final[Codec[ItemsResult]] = Codec.of_package(PACKAGE, "parts.items", "result")
TYPED_REST_ARGS: Final[Codec[TypedRestArgs]] = Codec.of_package(PACKAGE, "parts.typed_rest", "args")
TYPED_REST_RESULT: Final[Codec[TypedRestResult]] = Codec.of_package(PACKAGE, "parts.typed_rest", "result")
WHOLE_ARGS: Final[Codec[WholeArgs]] = Codec.of_package(PACKAGE, "parts.whole", "args")
WHOLE_RESULT: Final[Codec[WholeResult]] = Codec.of_package(PACKAGE, "parts.whole", "result")
