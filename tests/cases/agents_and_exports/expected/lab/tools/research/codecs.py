"""Codecs of `lab.research`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from .... import PACKAGE

if TYPE_CHECKING:
    from .types.search import SearchArgs, SearchResult
    from .types.verify import VerifyArgs, VerifyResult

SEARCH_ARGS: Final[Codec[SearchArgs]] = Codec.of_package(PACKAGE, "lab.research.search", "args")
SEARCH_RESULT: Final[Codec[SearchResult]] = Codec.of_package(PACKAGE, "lab.research.search", "result")
VERIFY_ARGS: Final[Codec[VerifyArgs]] = Codec.of_package(PACKAGE, "lab.research.verify", "args")
VERIFY_RESULT: Final[Codec[VerifyResult]] = Codec.of_package(PACKAGE, "lab.research.verify", "result")
