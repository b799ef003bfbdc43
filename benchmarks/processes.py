"""Fresh processes, run in turn, so that other load of the machine affects all compared cases equally."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[1]


def seconds_of(folder: Path, *arguments: str, fails: Sequence[int] = ()) -> float:
    """Return the wall-clock seconds of one run of Python, from start to end; `fails` are other exit codes than 0."""
    start = time.perf_counter()
    _run(folder, arguments, fails)
    return time.perf_counter() - start


@contextmanager
def one_core() -> Generator[None]:
    """Let the processes that are started in the context use one core only, where the system can limit them."""
    if sys.platform != "linux":
        yield
        return
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, [min(allowed)])
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)


def memory_of(folder: Path, *arguments: str) -> int:
    """Return the most bytes that the largest process of one run of Python holds at once."""
    module, *rest = arguments[1:]
    code = (
        "import resource, runpy, sys\n"
        f"sys.argv = {[module, *rest]!r}\n"
        f"try: runpy.run_module({module!r}, run_name='__main__', alter_sys=True)\n"
        "except SystemExit: pass\n"
        "print(max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))"
    )
    return int(_run(folder, ("-c", code)).split()[-1]) * 1024


def report_of(folder: Path, *arguments: str) -> dict[str, Any]:
    """Return the JSON object that one run of Python prints."""
    report: dict[str, Any] = json.loads(_run(folder, arguments))
    return report


def in_turn(runs: int, cases: Mapping[str, Callable[[], float]]) -> dict[str, list[float]]:
    """Measure all cases `runs` times, one after the other and again.

    A preceding round, in which Python compiles the imports, does not count.
    """
    for measure in cases.values():
        measure()
    rounds = [{name: measure() for name, measure in cases.items()} for _ in range(runs)]
    return {name: [each[name] for each in rounds] for name in cases}


def summary(values: Sequence[float], digits: int = 4) -> dict[str, float]:
    return {
        "median": round(median(values), digits),
        "least": round(min(values), digits),
        "most": round(max(values), digits),
    }


def ratio(values: Sequence[float], base: Sequence[float]) -> float:
    """Return the median of the ratios of each round."""
    return round(median(value / other for value, other in zip(values, base, strict=True)), 3)


def _run(folder: Path, arguments: Sequence[str], fails: Sequence[int] = ()) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPATH"] = str(ROOT)
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode not in (0, *fails):
        raise RuntimeError(f"python {' '.join(arguments)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout
