"""Command lines: templates that can only refer to args, and the resulting argv, with one argument per value."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from toolgen.runtime.base.errors import CatalogError
from toolgen.runtime.base.suggest import nearest
from toolgen.schema.json_values import is_object
from toolgen.spec.templates import BEYOND_A_NAME, BRACES

SHELL: Final = "/bin/sh"

_PREFIX: Final = "args."

_END: Final = {"'": "'", "#": "\n"}
_ESCAPED: Final = '\\"'
_BETWEEN_WORDS: Final = " \t\n;&|()"
_PLACES: Final = {
    "'": "inside quotes",
    '"': "inside quotes",
    _ESCAPED: "inside quotes",
    "\\": "after a backslash",
    "$": "after a `$`",
}


@dataclass(frozen=True, slots=True)
class Template:
    """Text with args in it: `texts[0] names[0] texts[1] …`; there is one more text than names."""

    texts: tuple[str, ...]
    names: tuple[str, ...]

    @classmethod
    def parse(cls, text: str, fields: Mapping[str, Any]) -> Template:
        """Parse a template. Raises `CatalogError` for anything in braces other than `args.` and one of the fields."""
        texts, names = BRACES.split(text)[::2], BRACES.findall(text)
        for name in names:
            _check_name(name, fields)
        if any("{{" in part or "}}" in part for part in texts):
            raise CatalogError("`{{` and `}}` do not match up; write `{{args.name}}`")
        return cls(tuple(texts), tuple(name.removeprefix(_PREFIX) for name in names))

    def fill(self, values: Mapping[str, str]) -> str:
        """Insert the values. An absent one is empty."""
        filled = [self.texts[0]]
        for name, text in zip(self.names, self.texts[1:], strict=True):
            filled += (values.get(name, ""), text)
        return "".join(filled)


@dataclass(frozen=True, slots=True)
class ExecLine:
    """A program and its arguments, each a template. A group is omitted if one of its args is absent."""

    elements: tuple[Template | tuple[Template, ...], ...]

    @classmethod
    def parse(cls, elements: Iterable[str | Sequence[str]], fields: Mapping[str, Any]) -> ExecLine:
        """Parse the templates; a nested list is a group. Raises `CatalogError`."""
        return cls(
            tuple(
                Template.parse(element, fields)
                if isinstance(element, str)
                else tuple(Template.parse(each, fields) for each in element)
                for element in elements
            )
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The args that it refers to."""
        groups = (element if isinstance(element, tuple) else (element,) for element in self.elements)
        return tuple(name for group in groups for template in group for name in template.names)

    def argv(self, values: Mapping[str, str]) -> list[str]:
        """Return the argv, with each element filled separately."""
        argv: list[str] = []
        for element in self.elements:
            if isinstance(element, Template):
                argv.append(element.fill(values))
            elif all(name in values for template in element for name in template.names):
                argv += [template.fill(values) for template in element]
        return argv


@dataclass(frozen=True, slots=True)
class ShellLine:
    """A shell command line, in which every value is one word.

    The shell never parses a value as part of the line. It receives the values as arguments, assigns them to variables,
    and the line has a quoted variable in place of each template. So no value can escape its quotes, not even in a
    comment, after a backslash or inside backticks, where quoting the text of a value would not be enough.
    """

    template: Template

    @classmethod
    def parse(cls, line: str, fields: Mapping[str, Any]) -> ShellLine:
        """Parse a line. Raises `CatalogError`, also for a template inside quotes or escaped."""
        template, state = Template.parse(line, fields), ""
        for text, name in zip(("\n" + template.texts[0], *template.texts[1:]), template.names, strict=False):
            state = _state_after(text, state)
            if state in _PLACES:
                place = f"`{{{{args.{name}}}}}` is {_PLACES[state]}"
                raise CatalogError(f"{place}; remove that: every value is quoted")
        return cls(template)

    @property
    def names(self) -> tuple[str, ...]:
        """The args that it refers to."""
        return self.template.names

    def argv(self, values: Mapping[str, str]) -> list[str]:
        """Return the argv of the shell. An absent value is an empty word."""
        names = list(dict.fromkeys(self.template.names))
        variables = {name: f"_toolgen_{number}" for number, name in enumerate(names)}
        line = self.template.fill({name: f'"${{{variable}}}"' for name, variable in variables.items()})
        given = "".join(f"{variable}=${{{number}}} " for number, variable in enumerate(variables.values(), 1))
        return [SHELL, "-c", f"{given}; shift {len(names)}; {line}" if names else line, "sh"] + [
            values.get(name, "") for name in names
        ]


def texts_of(args: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, str]:
    """Return the text of every arg that is given or has a default, by its name; null counts as absent.

    Arrays and objects have none: no template may refer to them.
    """
    defaults = {name: schema["default"] for name, schema in fields.items() if is_object(schema) and "default" in schema}
    return {
        name: _argument_text(value, fields.get(name))
        for name, value in {**defaults, **args}.items()
        if value is not None and not isinstance(value, dict | list)
    }


def _argument_text(value: Any, schema: Any) -> str:
    match value:
        case str():
            return value
        case float() if value.is_integer() and is_object(schema) and schema.get("type") == "integer":
            return str(int(value))  # to JSON Schema 1.0 is an integer, to most programs it is not
        case _:
            return json.dumps(value)


def _check_name(inner: str, fields: Mapping[str, Any]) -> None:
    name = inner.removeprefix(_PREFIX)
    if name == inner:
        raise CatalogError(f"`{{{{{inner}}}}}` is not a template: only `{{{{args.name}}}}` is allowed here")
    if name in fields:
        return
    if BEYOND_A_NAME.split(name)[0] in fields:
        raise CatalogError(f"`{{{{{inner}}}}}` is more than the name of a field: no filters, no nesting")
    meant = nearest(name, fields, count=1)
    question = f"; did you mean {meant[0]!r}?" if meant else f"; there are {', '.join(sorted(fields)) or 'none'}"
    raise CatalogError(f"`{{{{{inner}}}}}` names a field that the args do not have{question}")


def _state_after(text: str, state: str) -> str:
    """Return the quoting state after a part of a shell line: the character that governs what follows, or empty."""
    before = "}"  # of the template that ended there
    for character in text:
        if state == "\\":
            state = ""
        elif state in ("'", "#"):
            state = "" if character == _END[state] else state
        elif state == '"':
            state = _ESCAPED if character == "\\" else "" if character == '"' else state
        elif state == _ESCAPED:
            state = '"'
        else:
            starts_comment = character == "#" and before in _BETWEEN_WORDS
            state = character if character in "'\"\\$" or starts_comment else ""
        before = character
    return state
