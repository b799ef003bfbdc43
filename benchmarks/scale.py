"""The size and number of measurements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from benchmarks.tools import LARGE, SMALL


@dataclass(frozen=True)
class Scale:
    """`runs` fresh processes for each figure, `imports` for very short ones.

    `builds` are numbers of tools and files, and of the args of a tool; `real` counts published tools; `loads` and
    `calls` count tools, and `edited` those of a project in which `keystrokes` are typed. A steady call is timed over
    `repeats` calls, `rounds` times in each process. `durable_runs` are executed by each number of `workers`.
    """

    runs: int
    imports: int
    builds: tuple[tuple[int, int, tuple[int, ...]], ...]
    real: int
    loads: tuple[int, ...]
    calls: tuple[int, ...]
    edited: tuple[int, ...]
    keystrokes: int
    rounds: int
    repeats: int
    workers: tuple[int, ...]
    durable_runs: int


FULL: Final = Scale(
    runs=5,
    imports=25,
    builds=((100, 2, SMALL), (100, 20, SMALL), (1_000, 2, SMALL), (1_000, 20, SMALL), (500, 20, LARGE)),
    real=6_721,
    loads=(100, 1_000, 10_000),
    calls=(10, 10_000),
    edited=(100, 1_000),
    keystrokes=30,
    rounds=9,
    repeats=2_000,
    workers=(1, 2, 4, 8),
    durable_runs=120,
)
TINY: Final = Scale(
    runs=1,
    imports=1,
    builds=((4, 2, SMALL),),
    real=30,
    loads=(4,),
    calls=(4,),
    edited=(4,),
    keystrokes=2,
    rounds=1,
    repeats=10,
    workers=(1,),
    durable_runs=5,
)
