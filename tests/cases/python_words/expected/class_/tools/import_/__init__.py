"""`class.import`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.all_ import AllArgs as AllArgs, AllResult as AllResult
    from .types.any_ import AnyArgs as AnyArgs, AnyResult as AnyResult
    from .types.calls_ import CallsArgs as CallsArgs, CallsResult as CallsResult
    from .types.codecs_ import CodecsArgs as CodecsArgs, CodecsResult as CodecsResult
    from .types.def_ import (
        DefArgs as DefArgs,
        DefArgsDef as DefArgsDef,
        DefArgsDefLambda as DefArgsDefLambda,
        DefResult as DefResult,
    )
    from .types.dispatch_ import DispatchArgs as DispatchArgs, DispatchResult as DispatchResult
    from .types.executor import ExecutorArgs as ExecutorArgs, ExecutorResult as ExecutorResult
    from .types.from_ import FromArgs as FromArgs, FromResult as FromResult
    from .types.handlers import HandlersArgs as HandlersArgs, HandlersResult as HandlersResult
    from .types.idents_ import IdentsArgs as IdentsArgs, IdentsResult as IdentsResult
    from .types.match_ import MatchArgs as MatchArgs, MatchResult as MatchResult
    from .types.methods_ import MethodsArgs as MethodsArgs, MethodsResult as MethodsResult
    from .types.new_registration import (
        NewRegistrationArgs as NewRegistrationArgs,
        NewRegistrationResult as NewRegistrationResult,
    )
    from .types.package import PackageArgs as PackageArgs, PackageResult as PackageResult
    from .types.print_ import PrintArgs as PrintArgs, PrintResult as PrintResult
    from .types.shared_ import SharedArgs as SharedArgs, SharedResult as SharedResult
    from .types.transforms_ import TransformsArgs as TransformsArgs, TransformsResult as TransformsResult
    from .types.type_ import TypeArgs as TypeArgs, TypeResult as TypeResult
    from .types.type_checking import TypeCheckingArgs as TypeCheckingArgs, TypeCheckingResult as TypeCheckingResult
    from .types.types_ import TypesArgs as TypesArgs, TypesResult as TypesResult
    from . import codecs as codecs
    from .calls import (
        new_all_call as new_all_call,
        new_any_call as new_any_call,
        new_calls_call as new_calls_call,
        new_codecs_call as new_codecs_call,
        new_def_call as new_def_call,
        new_dispatch_call as new_dispatch_call,
        new_executor_call as new_executor_call,
        new_from_call as new_from_call,
        new_handlers_call as new_handlers_call,
        new_idents_call as new_idents_call,
        new_match_call as new_match_call,
        new_methods_call as new_methods_call,
        new_new_registration_call as new_new_registration_call,
        new_package_call as new_package_call,
        new_print_call as new_print_call,
        new_shared_call as new_shared_call,
        new_transforms_call as new_transforms_call,
        new_type_call as new_type_call,
        new_type_checking_call as new_type_checking_call,
        new_types_call as new_types_call,
    )
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import (
        ALL_ as ALL_,
        ANY as ANY,
        CALLS as CALLS,
        CODECS as CODECS,
        DEF as DEF,
        DISPATCH as DISPATCH,
        EXECUTOR as EXECUTOR,
        FROM as FROM,
        HANDLERS as HANDLERS,
        IDENTS as IDENTS,
        MATCH as MATCH,
        METHODS as METHODS,
        NEW_REGISTRATION as NEW_REGISTRATION,
        PACKAGE as PACKAGE,
        PRINT as PRINT,
        SHARED as SHARED,
        TRANSFORMS as TRANSFORMS,
        TYPE as TYPE,
        TYPES as TYPES,
        TYPE_CHECKING_ as TYPE_CHECKING_,
    )
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "ALL_": ".idents",
            "ANY": ".idents",
            "AllArgs": ".types.all_",
            "AllResult": ".types.all_",
            "AnyArgs": ".types.any_",
            "AnyResult": ".types.any_",
            "CALLS": ".idents",
            "CODECS": ".idents",
            "CallsArgs": ".types.calls_",
            "CallsResult": ".types.calls_",
            "CodecsArgs": ".types.codecs_",
            "CodecsResult": ".types.codecs_",
            "DEF": ".idents",
            "DISPATCH": ".idents",
            "DefArgs": ".types.def_",
            "DefArgsDef": ".types.def_",
            "DefArgsDefLambda": ".types.def_",
            "DefResult": ".types.def_",
            "DispatchArgs": ".types.dispatch_",
            "DispatchResult": ".types.dispatch_",
            "EXECUTOR": ".idents",
            "ExecutorArgs": ".types.executor",
            "ExecutorResult": ".types.executor",
            "FROM": ".idents",
            "FromArgs": ".types.from_",
            "FromResult": ".types.from_",
            "HANDLERS": ".idents",
            "Handlers": ".dispatch",
            "HandlersArgs": ".types.handlers",
            "HandlersResult": ".types.handlers",
            "IDENTS": ".idents",
            "IdentsArgs": ".types.idents_",
            "IdentsResult": ".types.idents_",
            "MATCH": ".idents",
            "METHODS": ".idents",
            "MatchArgs": ".types.match_",
            "MatchResult": ".types.match_",
            "MethodsArgs": ".types.methods_",
            "MethodsResult": ".types.methods_",
            "NEW_REGISTRATION": ".idents",
            "NewRegistrationArgs": ".types.new_registration",
            "NewRegistrationResult": ".types.new_registration",
            "PACKAGE": ".idents",
            "PRINT": ".idents",
            "PackageArgs": ".types.package",
            "PackageResult": ".types.package",
            "PrintArgs": ".types.print_",
            "PrintResult": ".types.print_",
            "SHARED": ".idents",
            "SharedArgs": ".types.shared_",
            "SharedResult": ".types.shared_",
            "TRANSFORMS": ".idents",
            "TYPE": ".idents",
            "TYPES": ".idents",
            "TYPE_CHECKING_": ".idents",
            "TransformsArgs": ".types.transforms_",
            "TransformsResult": ".types.transforms_",
            "TypeArgs": ".types.type_",
            "TypeCheckingArgs": ".types.type_checking",
            "TypeCheckingResult": ".types.type_checking",
            "TypeResult": ".types.type_",
            "TypesArgs": ".types.types_",
            "TypesResult": ".types.types_",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_all_call": ".calls",
            "new_any_call": ".calls",
            "new_calls_call": ".calls",
            "new_codecs_call": ".calls",
            "new_def_call": ".calls",
            "new_dispatch_call": ".calls",
            "new_executor_call": ".calls",
            "new_from_call": ".calls",
            "new_handlers_call": ".calls",
            "new_idents_call": ".calls",
            "new_match_call": ".calls",
            "new_methods_call": ".calls",
            "new_new_registration_call": ".calls",
            "new_package_call": ".calls",
            "new_print_call": ".calls",
            "new_registration": ".dispatch",
            "new_shared_call": ".calls",
            "new_transforms_call": ".calls",
            "new_type_call": ".calls",
            "new_type_checking_call": ".calls",
            "new_types_call": ".calls",
        },
    )
