"""Codecs of `team.shop`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from .... import PACKAGE

if TYPE_CHECKING:
    from .types.find import FindArgs, FindResult
    from .types.note import NoteArgs, NoteResult
    from .types.pay import PayArgs, PayResult
    from .types.ping import PingArgs, PingResult

FIND_ARGS: Final[Codec[FindArgs]] = Codec.of_package(PACKAGE, "team.shop.find", "args")
FIND_RESULT: Final[Codec[FindResult]] = Codec.of_package(PACKAGE, "team.shop.find", "result")
NOTE_ARGS: Final[Codec[NoteArgs]] = Codec.of_package(PACKAGE, "team.shop.note", "args")
NOTE_RESULT: Final[Codec[NoteResult]] = Codec.of_package(PACKAGE, "team.shop.note", "result")
PAY_ARGS: Final[Codec[PayArgs]] = Codec.of_package(PACKAGE, "team.shop.pay", "args")
PAY_RESULT: Final[Codec[PayResult]] = Codec.of_package(PACKAGE, "team.shop.pay", "result")
PING_ARGS: Final[Codec[PingArgs]] = Codec.of_package(PACKAGE, "team.shop.ping", "args")
PING_RESULT: Final[Codec[PingResult]] = Codec.of_package(PACKAGE, "team.shop.ping", "result")
