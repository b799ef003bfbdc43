"""Codecs of `vault`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from ... import PACKAGE

if TYPE_CHECKING:
    from .types.nobody import NobodyArgs, NobodyResult
    from .types.one_of_two import OneOfTwoArgs, OneOfTwoResult
    from .types.store import StoreArgs, StoreResult

NOBODY_ARGS: Final[Codec[NobodyArgs]] = Codec.of_package(PACKAGE, "vault.nobody", "args")
NOBODY_RESULT: Final[Codec[NobodyResult]] = Codec.of_package(PACKAGE, "vault.nobody", "result")
ONE_OF_TWO_ARGS: Final[Codec[OneOfTwoArgs]] = Codec.of_package(PACKAGE, "vault.one_of_two", "args")
ONE_OF_TWO_RESULT: Final[Codec[OneOfTwoResult]] = Codec.of_package(PACKAGE, "vault.one_of_two", "result")
STORE_ARGS: Final[Codec[StoreArgs]] = Codec.of_package(PACKAGE, "vault.store", "args")
STORE_RESULT: Final[Codec[StoreResult]] = Codec.of_package(PACKAGE, "vault.store", "result")
