"""What a service's own validation says of the args of a call, from its exceptions and from the bodies of its errors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from pydantic_core import ValidationError

from toolgen.runtime.base.errors import InvalidPayload
from toolgen.schema.json_values import is_array, is_object
from toolgen.schema.references import steps_of
from toolgen.spec.http import ERROR_LISTS, ERROR_PATHS

Step = str | int


class FieldError(NamedTuple):
    """One error: the path of the value in the args, the rule that it breaks (as the service names it), and why."""

    path: tuple[Step, ...]
    rule: str
    message: str


_MESSAGES: Final = ("msg", "message", "detail", "reason", "title", "description")
_RULES: Final = ("type", "code", "keyword")
_PLACES: Final = frozenset({"body", "query", "path", "header", "cookie"})
"""Where FastAPI found a value: the first step of its paths."""

_REJECTIONS: Final = (400, 422)
"""Statuses of requests whose content is wrong (RFC 9110, sections 15.5.1 and 15.5.21)."""


def errors_of_exception(error: BaseException) -> list[FieldError]:
    """Return what a validation error of a handler says; nothing for any other exception.

    These are errors of pydantic, jsonschema and jsonschema-rs, and those of HTTP clients for a response whose body has
    the errors. The last three are recognized by their attributes.
    """
    if isinstance(error, InvalidPayload):
        return [FieldError(tuple(steps_of(each.pointer)), each.keyword, each.hint) for each in error.issues]
    if isinstance(error, ValidationError):
        found = error.errors(include_url=False, include_context=False, include_input=False)
        return [FieldError(tuple(each["loc"]), each["type"], each["msg"]) for each in found]
    path: Any = getattr(error, "absolute_path", None) or getattr(error, "instance_path", None)
    message: Any = getattr(error, "message", None)
    if type(error).__name__ == "ValidationError" and isinstance(message, str):
        rule: Any = getattr(error, "validator", None) or getattr(getattr(error, "kind", None), "name", "")
        return [FieldError(tuple(path or ()), str(rule), message)]
    return _of_response(getattr(error, "response", None))


def _of_response(response: Any) -> list[FieldError]:
    status, read = getattr(response, "status_code", None), getattr(response, "json", None)
    if status not in _REJECTIONS or read is None:
        return []
    try:
        return errors_of_body(read())
    except ValueError:  # no JSON
        return []


def errors_of_body(body: Any) -> list[FieldError]:
    """Return what the body of an error says, in the forms of FastAPI, RFC 9457, RFC 7807, JSON:API and Zod."""
    if not is_object(body):
        return []
    return [error for name in ERROR_LISTS for error in _listed(body.get(name))]


def is_rejection(status: Any) -> bool:
    """Whether an HTTP status says that the content of the request is wrong."""
    return status in _REJECTIONS


def _listed(errors: Any) -> Iterator[FieldError]:
    if is_array(errors):
        for each in errors:
            if is_object(each):
                yield from _one(each)
    elif is_object(errors):  # by field, as ASP.NET and Rails have them
        for field, messages in errors.items():
            texts = messages if is_array(messages) else [messages]
            yield from (FieldError(_path(field), "", text) for text in texts if isinstance(text, str))


def _one(error: dict[str, Any]) -> Iterator[FieldError]:
    source = error.get("source")
    place = next(
        (error[name] for name in ERROR_PATHS if name in error), source.get("pointer") if is_object(source) else None
    )
    message = next((error[name] for name in _MESSAGES if isinstance(error.get(name), str)), "")
    rule = next((error[name] for name in _RULES if isinstance(error.get(name), str)), "")
    if place is not None and message:
        yield FieldError(_path(place), rule, message)


def _path(place: Any) -> tuple[Step, ...]:
    """Return a path: a list of steps, a JSON pointer (also in a fragment), or names with dots."""
    if is_array(place):
        steps = tuple(step for step in place if isinstance(step, str | int))
    elif not isinstance(place, str):
        return ()
    elif place.removeprefix("#").startswith("/"):
        steps = tuple(steps_of(place.removeprefix("#")))
    else:
        steps = tuple(filter(None, place.split(".")))
    return steps[1:] if len(steps) > 1 and steps[0] in _PLACES else steps
