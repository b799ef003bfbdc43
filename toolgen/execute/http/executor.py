"""The executor of toolsets of kind `http`: sends each call to its API."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

from toolgen.contract.extras import MissingExtra
from toolgen.contract.records import ToolsetRegistration
from toolgen.execute.environment import variables_in
from toolgen.execute.http.credentials import Credentials
from toolgen.execute.http.host import HttpHost
from toolgen.execute.http.operation import Operation
from toolgen.execute.http.requests import previewed, request_of
from toolgen.execute.http.responses import result_of
from toolgen.execute.http.routes import Routes
from toolgen.execute.sent_call import SentCall
from toolgen.execute.servers import ServerState
from toolgen.runtime.base.errors import CallFailed, ExecutorError, ToolNotFound
from toolgen.runtime.base.json_text import LONG_BYTES
from toolgen.runtime.policy.hosts import hosts_of_calls

try:
    from toolgen.execute.http.sending import Sender
except ModuleNotFoundError as error:
    if error.name != "httpx2":
        raise
    raise MissingExtra("toolsets of kind http need httpx2", "http") from error

if TYPE_CHECKING:
    from toolgen.contract.records import ToolCallMeta, ToolRequest, ToolResult
    from toolgen.execute.python.modules import HandlerModules
    from toolgen.runtime.catalog.catalog import Catalog
    from toolgen.runtime.catalog.definition import ToolDefinition
    from toolgen.runtime.policy.policy import Policies

_FENCING: Final = "Fencing-Token"
"""The header that has the fencing token of a call, beside that of its idempotency key."""


class HttpExecutor:
    """Runs the tools of one API. It fits `ToolExecutor`, with `decode_in_executor`.

    Connections are opened at the first call of an event loop; `async with`, or `close`, closes them.
    """

    def __init__(
        self,
        operations: Mapping[str, Operation],
        api: Mapping[str, Any],
        host: HttpHost,
        routes: Routes | None = None,
    ) -> None:
        self._operations, self._api, self._host = operations, api, host
        self._routes = Routes(operations.values(), api.get("base_url", "")) if routes is None else routes
        headers: Mapping[str, str] = api.get("headers", {})
        self._credentials = Credentials(api.get("auth", {}), api.get("security"), host.environment, headers)
        self._headers = {name: self._credentials.resolved(value) for name, value in headers.items()}
        self._sender = Sender(host, self._credentials, api.get("retries", 2))
        if host.headers is None and host.auth is None and any(each.security is None for each in operations.values()):
            self._credentials.check()

    def under(self, policies: Policies) -> HttpExecutor:
        """Return an executor with the same connections that keeps to policies.

        They decide which other hosts redirects may lead to, and which hosts are never reached; without them, a redirect
        stays at its host.
        """
        bound = copy(self)
        bound._sender = self._sender.under(policies)  # noqa: SLF001  # it is a copy of this one
        return bound

    async def execute(self, request: ToolRequest, meta: ToolCallMeta, /) -> ToolResult[Any]:
        """Run one call. Raises `ToolNotFound`, and `CallFailed` where no response comes."""
        operation = self._operation(request.name)
        args: dict[str, Any] = {**json.loads(request.payload), **meta.injected}
        sent = request_of(operation, args, self._routes)
        self._credentials.admit(sent, operation.security)
        given = {name.lower() for name in sent.headers}
        sent.headers = {
            **{name: text for name, text in self._headers.items() if name.lower() not in given},
            **sent.headers,
        }
        key = operation.idempotency_header or self._api.get("idempotency_header", "")
        has_key = bool(key) and operation.method in ("POST", "PATCH")
        if has_key and key.lower() not in given:
            sent.headers[key] = meta.idempotency_key or str(uuid4())
        if has_key and meta.fencing_token is not None and _FENCING.lower() not in given:
            sent.headers[_FENCING] = str(meta.fencing_token)
        credentials = self._credentials.sent
        call = SentCall(may_repeat=operation.is_repeatable)
        try:
            response = await self._sender.send(
                sent,
                self._base_url(operation),
                operation.security,
                meta,
                call,
                is_repeatable=operation.is_repeatable or has_key,
            )
            result = call.result(await result_of(response, operation, keep=self._host.keep, hide=credentials.hide))
        except CallFailed as error:
            failure = call.failure(error)
            hidden = credentials.hide_failure(failure)
            raise hidden from (error if hidden is failure else None)
        if len(result.payload) > LONG_BYTES:
            return await asyncio.to_thread(credentials.hide_result, result)
        return credentials.hide_result(result)

    def preview(self, ident: str, args: Mapping[str, Any]) -> str:
        """Return the method and the URL of the request of a call, without credentials.

        Raises `ToolNotFound`, and `CallFailed` for args that no request can have.
        """
        return previewed(self._operations, self._routes, self._base_url)(ident, args)

    def hosts(self, definitions: Iterable[ToolDefinition]) -> dict[str, tuple[str, ...]]:
        """Return the hosts that every call of each tool reaches: of the API, and of a token endpoint that it needs."""
        found: dict[str, tuple[str, ...]] = {}
        for each in definitions:
            operation = self._operations[each.name]
            urls = [self._base_url(operation), *self._token_urls(operation)]
            specified = [operation.base_url or self._api.get("base_url", "")]
            specified += self._credentials.token_urls(operation.security)
            found[each.name] = hosts_of_calls(each.settings.access.hosts, urls, specified)
        return found

    def _token_urls(self, operation: Operation) -> tuple[str, ...]:
        if self._host.headers is not None or self._host.auth is not None:  # in place of those of the spec
            return ()
        return self._credentials.token_urls(operation.security, chosen=True)

    def state(self) -> ServerState:
        """Return what is known of the API: whether there are credentials for all operations. Nothing is sent."""
        if self._host.headers is not None or self._host.auth is not None:
            return ServerState(connection="", login="given")
        if not all(self._credentials.are_known(each.security) for each in self._operations.values()):
            return ServerState(connection="", login="needed")
        is_given = self._api.get("auth") or any(map(variables_in, self._api.get("headers", {}).values()))
        return ServerState(connection="", login="given" if is_given else "none")

    def _operation(self, ident: str) -> Operation:
        operation = self._operations.get(ident)
        if operation is None:
            raise ToolNotFound(ident)
        return operation

    def _base_url(self, operation: Operation) -> str:
        base_url: str = self._host.base_url or operation.base_url or self._api["base_url"]
        return base_url

    async def close(self) -> None:
        """Close the connections of the running event loop."""
        await self._sender.close()

    async def __aenter__(self) -> HttpExecutor:
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self.close()


def http_executor(
    catalog: Catalog, toolset: str, host: HttpHost | None = None, *, modules: HandlerModules | None = None
) -> ToolsetRegistration:
    """Return what runs a compiled toolset of kind `http`: `Runtime(executors=[executor(catalog, "shop.api")])`.

    `modules` are those that the `app` of a spec may be in; by default those beside the generated package, without what
    is installed.
    Raises `ExecutorError` for a toolset that is missing or of another kind, without a base URL, and for credentials
    that the environment does not have or an app that is missing or of another module; and whatever the code of an app
    raises.
    """
    if toolset not in catalog.toolsets:
        raise ExecutorError(f"there is no toolset {toolset} in the catalog")
    compiled = catalog.section("toolsets")[toolset]
    if compiled.get("kind") != "http":
        raise ExecutorError(f"{toolset} is of kind {compiled.get('kind')}, not http")
    given = HttpHost() if host is None else host
    api: Mapping[str, Any] = compiled.get("api", {})
    if given.app is None and "app" in api:
        given = replace(given, app=_app(catalog, toolset, api["app"], modules))
    is_sent = given.app is None or bool(given.base_url)
    if not is_sent:
        given = replace(given, base_url="http://app")
    definitions = [catalog.definition(ident) for ident in catalog.toolsets[toolset]]
    operations = {definition.name: Operation.of(definition) for definition in definitions}
    if not given.base_url and "base_url" not in api:
        without = next((ident for ident, each in operations.items() if not each.base_url), None)
        if without is not None:
            raise ExecutorError(f"the spec of {toolset} has no `base_url`: add one, or pass `HttpHost(base_url=…)`")
    runs = HttpExecutor(operations, api, given, Routes.of_toolset(toolset, compiled, operations.values()))

    def under(policies: Policies) -> ToolsetRegistration:
        return replace(registration, executor=runs.under(policies))

    registration = ToolsetRegistration(
        toolset=toolset,
        executor=runs,
        decode_in_executor=True,
        preview=runs.preview,
        under=under,
        hosts=runs.hosts(definitions) if is_sent else {},
    )
    return registration


def _app(catalog: Catalog, toolset: str, reference: str, modules: HandlerModules | None) -> Any:
    from toolgen.execute.python.modules import ForeignModule, HandlerModules  # only for a spec with an app
    from toolgen.execute.python.references import NotThere, Objects

    try:
        return Objects(
            are_called=True, modules=HandlerModules.of_catalog(catalog) if modules is None else modules
        ).find(reference)
    except (NotThere, ForeignModule) as error:
        raise ExecutorError(f"the app of {toolset}, {reference}, cannot be used: {error.args[0]}") from error
