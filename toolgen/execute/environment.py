"""References to environment variables in the text of specs: `$env.NAME`, alone or as a part."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Final

from toolgen.runtime.base.errors import ExecutorError
from toolgen.runtime.redact.secret_values import SecretValues
from toolgen.spec.templates import VARIABLE

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


def without_values(names: Iterable[str], environment: Mapping[str, str]) -> Callable[[str], str]:
    """Return a function that puts references in place of the values of variables, and of each word of them.

    Values are also found in the encodings of `SecretValues`; what has less than eight characters is not looked for.
    """
    values = [(f"$env.{name}", words_of(name, environment)) for name in names]
    found = [(shown, SecretValues(partial(list[str], words))) for shown, words in values if words]

    def hide(text: str) -> str:
        for shown, words in found:
            text = words.hide(text, shown)
        return text

    return hide


def words_of(name: str, environment: Mapping[str, str]) -> list[str]:
    """Return the value of a variable, and its words, as in `Bearer …`: those of eight characters and more."""
    value = environment.get(name, "").strip()
    words = {value, *value.split()}
    return sorted((word for word in words if len(word) >= _SHORTEST), key=lambda word: (-len(word), word))
