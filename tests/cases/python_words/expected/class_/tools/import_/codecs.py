"""Codecs of `class.import`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from .... import PACKAGE

if TYPE_CHECKING:
    from .types.all_ import AllArgs, AllResult
    from .types.any_ import AnyArgs, AnyResult
    from .types.calls_ import CallsArgs, CallsResult
    from .types.codecs_ import CodecsArgs, CodecsResult
    from .types.def_ import DefArgs, DefResult
    from .types.dispatch_ import DispatchArgs, DispatchResult
    from .types.executor import ExecutorArgs, ExecutorResult
    from .types.from_ import FromArgs, FromResult
    from .types.handlers import HandlersArgs, HandlersResult
    from .types.idents_ import IdentsArgs, IdentsResult
    from .types.match_ import MatchArgs, MatchResult
    from .types.methods_ import MethodsArgs, MethodsResult
    from .types.new_registration import NewRegistrationArgs, NewRegistrationResult
    from .types.package import PackageArgs, PackageResult
    from .types.print_ import PrintArgs, PrintResult
    from .types.shared_ import SharedArgs, SharedResult
    from .types.transforms_ import TransformsArgs, TransformsResult
    from .types.type_ import TypeArgs, TypeResult
    from .types.type_checking import TypeCheckingArgs, TypeCheckingResult
    from .types.types_ import TypesArgs, TypesResult

ALL__ARGS: Final[Codec[AllArgs]] = Codec.of_package(PACKAGE, "class.import.all", "args")
ALL__RESULT: Final[Codec[AllResult]] = Codec.of_package(PACKAGE, "class.import.all", "result")
ANY_ARGS: Final[Codec[AnyArgs]] = Codec.of_package(PACKAGE, "class.import.any", "args")
ANY_RESULT: Final[Codec[AnyResult]] = Codec.of_package(PACKAGE, "class.import.any", "result")
CALLS_ARGS: Final[Codec[CallsArgs]] = Codec.of_package(PACKAGE, "class.import.calls", "args")
CALLS_RESULT: Final[Codec[CallsResult]] = Codec.of_package(PACKAGE, "class.import.calls", "result")
CODECS_ARGS: Final[Codec[CodecsArgs]] = Codec.of_package(PACKAGE, "class.import.codecs", "args")
CODECS_RESULT: Final[Codec[CodecsResult]] = Codec.of_package(PACKAGE, "class.import.codecs", "result")
DEF_ARGS: Final[Codec[DefArgs]] = Codec.of_package(PACKAGE, "class.import.def", "args")
DEF_RESULT: Final[Codec[DefResult]] = Codec.of_package(PACKAGE, "class.import.def", "result")
DISPATCH_ARGS: Final[Codec[DispatchArgs]] = Codec.of_package(PACKAGE, "class.import.dispatch", "args")
DISPATCH_RESULT: Final[Codec[DispatchResult]] = Codec.of_package(PACKAGE, "class.import.dispatch", "result")
EXECUTOR_ARGS: Final[Codec[ExecutorArgs]] = Codec.of_package(PACKAGE, "class.import.executor", "args")
EXECUTOR_RESULT: Final[Codec[ExecutorResult]] = Codec.of_package(PACKAGE, "class.import.executor", "result")
FROM_ARGS: Final[Codec[FromArgs]] = Codec.of_package(PACKAGE, "class.import.from", "args")
FROM_RESULT: Final[Codec[FromResult]] = Codec.of_package(PACKAGE, "class.import.from", "result")
HANDLERS_ARGS: Final[Codec[HandlersArgs]] = Codec.of_package(PACKAGE, "class.import.handlers", "args")
HANDLERS_RESULT: Final[Codec[HandlersResult]] = Codec.of_package(PACKAGE, "class.import.handlers", "result")
IDENTS_ARGS: Final[Codec[IdentsArgs]] = Codec.of_package(PACKAGE, "class.import.idents", "args")
IDENTS_RESULT: Final[Codec[IdentsResult]] = Codec.of_package(PACKAGE, "class.import.idents", "result")
MATCH_ARGS: Final[Codec[MatchArgs]] = Codec.of_package(PACKAGE, "class.import.match", "args")
MATCH_RESULT: Final[Codec[MatchResult]] = Codec.of_package(PACKAGE, "class.import.match", "result")
METHODS_ARGS: Final[Codec[MethodsArgs]] = Codec.of_package(PACKAGE, "class.import.methods", "args")
METHODS_RESULT: Final[Codec[MethodsResult]] = Codec.of_package(PACKAGE, "class.import.methods", "result")
NEW_REGISTRATION_ARGS: Final[Codec[NewRegistrationArgs]] = Codec.of_package(
    PACKAGE, "class.import.new_registration", "args"
)
NEW_REGISTRATION_RESULT: Final[Codec[NewRegistrationResult]] = Codec.of_package(
    PACKAGE, "class.import.new_registration", "result"
)
PACKAGE_ARGS: Final[Codec[PackageArgs]] = Codec.of_package(PACKAGE, "class.import.package", "args")
PACKAGE_RESULT: Final[Codec[PackageResult]] = Codec.of_package(PACKAGE, "class.import.package", "result")
PRINT_ARGS: Final[Codec[PrintArgs]] = Codec.of_package(PACKAGE, "class.import.print", "args")
PRINT_RESULT: Final[Codec[PrintResult]] = Codec.of_package(PACKAGE, "class.import.print", "result")
SHARED_ARGS: Final[Codec[SharedArgs]] = Codec.of_package(PACKAGE, "class.import.shared", "args")
SHARED_RESULT: Final[Codec[SharedResult]] = Codec.of_package(PACKAGE, "class.import.shared", "result")
TRANSFORMS_ARGS: Final[Codec[TransformsArgs]] = Codec.of_package(PACKAGE, "class.import.transforms", "args")
TRANSFORMS_RESULT: Final[Codec[TransformsResult]] = Codec.of_package(PACKAGE, "class.import.transforms", "result")
TYPE_ARGS: Final[Codec[TypeArgs]] = Codec.of_package(PACKAGE, "class.import.type", "args")
TYPE_RESULT: Final[Codec[TypeResult]] = Codec.of_package(PACKAGE, "class.import.type", "result")
TYPE_CHECKING__ARGS: Final[Codec[TypeCheckingArgs]] = Codec.of_package(PACKAGE, "class.import.type_checking", "args")
TYPE_CHECKING__RESULT: Final[Codec[TypeCheckingResult]] = Codec.of_package(
    PACKAGE, "class.import.type_checking", "result"
)
TYPES_ARGS: Final[Codec[TypesArgs]] = Codec.of_package(PACKAGE, "class.import.types", "args")
TYPES_RESULT: Final[Codec[TypesResult]] = Codec.of_package(PACKAGE, "class.import.types", "result")
