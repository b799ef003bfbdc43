"""Codecs of `orchestrator.profiles`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from .... import PACKAGE

if TYPE_CHECKING:
    from .types.search import SearchArgs, SearchResult
    from .types.upsert import UpsertArgs, UpsertResult

SEARCH_ARGS: Final[Codec[SearchArgs]] = Codec.of_package(PACKAGE, "orchestrator.profiles.search", "args")
SEARCH_RESULT: Final[Codec[SearchResult]] = Codec.of_package(PACKAGE, "orchestrator.profiles.search", "result")
UPSERT_ARGS: Final[Codec[UpsertArgs]] = Codec.of_package(PACKAGE, "orchestrator.profiles.upsert", "args")
UPSERT_RESULT: Final[Codec[UpsertResult]] = Codec.of_package(PACKAGE, "orchestrator.profiles.upsert", "result")
