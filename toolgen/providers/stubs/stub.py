"""Stubs: a tool as the signature of a Python function, for a model that writes code and for the checker that reads it.

The compiler makes them of its shapes, the runtime of the schemas of tools that nobody compiled; what stands in them of
a spec's prose is bounded, and cannot end the string that it stands in.
"""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from toolgen.spec.visible import visible
from toolgen.spec.wire_names import STRICT, name_digest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

DESCRIPTION_LIMIT: Final = 500
NOTE_LIMIT: Final = 120
"""Characters that a stub tells of what a tool does, and of what a parameter or a key is."""

CHOICE_LIMIT: Final = 500
"""Characters that the values of an enumeration take in a stub; of more, it tells the types alone."""

CHECKED_NAMES: Final = frozenset({"Any", "Literal", "NotRequired", "TypedDict"})
"""What stubs use of `typing`."""

BUILTINS: Final = frozenset(
    """
    ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup BlockingIOError BrokenPipeError
    BufferError BytesWarning ChildProcessError ConnectionAbortedError ConnectionError ConnectionRefusedError
    ConnectionResetError DeprecationWarning EOFError Ellipsis EncodingWarning EnvironmentError Exception ExceptionGroup
    FileExistsError FileNotFoundError FloatingPointError FutureWarning GeneratorExit IOError ImportError ImportWarning
    IndentationError IndexError InterruptedError IsADirectoryError KeyError KeyboardInterrupt LookupError MemoryError
    ModuleNotFoundError NameError NotADirectoryError NotImplemented NotImplementedError OSError OverflowError
    PendingDeprecationWarning PermissionError ProcessLookupError PythonFinalizationError RecursionError ReferenceError
    ResourceWarning RuntimeError RuntimeWarning StopAsyncIteration StopIteration SyntaxError SyntaxWarning SystemError
    SystemExit TabError TimeoutError TypeError UnboundLocalError UnicodeDecodeError UnicodeEncodeError UnicodeError
    UnicodeTranslateError UnicodeWarning UserWarning ValueError Warning ZeroDivisionError
    abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile complex copyright
    credits delattr dict dir divmod enumerate eval exec exit filter float format frozenset getattr globals hasattr hash
    help hex id input int isinstance issubclass iter len license list locals map max memoryview min next object oct open
    ord pow print property quit range repr reversed round set setattr slice sorted staticmethod str sum super tuple type
    vars zip
    """.split()  # noqa: SIM905 - a hundred and fifty names read better without quotes
)
"""Builtin names of Python 3.11 to 3.13: written out, so that a spelling does not hang on who makes it."""

RESULT: Final = "result"
"""The variable that a snippet binds what it comes to."""

TAKEN: Final = BUILTINS | CHECKED_NAMES | {RESULT}
"""What no tool and no type of a stub can be called."""

_IDENTIFIER: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One parameter of a stub. `type` and `default` are Python source; `wire` is its name in JSON."""

    python: str
    wire: str
    type: str
    required: bool
    default: str = "..."
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stub:
    """A tool as a function. `parameters` are pairs of the Python and the JSON name, in the order of the signature.

    `source` is the whole definition, `types` the names of the types that it needs, each after those it needs itself.
    An `open` one takes other arguments than its parameters.
    """

    function: str
    parameters: tuple[tuple[str, str], ...]
    source: str
    types: tuple[str, ...] = ()
    open: bool = False


def stub_of(
    function: str,
    parameters: Iterable[Parameter],
    returns: str,
    description: str,
    *,
    is_open: bool = False,
    types: tuple[str, ...] = (),
) -> Stub:
    """Write the stub of a tool; what may be left out comes after what may not, else in the given order.

    It is indented by one blank, for a model is sent it in every request.

    One that is open, and has no parameters, takes any argument by name: there is nothing else to pass. With parameters
    it shows these alone, for a model is to use them; code may pass others all the same.
    """
    ordered = sorted(parameters, key=lambda parameter: not parameter.required)
    signature = ", ".join([
        *(f"{each.python}: {each.type}" + ("" if each.required else f" = {each.default}") for each in ordered),
        *(["**arguments: Any"] if is_open and not ordered else []),
    ])  # fmt: skip
    notes = [f"{each.python}: {text}" for each in ordered if (text := prose(each.description, NOTE_LIMIT))]
    body = _docstring([prose(description, DESCRIPTION_LIMIT), *notes])
    return Stub(
        function=function,
        parameters=tuple((each.python, each.wire) for each in ordered),
        source=f"def {function}({signature}) -> {returns}:\n {body}\n",
        types=types,
        open=is_open,
    )


def choice(values: Iterable[str | int | bool | None], written: Callable[[Any], str]) -> str:
    """Write the type of a value that is one of a few; of many, the types that these have."""
    chosen = list(values)
    source = f"Literal[{', '.join(map(written, chosen))}]"
    if len(source) <= CHOICE_LIMIT:
        return source
    return " | ".join(dict.fromkeys("None" if each is None else type(each).__name__ for each in chosen))


def key_type(source: str) -> str:
    """Write the type of a key where the keys are a dict: as text, so that it may name what comes later.

    Type checkers read no escapes in such text, so a type that would need one stands as it is.
    """
    for quote in ('"', "'"):
        if quote not in source and "\\" not in source:
            return f"{quote}{source}{quote}"
    return source


def is_python_name(name: str) -> bool:
    """Whether a name can be a parameter or a key of a class: an ASCII identifier, and no keyword."""
    return _IDENTIFIER.fullmatch(name) is not None and not keyword.iskeyword(name)


def parameter_names(names: Iterable[str]) -> dict[str, str]:
    """Spell names in JSON as parameters, one-to-one: by itself each that can be, any other as near as may be."""
    asked = list(names)
    spelled = {name: name for name in asked if is_python_name(name)}
    taken = set(spelled)
    for name in asked:
        if name not in spelled:
            near = re.sub(r"[^A-Za-z0-9_]", "_", name)
            near = near if near[:1].isalpha() or near.startswith("_") else f"p_{near}"
            while near in taken or keyword.iskeyword(near):
                near += "_"
            taken.add(near)
            spelled[name] = near
    return {name: spelled[name] for name in asked}


def prose(text: str, limit: int) -> str:
    """Text as one line of at most `limit` characters, in which all that does not print is an escape."""
    line = visible(" ".join(text[: 4 * limit].split()))
    return line if len(line) <= limit else f"{line[: limit - 1].rstrip()}…"


def _docstring(lines: list[str]) -> str:
    text = "\n ".join(lines).replace("\\", "\\\\")
    if '"""' in text or text.endswith('"'):
        text = text.replace('"', '\\"')
    return f'"""{text}"""'


def python_function_name(wire: str) -> str:
    """Spell a wire name as the function that a model's code calls. The result depends on the wire name alone.

    It is the wire name where that can name a function beside all that such code holds anyway. Any other keeps what it
    can and ends in a hash of the wire name, as wire names do; one that no letter begins begins with `tool_`.
    """
    if is_python_name(wire) and not wire.startswith("_") and wire not in TAKEN:
        return wire
    readable = re.sub(r"[^a-zA-Z0-9_]", "_", wire)[: STRICT.max_length]
    start = "" if readable[:1].isalpha() else "tool_"
    return f"{start}{readable}___{name_digest(wire)}"
