"""What runs in the sandbox around a snippet, and what its checker is told beside the stubs: Python source, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.contract.stub import RESULT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolgen.contract.stub import Stub

CALL: Final = "_toolgen_call"
"""The one name that leads out of the sandbox: a function of a tool's name and its arguments as JSON text."""

CHECKED: Final = "toolgen_checked"
"""A call of this stands before a snippet that is only checked: when it is reached, the checker had no objection."""

FUNCTIONS: Final = f"""
import json as _toolgen_json

def _toolgen_border(
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
            return loads({CALL}(name, dumps(values)))
        return call

    def result(value):
        check(value, {RESULT!r})
        return dumps(value, ensure_ascii=False)

    return function, result

_toolgen_function, _toolgen_result = _toolgen_border(
    _toolgen_json.dumps, _toolgen_json.loads,
    type, str, int, bool, float, list, tuple, dict, len, zip, enumerate, ValueError, TypeError,
)
"""
"""Fed once into a new sandbox. All that crosses its border is text, and what reads it there is bounded there.

A snippet may give any name another meaning; so what the functions use is bound before the first one runs.
"""

RESULT_TEXT: Final = f"_toolgen_result({RESULT})"
"""What a snippet came to, as JSON text. Raises NameError where it bound nothing."""

TYPES: Final = f"""
from __future__ import annotations
from typing import Any as Any, Literal, NotRequired, TypedDict

def {CHECKED}() -> None: ...
def map(function: Any, *iterables: Any) -> Any: ...
def filter(function: Any, iterable: Any) -> Any: ...
def hasattr(value: Any, name: str) -> bool: ...
def getattr(value: Any, name: str, *default: Any) -> Any: ...
class ImportError(Exception): ...
class PermissionError(OSError): ...
class TimeoutError(OSError): ...
"""
"""What the sandbox has, and the type checker that comes with it does not know of."""


def functions_of(stubs: Iterable[Stub]) -> str:
    """Bind the functions of tools."""
    return "".join(
        f"{stub.function} = _toolgen_function({stub.function!r}, {[python for python, _ in stub.parameters]!r}, "
        f"{ {python: wire for python, wire in stub.parameters if python != wire}!r})\n"
        for stub in stubs
    )
