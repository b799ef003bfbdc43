"""JSON values as Python expressions that evaluate to equal values."""

from __future__ import annotations

from typing import Any, Final, cast

from toolgen.schema.json_values import is_array, is_object

_ESCAPES: Final = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"})


def literal(value: Any) -> str:
    """Return a JSON value as a Python expression. Raises TypeError for other values.

    Unprintable text (controls, bidi marks, zero-width characters, lone surrogates) is escaped, so that a reviewer sees
    exactly what Python reads.
    """
    if isinstance(value, str):
        return f'"{printable(value.translate(_ESCAPES))}"'
    if value is None or isinstance(value, bool | int | float):
        return repr(value)
    if is_array(value) or isinstance(value, tuple):
        return f"[{', '.join(map(literal, cast('list[Any]', value)))}]"
    if is_object(value):
        return f"{{{', '.join(f'{literal(key)}: {literal(item)}' for key, item in value.items())}}}"
    raise TypeError(f"not a JSON value: {value!r}")


def printable(text: str) -> str:
    """Return the text with Python escapes for unprintable characters."""
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else _escape(character) for character in text)


def _escape(character: str) -> str:
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
