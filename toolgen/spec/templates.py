"""References in the text of specs, as the compiler checks and executors read them: `{{args.name}}`, `$env.NAME`."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

BRACES: Final = re.compile(r"\{\{((?:(?!\{\{|\}\}).)*)\}\}", re.DOTALL)
"""A template; its group is what stands in the braces."""

BEYOND_A_NAME: Final = re.compile(r"[\s|.(\[]")
"""What begins a filter or leads into a value, which templates do not have."""

VARIABLE: Final = re.compile(r"\$env\.([A-Za-z_][A-Za-z0-9_]*)")
"""A reference to an environment variable, alone or as a part of a value; its group is the name."""


def has_nameless_variable(text: str) -> bool:
    """Return whether a text has `$env.` without a name behind it."""
    return text.count("$env.") != len(VARIABLE.findall(text))


_BEFORE_A_PATH: Final = re.compile(r"(?:^|[\s=:,@'\"();|&<>])(?:-[A-Za-z])?$")
"""What may stand before a path in an argument: nothing, an option, or a mark that separates values."""

_BEHIND_A_PATH: Final = re.compile(r"^(?:$|[\s=:,@'\"();|&<>])")


def joined_path(template: str, paths: Collection[str]) -> str:
    """Return the name of an arg that is only a part of a path in a command, such as `data/{{args.name}}`, or empty.

    `paths` are the args that are judged as paths: the program opens another file than the one that they name.
    """
    parts = BRACES.split(template)
    for place in range(1, len(parts), 2):
        name = parts[place].removeprefix("args.")
        if name in paths and not (
            _BEFORE_A_PATH.search(parts[place - 1] if parts[place - 1] or place == 1 else "}")
            and _BEHIND_A_PATH.search(parts[place + 1] if parts[place + 1] or place + 2 == len(parts) else "{")
        ):
            return name
    return ""


def joined_path_problem(name: str) -> tuple[str, str]:
    """Return what is wrong with a command in which an arg is only a part of a path, and how to fix it."""
    template = f"`{{{{args.{name}}}}}`"
    return (
        f"{template} is only a part of a path, but `access` names it: another file is opened than is judged",
        "let the arg be the whole path, and write the folder as `cwd`; or name the arg in `access.scope`",
    )
