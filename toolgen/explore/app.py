"""The explorer: an ASGI app of pages and endpoints over one runtime."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import inspect
import json
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import ExitStack
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl, urlencode

from sse_starlette import EventSourceResponse
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route, Router

from toolgen import __version__
from toolgen.contract.records import NOTHING
from toolgen.explore.aside import Aside
from toolgen.explore.calls import PageCalls, media_of
from toolgen.explore.guard import Guard
from toolgen.explore.links import address, part_of, query, segment
from toolgen.explore.live import Watchers, changes, version_of
from toolgen.explore.loaded_package import LoadedPackage
from toolgen.explore.project_changes import ProjectChanges
from toolgen.explore.records import Records
from toolgen.explore.screens.call import found
from toolgen.explore.screens.find import screens_of
from toolgen.explore.servers import ServerChecks
from toolgen.explore.settings import ExploreSettings
from toolgen.explore.table import ROWS, Answer, Row, openapi
from toolgen.explore.visit import Refused, Visit
from toolgen.explore.visitors import Viewpoint, Visitor, start_view
from toolgen.llm.search.index import search_index_of
from toolgen.pages.rendering import environment
from toolgen.pages.styles import STYLE_SHEET
from toolgen.pages.styles import __file__ as _styles_file
from toolgen.runtime.base.json_text import NotJson
from toolgen.runtime.base.received import TooMuch, check_request
from toolgen.runtime.base.shares import Shares
from toolgen.runtime.events.records import RunNotFound, StoreError
from toolgen.schema.json_values import number_of

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from toolgen.engine.protocol import Engine
    from toolgen.explore.records import RecordSource
    from toolgen.explore.settings import Authenticate, MayAnswer
    from toolgen.llm.search.index import SearchIndex
    from toolgen.record.chain import ChainKey
    from toolgen.runtime.calls.runtime import Runtime
    from toolgen.spec.tool_use import ToolUseConfig

_HERE: Final = Path(__file__).resolve().parent
_FILES: Final = {
    "htmx.min.js": _HERE / "static" / "htmx.min.js",
    "explore.js": _HERE / "static" / "explore.js",
    "icon.svg": _HERE / "static" / "icon.svg",
    "explore.css": _HERE / "static" / "explore.css",
    STYLE_SHEET: Path(_styles_file).parent / STYLE_SHEET,
}
_COOKIE_SECONDS: Final = 12 * 3600

_BODIES: Final = 64
"""How many of the largest bodies of requests fit into the memory for them, of which one visitor gets half."""


class Explorer:
    """An ASGI app. `explorer` makes one."""

    def __init__(
        self,
        runtime: Runtime,
        *,
        authenticate: Authenticate | None,
        may_answer: MayAnswer | None,
        store: RecordSource | None,
        chain_key: ChainKey | None,
        engine: Engine | None,
        tool_use: ToolUseConfig | None,
        project: Path | None,
        settings: ExploreSettings,
    ) -> None:
        self.runtime = runtime
        self.engine = engine
        self.tool_use = tool_use
        self.project = None if project is None else ProjectChanges(project)
        self.settings = settings
        self.records = None if store is None else Records(store, chain_key)
        self.calls = PageCalls(runtime)
        self.checks = ServerChecks()
        self._loaded = LoadedPackage(runtime.catalog.package)
        self.saving = asyncio.Lock()
        self.comparing = asyncio.Lock()
        self.aside = Aside()
        self.whole_runs = Aside()
        self._authenticate = authenticate
        self._may_answer = may_answer
        self._watchers = Watchers()
        self._bodies = Shares(_BODIES * settings.body_bytes)
        self._cookie = f"toolgen_explore_{hashlib.sha256(settings.key).hexdigest()[:8]}"
        self._guarded = Guard(self._router(), settings)

    @property
    def token(self) -> str:
        """What the first request of the person at this machine has to bring: see `start_path`."""
        return self.settings.signed("start")

    @property
    def start_path(self) -> str:
        """The path, with the token, that a browser has to open first where nobody authenticates."""
        return f"/start?{urlencode({'token': self.token})}"

    @cached_property
    def index(self) -> SearchIndex:
        """What tools are searched in, as models do."""
        return search_index_of(self.runtime.catalog)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or the lifespan."""
        if scope["type"] == "lifespan":
            return await self._lifespan(receive, send)
        return await self._guarded(scope, receive, send)

    async def serve_http(
        self, host: str = "127.0.0.1", port: int = 0, *, on_listening: Callable[[str], None] | None = None
    ) -> None:
        """Serve over HTTP until the process gets SIGTERM or SIGINT; port 0 is any free one.

        `on_listening` is called with the address that a browser has to open. Raises OSError for an address that cannot
        be had.
        """
        from toolgen.explore.listener import serve_http

        await serve_http(self, host, port, on_listening)

    async def close(self) -> None:
        """Cancel the calls that run."""
        await self.calls.close()

    @property
    def has_approvers(self) -> bool:
        """Whether the host says who may answer, so that people may see questions of others."""
        return self._may_answer is not None

    async def may_answer(self, visitor: Visitor, question: Mapping[str, Any]) -> bool:
        """Return whether a visitor may answer a question: the host says so, or it is one of their own runs."""
        if self._may_answer is None:
            return visitor.may_see_user(question.get("user"))
        answer = self._may_answer(visitor.person, question)
        return bool(await answer if inspect.isawaitable(answer) else answer)

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                await send({"type": "lifespan.startup.complete"})
            else:
                await self.close()
                return await send({"type": "lifespan.shutdown.complete"})

    def _router(self) -> Router:
        routes = [
            Route("/", self._home),
            Route("/start", self._start),
            Route("/static/{name}", self._file),
            Route("/api/openapi.json", partial(self._document)),
            Route("/calls/{call}/events", self._events),
            Route("/calls/{call}/media/{number}", self._media),
        ]
        for row in ROWS:
            if row.live:
                routes.append(Route(f"/events{row.path}", partial(self._versions, row)))
            routes.append(Route(f"/api{row.path}", partial(self._endpoint, row), methods=[row.method]))
            routes.append(Route(row.path, partial(self._page, row), methods=[row.method]))
        return Router(routes, default=self._nowhere)

    async def _nowhere(self, scope: Scope, receive: Receive, send: Send) -> None:
        await JSONResponse({"message": "there is nothing here"}, 404)(scope, receive, send)

    # Who: the person at this machine, by a cookie, or whom the host knows.

    async def _visitor(self, request: Request) -> Visitor:
        """Return who sends a request. Raises `Refused`."""
        if self._authenticate is None:
            given = request.cookies.get(self._cookie, "")
            if not hmac.compare_digest(given.encode(), self.settings.signed("cookie").encode()):
                raise Refused(401, "open the address that `toolgen explore` has printed")
            return Visitor(self.settings.person, sees_all=True)
        person = self._authenticate(request)
        person = await person if inspect.isawaitable(person) else person
        if person is None or not person.name:
            raise Refused(401, "sign in first")
        return Visitor(person, sees_all=False)

    def _form_token(self, visitor: Visitor) -> str:
        return self.settings.signed(f"form:{visitor.name}")

    async def _visit(self, request: Request, row: Row, answered: ExitStack) -> Visit:
        """Read a request, whose body holds memory until it is `answered`.

        Raises `Refused` for one that may not be made.
        """
        visitor = await self._visitor(request)
        fields = dict(request.query_params)
        if row.method != "GET":
            body = await self._body(request, visitor, answered)
            fields = {**fields, **await self.aside(visitor.name, _fields, *body)}
            given = request.headers.get("x-csrf-token") or fields.pop("csrf", "")
            if not hmac.compare_digest(given.encode("utf-8", "replace"), self._form_token(visitor).encode()):
                raise Refused(403, "the form is of another start: load the page again")
            if row.changes and self.settings.read_only:
                raise Refused(403, "this explorer only reads")
        return Visit(self, visitor, self._viewpoint(visitor, fields), _path(request), fields)

    async def _body(self, request: Request, visitor: Visitor, answered: ExitStack) -> tuple[str, bytes]:
        """Return the type of a body, and the body, in the share of its visitor. Raises `Refused`."""
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        body = bytearray()
        try:
            async for part in request.stream():
                if not self._bodies.take(visitor.name, len(part)):
                    raise Refused(429, "too much of what you sent is being read: wait for it")
                answered.callback(self._bodies.give_back, visitor.name, len(part))
                body += part
        except ClientDisconnect:
            raise Refused(413, "the request is too large") from None
        return kind, bytes(body)

    def _viewpoint(self, visitor: Visitor, fields: Mapping[str, str]) -> Viewpoint:
        """Return as whom a visitor looks: only the person at this machine may choose it."""
        start = start_view(self.settings, visitor)
        if not visitor.sees_all:
            return start
        given = {**start.fields, **fields}
        return Viewpoint(agent=given["agent"], user=given["user"] or None, role=given["role"], mode=given["mode"])

    # What: pages, endpoints, files, events.

    async def _home(self, request: Request) -> Response:
        return RedirectResponse(f"{_root(request)}/surface", 303)

    async def _start(self, request: Request) -> Response:
        """Take the token of this start, and give a cookie for it."""
        given = request.query_params.get("token", "")
        if self._authenticate is not None or not hmac.compare_digest(
            given.encode("utf-8", "replace"), self.token.encode()
        ):
            return JSONResponse({"message": "this is not the token of this start"}, 403)
        # A redirect would be a navigation that another page may have begun, on which browsers send no strict cookie.
        page = self._render("started", request, None, {})
        page.set_cookie(
            self._cookie,
            self.settings.signed("cookie"),
            max_age=_COOKIE_SECONDS,
            path=f"{_root(request)}/",
            httponly=True,
            samesite="strict",
            secure=request.url.scheme == "https",
        )
        return page

    async def _file(self, request: Request) -> Response:
        file = _FILES.get(request.path_params["name"])
        if file is None:
            return JSONResponse({"message": "there is no such file"}, 404)
        return FileResponse(file, headers={"Cache-Control": "no-cache"})

    async def _document(self, request: Request) -> Response:
        return JSONResponse({**openapi(), "servers": [{"url": _root(request) or "/"}]})

    async def _endpoint(self, row: Row, request: Request) -> Response:
        with ExitStack() as answered:
            try:
                return _json(await _answered(row.answer, await self._visit(request, row, answered)))
            except Refused as error:
                return JSONResponse({"message": error.message}, error.status)

    async def _page(self, row: Row, request: Request) -> Response:
        with ExitStack() as answered:
            return await self._shown(row, request, answered)

    async def _shown(self, row: Row, request: Request, answered: ExitStack) -> Response:
        visit: Visit | None = None
        is_part = request.headers.get("hx-request") == "true" and bool(row.part)
        try:
            visit = await self._visit(request, row, answered)
            data = await _answered(row.answer if is_part else row.first or row.answer, visit)
        except Refused as error:
            again = None if visit is None or error.status != 400 else await self._again(row, request, visit, error)
            if again is not None:
                return again
            leading_on = None if visit is None else visit.usable()
            return self._render("refused", request, leading_on, {"message": error.message}, status=error.status)
        if "location" in data:
            return _moved(request, f"{_root(request)}{data['location']}")
        if not is_part and not row.template:
            return _json(data)
        return self._render(f"parts/{row.part}" if is_part else row.template, request, visit, data)

    async def _again(self, row: Row, request: Request, visit: Visit, error: Refused) -> Response | None:
        """Show a form again that is not valid, as it was typed; None where its page cannot be shown."""
        page = next((each for each in ROWS if each.path == row.form and each.method == "GET"), None)
        if page is None:
            return None
        try:
            data = await _answered(page.answer, visit)
        except Refused:
            return None
        typed, problem = visit.fields, error.message
        return self._render(page.template, request, visit, data, status=error.status, typed=typed, problem=problem)

    async def _events(self, request: Request) -> Response:
        """Say, as an event of its own each, that a call has changed; the page fetches what it shows."""
        try:
            visitor = await self._visitor(request)
            call = found(Visit(self, visitor, Viewpoint(), _path(request), {}))
        except Refused as error:
            return JSONResponse({"message": error.message}, error.status)

        async def said() -> AsyncGenerator[dict[str, Any]]:
            async for version in call.events():
                progress = call.progress[-1] if call.progress else None
                known = {"version": version, "state": call.state}
                data = json.dumps({**known, "progress": progress}, ensure_ascii=False)
                is_short = len(data) <= self.settings.shown_bytes
                yield {"event": "change", "data": data if is_short else json.dumps(known)}

        return EventSourceResponse(self._watchers.told(visitor.name, said()))

    async def _media(self, request: Request) -> Response:
        """Return an image or a sound of a result, by its number from 1."""
        try:
            visitor = await self._visitor(request)
            media = media_of(found(Visit(self, visitor, Viewpoint(), _path(request), {})))
        except Refused as error:
            return JSONResponse({"message": error.message}, error.status)
        number = number_of(_path(request)["number"]) or 0
        if not 1 <= number <= len(media):
            return JSONResponse({"message": "the result has no such image or sound"}, 404)
        return Response(media[number - 1].content, media_type=media[number - 1].media_type)

    async def _versions(self, row: Row, request: Request) -> Response:
        """Say, as an event, that what a page shows has changed; the page fetches it."""

        async def look() -> tuple[str, ...]:
            with ExitStack() as answered:
                visit = await self._visit(request, row, answered)
            return tuple([version_of(await _answered(answer, visit)) for answer in row.live])

        try:
            visitor = await self._visitor(request)
            now = await look()
        except Refused as error:
            return JSONResponse({"message": error.message}, error.status)
        return EventSourceResponse(self._watchers.told(visitor.name, changes(now, look)))

    def _render(
        self,
        template: str,
        request: Request,
        visit: Visit | None,
        data: Mapping[str, Any],
        *,
        status: int = 200,
        typed: Mapping[str, str] = NOTHING,
        problem: str = "",
    ) -> HTMLResponse:
        root = _root(request)
        made = (
            environment(_HERE / "templates")
            .get_template(f"{template}.html.jinja")
            .render(
                data=data,
                typed=typed,
                problem=problem,
                root=root,
                version=__version__,
                path=request.url.path.removeprefix(root),
                screens=screens_of(self, None if visit is None else visit.visitor),
                visitor=None if visit is None else visit.visitor,
                csrf="" if visit is None else self._form_token(visit.visitor),
                is_replaced=self._loaded.is_replaced(),
                read_only=self.settings.read_only,
                view=NOTHING if visit is None else visit.query,
                to=lambda *parts, **given: f"{root}{address(*parts, **given)}",
                query=query,
                segment=segment,
                version_of=version_of,
                open_question=0,
                file_bytes=self.settings.file_bytes,
            )
        )
        return HTMLResponse(made.encode("utf-8", "backslashreplace"), status)


