"""Proposals: args that a person would allow, given with a denial. The model may call with them, which asks again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.runtime.base.errors import InvalidPayload
from toolgen.runtime.base.json_text import NotJson, parse
from toolgen.runtime.issues.issues import issue, not_json
from toolgen.runtime.redact.call_secrets import hide_from_person, hide_issue, secrets_of_schema
from toolgen.schema.json_values import canonical, compact_json, is_mapping, is_object, kind_of
from toolgen.spec.text import cut, visible, visible_json

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from toolgen.contract.records import Issue
    from toolgen.runtime.codec.codec import Codec
    from toolgen.runtime.redact.secrets import Secrets

PROPOSAL_BYTES: Final = 65_536
"""Maximum bytes of a proposal as JSON: a model reads it whole, as it does a result, which has the same bound."""


ASKED_AGAIN: Final = 10
"""How often a question is asked at most while the answer is invalid: a program may answer for the person."""

DENIAL_FIELDS: Final = {
    "reason": {"type": "string", "title": "Reason", "description": "Of a denial, the model reads it."},
    "proposal": {
        "type": "string",
        "title": "Proposal",
        "description": "With a denial: args that you would allow, as a JSON object. "
        "The model may call with them, which asks again.",
    },
}
"""The JSON Schemas of the fields that a form for permission has beside the decision."""


class InvalidProposal(InvalidPayload):
    """A proposal does not fit the args of its tool. `issues` lists the errors, up to a limit; it is never empty."""

    def __str__(self) -> str:
        return f"the proposal cannot be given: {'; '.join(map(_told, self.issues))}"


def checked_proposal(codec: Codec[Any] | None, proposal: Any, secrets: Secrets | None = None) -> dict[str, Any]:
    """Return a proposal as plain JSON, without secrets. Raises `InvalidProposal`. A checked one passes again, as it is.

    Where an arg is secret, the value is neither checked nor kept: a person is not shown it, and the model has its own.
    `secrets` are those of the call; by default those that the schema declares. `codec` is None where nobody knows the
    args of the tool: then there can be no proposal.
    """
    if codec is None:
        hint = "the args of the tool are not known here: deny without a proposal"
        raise InvalidProposal([issue("", "schema", "args of the tool", "a proposal", hint)])
    if secrets is None:
        secrets = secrets_of_schema(codec.schema)
    try:
        text = canonical(dict(proposal) if is_mapping(proposal) else proposal)
        if len(text) > PROPOSAL_BYTES:
            hint = f"propose args of at most {PROPOSAL_BYTES} bytes"
            raise InvalidProposal([issue("", "size", f"{PROPOSAL_BYTES} bytes", f"{len(text)} bytes", hint)])
        value = parse(text)
    except InvalidProposal:
        raise
    except NotJson as error:
        raise InvalidProposal([not_json(error)]) from None
    except (ValueError, TypeError, RecursionError) as error:
        raise InvalidProposal([not_json(NotJson(_first_line(error)))]) from None
    _as_object(value)
    issues = [hide_issue(each, secrets) for each in codec.check(value) if not _is_at_secret(each, secrets)]
    if issues:
        raise InvalidProposal(issues)
    hidden: dict[str, Any] = hide_from_person(value, secrets)
    return hidden


def typed_proposal(text: str, check: Callable[[Any], dict[str, Any]]) -> dict[str, Any] | None:
    """Return the proposal that a person typed as JSON, checked; None for an empty text. Raises `InvalidProposal`."""
    if not text.strip():
        return None
    try:
        value = parse(text)
    except NotJson as error:
        raise InvalidProposal([not_json(error)]) from None
    return check(_as_object(value))


def problem_text(error: ValueError) -> str:
    """Return what stands above a question that is asked again, because its answer could not be taken."""
    return f"Nothing was answered: {visible(str(error))}\n\n"


def proposal_text(proposal: Mapping[str, Any]) -> str:
    """Return a checked proposal as JSON text on one line, in which each hidden character is an escape of JSON."""
    return visible_json(compact_json(proposal))


def _told(found: Issue) -> str:
    said = f"it is not JSON: {found.found}: {found.hint}" if found.keyword == "json" else found.hint
    return f"{found.pointer}: {said}" if found.pointer else said


def _as_object(value: Any) -> dict[str, Any]:
    if not is_object(value):
        raise InvalidProposal([issue("", "type", "an object", kind_of(value), "propose a JSON object of args")])
    return value


def _is_at_secret(found: Issue, secrets: Secrets) -> bool:
    """Whether an issue is about a value that is replaced."""
    from toolgen.runtime.redact.redact import is_secret_field  # many patterns, and most proposals fit

    return is_secret_field(found.pointer, secrets.args, secrets.names)


def _first_line(error: Exception) -> str:
    return cut(visible(str(error).split("\n", 1)[0]), 200) or type(error).__name__
