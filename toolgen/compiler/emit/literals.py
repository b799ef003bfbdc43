"""Spec text as Python source: literals that evaluate to the same value, and docstrings that cannot end early."""

from __future__ import annotations

from toolgen.spec.lines import lines_of
from toolgen.spec.literals import literal as literal
from toolgen.spec.literals import printable


def docstring(text: str, indent: str) -> str:
    """Return text as a docstring. Outer and trailing whitespace is removed, unprintable characters are escaped."""
    lines = [line.rstrip() for line in text.strip().split("\n")]
    body = f"\n{indent}".join(_prose(line) for line in lines).replace(f"\n{indent}\n", "\n\n")
    body = "\n".join(line.rstrip() for line in body.split("\n"))
    if body.endswith(('"', "\\")):
        body = f"{body} "
    if body.startswith('"'):
        body = f" {body}"
    return f'"""{body}\n{indent}"""' if len(lines) > 1 else f'"""{body}"""'


def first_line(text: str) -> str:
    """Return the short description: the first line that is not blank."""
    return next((line.strip() for line in lines_of(text) if line.strip()), "")


def _prose(line: str) -> str:
    return printable(line.replace("\\", "\\\\")).replace('"""', '\\"\\"\\"')
