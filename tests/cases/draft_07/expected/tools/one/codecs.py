"""Codecs of `one`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from ... import PACKAGE

if TYPE_CHECKING:
    from .types.old import OldArgs, OldResult

OLD_ARGS: Final[Codec[OldArgs]] = Codec.of_package(PACKAGE, "one.old", "args")
OLD_RESULT: Final[Codec[OldResult]] = Codec.of_package(PACKAGE, "one.old", "result")
