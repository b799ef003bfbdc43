"""Strict links: resolves the references of a strict schema, and detects recursive ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.providers.strict.nodes import Choice, Object, Reference, Text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from toolgen.providers.strict.nodes import Node


def tie(targets: Mapping[str, Node], references: Mapping[str, Sequence[Reference]]) -> None:
    """Set the target of each reference, by its `$ref`, and whether values there are sent unchanged."""
    within = {target: list(all_of([node])) for target, node in targets.items()}
    holders: dict[str, list[str]] = {target: [] for target in targets}
    place = {id(reference): target for target, there in references.items() for reference in there}
    for holder, nodes in within.items():
        for node in nodes:
            if isinstance(node, Reference):
                holders[place[id(node)]].append(holder)
    waiting = [target for target, nodes in within.items() if any(map(_is_changed, nodes))]
    changed = set(waiting)
    while waiting:
        found = set(holders[waiting.pop()]) - changed
        changed |= found
        waiting += found
    for target, there in references.items():
        for reference in there:
            reference.target, reference.is_target_plain = targets[target], target not in changed


def all_of(roots: Iterable[Node]) -> Iterator[Node]:
    """Return the nodes and all nodes below them, without following references."""
    waiting = [*roots][::-1]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += [*node.children()][::-1]


def leads_back(reference: Reference) -> bool:
    """Whether a reference leads to itself without an object or array between."""
    seen: set[int] = set()
    waiting = [reference.target]
    while waiting:
        node = waiting.pop()
        if node is reference:
            return True
        if node is None or id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, Reference):
            waiting.append(node.target)
        elif isinstance(node, Choice):
            waiting += node.branches
    return False


def _is_changed(node: Node) -> bool:
    return isinstance(node, Text) or (isinstance(node, Object) and any(each.nullable for each in node.fields.values()))
