"""Answers: which calls of a tool a test means, and what they get."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

if TYPE_CHECKING:
    from toolgen.contract.ident import Ident
    from toolgen.contract.records import ToolCallMeta, ToolResult
    from toolgen.runtime.calls.runtime import ArgsOf

ArgsT = TypeVar("ArgsT")
ResultT = TypeVar("ResultT")

Outcome: TypeAlias = "ResultT | ToolResult[ResultT] | Exception"
"""What a call gets: its result, a `ToolResult` with more fields, or an exception, which is raised as by a handler."""

ANY_ARGS: Any = object()
"""Stands for args that are not given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class When(Generic[ArgsT, ResultT]):
    """Some calls of a tool: those with equal args, or with these values in some fields, or that a function accepts.

    Values are compared as JSON; an arg that is left out has its default. Calls wait `seconds`, and report `progress`,
    before they get their answer.
    """

    ident: str
    args: Any = ANY_ARGS
    accepts: Callable[[ArgsT], bool] | None = None
    fields: Mapping[str, Any] = field(default_factory=dict[str, Any])
    seconds: float = 0.0
    progress: tuple[Mapping[str, Any], ...] = ()

    def after(self, seconds: float) -> When[ArgsT, ResultT]:
        """Let the calls wait. The limits of the tool hold: a call that waits longer than its timeout fails with it."""
        return replace(self, seconds=seconds)

    def reports(self, *progress: Mapping[str, Any]) -> When[ArgsT, ResultT]:
        """Let the calls report progress, each a JSON object, before they wait."""
        return replace(self, progress=(*self.progress, *progress))

    def returns(self, *outcomes: Outcome[ResultT]) -> Answer:
        """Answer each call with an outcome; with several, one call after the other, and no more calls than these."""
        if not outcomes:
            raise ValueError(f"`returns` needs the result that calls of {self.ident} get")
        return Answer(when=self, outcomes=outcomes)

    def raises(self, error: Exception) -> Answer:
        """Fail each call, as a handler that raises this exception."""
        return Answer(when=self, outcomes=(error,))

    def runs(
        self, function: Callable[[ArgsT, ToolCallMeta], ResultT | ToolResult[ResultT] | Awaitable[ResultT]]
    ) -> Answer:
        """Answer each call with what a function of its args and meta returns, as a handler. Nothing else checks it."""
        return Answer(when=self, function=function)

    def __str__(self) -> str:
        if self.args is not ANY_ARGS:
            return f"when({self.ident}, {self.args!r})"
        if self.accepts is not None:
            return f"when({self.ident}, {getattr(self.accepts, '__qualname__', self.accepts)!s})"
        fields = "".join(f", {name}={value!r}" for name, value in self.fields.items())
        return f"when({self.ident}{fields})"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Answer:
    """What some calls get: one outcome for all of them, one for each, or what a function returns."""

    when: When[Any, Any]
    outcomes: tuple[Any, ...] = ()
    function: Callable[[Any, ToolCallMeta], Any] | None = None


def when(
    ident: Ident[ArgsT, ResultT], args: ArgsOf[ArgsT] | Callable[[ArgsT], bool] | None = None, /, **fields: Any
) -> When[ArgsT, ResultT]:
    """Mean calls of a tool: all of them, those with equal args, or those with these values in some fields.

    `when(orders.REFUND)`, `when(orders.REFUND, orders.RefundArgs(order_id="o-1"))`, `when(orders.REFUND,
    order_id="o-1")`; or those that a function of the args accepts. Type checkers check the args, the function, and what
    `returns` and `runs` give. The names and values of fields are checked against the schema where the answer is set.
    """
    if args is not None and fields:
        raise ValueError(f"when({ident}, …) takes args or the values of fields, not both")
    if args is None:
        return When(ident=ident, fields=fields)
    if callable(args):
        accepts: Any = args  # type checkers narrow it each in their own way
        return When(ident=ident, accepts=accepts)
    return When(ident=ident, args=args)
