"""A browser without pages: requests to an explorer, in the loop of a test, with its cookie and its form token."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import httpx
import jsonschema

from toolgen.explore.table import openapi

if TYPE_CHECKING:
    from toolgen.explore import Explorer

ORIGIN = "http://127.0.0.1:8000"


class Browser:
    """A client of an explorer. Each answer of an endpoint is checked against the OpenAPI document."""

    def __init__(self, app: Explorer, *, headers: dict[str, str] | None = None) -> None:
        self.http = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=ORIGIN, headers=headers)
        self.app = app
        self.csrf = ""

    async def start(self) -> Browser:
        """Open the printed address, and a page."""
        await self.http.get(self.app.start_path)
        return await self.opened()

    async def opened(self) -> Browser:
        """Open a page, for its form token."""
        page = await self.http.get("/surface")
        found = re.search(r'"X-CSRF-Token": "(\w+)"', page.text)
        assert found, page.text
        self.csrf = found[1]
        return self

    async def page(self, path: str) -> str:
        answer = await self.http.get(path)
        assert answer.status_code == 200, answer.text
        return answer.text

    async def get(self, path: str, *, status: int = 200, **fields: str) -> Any:
        return _checked(await self.http.get(f"/api{path}", params=fields), "get", status)

    async def post(self, path: str, *, status: int = 200, **fields: Any) -> Any:
        answer = await self.http.post(f"/api{path}", json=fields, headers={"X-CSRF-Token": self.csrf})
        return _checked(answer, "post", status)

    async def call(self, tool: str, args: Any, **fields: Any) -> str:
        """Start a call; return its id."""
        made = await self.post(f"/tools/{tool}/calls", source="json", text=json.dumps(args), **fields)
        return str(made["call"])

    async def until(self, call: str, *states: str) -> Any:
        """Follow a call by its events until it is in one of these states; return what is known of it then."""
        async for _ in self.app.calls._calls[call].events():
            data = await self.get(f"/calls/{call}")
            if data["state"] in states:
                return data
        return await self.get(f"/calls/{call}")


def _checked(answer: httpx.Response, method: str, status: int) -> Any:
    assert answer.status_code == status, answer.text
    data = answer.json()
    path = answer.request.url.path
    operations = [
        operations[method]
        for template, operations in openapi()["paths"].items()
        if method in operations and re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", template), path)
    ]
    assert operations, path
    responses = operations[0]["responses"]
    described = responses["200" if status == 200 else "default"]["content"]["application/json"]["schema"]
    jsonschema.validate(data, described)
    return data
