"""Exceptions that can be pickled and copied: a pool of processes hangs on one that cannot."""

from __future__ import annotations

from typing import Any


class Picklable(Exception):
    """The base of exceptions with constructors of their own: they are restored from their args and attributes.

    Python would call the constructor again, with the message as its only argument.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        return restore, (type(self), self.args), self.__dict__


def restore(cls: type[BaseException], args: tuple[Any, ...]) -> BaseException:
    """Return an exception with these args, without its attributes, as pickles and copies need it."""
    error = cls.__new__(cls, *args)
    built_in: Any = next(each for each in cls.__mro__ if each.__module__ == "builtins")
    built_in.__init__(error, *args)  # it may set more than `args`, such as the `msg` of an ImportError
    return error
