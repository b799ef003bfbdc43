"""References to environment variables in the text of specs: `$env.NAME`, alone or as a part."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.base.errors import ExecutorError
from toolgen.spec.templates import VARIABLE

if TYPE_CHECKING:
    from collections.abc import Mapping


def with_variables(text: str, environment: Mapping[str, str], user: str) -> str:
    """Return a text with the values of its variables.

    Raises `ExecutorError` for one that is not set; `user` is what needs it, for the message.
    """
    return VARIABLE.sub(lambda found: variable(found[1], environment, user), text)


def variables_in(text: str) -> list[str]:
    """Return the names of the variables in a text."""
    return VARIABLE.findall(text)


def variable(name: str, environment: Mapping[str, str], user: str) -> str:
    """Return the value of a variable. Raises `ExecutorError` for one that is not set."""
    if name not in environment:
        raise ExecutorError(f"the environment has no variable {name}, which {user} needs")
    return environment[name]
