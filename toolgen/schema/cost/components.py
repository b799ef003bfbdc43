"""Strongly connected components of a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


def components(nodes: Iterable[int], below: Callable[[int], Iterable[int]]) -> Iterator[list[int]]:
    """Return the components reachable from `nodes`, each after its successors (Tarjan's algorithm)."""
    order: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    open_: set[int] = set()
    for start in nodes:
        path = [] if start in order else [(start, iter(below(start)))]
        while path:
            node, rest = path[-1]
            if node not in order:
                order[node] = low[node] = len(order)
                stack.append(node)
                open_.add(node)
            following = next(rest, None)
            if following is None:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[node])
                if low[node] == order[node]:
                    group = _taken_off(stack, node)
                    open_.difference_update(group)
                    yield group
            elif following not in order:
                path.append((following, iter(below(following))))
            elif following in open_:
                low[node] = min(low[node], order[following])


def _taken_off(stack: list[int], last: int) -> list[int]:
    group = [stack.pop()]
    while group[-1] != last:
        group.append(stack.pop())
    return group
