"""The packages of each extra."""

from __future__ import annotations

from typing import Final

PACKAGES: Final = {
    "artifacts": {"fsspec"},
    "redis": {"redis"},
    "dbos": {"croniter", "dbos", "prometheus_client", "sqlalchemy"},
    "postgres": {"psycopg", "psycopg_pool"},
    "otel": {"opentelemetry"},
    "mcp": {"anyio", "httpx2", "mcp", "mcp_types", "opentelemetry", "sse_starlette", "starlette", "uvicorn"},
    "explore": {"sse_starlette", "starlette", "uvicorn"},
    "login": {"keyring"},
    "http": {"httpx2"},
    "pydantic-ai": {"pydantic_ai"},
    "openai-agents": {"agents"},
    "langchain": {"langchain_core", "langgraph"},
    "fastmcp": {"fastmcp", "mcp_types"},
    "lsp": {"lsprotocol", "pygls"},
    "codeact": {"pydantic_monty"},
    "vectors": {"numpy"},
    "local-vectors": {"numpy", "sentence_transformers"},
    "tokens": {"bpe_openai"},
}
"""The packages that modules import of each extra. All of toolgen but the runtime needs `compiler`."""
