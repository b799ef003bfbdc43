"""The runtime: loads a catalog and runs calls. These are the names that most programs need.

The modules that the reference lists are public too: permission, rate limits, stores and artifacts, commands and agents,
and `toolgen.contract.records`. The rest is private by convention.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolgen.contract.records import ToolCallMeta as ToolCallMeta
    from toolgen.contract.records import ToolError as ToolError
    from toolgen.contract.records import ToolRequest as ToolRequest
    from toolgen.contract.records import ToolResult as ToolResult
    from toolgen.runtime.base.errors import InvalidPayload as InvalidPayload
    from toolgen.runtime.base.errors import ToolNotFound as ToolNotFound
    from toolgen.runtime.calls.pipeline import Runtime as Runtime
    from toolgen.runtime.catalog.catalog import Catalog as Catalog
    from toolgen.runtime.catalog.catalog import load as load
    from toolgen.runtime.catalog.definition import ToolDefinition as ToolDefinition
    from toolgen.runtime.catalog.execution import blocking as blocking
    from toolgen.runtime.catalog.registration import ToolAdapter as ToolAdapter
    from toolgen.runtime.codec.codec import Codec as Codec
    from toolgen.runtime.policy.permission import Decision as Decision
    from toolgen.runtime.policy.permission import allow_all as allow_all
    from toolgen.runtime.policy.permission import deny_all as deny_all
    from toolgen.runtime.runs.run import Session as Session
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "Catalog": ".catalog.catalog",
            "Codec": ".codec.codec",
            "Decision": ".policy.permission",
            "InvalidPayload": ".base.errors",
            "Runtime": ".calls.pipeline",
            "Session": ".runs.run",
            "ToolAdapter": ".catalog.registration",
            "ToolCallMeta": "toolgen.contract.records",
            "ToolDefinition": ".catalog.definition",
            "ToolError": "toolgen.contract.records",
            "ToolNotFound": ".base.errors",
            "ToolRequest": "toolgen.contract.records",
            "ToolResult": "toolgen.contract.records",
            "allow_all": ".policy.permission",
            "blocking": ".catalog.execution",
            "deny_all": ".policy.permission",
            "load": ".catalog.catalog",
        },
    )
