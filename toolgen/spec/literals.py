"""JSON values as Python expressions that evaluate to equal values."""

from __future__ import annotations

from typing import Any, Final, cast

from toolgen.schema.json_values import is_array, is_object
from toolgen.spec.text import visible

_ESCAPES: Final = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"})


def literal(value: Any) -> str:
    """Return a JSON value as a Python expression. Raises TypeError for other values.

    Hidden characters are escaped (see `is_hidden`), so that a reviewer sees exactly what Python reads.
    """
    if isinstance(value, str):
        return f'"{visible(value.translate(_ESCAPES))}"'
    if value is None or isinstance(value, bool | int | float):
        return repr(value)
    if is_array(value) or isinstance(value, tuple):
        return f"[{', '.join(map(literal, cast('list[Any]', value)))}]"
    if is_object(value):
        return f"{{{', '.join(f'{literal(key)}: {literal(item)}' for key, item in value.items())}}}"
    raise TypeError(f"not a JSON value: {value!r}")
