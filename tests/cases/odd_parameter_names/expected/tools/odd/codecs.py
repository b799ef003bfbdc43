"""Codecs of `odd`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from ... import PACKAGE

if TYPE_CHECKING:
    from .types.published import PublishedArgs, PublishedResult
    from .types.renamed import RenamedArgs, RenamedResult

PUBLISHED_ARGS: Final[Codec[PublishedArgs]] = Codec.of_package(PACKAGE, "odd.published", "args")
PUBLISHED_RESULT: Final[Codec[PublishedResult]] = Codec.of_package(PACKAGE, "odd.published", "result")
RENAMED_ARGS: Final[Codec[RenamedArgs]] = Codec.of_package(PACKAGE, "odd.renamed", "args")
RENAMED_RESULT: Final[Codec[RenamedResult]] = Codec.of_package(PACKAGE, "odd.renamed", "result")
