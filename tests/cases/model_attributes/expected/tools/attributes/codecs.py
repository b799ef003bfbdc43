"""Codecs of `attributes`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from ... import PACKAGE

if TYPE_CHECKING:
    from .types.empty import EmptyArgs, EmptyResult
    from .types.hidden import HiddenArgs, HiddenResult
    from .types.parameters import ParametersArgs, ParametersResult
    from .types.pydantic import PydanticArgs, PydanticResult

EMPTY_ARGS: Final[Codec[EmptyArgs]] = Codec.of_package(PACKAGE, "attributes.empty", "args")
EMPTY_RESULT: Final[Codec[EmptyResult]] = Codec.of_package(PACKAGE, "attributes.empty", "result")
HIDDEN_ARGS: Final[Codec[HiddenArgs]] = Codec.of_package(PACKAGE, "attributes.hidden", "args")
HIDDEN_RESULT: Final[Codec[HiddenResult]] = Codec.of_package(PACKAGE, "attributes.hidden", "result")
PARAMETERS_ARGS: Final[Codec[ParametersArgs]] = Codec.of_package(PACKAGE, "attributes.parameters", "args")
PARAMETERS_RESULT: Final[Codec[ParametersResult]] = Codec.of_package(PACKAGE, "attributes.parameters", "result")
PYDANTIC_ARGS: Final[Codec[PydanticArgs]] = Codec.of_package(PACKAGE, "attributes.pydantic", "args")
PYDANTIC_RESULT: Final[Codec[PydanticResult]] = Codec.of_package(PACKAGE, "attributes.pydantic", "result")
