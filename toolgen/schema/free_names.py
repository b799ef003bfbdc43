"""Names that are not taken, for those that would otherwise have the same."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container


def free_name(name: str, taken: Container[str], numbers: dict[str, int], between: str = "_") -> str:
    """Return a name that is not taken: the name itself, or with a number at its end.

    `numbers` has the next number of each name, for all names that are made free in turn: each is tried once.
    """
    if name not in taken:
        return name
    number = next(each for each in count(numbers.get(name, 2)) if f"{name}{between}{each}" not in taken)
    numbers[name] = number + 1
    return f"{name}{between}{number}"
