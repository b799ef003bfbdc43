"""Codecs of `core`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from ... import PACKAGE

if TYPE_CHECKING:
    from .types.everything import EverythingArgs, EverythingResult

EVERYTHING_ARGS: Final[Codec[EverythingArgs]] = Codec.of_package(PACKAGE, "core.everything", "args")
EVERYTHING_RESULT: Final[Codec[EverythingResult]] = Codec.of_package(PACKAGE, "core.everything", "result")
