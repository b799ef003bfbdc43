"""A receiver of OTLP over HTTP: it parses what exporters send, as a collector does."""

from __future__ import annotations

import gzip
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True)
class Received:
    """One span. `service` is the name of the service that sent it."""

    service: str
    name: str
    trace: bytes
    id: bytes
    parent: bytes
    attributes: dict[str, Any]


@dataclass
class Receiver:
    """What was received so far, at `endpoint`."""

    endpoint: str = ""
    spans: list[Received] = field(default_factory=list[Received])
    metrics: set[str] = field(default_factory=set[str])

    @property
    def tree(self) -> list[str]:
        """The spans by their place in the trace, with their service."""
        return sorted(" > ".join(self._path(span)) for span in self.spans)

    def _path(self, span: Received) -> list[str]:
        above = next((each for each in self.spans if each.id == span.parent), None)
        return [*(self._path(above) if above else []), f"{span.service}: {span.name}"]

    def take(self, path: str, body: bytes) -> None:
        """Parse a request."""
        if path == "/v1/metrics":
            sent = ExportMetricsServiceRequest.FromString(body)
            self.metrics |= {
                metric.name
                for resource in sent.resource_metrics
                for scope in resource.scope_metrics
                for metric in scope.metrics
            }
            return
        assert path == "/v1/traces", path
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            service = _attributes(resource.resource.attributes)["service.name"]
            for scope in resource.scope_spans:
                for span in scope.spans:
                    attributes = _attributes(span.attributes)
                    self.spans.append(
                        Received(service, span.name, span.trace_id, span.span_id, span.parent_span_id, attributes)
                    )


def _attributes(pairs: Any) -> dict[str, Any]:
    return {pair.key: getattr(pair.value, pair.value.WhichOneof("value")) for pair in pairs}


@contextmanager
def receiving() -> Iterator[Receiver]:
    """Receive within the context."""
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            receiver.take(self.path, gzip.decompress(body) if self.headers["Content-Encoding"] == "gzip" else body)
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the name in the base class
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    receiver.endpoint = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
