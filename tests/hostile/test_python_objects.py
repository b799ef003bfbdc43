"""Objects of Python that answer anything, or raise: none hides a function of its module, and none is taken for one."""

from __future__ import annotations

import sys
from functools import lru_cache, partial, update_wrapper
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgen.changes.tool_texts import Described
from toolgen.execute.python.modules import HandlerModules
from toolgen.execute.python.sources import text_of, tools_of
from toolgen.runtime.catalog.handler_signature import function_of

if TYPE_CHECKING:
    from collections.abc import Callable

NAME = "module_of_hostile_objects"
MODULES = HandlerModules(named=(NAME,))


class Unconfigured(BaseException):
    """What no `except Exception` catches, as the skips of pytest."""


def search(query: str) -> list[str]:
    """Search."""
    return [query]


def failing(error: type[BaseException]) -> Callable[..., Any]:
    def fail(*_: Any, **__: Any) -> Any:
        raise error("not configured")

    return fail


def answering(value: Any) -> Callable[..., Any]:
    return lambda *_, **__: value


VALUES = (None, True, 5, "text", search, FunctionType, ModuleType, search.__code__)
ERRORS = (AttributeError, RuntimeError, RecursionError, SystemExit, Unconfigured)
ANSWERS: tuple[Callable[..., Any], ...] = (
    lambda self, *_, **__: self,
    lambda self, *_, **__: partial(search, self),
    *map(answering, VALUES),
    *map(failing, ERRORS),
)
METHODS = (
    *("__getattr__", "__getattribute__", "__call__", "__eq__", "__bool__", "__hash__", "__iter__", "__len__"),
    *("__repr__", "__str__", "__contains__", "__instancecheck__", "__subclasscheck__", "__get__"),
)
ATTRIBUTES = (
    *("__class__", "__wrapped__", "__signature__", "__doc__", "__module__", "__name__", "__qualname__", "__dict__"),
    *("__code__", "__func__", "__self__", "__annotations__", "__mro__", "func", "name", "tools", "openapi"),
)
BODIES = st.builds(
    lambda methods, attributes: {**methods, **{name: property(answer) for name, answer in attributes.items()}},
    st.dictionaries(st.sampled_from(METHODS), st.sampled_from(ANSWERS), max_size=2),
    st.dictionaries(st.sampled_from(ATTRIBUTES), st.sampled_from(ANSWERS), max_size=2),
)


def made(base: type, body: dict[str, Any], of_metaclass: dict[str, Any], is_instance: bool) -> Any:
    """Return an object of a class with these methods, or the class; None where Python makes no such class."""
    try:
        metaclass = type("Meta", (type,), dict(of_metaclass)) if of_metaclass else type
        kind = metaclass("Odd", (base,), {"__module__": NAME, **body})
        return kind() if is_instance else kind
    except BaseException:  # noqa: BLE001  # some raise whenever they are touched
        return None


OBJECTS = st.builds(
    partial,
    st.just(made),  # in the test: hypothesis asks what it draws for its type and more
    st.sampled_from([object, dict, list, tuple, str, int, Exception]),
    BODIES,
    st.just({}) | BODIES,
    st.booleans(),
)


def module_of(**values: Any) -> ModuleType:
    module = ModuleType(NAME, "Tools.")
    own = FunctionType(search.__code__, {"__name__": NAME}, "search")
    own.__doc__, own.__annotations__ = "Search.", {"query": str, "return": list[str]}
    for name, value in {**values, "search": own}.items():
        setattr(module, name, value)
    return module


@given(first=OBJECTS, second=OBJECTS, is_listed=st.booleans())
def test_an_object_that_answers_anything_hides_no_function(
    first: Callable[[], Any], second: Callable[[], Any], is_listed: bool
) -> None:
    module = module_of(first=first(), second=second())
    if is_listed:
        module.__dict__["__all__"] = ["first", "search", "second"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, NAME, module)
        found = {each.reference: each for each in tools_of(NAME, MODULES)}
        assert text_of(NAME, MODULES) == "Tools."
    assert isinstance(found[f"{NAME}:search"].described, Described)
    assert found.keys() <= {f"{NAME}:{name}" for name in ("search", "first", "second")}
    assert all(type(each.place.file) is str and type(each.place.line) is int for each in found.values())


class Recorder:
    """One with a fluent interface."""

    def __getattr__(self, _name: str) -> Recorder:
        return self


class AttrDict(dict[str, Any]):
    """A dict with attributes."""

    __getattr__ = dict.get


class Lazy:
    def __getattr__(self, name: str) -> Any:
        raise SystemExit("not configured")


@pytest.mark.parametrize("kind", [Recorder, AttrDict, Lazy])
def test_what_is_no_function_is_not_told_of(kind: type, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kind, "__module__", NAME)
    monkeypatch.setitem(sys.modules, NAME, module_of(odd=kind()))
    assert [each.reference for each in tools_of(NAME, MODULES)] == [f"{NAME}:search"]


class Decorated:
    """What a decorator puts in place of a function."""

    def __init__(self, function: Callable[..., Any]) -> None:
        update_wrapper(self, function)

    def __call__(self, query: str) -> list[str]:
        return search(query)


@pytest.mark.parametrize("decorate", [lru_cache, Decorated])
def test_what_decorators_make_of_functions_are_functions(decorate: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    module = module_of()
    module.__dict__["search"] = decorate(module.search)
    monkeypatch.setitem(sys.modules, NAME, module)
    [found] = tools_of(NAME, MODULES)
    assert isinstance(found.described, Described), found.described


def test_a_recorder_that_is_called_is_its_own_handler() -> None:
    kind: Any = type("Called", (Recorder,), {"__call__": lambda _self, args: args})
    assert function_of(kind()) is kind.__dict__["__call__"]
