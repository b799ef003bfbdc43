"""Scheduling: which calls of one turn run together, and which do not run at all after one has failed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from toolgen.runtime.catalog.definition import Entry


class Group(Enum):
    """What adjacent calls have in common. Calls of a write group run one by one, those of any other together."""

    READONLY = "readonly"
    AGENT = "agent"
    WRITE = "write"


class Rest(IntEnum):
    """What becomes of the calls after a group. The greatest holds."""

    RUN = 0
    RUN_READONLY = 1
    SKIP = 2


@dataclass(frozen=True, slots=True)
class Batch:
    """Calls that run together, by their places in the turn."""

    group: Group
    places: tuple[int, ...]


def batches(entries: Iterable[Entry | None]) -> Iterator[Batch]:
    """Cut a turn into batches, in the order of the model. A call of no tool fails harmlessly, among readonly ones."""
    together: list[int] = []
    current = Group.WRITE
    for place, entry in enumerate(entries):
        group = group_of(entry)
        if together and (group is not current or group is Group.WRITE):
            yield Batch(current, tuple(together))
            together = []
        current = group
        together.append(place)
    if together:
        yield Batch(current, tuple(together))


def group_of(entry: Entry | None) -> Group:
    """Tell how calls of a tool are grouped. Tools that start agents are a class of their own, unless they write."""
    if entry is None:
        return Group.READONLY
    if entry.permission == "write":
        return Group.WRITE
    return Group.AGENT if "agent" in entry.tags else Group.READONLY


def rest_after(group: Group, *, has_failed: bool, was_denied: bool, may_continue: bool) -> Rest:
    """Say what becomes of the later calls: a write that failed ends the turn, and so does a denial by permission.

    Who denied decides, and no code of a result: handlers choose theirs. With `may_continue` readonly calls still run
    after a denial.
    """
    if was_denied:
        return Rest.RUN_READONLY if may_continue else Rest.SKIP
    return Rest.SKIP if has_failed and group is Group.WRITE else Rest.RUN
