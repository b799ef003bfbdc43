"""Codecs of `crm.misfits`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from .... import PACKAGE

if TYPE_CHECKING:
    from .types.deep import DeepArgs, DeepResult
    from .types.default import DefaultArgs, DefaultResult
    from .types.lost import LostArgs, LostResult
    from .types.nullable import NullableArgs, NullableResult
    from .types.optional import OptionalArgs, OptionalResult
    from .types.other_type import OtherTypeArgs, OtherTypeResult
    from .types.renamed import RenamedArgs, RenamedResult

DEEP_ARGS: Final[Codec[DeepArgs]] = Codec.of_package(PACKAGE, "crm.misfits.deep", "args")
DEEP_RESULT: Final[Codec[DeepResult]] = Codec.of_package(PACKAGE, "crm.misfits.deep", "result")
DEFAULT_ARGS: Final[Codec[DefaultArgs]] = Codec.of_package(PACKAGE, "crm.misfits.default", "args")
DEFAULT_RESULT: Final[Codec[DefaultResult]] = Codec.of_package(PACKAGE, "crm.misfits.default", "result")
LOST_ARGS: Final[Codec[LostArgs]] = Codec.of_package(PACKAGE, "crm.misfits.lost", "args")
LOST_RESULT: Final[Codec[LostResult]] = Codec.of_package(PACKAGE, "crm.misfits.lost", "result")
NULLABLE_ARGS: Final[Codec[NullableArgs]] = Codec.of_package(PACKAGE, "crm.misfits.nullable", "args")
NULLABLE_RESULT: Final[Codec[NullableResult]] = Codec.of_package(PACKAGE, "crm.misfits.nullable", "result")
OPTIONAL_ARGS: Final[Codec[OptionalArgs]] = Codec.of_package(PACKAGE, "crm.misfits.optional", "args")
OPTIONAL_RESULT: Final[Codec[OptionalResult]] = Codec.of_package(PACKAGE, "crm.misfits.optional", "result")
OTHER_TYPE_ARGS: Final[Codec[OtherTypeArgs]] = Codec.of_package(PACKAGE, "crm.misfits.other_type", "args")
OTHER_TYPE_RESULT: Final[Codec[OtherTypeResult]] = Codec.of_package(PACKAGE, "crm.misfits.other_type", "result")
RENAMED_ARGS: Final[Codec[RenamedArgs]] = Codec.of_package(PACKAGE, "crm.misfits.renamed", "args")
RENAMED_RESULT: Final[Codec[RenamedResult]] = Codec.of_package(PACKAGE, "crm.misfits.renamed", "result")
