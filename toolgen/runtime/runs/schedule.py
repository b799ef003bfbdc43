"""Scheduling: which calls of one turn run concurrently, and which are skipped after one has failed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolgen.runtime.catalog.definition import PolicyEntry


class Group(Enum):
    """The kind of adjacent calls. Calls of a write group run one at a time, those of other groups concurrently."""

    READONLY = "readonly"
    AGENT = "agent"
    WRITE = "write"


class Rest(IntEnum):
    """What happens to the calls after a group. The greatest applies."""

    RUN = 0
    RUN_READONLY = 1
    SKIP = 2


@dataclass(frozen=True, slots=True)
class Batch:
    """Calls that run concurrently, by their positions in the turn."""

    group: Group
    places: tuple[int, ...]


def batches(groups: Iterable[Group]) -> Iterator[Batch]:
    """Split a turn into batches, in the order of the model, by the group of each call."""
    together: list[int] = []
    current = Group.WRITE
    for place, group in enumerate(groups):
        if together and (group is not current or group is Group.WRITE):
            yield Batch(current, tuple(together))
            together = []
        current = group
        together.append(place)
    if together:
        yield Batch(current, tuple(together))


def group_of(entry: PolicyEntry | None) -> Group:
    """Return the group of a tool's calls. Tools that start agents are a separate group, unless they write.

    A call without a tool counts as readonly: it just fails.
    """
    if entry is None:
        return Group.READONLY
    if entry.permission == "write":
        return Group.WRITE
    return Group.AGENT if "agent" in entry.tags else Group.READONLY


def rest_after(group: Group, *, has_failed: bool, was_denied: bool, may_continue: bool) -> Rest:
    """Return what happens to later calls: a failed write ends the turn, and so does a denial of permission.

    Error codes are not used for this, because handlers choose them. With `may_continue`, readonly calls still run after
    a denial.
    """
    if was_denied:
        return Rest.RUN_READONLY if may_continue else Rest.SKIP
    return Rest.SKIP if has_failed and group is Group.WRITE else Rest.RUN
