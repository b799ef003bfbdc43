"""Codecs of `yaml`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from ... import PACKAGE

if TYPE_CHECKING:
    from .types.again import AgainArgs, AgainResult
    from .types.anchors import AnchorsArgs, AnchorsResult
    from .types.folded import FoldedArgs, FoldedResult

AGAIN_ARGS: Final[Codec[AgainArgs]] = Codec.of_package(PACKAGE, "yaml.again", "args")
AGAIN_RESULT: Final[Codec[AgainResult]] = Codec.of_package(PACKAGE, "yaml.again", "result")
ANCHORS_ARGS: Final[Codec[AnchorsArgs]] = Codec.of_package(PACKAGE, "yaml.anchors", "args")
ANCHORS_RESULT: Final[Codec[AnchorsResult]] = Codec.of_package(PACKAGE, "yaml.anchors", "result")
FOLDED_ARGS: Final[Codec[FoldedArgs]] = Codec.of_package(PACKAGE, "yaml.folded", "args")
FOLDED_RESULT: Final[Codec[FoldedResult]] = Codec.of_package(PACKAGE, "yaml.folded", "result")
