"""What runs the tools of `class.import`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

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


class Handlers(Protocol):
    """One method for each tool of `class.import`, sync or async."""

    def all(self, args: AllArgs, meta: ToolCallMeta, /) -> Returns[AllResult]:
        """A builtin that would hide the list of all tools."""
        ...

    def any(self, args: AnyArgs, meta: ToolCallMeta, /) -> Returns[AnyResult]:
        """A name that annotations use."""
        ...

    def calls(self, args: CallsArgs, meta: ToolCallMeta, /) -> Returns[CallsResult]:
        """A module of the toolset."""
        ...

    def codecs(self, args: CodecsArgs, meta: ToolCallMeta, /) -> Returns[CodecsResult]:
        """A module of the toolset."""
        ...

    def def_(self, args: DefArgs, meta: ToolCallMeta, /) -> Returns[DefResult]:
        """A keyword again."""
        ...

    def dispatch(self, args: DispatchArgs, meta: ToolCallMeta, /) -> Returns[DispatchResult]:
        """A module of the toolset."""
        ...

    def executor(self, args: ExecutorArgs, meta: ToolCallMeta, /) -> Returns[ExecutorResult]:
        """A function of the toolset."""
        ...

    def from_(self, args: FromArgs, meta: ToolCallMeta, /) -> Returns[FromResult]:
        """A keyword."""
        ...

    def handlers(self, args: HandlersArgs, meta: ToolCallMeta, /) -> Returns[HandlersResult]:
        """A class of the toolset."""
        ...

    def idents(self, args: IdentsArgs, meta: ToolCallMeta, /) -> Returns[IdentsResult]:
        """A module of the toolset."""
        ...

    def match(self, args: MatchArgs, meta: ToolCallMeta, /) -> Returns[MatchResult]:
        """A soft keyword."""
        ...

    def methods(self, args: MethodsArgs, meta: ToolCallMeta, /) -> Returns[MethodsResult]:
        """A module of the types."""
        ...

    def new_registration(self, args: NewRegistrationArgs, meta: ToolCallMeta, /) -> Returns[NewRegistrationResult]:
        """A function of the toolset."""
        ...

    def package(self, args: PackageArgs, meta: ToolCallMeta, /) -> Returns[PackageResult]:
        """The name of the root."""
        ...

    def print(self, args: PrintArgs, meta: ToolCallMeta, /) -> Returns[PrintResult]:
        """A builtin."""
        ...

    def shared(self, args: SharedArgs, meta: ToolCallMeta, /) -> Returns[SharedResult]:
        """A module of the types."""
        ...

    def transforms(self, args: TransformsArgs, meta: ToolCallMeta, /) -> Returns[TransformsResult]:
        """A module of the toolset."""
        ...

    def type(self, args: TypeArgs, meta: ToolCallMeta, /) -> Returns[TypeResult]:
        """A soft keyword and a builtin."""
        ...

    def type_checking(self, args: TypeCheckingArgs, meta: ToolCallMeta, /) -> Returns[TypeCheckingResult]:
        """A constant of typing."""
        ...

    def types(self, args: TypesArgs, meta: ToolCallMeta, /) -> Returns[TypesResult]:
        """A module of the toolset."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="class.import",
        handlers={
            idents.ALL_: handlers.all,
            idents.ANY: handlers.any,
            idents.CALLS: handlers.calls,
            idents.CODECS: handlers.codecs,
            idents.DEF: handlers.def_,
            idents.DISPATCH: handlers.dispatch,
            idents.EXECUTOR: handlers.executor,
            idents.FROM: handlers.from_,
            idents.HANDLERS: handlers.handlers,
            idents.IDENTS: handlers.idents,
            idents.MATCH: handlers.match,
            idents.METHODS: handlers.methods,
            idents.NEW_REGISTRATION: handlers.new_registration,
            idents.PACKAGE: handlers.package,
            idents.PRINT: handlers.print,
            idents.SHARED: handlers.shared,
            idents.TRANSFORMS: handlers.transforms,
            idents.TYPE: handlers.type,
            idents.TYPE_CHECKING_: handlers.type_checking,
            idents.TYPES: handlers.types,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="class.import",
        executor=executor,
    )
