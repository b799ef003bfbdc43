"""What is checked in the text of a message before the SDK reads it.

The SDK keeps one of two values of a key, and says of arguments that are no object only that params are invalid.
"""

from __future__ import annotations

from toolgen.runtime.base.json_text import RepeatedKey
from toolgen.runtime.base.received import check_request
from toolgen.schema.json_values import is_object, kind_of


class WrongParams(ValueError):
    """A message has params that are not served. Its text says what is wrong, where, and how it is mended."""


def check_message(data: bytes) -> None:
    """Check the text of a message before it is read.

    Raises `TooMuch` for one that costs too much to be read, `NotJson` for one that is no JSON in UTF-8, and
    `WrongParams` for one with an object that has a key twice, or with arguments of a call that are no object.
    """
    try:
        message = check_request(data)
    except RepeatedKey as error:
        raise WrongParams(error.advice) from None
    if is_object(message) and message.get("method") == "tools/call" and is_object(params := message.get("params")):
        arguments = params.get("arguments")
        if arguments is not None and not is_object(arguments):
            kind = kind_of(arguments)
            found = "a string that holds one" if kind == "string" else f"a value of type {kind}"
            raise WrongParams(f"`arguments` of a call must be an object: send an object, not {found}")
