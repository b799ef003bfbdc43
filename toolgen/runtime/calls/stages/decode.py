"""Decode: parses a payload, validates it, and converts it to the form that the executor takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolgen.runtime.catalog.execution import Form
from toolgen.schema.json_values import canonical

if TYPE_CHECKING:
    from toolgen.runtime.calls.call import Accept, Decode, Tool


def bind(tool: Tool) -> tuple[Decode, Accept]:
    """Return a function that decodes a payload, and one that accepts typed args. Both raise `InvalidPayload`."""
    codec = tool.args
    model, dump, is_valid = codec.fast_dump

    def typed(args: Any) -> Any:
        if args.__class__ is model:
            try:
                if is_valid(dump(args)):
                    return args
            except ValueError:
                pass  # `normalize` explains it
        return codec.normalize(args, verb="pass")[0]

    def canonical_text(payload: bytes | str) -> bytes:
        return canonical(codec.decode_json(payload))

    def raw_text(payload: bytes | str) -> bytes | str:
        codec.decode_json(payload)
        return payload

    match tool.form:
        case Form.TYPED:
            return codec.decoder, typed
        case Form.CANONICAL:
            return canonical_text, codec.encode
        case Form.RAW:
            return raw_text, codec.encode
