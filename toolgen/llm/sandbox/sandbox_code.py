"""Python source that runs in the sandbox around a snippet, and that its checker reads beside the stubs."""

from __future__ import annotations

from dataclasses import dataclass, field
from secrets import token_hex
from typing import TYPE_CHECKING, Final

from toolgen.providers.stubs.stub import RESULT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolgen.providers.stubs.stub import Stub


def private_name(what: str) -> str:
    """A name that no code can guess, and so can neither use nor bind to something else."""
    return f"toolgen_{what}_{token_hex(12)}"


@dataclass(frozen=True, slots=True)
class Border:
    """The names in a sandbox that lead out of it: those of one conversation, and of no other.

    `call` is a function of a tool's name and its arguments as JSON text, which only the host knows. `function` makes
    the function of a tool, and `result` gives JSON text of a value.
    """

    call: str = field(default_factory=lambda: private_name("call"))
    function: str = field(default_factory=lambda: private_name("function"))
    result: str = field(default_factory=lambda: private_name("result"))

    @property
    def source(self) -> str:
        """What is fed once into a new sandbox.

        All that crosses its border is text, and what reads it there is bounded there. A snippet may give any other
        name another meaning, so what the functions use is bound before the first one runs. `locals` would give these
        names away in `eval`; nothing else lists names in this sandbox.
        """
        return _BORDER.format(call=self.call, function=self.function, result=self.result, value=repr(RESULT))

    @property
    def result_text(self) -> str:
        """The result of a snippet, as JSON text. Raises NameError where it bound nothing."""
        return f"{self.result}({RESULT})"

    def functions(self, stubs: Iterable[Stub]) -> str:
        """Bind the functions of tools: again before each snippet, for one before it may have bound their names."""
        return "".join(
            f"{stub.function} = {self.function}({stub.function!r}, {[python for python, _ in stub.parameters]!r}, "
            f"{ {python: wire for python, wire in stub.parameters if python != wire}!r})\n"
            for stub in stubs
        )


_BORDER: Final = """
def {function}(
    dumps, loads, type, str, int, bool, float, list, tuple, dict, len, zip, enumerate, ValueError, TypeError
):
    infinite = (float("inf"), float("-inf"))

    def check(value, place):
        kind = type(value)
        if value is None or kind in (str, int, bool):
            return
        if kind is float:
            if value != value or value in infinite:
                raise ValueError(f"{{place}} is {{value}}, which JSON cannot say")
        elif kind in (list, tuple):
            for number, item in enumerate(value):
                check(item, f"{{place}}[{{number}}]")
        elif kind is dict:
            for key, item in value.items():
                if type(key) is not str:
                    raise ValueError(f"{{place}} has the key {{key!r}}; the keys of JSON are strings")
                check(item, f"{{place}}[{{key!r}}]")
        else:
            raise ValueError(f"{{place}} is of type {{kind.__name__}}, which JSON does not have")

    def function(name, parameters, spelled):
        def call(*args, **kwargs):
            if len(args) > len(parameters):
                raise TypeError(f"{{name}}() takes at most {{len(parameters)}} arguments without a name")
            values = {{}}
            for parameter, value in zip(parameters, args):
                values[spelled.get(parameter, parameter)] = value
            for parameter, value in kwargs.items():
                key = spelled.get(parameter, parameter)
                if key in values:
                    raise TypeError(f"{{name}}() got {{parameter!r}} twice")
                values[key] = value
            for key, value in values.items():
                check(value, key)
            return loads({call}(name, dumps(values)))
        return call

    def result(value):
        check(value, {value})
        return dumps(value, ensure_ascii=False)

    return function, result

import json as {function}_json
{function}, {result} = {function}(
    {function}_json.dumps, {function}_json.loads,
    type, str, int, bool, float, list, tuple, dict, len, zip, enumerate, ValueError, TypeError,
)

def locals():
    raise NameError("name 'locals' is not defined")
"""

TYPES: Final = """
from typing import Any as Any

def map(function: Any, *iterables: Any) -> Any: ...
def filter(function: Any, iterable: Any) -> Any: ...
def hasattr(value: Any, name: str) -> bool: ...
def getattr(value: Any, name: str, *default: Any) -> Any: ...
class ImportError(Exception): ...
class PermissionError(OSError): ...
class TimeoutError(OSError): ...
"""
"""What the sandbox has, and the type checker that comes with it does not know of."""

CHECKED_IMPORTS: Final = "from typing import Any, Literal, NotRequired, TypedDict, reveal_type as {prefix}reveal\n"
"""The first line that the checker reads before a snippet: what stubs use, and what asks for types."""

UNCHECKED: Final = "  # type: ignore"
"""Ends a line that the checker believes: that of a function without a body."""
