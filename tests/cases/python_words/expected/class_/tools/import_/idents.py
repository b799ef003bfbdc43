"""Idents of the tools of `class.import`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

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

ALL_: Final[Ident[AllArgs, AllResult]] = Ident("class.import.all")
"""A builtin that would hide the list of all tools."""

ANY: Final[Ident[AnyArgs, AnyResult]] = Ident("class.import.any")
"""A name that annotations use."""

CALLS: Final[Ident[CallsArgs, CallsResult]] = Ident("class.import.calls")
"""A module of the toolset."""

CODECS: Final[Ident[CodecsArgs, CodecsResult]] = Ident("class.import.codecs")
"""A module of the toolset."""

DEF: Final[Ident[DefArgs, DefResult]] = Ident("class.import.def")
"""A keyword again."""

DISPATCH: Final[Ident[DispatchArgs, DispatchResult]] = Ident("class.import.dispatch")
"""A module of the toolset."""

EXECUTOR: Final[Ident[ExecutorArgs, ExecutorResult]] = Ident("class.import.executor")
"""A function of the toolset."""

FROM: Final[Ident[FromArgs, FromResult]] = Ident("class.import.from")
"""A keyword."""

HANDLERS: Final[Ident[HandlersArgs, HandlersResult]] = Ident("class.import.handlers")
"""A class of the toolset."""

IDENTS: Final[Ident[IdentsArgs, IdentsResult]] = Ident("class.import.idents")
"""A module of the toolset."""

MATCH: Final[Ident[MatchArgs, MatchResult]] = Ident("class.import.match")
"""A soft keyword."""

METHODS: Final[Ident[MethodsArgs, MethodsResult]] = Ident("class.import.methods")
"""A module of the types."""

NEW_REGISTRATION: Final[Ident[NewRegistrationArgs, NewRegistrationResult]] = Ident("class.import.new_registration")
"""A function of the toolset."""

PACKAGE: Final[Ident[PackageArgs, PackageResult]] = Ident("class.import.package")
"""The name of the root."""

PRINT: Final[Ident[PrintArgs, PrintResult]] = Ident("class.import.print")
"""A builtin."""

SHARED: Final[Ident[SharedArgs, SharedResult]] = Ident("class.import.shared")
"""A module of the types."""

TRANSFORMS: Final[Ident[TransformsArgs, TransformsResult]] = Ident("class.import.transforms")
"""A module of the toolset."""

TYPE: Final[Ident[TypeArgs, TypeResult]] = Ident("class.import.type")
"""A soft keyword and a builtin."""

TYPE_CHECKING_: Final[Ident[TypeCheckingArgs, TypeCheckingResult]] = Ident("class.import.type_checking")
"""A constant of typing."""

TYPES: Final[Ident[TypesArgs, TypesResult]] = Ident("class.import.types")
"""A module of the toolset."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (
    ALL_,
    ANY,
    CALLS,
    CODECS,
    DEF,
    DISPATCH,
    EXECUTOR,
    FROM,
    HANDLERS,
    IDENTS,
    MATCH,
    METHODS,
    NEW_REGISTRATION,
    PACKAGE,
    PRINT,
    SHARED,
    TRANSFORMS,
    TYPE,
    TYPE_CHECKING_,
    TYPES,
)
"""Every tool of this toolset."""
