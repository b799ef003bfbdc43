"""Signatures: whether a function can be called with what it will be given."""

from __future__ import annotations

from inspect import CO_VARARGS
from types import FunctionType, MethodType


def call_problem(function: object, *given: str) -> str:
    """Return why a function cannot be called with these arguments, in words; empty if it can, or nobody can tell.

    Only functions and methods of Python are looked at, by what they are and not by what they wrap: all handlers of a
    large package are checked when a program starts, and `inspect.signature` takes twenty times as long.
    """
    if not callable(function):
        return f"it is of type {type(function).__name__}, not a function or a method"
    is_method = isinstance(function, MethodType)
    plain: object = getattr(function, "__func__", function)
    if not isinstance(plain, FunctionType):
        return ""
    code, count = plain.__code__, len(given) + is_method
    least = code.co_argcount - len(plain.__defaults__ or ())
    keywords = code.co_varnames[code.co_argcount :][: code.co_kwonlyargcount]
    needed = [each for each in keywords if each not in (plain.__kwdefaults__ or {})]
    gets = f"but gets {' and '.join(given)}"
    if needed:
        return f"{plain.__qualname__} needs the keyword `{needed[0]}`, {gets} only"
    if least <= count and (count <= code.co_argcount or code.co_flags & CO_VARARGS):
        return ""
    owner, _, name = plain.__qualname__.rpartition(".")
    if not is_method and least == count + 1 and owner and not owner.endswith("<locals>"):
        return f"{name} is a method without its object: pass an object of {owner}, not the class"
    takes = code.co_varnames[is_method : code.co_argcount]
    return f"{plain.__qualname__} takes ({', '.join(takes)}), {gets}"
