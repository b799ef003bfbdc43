"""Codecs of `mail`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from ... import PACKAGE

if TYPE_CHECKING:
    from .types.send import SendArgs, SendResult

SEND_ARGS: Final[Codec[SendArgs]] = Codec.of_package(PACKAGE, "mail.send", "args")
SEND_RESULT: Final[Codec[SendResult]] = Codec.of_package(PACKAGE, "mail.send", "result")