def explorer(
    runtime: Runtime,
    *,
    authenticate: Authenticate | None = None,
    may_answer: MayAnswer | None = None,
    store: RecordSource | None = None,
    chain_key: ChainKey | None = None,
    engine: Engine | None = None,
    tool_use: ToolUseConfig | None = None,
    project: Path | None = None,
    settings: ExploreSettings | None = None,
) -> Explorer:
    """Show the tools of a runtime in a browser: `explorer(runtime, authenticate=...)` is an ASGI app.

    `authenticate` returns who sends a request, as an `Approver`; they see their own runs and calls, and calls are made
    for the user of their name, as the agent of `settings`. Without it, who has the address of this start sees
    everything: only for the own machine, and in a server of the host's below a path that nobody can guess, as with
    `serve_http`, because browsers send its cookie to all ports. `may_answer` says whether someone may see and answer a
    question; by default people answer for their own runs. The policies say who may answer too, and both must allow it.
    Questions of calls appear in the page if the runtime has `permission=ask_in_page`. `store` is that of the runtime,
    or a reader of it, whose chains `chain_key` verifies; `engine` is the one whose runs ask in the inbox, and
    `tool_use` says how models are shown the tools. `project` is the folder of a toolgen project: the person at this
    machine sees its changes, and saves calls in it.
    """
    return Explorer(
        runtime,
        authenticate=authenticate,
        may_answer=may_answer,
        store=store,
        chain_key=chain_key,
        engine=engine,
        tool_use=tool_use,
        project=project,
        settings=ExploreSettings() if settings is None else settings,
    )


