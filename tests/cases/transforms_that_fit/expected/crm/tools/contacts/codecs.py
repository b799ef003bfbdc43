"""Codecs of `crm.contacts`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from .... import PACKAGE

if TYPE_CHECKING:
    from .types.names import NamesArgs, NamesResult
    from .types.nested import NestedArgs, NestedResult
    from .types.open_ import OpenArgs, OpenResult
    from .types.same import SameArgs, SameResult
    from .types.save import SaveArgs, SaveResult

NAMES_ARGS: Final[Codec[NamesArgs]] = Codec.of_package(PACKAGE, "crm.contacts.names", "args")
NAMES_RESULT: Final[Codec[NamesResult]] = Codec.of_package(PACKAGE, "crm.contacts.names", "result")
NESTED_ARGS: Final[Codec[NestedArgs]] = Codec.of_package(PACKAGE, "crm.contacts.nested", "args")
NESTED_RESULT: Final[Codec[NestedResult]] = Codec.of_package(PACKAGE, "crm.contacts.nested", "result")
OPEN_ARGS: Final[Codec[OpenArgs]] = Codec.of_package(PACKAGE, "crm.contacts.open", "args")
OPEN_RESULT: Final[Codec[OpenResult]] = Codec.of_package(PACKAGE, "crm.contacts.open", "result")
SAME_ARGS: Final[Codec[SameArgs]] = Codec.of_package(PACKAGE, "crm.contacts.same", "args")
SAME_RESULT: Final[Codec[SameResult]] = Codec.of_package(PACKAGE, "crm.contacts.same", "result")
SAVE_ARGS: Final[Codec[SaveArgs]] = Codec.of_package(PACKAGE, "crm.contacts.save", "args")
SAVE_RESULT: Final[Codec[SaveResult]] = Codec.of_package(PACKAGE, "crm.contacts.save", "result")
