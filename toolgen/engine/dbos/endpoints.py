"""HTTP endpoints of a worker: health and metrics for those who operate it, and the questions of its runs.

`GET /health`, `GET /metrics`; with a token also `GET /runs/RUN`, `POST /runs/RUN/approvals/QUESTION` with a decision,
`POST /runs/RUN/signals/NAME` with a value, and `POST /runs/RUN/cancel`.
"""

from __future__ import annotations

import asyncio
import json
import socket
import sys
import threading
from collections.abc import Callable, Coroutine, Generator, Iterable
from contextlib import contextmanager, suppress
from dataclasses import asdict
from hmac import compare_digest
from socketserver import ThreadingMixIn
from time import monotonic
from typing import TYPE_CHECKING, Any, Final
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from toolgen.contract.picklable import Picklable
from toolgen.engine.dbos.lease import DEAD_AFTER
from toolgen.engine.protocol import AlreadyAnswered, NotApprover, NotAsked
from toolgen.engine.signals import NotSignalled
from toolgen.engine.steps import shown_answer, shown_signal
from toolgen.runtime.base.bearer import token_problem
from toolgen.runtime.base.json_text import NotJson, parse
from toolgen.runtime.events.records import DamagedRun, RunNotFound, StoreError
from toolgen.runtime.policy.approvers import Approver
from toolgen.runtime.policy.permission import Decision, PermissionDecision
from toolgen.schema.json_values import is_array, is_object, number_of

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIEnvironment

    from toolgen.engine.dbos.engine import DbosEngine
    from toolgen.engine.dbos.worker import DbosWorker

_BODY_BYTES: Final = 200_000
_SECONDS: Final = 10.0
"""How long a client may take to send its request, and how long it waits for the answer at most."""

_CONNECTIONS: Final = 100
"""Connections at the same time: each has a thread."""

_BLOCKED_AFTER: Final = 2.0
_LOOK_SECONDS: Final = 5.0
_JSON: Final = "application/json"
_UNKNOWN: Final = ("404 Not Found", {"error": "there is no such address"})


