"""Python names: conversion of names of specs for generated code, and detection of conflicts."""

from __future__ import annotations

import hashlib
import keyword
import re
import unicodedata
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from pydantic import BaseModel

from toolgen.compiler.diagnostics.diagnostic import Related
from toolgen.compiler.ir.shapes import PACKAGE_MODULE
from toolgen.spec.wire_names import words

if TYPE_CHECKING:
    from toolgen.compiler.diagnostics import Diagnostics, Span


# The module names of the standard library, which folders directly in the output folder must not have.
#
# Python imports from the folder that it is started in first, so a generated `email` or `json` there would hide its
# own.

STANDARD_LIBRARY: Final = frozenset(
    """
    abc aifc annotationlib antigravity argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb
    binascii bisect builtins bz2 cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys
    compileall compression concurrent configparser contextlib contextvars copy copyreg crypt csv ctypes curses
    dataclasses datetime dbm decimal difflib dis distutils doctest email encodings ensurepip enum errno faulthandler
    fcntl filecmp fileinput fnmatch fractions ftplib functools gc genericpath getopt getpass gettext glob graphlib
    grp gzip hashlib heapq hmac html http idlelib imaplib imghdr imp importlib inspect io ipaddress itertools json
    keyword lib2to3 linecache locale logging lzma mailbox mailcap marshal math mimetypes mmap modulefinder msilib
    msvcrt multiprocessing netrc nis nntplib nt ntpath nturl2path numbers opcode operator optparse os ossaudiodev
    pathlib pdb pickle pickletools pipes pkgutil platform plistlib poplib posix posixpath pprint profile pstats pty
    pwd py_compile pyclbr pydoc pydoc_data pyexpat queue quopri random re readline reprlib resource rlcompleter
    runpy sched secrets select selectors shelve shlex shutil signal site smtpd smtplib sndhdr socket socketserver
    spwd sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string stringprep struct subprocess sunau
    symtable sys sysconfig syslog tabnanny tarfile telnetlib tempfile termios textwrap this threading time timeit
    tkinter token tokenize tomllib trace traceback tracemalloc tty turtle turtledemo types typing unicodedata
    unittest urllib uu uuid venv warnings wave weakref webbrowser winreg winsound wsgiref xdrlib xml xmlrpc zipapp
    zipfile zipimport zlib zoneinfo
    """.split()
)
"""The public names of `sys.stdlib_module_names` in Python 3.11 to 3.14: listed, so that names do not depend on the
version of Python.
"""


KEYWORDS: Final = frozenset(keyword.kwlist)
"""No identifier, in any scope. Soft keywords such as `type` are identifiers, and in names of methods, modules and
packages nothing else clashes.
"""

_BASE: Final = frozenset(
    name for kind in (BaseModel, type(BaseModel)) for name in dir(kind) if not name.startswith("_")
)
"""The attributes of a model class, also those of its metaclass, which pydantic takes for the default of a field."""

_ANNOTATIONS: Final = frozenset({
    *("bool", "dict", "float", "int", "list", "str"),
    *("Annotated", "Field", "FormattedDate", "FormattedDateTime", "FormattedTime", "FormattedUUID", "JsonValue"),
    "Literal",
})  # fmt: skip
"""Names in the body of a model class: a field with a default would stand for them there."""

_CALLED: Final = frozenset({"codecs", "keep_unset", "rebuilt"})
"""Names in the bodies of functions whose parameters are fields: call builders and transforms."""

RESERVED_CONSTANTS: Final = frozenset({"TYPE_CHECKING"})
"""Reserved names of idents, by the package of their toolset. Checkers take it for a flag wherever it is assigned."""

RESERVED_FIELDS: Final = KEYWORDS | _BASE | _ANNOTATIONS | _CALLED | RESERVED_CONSTANTS
"""Reserved names of fields: exactly those that a field of that name would hide where generated code uses them, so that
`id`, `type` and `filter` keep their names, and the flag of checkers. A test reads generated code for them.
"""

