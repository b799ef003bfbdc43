"""Codecs of `mail`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from ... import PACKAGE

if TYPE_CHECKING:
    from .types.closed import ClosedArgs, ClosedResult
    from .types.open_ import OpenArgs, OpenResult
    from .types.payload import PayloadArgs, PayloadResult
    from .types.shared_ import SharedArgs, SharedResult
    from .types.whole import WholeArgs, WholeResult

CLOSED_ARGS: Final[Codec[ClosedArgs]] = Codec.of_package(PACKAGE, "mail.closed", "args")
CLOSED_RESULT: Final[Codec[ClosedResult]] = Codec.of_package(PACKAGE, "mail.closed", "result")
OPEN_ARGS: Final[Codec[OpenArgs]] = Codec.of_package(PACKAGE, "mail.open", "args")
OPEN_RESULT: Final[Codec[OpenResult]] = Codec.of_package(PACKAGE, "mail.open", "result")
PAYLOAD_ARGS: Final[Codec[PayloadArgs]] = Codec.of_package(PACKAGE, "mail.payload", "args")
PAYLOAD_RESULT: Final[Codec[PayloadResult]] = Codec.of_package(PACKAGE, "mail.payload", "result")
SHARED_ARGS: Final[Codec[SharedArgs]] = Codec.of_package(PACKAGE, "mail.shared", "args")
SHARED_RESULT: Final[Codec[SharedResult]] = Codec.of_package(PACKAGE, "mail.shared", "result")
WHOLE_ARGS: Final[Codec[WholeArgs]] = Codec.of_package(PACKAGE, "mail.whole", "args")
WHOLE_RESULT: Final[Codec[WholeResult]] = Codec.of_package(PACKAGE, "mail.whole", "result")
