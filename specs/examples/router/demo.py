"""The router that `toolgen call` uses: `toolgen call router.web_search '{"query": "ferry"}' --yes`."""

from __future__ import annotations

from pathlib import Path

from specs.examples.router.app import Router

router = Router(Path(".toolgen/router"))
