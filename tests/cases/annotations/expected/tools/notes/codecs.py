"""Codecs of `notes`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from ... import PACKAGE

if TYPE_CHECKING:
    from .types.add import AddArgs, AddResult

ADD_ARGS: Final[Codec[AddArgs]] = Codec.of_package(PACKAGE, "notes.add", "args")
ADD_RESULT: Final[Codec[AddResult]] = Codec.of_package(PACKAGE, "notes.add", "result")
