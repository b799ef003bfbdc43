"""Instances made of the words of schemas: their names, literals and bounds, and numbers and texts next to these."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.schema.comparison.compare import colour
from toolgen.schema.comparison.goal import BudgetError, Claim
from toolgen.schema.comparison.patterns import texts_of
from toolgen.schema.comparison.reading import Document
from toolgen.schema.comparison.solver import Solver
from toolgen.schema.comparison.validators import Validators

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

_SCALARS: Final = (
    None,
    True,
    False,
    0,
    1,
    -1,
    2,
    3,
    1.0,
    0.5,
    2.5,
    1e300,
    2**53 + 1,
    "",
    "a",
    "b",
    "ab",
    "abc",
    "x",
    "1",
)


def fitting(schema: Any) -> list[Any]:
    """Return some instances that probably fit a schema."""
    document = Document(schema, asserts_formats=False)
    colour([document.root], most=10_000)
    has_draft_04 = document.draft == "draft-04"
    validators = Validators(document)
    solver = Solver(has_draft_04=has_draft_04, validators=validators, wants_values=True)
    try:
        return solver.solve_here([Claim(document.root, holds=True)], solver.kinds).values
    except BudgetError:
        return []


class Instances:
    """Random instances for some schemas."""

    def __init__(self, random: Random, *schemas: Any) -> None:
        self._random = random
        self._scalars: list[Any] = list(_SCALARS)
        self._names: list[str] = ["a", "b", "x-1", "zz"]
        self._literals: list[Any] = []
        for schema in schemas:
            self._note(schema)
        self._names = list(dict.fromkeys(self._names))

    def some(self, count: int, depth: int = 3) -> Iterator[Any]:
        """Return random instances."""
        return (self._value(depth) for _ in range(count))

    def changed(self, value: Any) -> Any:
        """Return an instance with one part replaced, added or removed."""
        random = self._random
        if isinstance(value, dict) and random.random() < 0.9:
            copied = dict(value)
            if copied and random.random() < 0.7:
                name = random.choice(sorted(copied))
                if random.random() < 0.3:
                    del copied[name]
                else:
                    copied[name] = self.changed(copied[name])
            else:
                copied[random.choice(self._names)] = self._value(1)
            return copied
        if isinstance(value, list) and random.random() < 0.9:
            copied_list = list(value)
            if copied_list and random.random() < 0.7:
                index = random.randrange(len(copied_list))
                if random.random() < 0.3:
                    del copied_list[index]
                else:
                    copied_list[index] = self.changed(copied_list[index])
            else:
                copied_list.insert(random.randrange(len(copied_list) + 1), self._value(1))
            return copied_list
        return self._value(1)

    def _value(self, depth: int) -> Any:
        random = self._random
        kind = random.random()
        if depth <= 0 or kind < 0.4:
            return random.choice(self._scalars)
        if kind < 0.5 and self._literals:
            return random.choice(self._literals)
        if kind < 0.65:
            return [self._value(depth - 1) for _ in range(random.choice([0, 1, 1, 2, 3]))]
        names = random.sample(self._names, min(len(self._names), random.choice([0, 1, 1, 2, 3, 4])))
        return {name: self._value(depth - 1) for name in names}

    def _note(self, node: Any) -> None:
        if isinstance(node, list):
            for each in node:
                self._note(each)
        elif isinstance(node, dict):
            for key, value in node.items():
                self._note_keyword(key, value)
                self._note(value)

    def _note_keyword(self, key: str, value: Any) -> None:
        if key in ("properties", "dependentRequired", "dependentSchemas", "dependencies") and isinstance(value, dict):
            self._names += value
        elif key == "patternProperties" and isinstance(value, dict):
            self._names += [text for pattern in value for text in texts_of((pattern,)).texts[:3]]
        elif key == "pattern" and isinstance(value, str):
            self._scalars += texts_of((value,)).texts[:4]
        elif key in ("enum", "required") and isinstance(value, list):
            self._literals += value
            self._scalars += [each for each in value if not isinstance(each, (list, dict))]
            self._names += [each for each in value if isinstance(each, str)]
        elif key == "const":
            self._literals.append(value)
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            self._scalars += [value, value + 1, value - 1, value + 0.5, value * 3]
            if key.endswith("Length") and value < 50:
                self._scalars += ["a" * max(int(value) + offset, 0) for offset in (-1, 0, 1)]
