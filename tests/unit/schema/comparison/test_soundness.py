"""Comparison of edited schemas: no instance ever contradicts the verdict that none does."""

from __future__ import annotations

import json
from collections import Counter
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.data.sets import OWN, of_sets, tools_of
from tests.later import later
from tests.properties.schemas import toolsets
from tests.unit.providers.schemas import args_schemas
from tests.unit.schema.comparison.edits import EDITS, Edited, Effect, edited
from tests.unit.schema.comparison.instances import Instances, fitting
from tests.unit.schema.comparison.small_schemas import small_schema
from toolgen.schema.bounds import Bounds, compiled_validator, is_usable
from toolgen.schema.comparison.compare import Comparison, Direction, Verdict, compare

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hypothesis.strategies import DrawFn

SLOW = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example)
OLDER = {"draft-04": "http://json-schema.org/draft-04/schema#", "draft-06": "http://json-schema.org/draft-06/schema#",
         "2019-09": "https://json-schema.org/draft/2019-09/schema"}  # fmt: skip


def directions(comparison: Comparison) -> Iterator[tuple[Direction, bool]]:
    yield comparison.lost, True
    yield comparison.gained, False


def assert_sound(before: Any, after: Any, random: Random, count: int) -> Comparison:
    """Compare two schemas, and check the verdicts with instances."""
    comparison = compare(before, after)
    old, new = (compiled_validator(schema, Bounds(schema)) for schema in (before, after))
    instances = Instances(random, before, after)
    values = list(instances.some(count))
    for direction, _ in directions(comparison):
        if direction.counterexample is not None:
            values += [direction.counterexample.value]
            values += [instances.changed(direction.counterexample.value) for _ in range(count // 8)]
    for value in (*fitting(before), *fitting(after)):
        values += [value, *(instances.changed(value) for _ in range(count // 8))]
    for value in values:
        was, is_ = old.is_valid(value), new.is_valid(value)
        assert not (was and not is_ and comparison.lost.verdict is Verdict.NONE), (before, after, value)
        assert not (is_ and not was and comparison.gained.verdict is Verdict.NONE), (before, after, value)
    for direction, is_lost in directions(comparison):
        if direction.counterexample is not None:
            value = direction.counterexample.value
            assert (old.is_valid(value), new.is_valid(value)) == (is_lost, not is_lost), (before, after, value)
    return comparison


def assert_expected(comparison: Comparison, made: Edited, before: Any) -> None:
    """Check that a value is lost or gained only where the edit can have that effect."""
    if made.effect in (Effect.SAME, Effect.WIDER):
        assert comparison.lost.verdict is not Verdict.FOUND, (made, before)
    if made.effect in (Effect.SAME, Effect.NARROWER):
        assert comparison.gained.verdict is not Verdict.FOUND, (made, before)


def edits_of(schema: Any, random: Random, count: int) -> Iterator[Edited]:
    """Return usable schemas with one edit or two."""
    for name in random.sample(sorted(EDITS), count):
        made = edited(schema, random, name)
        if made is not None and random.random() < 0.2 and isinstance(made.schema, dict):
            more = edited(made.schema, random)
            made = more and Edited(more.schema, f"{made.edit}, {more.edit}", Effect.OTHER)
        if made is not None and is_usable(made.schema, Bounds(made.schema)):
            yield made


@st.composite
def documents(draw: DrawFn) -> Any:
    """Schemas with all keywords, recursive ones, and adversarial names, in all drafts."""
    match draw(st.integers(0, 3)):
        case 0:
            return draw(args_schemas())
        case 1 | 2:
            return small_schema(Random(draw(st.integers(0, 2**40))))
        case _:
            pass
    toolset = draw(toolsets(tools=1, depth=2))
    document = toolset.document(draw(st.sampled_from(toolset.sides)).schema)
    older = draw(st.sampled_from([None, None, *OLDER]))
    if older is None or not isinstance(document, dict):
        return document
    return {**document, "$schema": OLDER[older]}


def check(before: Any, other: Any, seed: int, count: int) -> None:
    random = Random(f"{seed}{json.dumps(before)}")
    if not isinstance(before, dict) or not is_usable(before, Bounds(before)):
        return
    for made in edits_of(before, random, count):
        assert_expected(assert_sound(before, made.schema, random, 80), made, before)
    if is_usable(other, Bounds(other)):
        assert_sound(before, other, random, 80)


@settings(phases=[Phase.explicit, Phase.generate], suppress_health_check=SLOW)
@given(before=documents(), other=documents(), seed=st.integers(0, 2**40))
def test_no_instance_contradicts_a_verdict(before: Any, other: Any, seed: int) -> None:
    check(before, other, seed, 4)


@pytest.mark.long
@settings(max_examples=4_000, phases=[Phase.explicit, Phase.generate], suppress_health_check=SLOW)
@given(before=documents(), other=documents(), seed=st.integers(0, 2**40))
def test_no_instance_contradicts_a_verdict_in_many_schemas(before: Any, other: Any, seed: int) -> None:
    check(before, other, seed, 12)


def check_small(seed: int) -> None:
    """Compare small schemas that differ in one edit or definition, or have the same keywords with other values."""
    random = Random(seed)
    before, other = small_schema(random), small_schema(random)
    made = edited(before, random)
    mixed = {**before, **{key: other[key] for key in before.keys() & other}}
    defined = {
        **before,
        "$defs": {**before["$defs"], random.choice(["yes", "no", "one"]): random.choice([True, False])},
    }
    for after in (made and made.schema, mixed, defined, other):
        if after is not None and is_usable(before, Bounds(before)) and is_usable(after, Bounds(after)):
            assert_sound(before, after, random, 60)


@pytest.mark.slow
@pytest.mark.parametrize("start", [0, *later(range(100, 1_000, 100))])
def test_no_instance_contradicts_a_verdict_of_small_schemas(start: int) -> None:
    for seed in range(start, start + 100):
        check_small(seed)


@pytest.mark.long
@pytest.mark.parametrize("start", range(1_000, 60_000, 1_000))
def test_no_instance_contradicts_a_verdict_of_many_small_schemas(start: int) -> None:
    for seed in range(start, start + 1_000):
        check_small(seed)


def real_schemas(name: str) -> list[Any]:
    return [tool[side] for tool in tools_of(name) for side in ("inputSchema", "outputSchema") if side in tool]


def verdicts_of(schemas: list[Any], count: int) -> Counter[Verdict]:
    found = Counter[Verdict]()
    for number, schema in enumerate(schemas):
        if not is_usable(schema, Bounds(schema)):
            continue
        random = Random(number)
        for made in edits_of(schema, random, count):
            comparison = assert_sound(schema, made.schema, random, 20)
            assert_expected(comparison, made, schema)
            found.update([comparison.lost.verdict, comparison.gained.verdict])
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", of_sets(OWN, "kubernetes", later=("tau2", "acebench")))
@pytest.mark.variants(1)
def test_edits_of_real_schemas_are_decided(name: str) -> None:
    schemas = real_schemas(name)
    found = verdicts_of(schemas[:: len(schemas) // 25], 6)
    assert found[Verdict.UNDECIDED] * 50 <= found.total()
    assert found[Verdict.FOUND] * 5 >= found.total()


@pytest.mark.long
@pytest.mark.parametrize("name", of_sets(OWN, "kubernetes", "tau", "tau2", "acebench"))
def test_all_edits_of_all_real_schemas_are_decided(name: str) -> None:
    found = verdicts_of(real_schemas(name), len(EDITS))
    assert found[Verdict.UNDECIDED] * 50 <= found.total()
