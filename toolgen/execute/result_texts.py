"""Texts of results: a service answered a text, and the result of the call is the text, or the JSON that it is."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, Final

from toolgen.runtime.codec.codec import Codec
from toolgen.schema.json_values import is_array, is_object, value_of
from toolgen.schema.references import behind_references

_ANY_JSON: Final[tuple[Any, ...]] = (None, {}, True)
"""Result schemas that any JSON fits."""


class ResultTexts:
    """Reads texts as results of one tool, by its result schema.

    This is the rule for all executors, and for args in a line of text, by their own schemas. It is for texts that are
    not labelled as JSON; those are JSON, if they can be parsed.

    1. Without a result schema, and where it is no JSON, a text is the result as it is.
    2. If the schema takes only one of the two, the text or the JSON, that one is the result: `1.10` is the text where
       the schema is that of a string, and a number where it is that of a number.
    3. If it takes both, a text that is labelled as one, such as `text/plain`, is the result as it is. Of any other,
       objects, arrays and null are JSON. Numbers, booleans and quoted strings are the text, which loses nothing.
    4. If it takes neither, the same holds, but nothing is a text where the schema takes no string at all.

    So a text that is the result is exactly what the service sent.
    """

    def __init__(self, schema: Any, name: str) -> None:
        self._schema, self._name = schema, name
        self.is_typed = schema not in _ANY_JSON

    def value(self, text: str, *, is_labelled: bool = False, parse: Callable[[str], Any] = value_of) -> Any:
        """Return the result. `is_labelled` says that the service calls it a text.

        `parse` returns the JSON of a text, and raises ValueError or RecursionError for one that is none; what else it
        raises is raised here.
        """
        if not self.is_typed or (is_labelled and self._may_be_text and self._takes(text)):
            return text
        try:
            value = parse(text)
        except (ValueError, RecursionError):
            return text
        if not self._may_be_text:  # most schemas: the pipeline validates the value, once
            return value
        is_structure = is_object(value) or is_array(value) or value is None
        takes_text = not is_labelled and self._takes(text)
        if self._takes(value) and (is_structure or not takes_text):
            return value
        return text if takes_text or is_labelled or not is_structure else value

    def _takes(self, value: Any) -> bool:
        return not self._codec.check(value)

    @cached_property
    def _codec(self) -> Codec[Any]:
        return Codec.of(self._schema, name=self._name)

    @cached_property
    def _may_be_text(self) -> bool:
        return may_be_text(self._schema)


def may_be_text(schema: Any) -> bool:
    """Whether a JSON Schema may accept a string, as far as its root shows: it is certain where this is false."""
    if not is_object(schema):
        return schema is not False
    root, _ = behind_references(schema)
    if "type" in root:
        return "string" in root["type"]  # a name, or a list of names
    if "enum" in root:
        return any(isinstance(value, str) for value in root["enum"])
    return "const" not in root or isinstance(root["const"], str)
