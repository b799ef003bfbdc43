"""Python source that runs in the sandbox around a snippet, and that its checker reads with the stubs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from secrets import token_hex
from typing import TYPE_CHECKING, Final

from toolgen.providers.stubs import RESULT

if TYPE_CHECKING:
    from toolgen.providers.stubs import Stub


def private_name(what: str) -> str:
    """Return a name that code cannot guess, so that it can neither use nor rebind it."""
    return f"toolgen_{what}_{token_hex(12)}"


@dataclass(frozen=True, slots=True)
class Border:
    """The names in a sandbox that connect it to the host, unique to one conversation.

    `call` is a function of the host, of a tool's name and its arguments as JSON text. `function` creates the function
    of a tool, and `result` returns the JSON text of a value.
    """

    call: str = field(default_factory=lambda: private_name("call"))
    function: str = field(default_factory=lambda: private_name("function"))
    result: str = field(default_factory=lambda: private_name("result"))

    @property
    def source(self) -> str:
        """The source that initializes a new sandbox.

        Only text crosses the border, and reading it is subject to the sandbox's limits. A snippet may rebind any other
        name, so everything that the functions use is bound before the first snippet runs. `locals` would reveal these
        names in `eval`; nothing else lists names in this sandbox.
        """
        return _BORDER.format(call=self.call, function=self.function, result=self.result, value=repr(RESULT))

    @property
    def result_text(self) -> str:
        """The expression of a snippet's result, as JSON text. It raises NameError if no result was bound."""
        return f"{self.result}({RESULT})"

    def functions(self, stubs: Iterable[Stub]) -> str:
        """Return code that binds the functions of tools, for each snippet, because earlier ones may rebind them."""
        return "".join(
            f"{stub.function} = {self.function}({stub.function!r}, {[python for python, _ in stub.parameters]!r}, "
            f"{ {python: wire for python, wire in stub.parameters if python != wire}!r})\n"
            for stub in stubs
        )


_BORDER: Final = """
def {function}(
    dumps, loads, type, str, int, bool, float, list, tuple, dict, len, zip, enumerate, ValueError, TypeError,
    NotImplementedError,
):
    infinite = (float("inf"), float("-inf"))

    def check(value, place):
        kind = type(value)
        if value is None or kind in (str, int, bool):
            return
        if kind is float:
            if value != value or value in infinite:
                raise ValueError(f"{{place}} is {{value}}, which is not a JSON value")
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
            arguments = dumps(values)
            try:
                answer = {call}(name, arguments)
            except NotImplementedError:
                raise NotImplementedError(
                    f"{{name}} cannot be called by a function that other code calls: call it in plain code, in a loop "
                    "instead of map, filter or a sort key"
                ) from None
            return loads(answer)
        return call

    def result(value):
        check(value, {value})
        return dumps(value, ensure_ascii=False)

    return function, result

import json as {function}_json
{function}, {result} = {function}(
    {function}_json.dumps, {function}_json.loads,
    type, str, int, bool, float, list, tuple, dict, len, zip, enumerate, ValueError, TypeError,
    NotImplementedError,
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
"""Names that the sandbox has, but its type checker does not know."""

CHECKED_IMPORTS: Final = "from typing import Any, Literal, NotRequired, TypedDict, reveal_type as {prefix}reveal\n"
"""The first line for the checker: imports for stubs, and the function that reveals types."""

UNCHECKED: Final = "  # type: ignore"
"""Ends a line that the checker ignores: that of a function without a body."""
