"""Codecs of `nullable`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from ... import PACKAGE

if TYPE_CHECKING:
    from .types.set_ import SetArgs, SetResult

SET_ARGS: Final[Codec[SetArgs]] = Codec.of_package(PACKAGE, "nullable.set", "args")
SET_RESULT: Final[Codec[SetResult]] = Codec.of_package(PACKAGE, "nullable.set", "result")
