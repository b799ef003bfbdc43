"""Disjointness: whether two parts of a strict schema can be distinguished by the sent values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from toolgen.providers.strict.nodes import Choice, Object, Reference, Scalar, fixed_values

if TYPE_CHECKING:
    from toolgen.providers.strict.nodes import Field, Node


@dataclass(frozen=True, slots=True)
class Comparison:
    """Cached comparisons of the parts of one schema. Its references must be linked."""

    _found: dict[tuple[int, int], bool] = field(default_factory=dict[tuple[int, int], bool])

    def is_distinguishable(self, choice: Choice) -> bool:
        """Whether the branch of each sent value is unique, as far as it matters."""
        branches = [(branch, branch.is_plain()) for branch in choice.branches]
        return all(
            (is_plain and is_other_plain) or self.are_disjoint(one, other)
            for index, (one, is_plain) in enumerate(branches)
            for other, is_other_plain in branches[:index]
        )

    def are_disjoint(self, one: Node, other: Node) -> bool:
        """Whether it is certain that no value sent for one part can be sent for the other."""
        one, other = _meant(one), _meant(other)
        asked = (id(one), id(other))
        if asked not in self._found:
            self._found[asked] = False  # a recursive comparison is not certain
            self._found[asked] = self._look(one, other)
        return self._found[asked]

    def _look(self, one: Node, other: Node) -> bool:
        if not one.kinds() & other.kinds():
            return True
        if isinstance(one, Choice):
            return all(self.are_disjoint(branch, other) for branch in one.branches)
        if isinstance(other, Choice):
            return self.are_disjoint(other, one)
        if isinstance(one, Scalar) and isinstance(other, Scalar):
            values, others = fixed_values(one.keywords), fixed_values(other.keywords)
            if values is not None:
                return not any(other.accepts(value, {}) for value in values)
            return others is not None and not any(one.accepts(value, {}) for value in others)
        if isinstance(one, Object) and isinstance(other, Object):
            always, always_other = one.always_sent(), other.always_sent()
            if not (always <= other.fields.keys() and always_other <= one.fields.keys()):
                return True
            return any(self._fields_disjoint(one.fields[name], other.fields[name]) for name in always & always_other)
        return False

    def _fields_disjoint(self, one: Field, other: Field) -> bool:
        """Compare fields without following references, so that this terminates."""
        if one.nullable and other.nullable:
            return False
        if isinstance(one.node, Reference) or isinstance(other.node, Reference):
            return False
        if (one.nullable and "null" in other.node.kinds()) or (other.nullable and "null" in one.node.kinds()):
            return False
        return self.are_disjoint(one.node, other.node)


def _meant(node: Node) -> Node:
    while isinstance(node, Reference) and node.target is not None:
        node = node.target
    return node
