"""Assignment of executors to tools: the host's registrations, checked against the catalog when a runtime is built."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Final, cast

from toolgen.contract.records import ToolsetRegistration
from toolgen.contract.signatures import call_problem
from toolgen.runtime.base.errors import ExecutorError, ToolUnavailable
from toolgen.runtime.base.suggest import nearest
from toolgen.runtime.catalog.execution import Form, keeps_to_policies, run_handler, run_request

if TYPE_CHECKING:
    from toolgen.runtime.catalog.catalog import Catalog
    from toolgen.runtime.catalog.execution import Execute

    Runner = Callable[[str], tuple[Execute, Form]]

_LISTED: Final = 20
"""Maximum number of toolsets listed in an error."""


def assign(catalog: Catalog, registrations: Sequence[ToolsetRegistration], policies: object) -> Mapping[str, Runner]:
    """Map toolset to a function that gives, for an ident, what runs that tool and the form of args that it takes.

    Executors that keep to policies get those of the runtime.

    Raises `ExecutorError` for an unknown toolset, two executors for one, a registration with neither handlers nor
    executor or both, and handlers that are missing, belong to no tool of the toolset or would not get the policies; and
    TypeError for what is no list of registrations.
    """
    assigned: dict[str, Runner] = {}
    _check_registrations(registrations)
    for registration in registrations:
        toolset = registration.toolset
        _check_known(catalog, toolset)
        if toolset in assigned:
            raise ExecutorError(f"the toolset {toolset} has two executors; give only one")
        _check_under(registration)
        bound = registration if registration.under is None else registration.under(policies)
        assigned[toolset] = _runner(bound, catalog.toolsets[toolset])
    return assigned


def _check_under(registration: ToolsetRegistration) -> None:
    """Refuse handlers and executors that keep to policies, but would not get those of the runtime."""
    for name in ("under", "hosts"):
        if getattr(registration, name) is None and hasattr(registration.executor, name):
            raise ExecutorError(
                f"the registration of {registration.toolset} does not say the `{name}` of its executor, so policies "
                "would not hold: pass the registration of `command_executor`, `http_executor` or `mcp_executor`"
            )
    for handler in (registration.handlers or {}).values() if registration.under is None else ():
        owner = getattr(handler, "__self__", None)
        if keeps_to_policies(owner):
            raise ExecutorError(
                f"the handlers of {registration.toolset} would not get the policies of the runtime: pass "
                f"{type(owner).__name__}(…).registration()"
            )


def _check_registrations(registrations: object) -> None:
    if not isinstance(registrations, list | tuple):
        raise TypeError("executors must be a list of registrations: write [orders.executor(handlers)]")
    for each in cast("Sequence[object]", registrations):
        if not isinstance(each, ToolsetRegistration):
            raise TypeError(
                f"executors must be registrations, but one is of type {type(each).__name__}: pass the return value of "
                "`executor` of the generated toolset, such as orders.executor(handlers)"
            )


def find_missing(
    catalog: Catalog, registrations: Sequence[ToolsetRegistration], missing: Collection[str]
) -> frozenset[str]:
    """Return the idents of the compiled tools without an executor.

    These are those that a registration leaves out, and those of toolsets without one, which `missing` must name.

    Raises `ExecutorError` that names every other toolset without an executor, and for one that the catalog does not
    have, and TypeError where one text is given.
    """
    if isinstance(missing, str):
        raise TypeError(f"missing must be a list of toolsets: write [{missing!r}]")
    for toolset in missing:
        _check_known(catalog, toolset)
    assigned = {registration.toolset for registration in registrations}
    unrun = {name: tools for name, tools in catalog.toolsets.items() if tools and name not in assigned}
    unexpected = [name for name in unrun if name not in missing]
    if unexpected:
        specified = [name for name in unexpected if is_specified(catalog, name)]
        how = f" (`toolgen.execute.specified_executors(catalog)` has that of {_names(specified)})" if specified else ""
        raise ExecutorError(
            f"there is no executor for {_listing(unexpected)}: pass one in `executors`{how}, or list toolsets without "
            f"an executor in `missing`, such as missing={unexpected[:1]!r}"
        )
    left_out = (ident for registration in registrations for ident in registration.missing)
    return frozenset([*left_out, *(ident for tools in unrun.values() for ident in tools)])


def is_specified(catalog: Catalog, toolset: str) -> bool:
    """Whether the spec of a toolset names what runs it: a server, the URLs or the app of an API, or handlers."""
    compiled = catalog.section("toolsets")[toolset]
    match compiled.get("kind"):
        case "mcp":
            return "server" in compiled
        case "http":
            requests = (catalog.definition(ident).settings.http or {} for ident in catalog.toolsets[toolset])
            has_one = not {"base_url", "app"}.isdisjoint(compiled.get("api", {}))
            return has_one or all("base_url" in request for request in requests)
        case _:
            return "has_handlers" in compiled


def _listing(toolsets: Sequence[str]) -> str:
    return f"{'the toolset' if len(toolsets) == 1 else 'the toolsets'} {_names(toolsets)}"


def _names(toolsets: Sequence[str]) -> str:
    more = f" and {len(toolsets) - _LISTED} more" if len(toolsets) > _LISTED else ""
    return f"{', '.join(toolsets[:_LISTED])}{more}"


def _check_known(catalog: Catalog, toolset: str) -> None:
    if toolset not in catalog.toolsets:
        meant = nearest(toolset, catalog.toolsets, count=1)
        question = f"; did you mean {meant[0]}?" if meant else ""
        raise ExecutorError(f"there is no toolset {toolset} in the catalog{question}")


def find_runner(catalog: Catalog, assigned: Mapping[str, Runner], ident: str, policies: object) -> tuple[Execute, Form]:
    """Return what runs a tool, and the form of args that it takes. Raises `ToolUnavailable` if there is no executor.

    A registered tool that keeps to policies gets those of the runtime.
    """
    registered = catalog.registered(ident)
    if registered is not None:
        return registered.run if registered.under is None else registered.under(policies), registered.form
    toolset = catalog.toolset_of(ident)
    if toolset not in assigned:
        raise ToolUnavailable(ident, toolset)
    return assigned[toolset](ident)


def _runner(registration: ToolsetRegistration, tools: Sequence[str]) -> Runner:
    handlers, executor = registration.handlers, registration.executor
    for name, idents in (("missing", registration.missing), ("hosts", registration.hosts or ())):
        strange = ", ".join(sorted({*idents} - set(tools)))
        if strange:
            raise ExecutorError(
                f"the registration of {registration.toolset} lists {strange} in `{name}`, but has no such tool"
            )
    if handlers is not None and executor is None:
        _check_handlers(registration.toolset, [ident for ident in tools if ident not in registration.missing], handlers)
        return _but_missing(registration, lambda ident: (run_handler(handlers[ident]), Form.TYPED))
    if executor is not None and handlers is None:
        form = Form.RAW if registration.decode_in_executor else Form.CANONICAL
        return _but_missing(registration, lambda ident: (run_request(executor, ident), form))
    raise ExecutorError(f"the registration of {registration.toolset} needs either handlers or an executor")


def _but_missing(registration: ToolsetRegistration, find: Runner) -> Runner:
    if not registration.missing:
        return find

    def found(ident: str) -> tuple[Execute, Form]:
        if ident in registration.missing:
            raise ToolUnavailable(ident, registration.toolset)
        return find(ident)

    return found


def _check_handlers(toolset: str, tools: Sequence[str], handlers: Mapping[str, object]) -> None:
    missing = [ident for ident in tools if ident not in handlers]
    if missing:
        raise ExecutorError(f"the handlers of {toolset} lack {', '.join(missing)}")
    strange = [ident for ident in handlers if ident not in tools]
    if strange:
        raise ExecutorError(f"the handlers of {toolset} include {', '.join(strange)}, but {toolset} has no such tool")
    for ident, handler in handlers.items():
        problem = call_problem(handler, "the args", "the ToolCallMeta")
        if problem:
            raise ExecutorError(f"no call could run the handler of {ident}: {problem}")
