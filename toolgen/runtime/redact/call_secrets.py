"""The secrets of a call: found once, and redacted wherever data of the call is stored or shown.

`secrets_of_tool` returns at bind time what is declared secret, and `secrets_of_call` adds the values of one call. They
are collected when the first text has to be redacted: by the store's encoding, for a permission request, or if a call
fails. Code that stores or shows data of a call passes it through one of the `hide_` functions. The value of a result is
not passed through one: the caller receives what the handler returned.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any, Final, Protocol

from pydantic_core import from_json, to_jsonable_python

from toolgen.contract.picklable import Picklable
from toolgen.contract.records import NOTHING, running_call
from toolgen.runtime.base.json_text import NotJson, parse
from toolgen.runtime.redact.secret_names import DeclaredNames, is_secret_key, keeps_numbers
from toolgen.runtime.redact.secrets import NO_SECRETS, Secrets
from toolgen.schema.args import secret_pointers
from toolgen.schema.json_values import is_array, is_object
from toolgen.schema.references import steps_of

if TYPE_CHECKING:
    from toolgen.contract.records import Issue, ToolCallMeta, ToolError, ToolResult
    from toolgen.runtime.catalog.definition import ToolDefinition
    from toolgen.runtime.redact.redact import Rules
    from toolgen.runtime.redact.secret_values import SecretValues

# Redaction compiles many patterns, and most calls succeed and are not recorded: imported on use.

_CUT: Final = "…"
_CONTAINERS: Final = ("an object with ", "an empty object", "an array of ")
"""How descriptions of objects and arrays in issues begin; these do not show the contents."""

BESIDE_VALUE: Final = ("audit", "telemetry", "server_data", "metadata")
"""The JSON objects that a result may have in addition to its value."""


def secrets_of_tool(definition: ToolDefinition) -> Secrets:
    """Return what is secret in every call of a tool: declared fields, and fields with the name of a secret."""
    settings = definition.settings
    return _of_fields(settings.args_secrets, settings.result_secrets, definition.input_schema, settings.inject)


def secrets_of_schema(schema: Any) -> Secrets:
    """The same for args of a schema that does not belong to a tool, such as those of an action."""
    return _of_fields(secret_pointers(schema), (), schema)


def _of_fields(args: tuple[str, ...], result: tuple[str, ...], schema: Any, injected: Iterable[str] = ()) -> Secrets:
    fields = list(_fields(schema))
    if not args and not result and not any(is_secret_key(name) for name in (*(name for name, _ in fields), *injected)):
        return NO_SECRETS
    return Secrets(args, result, names=_declared_names(args, fields), is_watched=True)


def _declared_names(pointers: Iterable[str], fields: Iterable[tuple[str, Any]]) -> DeclaredNames:
    """Return the last names of pointers, without those that other fields share, and the names of injected secrets."""
    declared = Counter(steps[-1] for pointer in pointers if (steps := steps_of(pointer)) and steps[-1] != "*")
    plain = {name for name, schema in fields if not _is_marked(schema)}
    all_names = Counter(name for name, _ in fields)
    shared = {name for name in declared if name in plain and all_names[name] > declared[name]}
    named = {name for name in all_names if is_secret_key(name) and not keeps_numbers(name)}
    secret = set(declared) - shared | named
    return DeclaredNames(secret, set(all_names) - secret)


def _is_marked(schema: Any) -> bool:
    return is_object(schema) and (
        schema.get("format") == "password" or schema.get("writeOnly") is True or "$ref" in schema
    )


def _fields(schema: Any) -> Iterator[tuple[str, Any]]:
    """Return the fields that any part of a schema names."""
    queue = [schema]
    while queue:
        node = queue.pop()
        if is_object(node):
            properties = node.get("properties")
            if is_object(properties):
                yield from properties.items()
            queue += node.values()
        elif is_array(node):
            queue += node


def secrets_of_call(
    of_tool: Secrets,
    payload: bytes | str | Callable[[], Any] | None,
    injected: Mapping[str, Any] = NOTHING,
    above: SecretValues | None = None,
) -> Secrets:
    """Add the secret values of one call: those in its payload (or what a function returns for it) and injected ones.

    `above` are those of the call that started the run.
    """
    from toolgen.runtime.redact.secret_values import SecretValues

    bases = () if above is None else (above,)
    return of_tool._replace(values=SecretValues(partial(_collect, of_tool, payload, injected), *bases))


def all_values(every: Iterable[Secrets]) -> Secrets:
    """Return the secret values of several calls together."""
    from toolgen.runtime.redact.secret_values import SecretValues

    return NO_SECRETS._replace(values=SecretValues(tuple, *(each.values for each in every if each.values is not None)))


def secrets_of_calls(calls: Iterable[tuple[Secrets, bytes | str | None, bytes | str | None]]) -> Secrets:
    """Return the secret values of several calls: of each the secrets of its tool, its payload and its result."""
    from toolgen.runtime.redact.secret_values import SecretValues

    watched = [each for each in calls if each[0].is_watched]
    if not watched:
        return NO_SECRETS

    def collect() -> Iterator[Any]:
        for secrets, payload, result in watched:
            yield from () if payload is None else _collect(secrets, payload, NOTHING)
            yield from () if result is None else _declared_in_result(secrets, json_of(result))

    return Secrets(is_watched=True, values=SecretValues(collect))


class _Calling(Protocol):
    """A running call."""

    @property
    def secrets(self) -> Secrets: ...


def secrets_of_meta(meta: ToolCallMeta) -> Secrets:
    """Return the secrets of the running call with a meta; none if the call is not observed."""
    call: _Calling | None = running_call(meta)
    return NO_SECRETS if call is None else call.secrets


def with_result_values(secrets: Secrets, result: Any) -> Secrets:
    """Add the secret values of a result, given as JSON."""
    from toolgen.runtime.redact.secret_values import SecretValues

    if not secrets.result:
        return secrets
    values = secrets.values or SecretValues(tuple)
    return secrets._replace(values=values.with_more(_declared_in_result(secrets, result)))


def _declared_in_result(secrets: Secrets, result: Any) -> list[Any]:
    from toolgen.runtime.redact.redact import Rules, redact

    hidden: list[Any] = []
    if secrets.result:
        redact(result, secrets.result, Rules(text=_itself, hidden=hidden))
    return hidden


def _collect(
    secrets: Secrets, payload: bytes | str | Callable[[], Any] | None, injected: Mapping[str, Any]
) -> list[Any]:
    from toolgen.runtime.redact.redact import Rules, redact

    hidden: list[Any] = []
    rules = Rules(text=_itself, names=secrets.names or DeclaredNames((), ()), hidden=hidden)
    redact(json_of(payload), secrets.args, rules)
    if injected:
        plain = to_jsonable_python(dict(injected), fallback=str, by_alias=True)
        redact(plain, secrets.args, Rules(text=_itself, hidden=hidden))
    return hidden


def json_of(payload: bytes | str | Callable[[], Any] | None) -> Any:
    """Parse a payload, as far as possible if it is incomplete JSON; None if nothing can be parsed."""
    try:
        given = payload() if callable(payload) else payload
        if isinstance(given, bytes | str):
            return from_json(given, allow_partial="trailing-strings")
        return to_jsonable_python(given, fallback=str)  # a host may pass an object, with keys of any type
    except Exception:  # noqa: BLE001  # args that cannot be dumped have no known fields
        return None


def _itself(text: str) -> str:
    return text


def hide_text(text: str, secrets: Secrets) -> str:
    """Redact the secrets of a call, and anything that looks like one, from a text."""
    from toolgen.runtime.redact.credentials import redact_text

    return redact_text(text if secrets.values is None else secrets.values.hide(text))


def hide_data(data: Any, secrets: Secrets) -> Any:
    """Redact the secrets of a call from JSON that is neither its args nor its result."""
    from toolgen.runtime.redact.redact import redact

    return redact(data, (), _rules(secrets))


def hide_args(args: Any, secrets: Secrets) -> Any:
    """Redact the secrets of a call from its args, as JSON."""
    from toolgen.runtime.redact.redact import redact

    return redact(args, secrets.args, replace(_rules(secrets), names=secrets.names))


def hide_result(value: Any, secrets: Secrets) -> Any:
    """Redact the secrets of a call from the value of its result, as JSON."""
    from toolgen.runtime.redact.redact import redact

    return redact(value, secrets.result, _rules(secrets))


def hide_from_person(args: Any, secrets: Secrets) -> Any:
    """Redact the secrets of a call from its args as JSON, but nothing that could be more than a secret.

    What a person bases a decision on must show everything that a call does. Apart from declared fields, and those with
    the name of a secret, text is redacted only if it cannot be more than a credential; see `redact_shown`.
    """
    from toolgen.runtime.redact.redact import Rules, redact

    rules = Rules(partial(hide_text_from_person, secrets=secrets), _has(secrets), secrets.names, is_cautious=True)
    return redact(args, secrets.args, rules)


def hide_text_from_person(text: str, secrets: Secrets) -> str:
    """The same for a text that a person bases a decision on."""
    from toolgen.runtime.redact.credentials import redact_shown

    return redact_shown(text if secrets.values is None else secrets.values.hide_from_person(text))


def hide_error(error: ToolError, secrets: Secrets) -> ToolError:
    """Redact the secrets of a call from its error.

    In hints of issues only values are searched for: "remove `api_key`: known fields are …" contains no secret.
    """
    hide = _hide_values(secrets)
    shown = {
        "message": hide_text(error.message, secrets),
        "code": hide(error.code),
        "hint": hide(error.hint) if error.issues else hide_text(error.hint, secrets),
        "issues": tuple(hide_issue(issue, secrets) for issue in error.issues),
        "prior_input": hide_text(error.prior_input, secrets),
    }
    changed: dict[str, Any] = {name: value for name, value in shown.items() if value != getattr(error, name)}
    if not changed:
        return error
    hidden = replace(error, **changed)
    return hidden if error.cause is None else hidden.caused_by(error.cause)


def hide_issue(issue: Issue, secrets: Secrets) -> Issue:
    """Redact the secrets of a call from an issue.

    If the issue is about a secret, it does not describe what was found.
    """
    hide = _hide_values(secrets)
    found = _redacted() if is_about_secret(issue, secrets) else hide_text(issue.found, secrets)
    return replace(
        issue, pointer=hide(issue.pointer), expected=hide(issue.expected), found=found, hint=hide(issue.hint)
    )


def is_about_secret(issue: Issue, secrets: Secrets) -> bool:
    """Whether the value that an issue quotes is secret, in the args or in the result.

    It may be if the pointer is truncated, or if there is a text or number in place of an object with a secret.
    """
    from toolgen.runtime.redact.redact import has_secret_field, is_secret_field

    pointer = issue.pointer
    is_scalar = not issue.found.startswith(_CONTAINERS)
    return (
        pointer.endswith(_CUT)
        or (is_scalar and (has_secret_field(pointer, secrets.args) or has_secret_field(pointer, secrets.result)))
        or is_secret_field(pointer, secrets.args, secrets.names)
        or is_secret_field(pointer, secrets.result)
    )


def hide_payload(payload: str, secrets: Secrets, limit: float = inf) -> str:
    """Redact the secrets of a call from its payload; all of it if it is not JSON and a secret is declared.

    Of a long one, only the text that begins it may be returned, of more than `limit` characters.
    """
    from toolgen.runtime.redact.credentials import redact_text
    from toolgen.runtime.redact.redact import redact

    try:
        args = from_json(payload)
    except (ValueError, TypeError):  # not JSON, or not text
        return _redacted() if secrets.args else redact_text(_hide_values(secrets)(payload), partial(_is_key, secrets))
    rules = replace(_rules(secrets), names=secrets.names, is_strict=True)
    hidden = redact(args, secrets.args, rules, limit)
    if hidden is args and not _repeats_keys(payload):
        return payload
    return json.dumps(hidden, ensure_ascii=False, separators=(",", ":"))


class RedactedSecret(Picklable, ValueError):
    """Args that a person gives have what a record has in place of a secret, at `pointer`. Calls never send it."""

    def __init__(self, pointer: str) -> None:
        self.pointer = pointer
        super().__init__(f"{pointer} is `{_redacted()}`, which records have in place of a value: give the value itself")


def _is_key(secrets: Secrets, name: str) -> bool:
    return is_secret_key(name) or (secrets.names is not None and secrets.names.matches(name))


def refuse_redacted(payload: bytes | str, secrets: Secrets) -> None:
    """Raise `RedactedSecret` for args, as JSON text, that have a secret as a record has it."""
    from toolgen.runtime.redact.redact import is_secret_field
    from toolgen.runtime.redact.redacted import redacted_places

    for pointer in redacted_places(json_of(payload)):
        if is_secret_field(pointer, secrets.args, secrets.names):
            raise RedactedSecret(pointer)


def _repeats_keys(payload: str) -> bool:
    """Return whether an object of a JSON text has a key twice: what is not the last value was not searched."""
    try:
        parse(payload)
    except NotJson:
        return True
    return False


def hide_other_fields(result: ToolResult[Any], secrets: Secrets) -> ToolResult[Any]:
    """Redact the secrets of a call from all parts of its result except the value, and from its shown text."""
    hidden: dict[str, Any] = {}
    if result.error is not None:
        hidden["error"] = hide_error(result.error, secrets)
        hidden["blocks"] = tuple(replace(block, data=hide_data(block.data, secrets)) for block in result.blocks)
    if result.message is not None:
        hidden["message"] = hide_text(result.message, secrets)
    if result.side_effects:
        hidden["side_effects"] = tuple(hide_text(effect, secrets) for effect in result.side_effects)
    for name in BESIDE_VALUE:
        if value := getattr(result, name):
            hidden[name] = hide_data(dict(value), secrets)
    return replace(result, **hidden) if hidden else result


def _rules(secrets: Secrets) -> Rules:
    from toolgen.runtime.redact.redact import Rules

    return Rules(text=partial(hide_text, secrets=secrets), has=_has(secrets))


def _hide_values(secrets: Secrets) -> Callable[[str], str]:
    return _itself if secrets.values is None else secrets.values.hide


def _has(secrets: Secrets) -> Callable[[float], bool] | None:
    return None if secrets.values is None else secrets.values.has


def _redacted() -> str:
    from toolgen.runtime.redact.credentials import REDACTED

    return REDACTED
