"""Stubs: a tool as the signature of a Python function, for a model that writes code and for the checker that reads it.

They are generated from the schemas of compiled and registered tools; text from specs is truncated, and cannot end the
string that contains it.
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
"""Maximum characters of the description of a tool, and of a parameter or key."""

CHOICE_LIMIT: Final = 500
"""Maximum characters of the values of an enumeration; a longer one is replaced by its types."""

CHECKED_NAMES: Final = frozenset({"Any", "Literal", "NotRequired", "TypedDict"})
"""The names of `typing` that stubs use."""

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
    """.split()
)
"""Builtin names of Python 3.11 to 3.13: listed, so that names do not depend on the generating Python version."""

RESULT: Final = "result"
"""The variable to which a snippet binds its result."""

TAKEN: Final = BUILTINS | CHECKED_NAMES | {RESULT}
"""Names that tools and types of stubs cannot have."""

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
    An `open` one accepts arguments other than its parameters.
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
    """Return the stub of a tool; optional parameters come after required ones, otherwise in the given order.

    It is indented by one space, because it is sent in every request.

    An open one without parameters accepts any keyword arguments. With parameters it shows only these, because a model
    should use them; code may still pass others.
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
    """Return the type of an enumeration: its values, or, if there are many, their types."""
    chosen = list(values)
    source = f"Literal[{', '.join(map(written, chosen))}]"
    if len(source) <= CHOICE_LIMIT:
        return source
    return " | ".join(dict.fromkeys("None" if each is None else type(each).__name__ for each in chosen))


def key_type(source: str) -> str:
    """Return the type of a key in the functional syntax, as text, so that it may refer to later names.

    Type checkers do not support escapes in such text, so a type that would need one is not quoted.
    """
    for quote in ('"', "'"):
        if quote not in source and "\\" not in source:
            return f"{quote}{source}{quote}"
    return source


def is_python_name(name: str) -> bool:
    """Whether a name can be a parameter or a key of a class: an ASCII identifier that is not a keyword."""
    return _IDENTIFIER.fullmatch(name) is not None and not keyword.iskeyword(name)


def parameter_names(names: Iterable[str]) -> dict[str, str]:
    """Map JSON names to unique parameter names: unchanged if possible, otherwise as similar as possible."""
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
    """Return text as one line of at most `limit` characters, with unprintable characters escaped."""
    line = visible(" ".join(text[: 4 * limit].split()))
    return line if len(line) <= limit else f"{line[: limit - 1].rstrip()}…"


def _docstring(lines: list[str]) -> str:
    text = "\n ".join(lines).replace("\\", "\\\\")
    if '"""' in text or text.endswith('"'):
        text = text.replace('"', '\\"')
    return f'"""{text}"""'


def python_function_name(wire: str) -> str:
    """Return the function name of a wire name in a model's code. It depends only on the wire name.

    It is the wire name if that is a valid, unreserved function name. Otherwise invalid characters are replaced, and a
    hash of the wire name is appended, as in wire names; a name that does not begin with a letter gets the prefix
    `tool_`.
    """
    if is_python_name(wire) and not wire.startswith("_") and wire not in TAKEN:
        return wire
    readable = re.sub(r"[^a-zA-Z0-9_]", "_", wire)[: STRICT.max_length]
    start = "" if readable[:1].isalpha() else "tool_"
    return f"{start}{readable}___{name_digest(wire)}"
