"""Decode: what the model sent is parsed, checked against the schema, and brought into the form the executor takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolgen.runtime.catalog.execution import Form
from toolgen.schema.canonical import canonical

if TYPE_CHECKING:
    from toolgen.runtime.calls.call import Accept, Decode, Tool


def bind(tool: Tool) -> tuple[Decode, Accept]:
    """Make what takes the payload of a call, and what takes typed args in its place. Both raise `InvalidPayload`."""
    codec = tool.args
    dump_fast = codec.dump_fast

    def typed(args: Any) -> Any:
        return args if dump_fast(args) is not None else codec.normalize(args, verb="pass")[0]

    def canonical_text(payload: bytes | str) -> bytes:
        return canonical(codec.decode_json(payload))

    def raw_text(payload: bytes | str) -> bytes | str:
        codec.decode_json(payload, unique=True)
        return payload

    match tool.form:
        case Form.TYPED:
            return codec.decoder, typed
        case Form.CANONICAL:
            return canonical_text, codec.encode
        case Form.RAW:
            return raw_text, codec.encode
