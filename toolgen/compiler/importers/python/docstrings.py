"""Docstrings in the styles of Google, NumPy and Sphinx: what a tool does, and what its args are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from docstring_parser import ParseError, parse

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Docstring:
    """A docstring: the text without its sections, the args that it describes, and what it says of the result."""

    description: str
    args: Mapping[str, str]
    result: str

    @classmethod
    def of(cls, text: str) -> Docstring:
        """Read a docstring. One that no style fits is a description as a whole."""
        try:
            found = parse(text)
        except ParseError:
            return cls(text.strip(), {}, "")
        args = {each.arg_name.lstrip("*"): _joined(each.description) for each in found.params}
        result = _joined(found.returns.description) if found.returns is not None else ""
        return cls((found.description or "").strip(), {name: said for name, said in args.items() if said}, result)

    def with_args(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        """Return a schema of args with the descriptions that it lacks."""
        fields: Mapping[str, Any] = schema.get("properties", {})
        described = {name: _described(field, self.args.get(name, "")) for name, field in fields.items()}
        return {**schema, "properties": described} if fields else dict(schema)

    def with_result(self, schema: Any) -> Any:
        """Return a schema of a result with a description, if it lacks one."""
        return _described(schema, self.result)


def _described(schema: Any, text: str) -> Any:
    if not text or not isinstance(schema, dict) or "description" in schema:
        return schema
    return {**schema, "description": text}


def _joined(text: str | None) -> str:
    """Return the paragraphs of a text, each on one line."""
    return "\n\n".join(" ".join(each.split()) for each in (text or "").split("\n\n")).strip()
