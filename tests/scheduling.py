"""Scheduling: which tests a worker of pytest-xdist gets together, and what runs first."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from xdist.scheduler import LoadGroupScheduling  # type: ignore[import-untyped]  # it has no types

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pytest

_BY_MARKER = {"slow": 1500, "hypothesis": 400}
_BY_FOLDER = {
    "tests/properties/": 5000,
    "tests/data/": 4000,
    "tests/unit/engine/dbos/": 1500,
    "tests/project/": 800,
    "tests/unit/engine/": 300,
    "tests/unit/serve/": 300,
    "tests/unit/cli/": 250,
    "tests/hostile/": 100,
    "tests/": 10,
}
"""How long a test takes on average, in milliseconds, about: by the first marker that it has, or the first folder."""


class ByModule(LoadGroupScheduling):  # type: ignore[misc]  # as above
    """The tests of a group go to one worker, and so do those of a module without groups.

    What a module builds for its tests is built once, and the controller has hundreds of units to count, not thousands.
    They begin in the order of the tests, which is that of `slow_first`.
    """

    def __init__(self, config: pytest.Config, log: Any) -> None:
        super().__init__(config, log)
        config.option.loadscopereorder = False

    def _split_scope(self, nodeid: str) -> str:
        group: str = super()._split_scope(nodeid)
        return nodeid.partition("::")[0] if group == nodeid else group

    def remove_node(self, node: Any) -> str | None:
        """Return the test in which a worker ended, or None. It is not given to another worker, as it is by default."""
        for tests in self.assigned_work[node].values():
            for test, is_completed in tests.items():
                if not is_completed:
                    tests[test] = True
                    super().remove_node(node)
                    return str(test)
        super().remove_node(node)
        return None


def slow_first(items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """Return the tests with those of the slowest units first, so that no worker begins one when others have ended."""
    units = [_unit(item) for item in items]
    weights = Counter[str]()
    for unit, item in zip(units, items, strict=True):
        weights[unit] += _weight(item)
    order = sorted(range(len(items)), key=lambda place: -weights[units[place]])
    return [items[place] for place in order]


def _weight(item: pytest.Item) -> int:
    by_marker = (weight for marker, weight in _BY_MARKER.items() if item.get_closest_marker(marker))
    by_folder = (weight for folder, weight in _BY_FOLDER.items() if item.nodeid.startswith(folder))
    return max(next(by_marker, 0), next(by_folder, 0))


def _unit(item: pytest.Item) -> str:
    group = item.get_closest_marker("xdist_group")
    return str(group.args[0]) if group is not None else item.nodeid.partition("::")[0]
