"""References to environment variables in the text of specs: `$env.NAME`, alone or as a part."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from toolgen.runtime.base.errors import ExecutorError
from toolgen.spec.templates import VARIABLE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_SHORTEST: Final = 8
"""Characters of a value that is looked for in texts: what is shorter would be found where it is not meant."""


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


def without_values(text: str, names: Iterable[str], environment: Mapping[str, str]) -> str:
    """Return a text with references in place of the values of variables, and of each word of them.

    Values are also found as they are written in URLs and in literals of Python and JSON; what has less than eight
    characters is not looked for.
    """
    for name in names:
        for word in words_of(name, environment):
            for written in (word, repr(word)[1:-1], quote(word), quote(word, safe="")):
                text = text.replace(written, f"$env.{name}")
    return text


def words_of(name: str, environment: Mapping[str, str]) -> list[str]:
    """Return the value of a variable, and its words, as in `Bearer …`: those of eight characters and more."""
    value = environment.get(name, "").strip()
    words = {value, *value.split()}
    return sorted((word for word in words if len(word) >= _SHORTEST), key=lambda word: (-len(word), word))
