"""Disjoint: whether two parts of a strict schema can be told apart by what is sent for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.providers.strict_nodes import Choice, Object, Reference, Scalar, fixed_values

if TYPE_CHECKING:
    from toolgen.providers.strict_nodes import Field, Node


def are_disjoint(one: Node, other: Node) -> bool:
    """Whether it is plain that nothing that is sent for one part can be sent for the other."""
    one, other = _meant(one), _meant(other)
    if not one.kinds() & other.kinds():
        return True
    if isinstance(one, Choice):
        return all(are_disjoint(branch, other) for branch in one.branches)
    if isinstance(other, Choice):
        return are_disjoint(other, one)
    if isinstance(one, Scalar) and isinstance(other, Scalar):
        values, others = fixed_values(one.said), fixed_values(other.said)
        if values is not None:
            return not any(map(other.accepts, values))
        return others is not None and not any(map(one.accepts, others))
    if isinstance(one, Object) and isinstance(other, Object):
        in_both = one.always_sent() & other.always_sent()
        if not (one.always_sent() <= other.fields.keys() and other.always_sent() <= one.fields.keys()):
            return True
        return any(
            not (one.fields[name].nullable and other.fields[name].nullable)
            and _fields_disjoint(one.fields[name], other.fields[name])
            for name in in_both
        )
    return False


def _fields_disjoint(one: Field, other: Field) -> bool:
    """Told apart by a field only where no reference has to be followed, so that this ends."""
    if isinstance(one.node, Reference) or isinstance(other.node, Reference):
        return False
    if (one.nullable and "null" in other.node.kinds()) or (other.nullable and "null" in one.node.kinds()):
        return False
    return are_disjoint(one.node, other.node)


def _meant(node: Node) -> Node:
    while isinstance(node, Reference) and node.target is not None:
        node = node.target
    return node
