"""Decode: what the model sent is parsed, checked against the schema, and brought into the form the executor takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.contract.canonical import canonical
from toolgen.runtime.call import Form
from toolgen.runtime.errors import InvalidPayload
from toolgen.runtime.result import invalid_payload

if TYPE_CHECKING:
    from toolgen.contract.records import ToolError
    from toolgen.runtime.call import Call, Host, Stage, Tool


def bind(tool: Tool, _host: Host) -> Stage:
    """Make the stage for the form that the tool's executor takes."""
    codec = tool.args
    decode, settle = codec.decoder, codec.settler

    def typed(call: Call) -> ToolError | None:
        try:
            if call.payload is None:
                call.args, _ = settle(call.args)
            else:
                call.args = decode(call.payload)
        except InvalidPayload as error:
            return invalid_payload(error)
        return None

    def canonical_text(call: Call) -> ToolError | None:
        try:
            if call.payload is None:
                call.payload = codec.encode(call.args)
            else:
                call.payload = canonical(codec.decode_json(call.payload))
        except InvalidPayload as error:
            return invalid_payload(error)
        return None

    def raw_text(call: Call) -> ToolError | None:
        try:
            if call.payload is None:
                call.payload = codec.encode(call.args)
            else:
                codec.decode_json(call.payload, unique=True)
        except InvalidPayload as error:
            return invalid_payload(error)
        return None

    return {Form.TYPED: typed, Form.CANONICAL: canonical_text, Form.RAW: raw_text}[tool.form]
