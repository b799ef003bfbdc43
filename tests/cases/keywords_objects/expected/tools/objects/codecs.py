"""Codecs of `objects`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from ... import PACKAGE

if TYPE_CHECKING:
    from .types.keys import KeysArgs, KeysResult
    from .types.maps import MapsArgs, MapsResult
    from .types.openness import OpennessArgs, OpennessResult
    from .types.required_only import RequiredOnlyArgs, RequiredOnlyResult

KEYS_ARGS: Final[Codec[KeysArgs]] = Codec.of_package(PACKAGE, "objects.keys", "args")
KEYS_RESULT: Final[Codec[KeysResult]] = Codec.of_package(PACKAGE, "objects.keys", "result")
MAPS_ARGS: Final[Codec[MapsArgs]] = Codec.of_package(PACKAGE, "objects.maps", "args")
MAPS_RESULT: Final[Codec[MapsResult]] = Codec.of_package(PACKAGE, "objects.maps", "result")
OPENNESS_ARGS: Final[Codec[OpennessArgs]] = Codec.of_package(PACKAGE, "objects.openness", "args")
OPENNESS_RESULT: Final[Codec[OpennessResult]] = Codec.of_package(PACKAGE, "objects.openness", "result")
REQUIRED_ONLY_ARGS: Final[Codec[RequiredOnlyArgs]] = Codec.of_package(PACKAGE, "objects.required_only", "args")
REQUIRED_ONLY_RESULT: Final[Codec[RequiredOnlyResult]] = Codec.of_package(PACKAGE, "objects.required_only", "result")
