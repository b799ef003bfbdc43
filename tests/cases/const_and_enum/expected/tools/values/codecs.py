"""Codecs of `values`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from ... import PACKAGE

if TYPE_CHECKING:
    from .types.consts import ConstsArgs, ConstsResult
    from .types.enums import EnumsArgs, EnumsResult

CONSTS_ARGS: Final[Codec[ConstsArgs]] = Codec.of_package(PACKAGE, "values.consts", "args")
CONSTS_RESULT: Final[Codec[ConstsResult]] = Codec.of_package(PACKAGE, "values.consts", "result")
ENUMS_ARGS: Final[Codec[EnumsArgs]] = Codec.of_package(PACKAGE, "values.enums", "args")
ENUMS_RESULT: Final[Codec[EnumsResult]] = Codec.of_package(PACKAGE, "values.enums", "result")