async def _answered(answer: Answer, visit: Visit) -> dict[str, Any]:
    """Return what a screen shows. Raises `Refused`, for a run that is not there and a store that fails too."""
    try:
        return await answer(visit)
    except RunNotFound:
        raise Refused(404, "there is no such run") from None
    except StoreError as error:
        told = str(error)
        raise Refused(500, told if told.startswith("the store ") else f"the store cannot be read: {told}") from None


def _fields(kind: str, body: bytes) -> dict[str, str]:
    try:
        if kind == "application/json":
            given = check_request(body or b"{}")
            if not isinstance(given, dict):
                raise Refused(400, "the body must be a JSON object")
            return {str(key): each if isinstance(each, str) else json.dumps(each) for key, each in given.items()}
        if kind in ("application/x-www-form-urlencoded", ""):
            return dict(parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=5_000))
    except TooMuch as error:
        raise Refused(413, str(error)) from None
    except NotJson as error:
        raise Refused(400, error.advice) from None
    except (ValueError, RecursionError):
        raise Refused(400, "the body cannot be read") from None
    raise Refused(415, "a body is a form or JSON")


def _json(data: Mapping[str, Any]) -> Response:
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return Response(text.encode("utf-8", "backslashreplace"), media_type="application/json")


def _moved(request: Request, to: str) -> Response:
    if request.headers.get("hx-request") == "true":
        return Response(headers={"HX-Redirect": to})
    return RedirectResponse(to, 303)


def _path(request: Request) -> dict[str, str]:
    """Return the ids of the path."""
    return {name: part_of(found) for name, found in request.path_params.items()}


def _root(request: Request) -> str:
    root: str = request.scope.get("root_path", "")
    return root.rstrip("/")