class Endpoints:
    """A WSGI application. `loop` is that of the worker and the engine; without a token only health and metrics.

    Raises ValueError for a token that could be guessed, or that no client could send.
    """

    def __init__(
        self, worker: DbosWorker, engine: DbosEngine, loop: asyncio.AbstractEventLoop, token: str = ""
    ) -> None:
        if token and (problem := token_problem(token)):
            raise ValueError(f"the token {problem}")
        self._worker: Final = worker
        self._engine: Final = engine
        self._loop: Final = loop
        self._token: Final = token
        self._looking: Final = threading.Lock()
        self._look_after = 0.0

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a request."""
        status, content_type, body = self._answer(environ)
        headers = [("Content-Type", content_type), ("Content-Length", str(len(body))), ("Cache-Control", "no-store")]
        start_response(status, headers)
        return [body]

    def _answer(self, environ: WSGIEnvironment) -> tuple[str, str, bytes]:
        path = environ.get("PATH_INFO", "").strip("/").split("/")  # its parts are plain: see `RunRequest` and `_keys`
        match environ["REQUEST_METHOD"], path:
            case "GET", ["metrics"]:
                self._look_at_load()
                return "200 OK", CONTENT_TYPE_LATEST, generate_latest(self._worker.metrics.registry)
            case "GET", ["health"]:
                status, answer = self._health()
            case method, ["runs", run_id, *rest] if self._token:
                if not self._is_allowed(environ):
                    status, answer = "401 Unauthorized", {"error": "this needs the bearer token of the worker"}
                else:
                    status, answer = self._about_run(environ, method, run_id, rest)
            case _:
                status, answer = _UNKNOWN
        return status, _JSON, json.dumps(answer).encode()

    def _look_at_load(self) -> None:
        """Let the metrics say what waits in the database: looked at every five seconds at most, by one at a time."""
        if monotonic() < self._look_after or not self._looking.acquire(blocking=False):
            return
        try:
            load = asyncio.wait_for(self._engine.load(), _LOOK_SECONDS)
            self._worker.metrics.waits(asyncio.run_coroutine_threadsafe(load, self._loop).result(2 * _LOOK_SECONDS))
        except (StoreError, TimeoutError):
            self._worker.metrics.waits(None)
        finally:
            self._look_after = monotonic() + _LOOK_SECONDS
            self._looking.release()

    def _health(self) -> tuple[str, dict[str, Any]]:
        age = self._worker.metrics.heartbeat_age
        if self._worker.is_draining:
            status = "draining"
        elif age >= DEAD_AFTER:
            status = "no database"
        else:
            status = "ok" if self._is_responsive() else "blocked"
        answer = {
            "worker": self._worker.name,
            "status": status,
            "heartbeat_age": round(age, 3),
            "activities": self._worker.activities_running,
        }
        return ("200 OK" if status == "ok" else "503 Service Unavailable"), answer

    def _is_responsive(self) -> bool:
        """Whether the event loop does anything: code of the host that blocks it stops every run of the worker."""
        try:
            asyncio.run_coroutine_threadsafe(asyncio.sleep(0), self._loop).result(_BLOCKED_AFTER)
        except TimeoutError:
            return False
        return True

    def _is_allowed(self, environ: WSGIEnvironment) -> bool:
        kind, _, token = environ.get("HTTP_AUTHORIZATION", "").partition(" ")
        return kind.lower() == "bearer" and compare_digest(token.encode(), self._token.encode())

    def _about_run(
        self, environ: WSGIEnvironment, method: str, run_id: str, rest: list[str]
    ) -> tuple[str, dict[str, Any]]:
        try:
            match method, rest:
                case "GET", []:
                    return "200 OK", self._wait_for(self._shown(run_id))
                case "POST", ["cancel"]:
                    self._wait_for(self._engine.cancel(run_id))
                case "POST", ["approvals", question]:
                    decision, by = _decision(environ)
                    given = self._wait_for(self._engine.decide(run_id, question, decision, by=by))
                    return "200 OK", shown_answer(given)
                case "POST", ["signals", name]:
                    value, sender, key = _signal(environ)
                    sent = self._wait_for(self._engine.signal(run_id, name, value, by=sender, key=key))
                    return "200 OK", sent.as_json()
                case _:
                    return _UNKNOWN
        except NotSignalled as error:
            return "409 Conflict", {"error": str(error)}
        except AlreadyAnswered as error:
            return "409 Conflict", {"error": str(error), "answer": shown_answer(error.answer)}
        except NotApprover as error:
            return "403 Forbidden", {"error": str(error)}
        except (RunNotFound, NotAsked) as error:
            return "404 Not Found", {"error": str(error)}
        except _Unreadable as error:
            return error.status, {"error": str(error)}
        except ValueError as error:
            return "400 Bad Request", {"error": str(error)}
        except DamagedRun as error:  # no later request works either
            return "500 Internal Server Error", {"error": str(error)}
        except StoreError as error:
            return "503 Service Unavailable", {"error": str(error)}
        except TimeoutError:
            return "503 Service Unavailable", {"error": f"the database did not answer within {_SECONDS:.0f} seconds"}
        return "200 OK", {}

    async def _shown(self, run_id: str) -> dict[str, Any]:
        info = await self._engine.info(run_id)
        approvals, answers = await self._engine.approvals(run_id), await self._engine.answers(run_id)
        signals = await self._engine.signals(run_id)
        return {
            **asdict(info),
            "approvals": [asdict(each) for each in approvals],
            "answers": [*map(shown_answer, answers)],
            "awaited": list(signals.awaited),
            "signals": [*map(shown_signal, signals.received)],
        }

    def _wait_for(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(_SECONDS)


_UNKNOWN_PERSON: Final = "(http)"
"""The name of whoever answers and does not say who it is: see `Approver.is_known`."""


def _decision(environ: WSGIEnvironment) -> tuple[PermissionDecision, Approver]:
    """Read a decision, and who makes it: `{"decision": "allow_once", "reason": "", "by": "ann", "roles": []}`.

    A denial may have a `proposal`, which the engine checks. Whoever has the token speaks for the people it names.
    Raises ValueError.
    """
    given: Any = _body(environ, _BODY_BYTES) or {}
    reason, by, roles = given.get("reason", ""), given.get("by", _UNKNOWN_PERSON), given.get("roles", [])
    are_texts = isinstance(reason, str) and isinstance(by, str) and by and is_array(roles)
    if given.get("decision") not in list(Decision) or not are_texts or not all(isinstance(each, str) for each in roles):
        known = ", ".join(Decision)
        raise ValueError(
            f'the body must be {{"decision": one of {known}, "reason": text, "by": who decides, "roles": their roles, '
            '"proposal": args that would be allowed}'
        )
    via = f"http {environ.get('REMOTE_ADDR', '')}".rstrip()
    decision = Decision(given["decision"])
    answer = PermissionDecision(decision=decision, reason=reason, proposal=given.get("proposal"))
    return answer, Approver(by, tuple(roles), via)


def _signal(environ: WSGIEnvironment) -> tuple[Any, str, str]:
    """Read a signal, and who sends it: `{"value": 1, "by": "ci", "key": ""}`. Raises ValueError."""
    given = _body(environ, _BODY_BYTES)
    by, key = (None, None) if given is None else (given.get("by", "http"), given.get("key", ""))
    if given is None or not isinstance(by, str) or not by or not isinstance(key, str):
        raise ValueError(
            'the body must be {"value": JSON, "by": who sends it, "key": text}, of which all may be absent'
        )
    return given.get("value"), by, key


def _body(environ: WSGIEnvironment, most: int) -> dict[str, Any] | None:
    """Return the JSON object that a request has as its body, None for anything else. Raises `_Unreadable`."""
    length = number_of(environ.get("CONTENT_LENGTH") or "0")
    if length is None:
        return None
    if length > most:
        raise _Unreadable("413 Content Too Large", f"the body has {length} bytes; there may be {most}")
    try:
        data = environ["wsgi.input"].read(length)
    except OSError:
        data = b""
    if len(data) < length:
        raise _Unreadable(
            "408 Request Timeout", f"the body of {length} bytes did not come within {_SECONDS:.0f} seconds"
        )
    try:
        body: Any = parse(data)
    except NotJson:
        return None
    return body if is_object(body) else None


class _Unreadable(Picklable):
    """A body that is too long, or does not come."""

    def __init__(self, status: str, why: str) -> None:
        self.status = status
        super().__init__(why)


class _Server(ThreadingMixIn, WSGIServer):
    """A thread for each connection, of which there are few, and which have little time to send their request."""

    daemon_threads = True
    request_queue_size = _CONNECTIONS

    def __init__(self, *args: Any) -> None:
        self._open: Final[dict[Any, float]] = {}
        super().__init__(*args)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer a connection in a thread; close one that is too many."""
        if len(self._open) >= _CONNECTIONS:
            self.shutdown_request(request)
            return
        self._open[request] = monotonic()
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """Close a connection."""
        self._open.pop(request, None)
        super().shutdown_request(request)

    def service_actions(self) -> None:
        """End the requests of connections whose time is over. The server calls it all the time."""
        super().service_actions()
        for request, since in list(self._open.items()):
            if monotonic() - since > _SECONDS:
                with suppress(OSError):  # it is closed already
                    request.shutdown(socket.SHUT_RD)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Write no log of clients that leave, or that are too slow; any other error is one of this module."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _Quiet(WSGIRequestHandler):
    timeout = _SECONDS

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the name of the base class
        """Write no log: paths have ids of runs."""


@contextmanager
def listening(
    application: Callable[[WSGIEnvironment, StartResponse], Iterable[bytes]], host: str, port: int
) -> Generator[str]:
    """Serve an application in threads of its own; yield its URL. Raises OSError if the place is taken."""
    server = make_server(host, port, application, server_class=_Server, handler_class=_Quiet)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)
    thread.start()
    try:
        yield f"http://{host}:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
