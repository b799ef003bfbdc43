"""Type errors: which of them stop a snippet, in time in proportion to their number."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.work import assert_linear

pytest.importorskip("pydantic_monty", reason="the extra `codeact` is not installed")

from toolgen.llm.sandbox.checker import TypeCheckError, serious

if TYPE_CHECKING:
    from collections.abc import Callable

FORGIVEN = ("invalid-argument-type", 'Expected `Literal["a"]`, found `str`')
OTHER = ("invalid-argument-type", "Expected `int`, found `str`")
WHOLE = ("invalid-argument-type", "Expected `list[int]`, found `list[str]`")
PLACES = st.tuples(st.integers(1, 3), st.integers(1, 4))


def _error(kind: tuple[str, str], start: tuple[int, int], end: tuple[int, int]) -> TypeCheckError:
    return TypeCheckError(*start, end, *kind)


def _holds(outer: TypeCheckError, inner: TypeCheckError) -> bool:
    places = ((outer.line, outer.column), outer.end), ((inner.line, inner.column), inner.end)
    return places[0][0] <= places[1][0] and places[1][1] <= places[0][1] and places[0] != places[1]


@given(st.lists(st.builds(_error, st.sampled_from([FORGIVEN, OTHER, WHOLE]), PLACES, PLACES), max_size=8))
def test_an_error_of_a_whole_is_forgiven_with_all_of_its_parts(errors: list[TypeCheckError]) -> None:
    forgiven = [each for each in errors if each.message == FORGIVEN[1]]
    left = [each for each in errors if each.message != FORGIVEN[1]]
    expected = [
        each
        for each in left
        if each.message != WHOLE[1]
        or not any(_holds(each, part) for part in forgiven)
        or any(_holds(each, part) for part in left)
    ]
    assert serious(errors, {}, ()) == expected


@pytest.mark.parametrize("kinds", [[FORGIVEN], [OTHER], [WHOLE], [WHOLE, FORGIVEN], [WHOLE, OTHER, FORGIVEN]])
def test_errors_are_told_apart_in_time_in_proportion_to_their_number(kinds: list[tuple[str, str]]) -> None:
    def work(size: int) -> Callable[[], object]:
        errors = [_error(kinds[each % len(kinds)], (each, 1), (each + 1, 1)) for each in range(size)]
        return partial(serious, errors, {}, ())

    assert_linear(work, 8_000)


@pytest.mark.parametrize("part", ["list[int] | ", "list[", "dict[str, list[int]] | "])
def test_an_error_is_judged_in_time_in_proportion_to_its_message(part: str) -> None:
    def work(size: int) -> Callable[[], object]:
        types = part * (size // len(part))
        message = f'Expected `Literal["a"] | {types}`, found `Literal["a"] | {types}`'
        return partial(serious, [_error(("invalid-argument-type", message), (1, 1), (1, 2))], {}, ())

    assert_linear(work, 20_000)
