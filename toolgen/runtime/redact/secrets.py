"""The record of what is secret in the calls of a tool."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from toolgen.runtime.redact.secret_names import DeclaredNames
    from toolgen.runtime.redact.secret_values import SecretValues


class Secrets(NamedTuple):
    """What is secret in the calls of a tool; see `call_secrets`.

    `args` and `result` are JSON pointers of declared secrets, as in `catalog.json`, and `names` the names of those in
    the args, which a model may misspell. `is_watched` means that a call may have secrets by its schema, and `values`
    are those of one call.
    """

    args: tuple[str, ...] = ()
    result: tuple[str, ...] = ()
    names: DeclaredNames | None = None
    is_watched: bool = False
    values: SecretValues | None = None


NO_SECRETS: Final = Secrets()
