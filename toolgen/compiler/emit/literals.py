"""Spec text as Python source: literals that read back equal, and docstrings that cannot end early."""

from __future__ import annotations

from typing import Any, Final


def literal(value: Any) -> str:
    """A JSON value as a Python expression.

    Text that does not print (controls, bidi marks, zero-width characters, lone surrogates) is escaped, so that what
    a reviewer sees is what Python reads.
    """
    match value:
        case str():
            return _text(value)
        case bool() | int() | float() | None:
            return repr(value)
        case list() | tuple():
            return f"[{', '.join(literal(item) for item in value)}]"
        case dict():
            return f"{{{', '.join(f'{literal(key)}: {literal(item)}' for key, item in value.items())}}}"
        case _:
            raise TypeError(f"not a JSON value: {value!r}")


def docstring(text: str, indent: str) -> str:
    """Text as a docstring. Prose, not data: outer and trailing blanks go, and what does not print is escaped."""
    lines = [line.rstrip() for line in text.strip().split("\n")]
    body = f"\n{indent}".join(_prose(line) for line in lines).replace(f"\n{indent}\n", "\n\n")
    body = "\n".join(line.rstrip() for line in body.split("\n"))
    if body.endswith(('"', "\\")):
        body = f"{body} "
    if body.startswith('"'):
        body = f" {body}"
    return f'"""{body}\n{indent}"""' if len(lines) > 1 else f'"""{body}"""'


def first_line(text: str) -> str:
    """The short description: the first line that says something."""
    return next((line.strip() for line in text.splitlines() if line.strip()), "")


def _printable(text: str) -> str:
    """The text with an escape in place of each character that does not print."""
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else _escape(character) for character in text)


def _prose(line: str) -> str:
    return _printable(line.replace("\\", "\\\\")).replace('"""', '\\"\\"\\"')


def _text(value: str) -> str:
    return f'"{_printable(value.translate(_ESCAPES))}"'


def _escape(character: str) -> str:
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


_ESCAPES: Final = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"})
