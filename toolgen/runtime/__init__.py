"""The runtime: loads a catalog, runs the calls. These are the names of every day.

Public as well are the modules that the reference lists: what asks, counts, records and keeps, what runs commands and
agents, and `toolgen.contract.records`. The rest is private by convention.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolgen.contract.records import ToolCallMeta as ToolCallMeta
    from toolgen.contract.records import ToolError as ToolError
    from toolgen.contract.records import ToolRequest as ToolRequest
    from toolgen.contract.records import ToolResult as ToolResult
    from toolgen.runtime.catalog import Catalog as Catalog
    from toolgen.runtime.catalog import load as load
    from toolgen.runtime.codec import Codec as Codec
    from toolgen.runtime.definition import ToolDefinition as ToolDefinition
    from toolgen.runtime.errors import InvalidPayload as InvalidPayload
    from toolgen.runtime.errors import ToolNotFound as ToolNotFound
    from toolgen.runtime.executors.service import blocking as blocking
    from toolgen.runtime.permission import allow_all as allow_all
    from toolgen.runtime.permission import deny_all as deny_all
    from toolgen.runtime.pipeline import Runtime as Runtime
    from toolgen.runtime.registration import ToolAdapter as ToolAdapter
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "Catalog": ".catalog",
            "Codec": ".codec",
            "InvalidPayload": ".errors",
            "Runtime": ".pipeline",
            "ToolAdapter": ".registration",
            "ToolCallMeta": "toolgen.contract.records",
            "ToolDefinition": ".definition",
            "ToolError": "toolgen.contract.records",
            "ToolNotFound": ".errors",
            "ToolRequest": "toolgen.contract.records",
            "ToolResult": "toolgen.contract.records",
            "allow_all": ".permission",
            "blocking": ".executors.service",
            "deny_all": ".permission",
            "load": ".catalog",
        },
    )
