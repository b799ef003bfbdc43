"""Codecs of `mail`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from ... import PACKAGE

if TYPE_CHECKING:
    from .types.forward import ForwardArgs, ForwardResult

FORWARD_ARGS: Final[Codec[ForwardArgs]] = Codec.of_package(PACKAGE, "mail.forward", "args")
FORWARD_RESULT: Final[Codec[ForwardResult]] = Codec.of_package(PACKAGE, "mail.forward", "result")
