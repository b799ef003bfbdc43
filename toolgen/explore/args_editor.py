"""Args editor: one state of the args that a person edits, checked by the codec of the tool."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from toolgen.explore.args_form import FormField, NameTaken, changed, each_field, form_of, initial, pointer_at, typed
from toolgen.explore.json_text import json_line, json_lines
from toolgen.explore.links import LONGEST_ARGS
from toolgen.runtime.base.errors import InvalidPayload
from toolgen.runtime.base.json_text import MAX_DEPTH, is_deeper
from toolgen.runtime.calls.result import failed_call
from toolgen.runtime.issues.example import example_of
from toolgen.runtime.redact.call_secrets import (
    hide_args,
    hide_payload,
    refuse_redacted,
    secrets_of_call,
    secrets_of_tool,
)
from toolgen.runtime.redact.redacted import redacted_places, without_redacted
from toolgen.schema.json_values import number_of

if TYPE_CHECKING:
    from toolgen.contract.records import Issue
    from toolgen.runtime.catalog.catalog import Catalog
    from toolgen.runtime.catalog.definition import ToolDefinition
    from toolgen.runtime.redact.secrets import Secrets

VALUE: Final = "v:"
CHOICE: Final = "c:"
NAME: Final = "k:"
"""How the names of inputs begin: texts of fields, alternatives of unions, and names of new entries, by address."""


class LinkArgs(NamedTuple):
    """Args as JSON for a link to the form of their tool, empty if there is none, and the pointers of what is left out.

    What is left out is secret: a person must enter it again.
    """

    text: str = ""
    left_out: tuple[str, ...] = ()


def link_args(hidden: Any) -> LinkArgs:
    """Return args for a link, without what was redacted in them; none if that is all of them."""
    kept = without_redacted(hidden)
    return LinkArgs() if kept is None else LinkArgs(json_line(kept), redacted_places(hidden))


@dataclass(frozen=True, slots=True, kw_only=True)
class EditedArgs:
    """Args, and what the codec says of them.

    `text` is what the JSON input shows. `base` is the last JSON that could be read, from which the form is made.
    `told` is what a model would be told that had sent these args. `link` and `link_left_out` are those of
    `LinkArgs`, empty for args that are too long for a link. `name_problem` is the pointer of a map, and why it got no
    new entry.
    """

    text: str
    base: str
    form: FormField
    issues: tuple[Issue, ...]
    told: str
    link: str
    link_left_out: tuple[str, ...]
    name_problem: tuple[str, str] | None = None

    @property
    def by_field(self) -> dict[str, list[str]]:
        """The hints of the issues, by the id of the field, or of the input for a new name, that they are about."""
        ids = {each.pointer: each.id for each in each_field(self.form)}
        found: dict[str, list[str]] = {}
        if self.name_problem is not None and self.name_problem[0] in ids:
            found[f"{ids[self.name_problem[0]]}-name"] = [self.name_problem[1]]
        for issue in self.issues:
            if issue.pointer in ids and issue.pointer:
                found.setdefault(ids[issue.pointer], []).append(issue.hint)
        return found


def edited(catalog: Catalog, ident: str, inputs: Mapping[str, str]) -> EditedArgs:
    """Return the state of args after what a person did, as the inputs of a page say it.

    `source` is `json` if the text of the JSON was edited, and else `form`. `action` is something to do with the field
    `at`. Without inputs it is a new form. Large args take seconds.
    """
    definition = catalog.definition(ident)
    edit = _edit(definition, inputs)
    secrets = secrets_of_call(secrets_of_tool(definition), edit.text)
    issues, told = _checked(catalog, ident, edit.text, secrets)
    form = form_of(definition.input_schema, edit.base, choices=edit.choices, secrets=definition.settings.args_secrets)
    base = json_line(edit.base)
    link = link_args(hide_args(edit.base, secrets)) if len(base) <= LONGEST_ARGS else LinkArgs()
    return EditedArgs(
        text=edit.text,
        base=base,
        form=form,
        issues=issues,
        told=told,
        name_problem=edit.name_problem,
        link=link.text,
        link_left_out=link.left_out,
    )


def payload_of(catalog: Catalog, ident: str, inputs: Mapping[str, str]) -> str:
    """Return the args of a call, as JSON text: the fields of the form count, unless the JSON was edited last.

    Raises `RedactedSecret`.
    """
    definition = catalog.definition(ident)
    text = _edit(definition, inputs).text
    refuse_redacted(text, secrets_of_tool(definition))
    return text


class _Edit(NamedTuple):
    """What a person made of args: the text of a call, the last value, and the alternatives that they chose."""

    text: str
    base: Any
    choices: dict[str, int]
    name_problem: tuple[str, str] | None = None


def _edit(definition: ToolDefinition, inputs: Mapping[str, str]) -> _Edit:
    schema, secrets = definition.input_schema, definition.settings.args_secrets
    base = _read(inputs.get("base", ""))
    if base is None:
        base = initial(schema)
    if inputs.get("source") == "json":
        text = inputs.get("text", "")
        value = _read(text)
        return _Edit(text, base if value is None else value, {})
    choices = {
        pointer_at(name[len(CHOICE) :]): number
        for name, given in inputs.items()
        if name.startswith(CHOICE) and (number := number_of(given)) is not None
    }
    given = {pointer_at(name[len(VALUE) :]): each for name, each in inputs.items() if name.startswith(VALUE)}
    action, address = inputs.get("action", ""), inputs.get("at", "")
    at = pointer_at(address)
    before = {pointer: number for pointer, number in choices.items() if action != "choose" or pointer != at}
    value = typed(schema, base, given, choices=before, secrets=secrets)
    if action in ("add", "remove", "choose"):
        name = inputs.get(f"{CHOICE if action == 'choose' else NAME}{address}", "")
        try:
            value = changed(schema, value, action, at, name, choices=choices)
        except NameTaken as error:
            return _Edit(json_lines(value), value, choices, (at, str(error)))
    return _Edit(json_lines(value), value, choices)


class ShownArgs(NamedTuple):
    """The args of a call without secrets: as text for people, and for a link, which is empty if secrets were text."""

    text: str
    link: LinkArgs


def shown_args(catalog: Catalog, ident: str, payload: str) -> ShownArgs:
    """Return the args of a call as they were sent, also if they are no JSON."""
    secrets = secrets_of_call(secrets_of_tool(catalog.definition(ident)), payload)
    args = _read(payload)
    if args is None:
        text = hide_payload(payload, secrets)
        return ShownArgs(text, LinkArgs(text if text == payload else ""))
    hidden = hide_args(args, secrets)
    return ShownArgs(json_lines(hidden), link_args(hidden))


def example_args(catalog: Catalog, ident: str, args: Any) -> LinkArgs:
    """Return the args of an example of a tool, without secrets, as for a link."""
    return link_args(hide_args(args, secrets_of_call(secrets_of_tool(catalog.definition(ident)), json.dumps(args))))


def _checked(catalog: Catalog, ident: str, payload: str, secrets: Secrets) -> tuple[tuple[Issue, ...], str]:
    """Return the issues of args, and what a model would be told of them; nothing for args that fit."""
    definition, codec = catalog.definition(ident), catalog.codec(ident, "args")
    try:
        codec.decode_json(payload)
    except InvalidPayload as error:
        example = partial(
            example_of, definition.input_schema, definition.settings.examples, lambda made: not codec.check(made)
        )
        result = failed_call(ident, "", error, payload, example, by_handler=False, secrets=secrets)
        told = "\n".join(str(block.data) for block in result.content)
        return (result.error.issues if result.error is not None else ()), told
    return (), ""


def _read(text: str) -> Any:
    """Return a JSON value; None for text that is none, or too deep, and for null, which no args are."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return None if is_deeper(found, MAX_DEPTH) else found
