"""Codecs of `trees`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from ... import PACKAGE

if TYPE_CHECKING:
    from .types.direct import DirectArgs, DirectResult
    from .types.local import LocalArgs, LocalResult
    from .types.mutual import MutualArgs, MutualResult
    from .types.root import RootArgs, RootResult
    from .types.unions import UnionsArgs, UnionsResult

DIRECT_ARGS: Final[Codec[DirectArgs]] = Codec.of_package(PACKAGE, "trees.direct", "args")
DIRECT_RESULT: Final[Codec[DirectResult]] = Codec.of_package(PACKAGE, "trees.direct", "result")
LOCAL_ARGS: Final[Codec[LocalArgs]] = Codec.of_package(PACKAGE, "trees.local", "args")
LOCAL_RESULT: Final[Codec[LocalResult]] = Codec.of_package(PACKAGE, "trees.local", "result")
MUTUAL_ARGS: Final[Codec[MutualArgs]] = Codec.of_package(PACKAGE, "trees.mutual", "args")
MUTUAL_RESULT: Final[Codec[MutualResult]] = Codec.of_package(PACKAGE, "trees.mutual", "result")
ROOT_ARGS: Final[Codec[RootArgs]] = Codec.of_package(PACKAGE, "trees.root", "args")
ROOT_RESULT: Final[Codec[RootResult]] = Codec.of_package(PACKAGE, "trees.root", "result")
UNIONS_ARGS: Final[Codec[UnionsArgs]] = Codec.of_package(PACKAGE, "trees.unions", "args")
UNIONS_RESULT: Final[Codec[UnionsResult]] = Codec.of_package(PACKAGE, "trees.unions", "result")
