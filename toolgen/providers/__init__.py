"""Providers: what the APIs of models expect, as pure functions. The modules below are private."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolgen.providers.protocol import CallAnswer as CallAnswer
    from toolgen.providers.protocol import ChoiceMode as ChoiceMode
    from toolgen.providers.protocol import Incomplete as Incomplete
    from toolgen.providers.protocol import MalformedResponse as MalformedResponse
    from toolgen.providers.protocol import ModelReply as ModelReply
    from toolgen.providers.protocol import OfferedTool as OfferedTool
    from toolgen.providers.protocol import OfferProblem as OfferProblem
    from toolgen.providers.protocol import Provider as Provider
    from toolgen.providers.protocol import SchemaDifference as SchemaDifference
    from toolgen.providers.protocol import StreamReader as StreamReader
    from toolgen.providers.protocol import ToolPayload as ToolPayload
    from toolgen.providers.protocol import TurnFormat as TurnFormat
    from toolgen.providers.protocol import UnsupportedCapability as UnsupportedCapability
    from toolgen.providers.protocol import request_fields as request_fields
    from toolgen.providers.table import provider as provider
    from toolgen.providers.table import provider_payload as provider_payload
    from toolgen.providers.table import provider_tool_name as provider_tool_name
    from toolgen.schema.compact import model_args_schema as model_args_schema
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "CallAnswer": ".protocol",
            "ChoiceMode": ".protocol",
            "Incomplete": ".protocol",
            "MalformedResponse": ".protocol",
            "ModelReply": ".protocol",
            "OfferProblem": ".protocol",
            "OfferedTool": ".protocol",
            "Provider": ".protocol",
            "SchemaDifference": ".protocol",
            "StreamReader": ".protocol",
            "ToolPayload": ".protocol",
            "TurnFormat": ".protocol",
            "UnsupportedCapability": ".protocol",
            "request_fields": ".protocol",
            "provider": ".table",
            "provider_payload": ".table",
            "provider_tool_name": ".table",
            "model_args_schema": "toolgen.schema.compact",
        },
    )
