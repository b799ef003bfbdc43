"""Codecs of `drafts.six`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from .... import PACKAGE

if TYPE_CHECKING:
    from .types.bounds import BoundsArgs, BoundsResult

BOUNDS_ARGS: Final[Codec[BoundsArgs]] = Codec.of_package(PACKAGE, "drafts.six.bounds", "args")
BOUNDS_RESULT: Final[Codec[BoundsResult]] = Codec.of_package(PACKAGE, "drafts.six.bounds", "result")
