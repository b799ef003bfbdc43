"""An API for tests: a description, its compiled tools, and an application that records requests."""

from __future__ import annotations

import asyncio
import importlib
import json
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import JSONResponse

from tests.case import write
from tests.unit.compiler.importers.importing import written
from tests.unit.compiler.specs import resolved
from toolgen.compiler.compile import generate
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.importers.openapi.files import Unreadable
from toolgen.compiler.importers.openapi.importing import Selection, import_openapi
from toolgen.compiler.source.nodes import Source
from toolgen.contract.records import ToolRequest
from toolgen.execute.http import HttpExecutor, HttpHost, http_executor
from toolgen.runtime import Runtime, allow_all, load
from toolgen.runtime.redact.spec_credentials import credential_in_url

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from pathlib import Path

    from toolgen.contract.records import ToolCallMeta, ToolError, ToolResult
    from toolgen.runtime import Catalog

TOOLSET = "shop.api"


@dataclass(frozen=True)
class Recorded:
    """One request as received. It implements the request protocol of openapi-core."""

    method: str
    target: str
    headers: list[tuple[str, str]]
    body: bytes

    @property
    def path(self) -> str:
        return self.target.partition("?")[0]

    @property
    def query(self) -> str:
        return self.target.partition("?")[2]

    @property
    def fields(self) -> list[tuple[str, str]]:
        """Return the decoded names and values of the query."""
        return parse_qsl(self.query, keep_blank_values=True)

    def header(self, name: str) -> str | None:
        return next((value for key, value in self.headers if key == name.lower()), None)


@dataclass
class Recorder:
    """An ASGI application that records requests and returns `answers` in turn, then `{}`."""

    requests: list[Recorded] = field(default_factory=list[Recorded])
    answers: list[Any] = field(default_factory=list[Any])

    @property
    def last(self) -> Recorded:
        return self.requests[-1]

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            return
        request = Request(scope, receive)
        query = scope["query_string"].decode()
        target = scope["raw_path"].decode() + (f"?{query}" if query else "")
        headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]]
        self.requests.append(Recorded(scope["method"], target, headers, await request.body()))
        answer = self.answers.pop(0) if self.answers else JSONResponse({})
        await answer(scope, receive, send)


def import_text(text: str, **files: str) -> tuple[str | None, list[str]]:
    """Import a description; return the text of the spec and the diagnostics."""
    sink = Diagnostics()

    def read(_file: str, reference: str) -> Source:
        if reference not in files:
            raise Unreadable("there is no such file")
        return Source(reference, files[reference])

    imported = import_openapi(
        Source("api.yaml", text),
        "",
        read,
        "specs/api.yaml",
        TOOLSET,
        Selection(),
        sink,
        profile="full",
        credential_in=credential_in_url,
    )
    spec = written(imported, "specs/api.yaml") if imported else None
    return spec, [f"{found.code} {found.message}" for found in sink]


def package_of(folder: Path, name: str, *specs: str) -> Catalog:
    """Compile specs and load the package, whose modules are imported on use."""
    found = resolved(*specs)
    assert not found.has_errors, found.messages
    write(folder / name, generate(found.catalog))
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    return load(name)


def invoke(
    catalog: Catalog,
    tool: str,
    args: Any = None,
    *,
    toolset: str = TOOLSET,
    permission: Any = allow_all,
    disabled: Collection[str] = (),
    meta: ToolCallMeta | None = None,
    **host: Any,
) -> ToolResult[Any]:
    """Run one call."""
    registration = http_executor(catalog, toolset, HttpHost(**host))
    runtime = Runtime(catalog, permission=permission, disabled_policies=disabled, executors=[registration])
    request = ToolRequest(name=f"{toolset}.{tool}", payload=json.dumps(args or {}))
    (result,) = _results(runtime, registration.executor, [request], meta)
    return result


def invoke_all(catalog: Catalog, calls: Iterable[tuple[str, Any]], **host: Any) -> list[ToolResult[Any]]:
    """Run calls of tools one after the other, with one executor."""
    registration = http_executor(catalog, TOOLSET, HttpHost(**host))
    runtime = Runtime(catalog, permission=allow_all, executors=[registration])
    requests = [ToolRequest(name=f"{TOOLSET}.{tool}", payload=json.dumps(args)) for tool, args in calls]
    return _results(runtime, registration.executor, requests)


def _results(
    runtime: Runtime, executor: object, requests: Iterable[ToolRequest], meta: ToolCallMeta | None = None
) -> list[ToolResult[Any]]:
    async def call() -> list[ToolResult[Any]]:
        assert isinstance(executor, HttpExecutor)
        async with executor:
            return [await runtime.invoke(request, meta=meta) for request in requests]

    return asyncio.run(call())


def error_of(result: ToolResult[Any]) -> ToolError:
    assert result.error is not None, result.value
    return result.error
