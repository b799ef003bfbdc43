"""Codecs of `team.notes`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from .... import PACKAGE

if TYPE_CHECKING:
    from .types.add import AddArgs, AddResult
    from .types.drop import DropArgs, DropResult
    from .types.keep import KeepArgs, KeepResult
    from .types.list_all import ListAllArgs, ListAllResult
    from .types.research import ResearchArgs, ResearchResult
    from .types.tell import TellArgs, TellResult

ADD_ARGS: Final[Codec[AddArgs]] = Codec.of_package(PACKAGE, "team.notes.add", "args")
ADD_RESULT: Final[Codec[AddResult]] = Codec.of_package(PACKAGE, "team.notes.add", "result")
DROP_ARGS: Final[Codec[DropArgs]] = Codec.of_package(PACKAGE, "team.notes.drop", "args")
DROP_RESULT: Final[Codec[DropResult]] = Codec.of_package(PACKAGE, "team.notes.drop", "result")
KEEP_ARGS: Final[Codec[KeepArgs]] = Codec.of_package(PACKAGE, "team.notes.keep", "args")
KEEP_RESULT: Final[Codec[KeepResult]] = Codec.of_package(PACKAGE, "team.notes.keep", "result")
LIST_ALL_ARGS: Final[Codec[ListAllArgs]] = Codec.of_package(PACKAGE, "team.notes.list-all", "args")
LIST_ALL_RESULT: Final[Codec[ListAllResult]] = Codec.of_package(PACKAGE, "team.notes.list-all", "result")
RESEARCH_ARGS: Final[Codec[ResearchArgs]] = Codec.of_package(PACKAGE, "team.notes.research", "args")
RESEARCH_RESULT: Final[Codec[ResearchResult]] = Codec.of_package(PACKAGE, "team.notes.research", "result")
TELL_ARGS: Final[Codec[TellArgs]] = Codec.of_package(PACKAGE, "team.notes.tell", "args")
TELL_RESULT: Final[Codec[TellResult]] = Codec.of_package(PACKAGE, "team.notes.tell", "result")
