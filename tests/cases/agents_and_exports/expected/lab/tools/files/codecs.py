"""Codecs of `lab.files`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from .... import PACKAGE

if TYPE_CHECKING:
    from .types.read import ReadArgs, ReadResult
    from .types.write import WriteArgs, WriteResult

READ_ARGS: Final[Codec[ReadArgs]] = Codec.of_package(PACKAGE, "lab.files.read", "args")
READ_RESULT: Final[Codec[ReadResult]] = Codec.of_package(PACKAGE, "lab.files.read", "result")
WRITE_ARGS: Final[Codec[WriteArgs]] = Codec.of_package(PACKAGE, "lab.files.write", "args")
WRITE_RESULT: Final[Codec[WriteResult]] = Codec.of_package(PACKAGE, "lab.files.write", "result")