RESERVED_CLASSES: Final = KEYWORDS | {
    "ABSENT", "Absent", "Annotated", "Any", "Awaitable", "Callable", "ClosedModel", "Codecs", "Field", "Final",
    "FormattedDate", "FormattedDateTime", "FormattedTime", "FormattedUUID", "Handlers", "Ident", "JsonValue", "Literal",
    "OpenModel", "Protocol",
    "Returns", "ServiceMethods", "TYPE_CHECKING", "ToolCallMeta", "ToolExecutor", "ToolRequest", "ToolsetRegistration",
    "TypeAlias",
}  # fmt: skip
"""Reserved names of types: those that the modules which define or import types import or define themselves. A test
reads generated code for them.
"""

RESERVED_MODULES: Final = KEYWORDS | {
    *("methods", "shared", "transforms", PACKAGE_MODULE),
    *("codecs", "executor", "executor_from", "injections", "new_registration"),
}
"""Reserved names of the modules of tools: other modules of a toolset's package, and what it defines beside them."""

_OUTERMOST: Final = KEYWORDS | STANDARD_LIBRARY
"""Reserved names of folders directly in the output folder. A Python that is started there, or that has it on its path,
would import them instead of its own; only packages are imported from folders below it.
"""


def snake(text: str, reserved: frozenset[str] = frozenset()) -> str:
    """Convert a name to a module or function name: `createIssue` -> `create_issue`."""
    return _free("_".join(_parts(text)).lower(), reserved)


def constant(text: str) -> str:
    """Convert a name to a constant name: `createIssue` -> `CREATE_ISSUE`."""
    return _free("_".join(_parts(text)).upper(), RESERVED_CONSTANTS)


def pascal(text: str) -> str:
    """Convert a name to a class name: `createIssue` -> `CreateIssue`."""
    return "".join(word[0].upper() + word[1:] for word in _parts(text))


def attribute(wire: str) -> str:
    """Convert a JSON name to an attribute name.

    Identifiers are unchanged: `orderId` -> `orderId`, `from` -> `from_`.
    """
    plain = unicodedata.normalize("NFKD", wire).encode("ascii", "ignore").decode("ascii")
    name = re.sub(r"[^A-Za-z0-9_]+", "_", plain).strip("_") or _digest(wire)
    return _free(f"n{name}" if name[0].isdigit() else name, RESERVED_FIELDS)


def package_of(toolset: str) -> tuple[str, ...]:
    """Return the path of a toolset in the generated package: its owner, `tools`, its last word."""
    return _below_owner(toolset, "tools")


def package_of_agent(agent: str) -> tuple[str, ...]:
    """Return the path of an agent in the generated package: its owner, `agents`, its last word."""
    return _below_owner(agent, "agents")


def _below_owner(name: str, folder: str) -> tuple[str, ...]:
    *owner, last = name.split(".")
    reserved = (_OUTERMOST, *(KEYWORDS for _ in owner[1:]))
    return (*map(snake, owner, reserved), folder, snake(last, KEYWORDS))


def is_attribute(name: str) -> bool:
    """Whether a name from a spec can be an attribute of a generated model."""
    return name.isascii() and name.isidentifier() and not name.startswith("_") and name not in RESERVED_FIELDS


def _parts(text: str) -> list[str]:
    """Return the words of a name, at least one, not starting with a digit."""
    first, *rest = words(text) or [_digest(text)]
    return [f"n{first}" if first[0].isdigit() else first, *rest]


def _digest(text: str) -> str:
    """Return a name for a text without usable characters."""
    return f"x{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def _free(name: str, reserved: frozenset[str]) -> str:
    return f"{name}_" if name in reserved else name


def distinguished(name: str, path: str) -> str:
    """Return a generated class name with a hash of the place of the class, for a name that is taken."""
    return f"{name}_{hashlib.sha256(path.encode('utf-8', 'surrogatepass')).hexdigest()[:6]}"


class Namespace:
    """Names that must be unique, with their sources."""

    def __init__(self) -> None:
        self._taken: dict[str, tuple[str, Span]] = {}

    def claim(self, names: Iterable[str], source: str, span: Span, sink: Diagnostics, *, fix: str) -> None:
        """Claim names for `source`, a short description; the first that is taken is reported, at both places."""
        for name in names:
            first, place = self._taken.setdefault(name, (source, span))
            if (first, place) != (source, span):
                sink.report(
                    "TG302",
                    span,
                    f"{source} and {first} would both be `{name}` in the generated code",
                    related=[Related(place, f"{first} is here")],
                    fix=fix,
                )
                return
