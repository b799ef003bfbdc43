"""HTTP: toolsets of kind `http`, run on their APIs over httpx2. Needs the extra `http`."""

from toolgen.execute.http.executor import HttpExecutor, http_executor
from toolgen.execute.http.host import HttpHost

__all__ = ["HttpExecutor", "HttpHost", "http_executor"]
