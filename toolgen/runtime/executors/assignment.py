"""Which executor runs which tool: the host's registrations, checked against the catalog when a runtime is built."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.call import Form
from toolgen.runtime.errors import ExecutorError
from toolgen.runtime.executors.request import run_request
from toolgen.runtime.executors.service import run_handler
from toolgen.runtime.suggest import nearest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from toolgen.contract.records import ToolsetRegistration
    from toolgen.runtime.call import Run
    from toolgen.runtime.catalog import Catalog


def assign(catalog: Catalog, registrations: Sequence[ToolsetRegistration]) -> Mapping[str, ToolsetRegistration]:
    """Map toolset to registration.

    Raises `ExecutorError` for an unknown toolset, two executors for one, a registration with neither handlers nor
    executor or both, and handlers that are missing or belong to no tool of the toolset.
    """
    assigned: dict[str, ToolsetRegistration] = {}
    for registration in registrations:
        toolset = registration.toolset
        if toolset not in catalog.toolsets:
            meant = nearest(toolset, catalog.toolsets, count=1)
            question = f"; did you mean {meant[0]}?" if meant else ""
            raise ExecutorError(f"there is no toolset {toolset} in the catalog{question}")
        if toolset in assigned:
            raise ExecutorError(f"the toolset {toolset} has two executors; it can have one")
        if (registration.handlers is None) == (registration.executor is None):
            raise ExecutorError(f"the registration of {toolset} needs either handlers or an executor, and not both")
        if registration.handlers is not None:
            _check_handlers(toolset, catalog.toolsets[toolset], registration.handlers)
        assigned[toolset] = registration
    return assigned


def runner(catalog: Catalog, assigned: Mapping[str, ToolsetRegistration], ident: str) -> tuple[Run, Form] | None:
    """Find what runs a tool, and the form of args that it takes; None where nothing does."""
    registered = catalog.registered(ident)
    if registered is not None:
        if registered.adapter is not None:
            return run_request(registered.adapter, ident), Form.CANONICAL
        return None if registered.handler is None else (run_handler(registered.handler), Form.TYPED)
    registration = assigned.get(catalog.toolset_of(ident))
    if registration is None:
        return None
    if registration.handlers is not None:
        return run_handler(registration.handlers[ident]), Form.TYPED
    if registration.executor is None:
        return None
    form = Form.RAW if registration.decode_in_executor else Form.CANONICAL
    return run_request(registration.executor, ident), form


def _check_handlers(toolset: str, tools: Sequence[str], handlers: Mapping[str, object]) -> None:
    missing = [ident for ident in tools if ident not in handlers]
    if missing:
        raise ExecutorError(f"the handlers of {toolset} lack {', '.join(missing)}")
    strange = [ident for ident in handlers if ident not in tools]
    if strange:
        raise ExecutorError(f"the handlers of {toolset} name {', '.join(strange)}, which {toolset} does not have")
