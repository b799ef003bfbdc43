"""Options of the whole test suite, and the package that runtime tests load."""

from __future__ import annotations

import faulthandler
import gc
import os
import shutil
import signal
import time
from collections import defaultdict
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from tests.programs.postgres import initialized_postgres, postgres_server, postgres_url, shared_postgres
from tests.unit.runtime.package import shop

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "collect_ignore",
    "initialized_postgres",
    "postgres_server",
    "postgres_url",
    "pytest_addoption",
    "shared_postgres",
    "shop",
]

settings.register_profile("short", settings.get_profile("ci"), max_examples=15)
"""The examples of `make test` for properties without a number of their own; `make test-long` has all of `ci`."""

_HANGS = 1200
"""The seconds after which a test that waits for what does not come fails with the stack of its threads."""

_LONG_ID = 200
"""The characters that are kept of a text that names a test."""

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell that starts the tests in the background makes them, and all that they start, ignore Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The runtime is also tested without the compiler, and without the clients of Redis and Postgres.
collect_ignore = [
    *(
        ()
        if find_spec("click")
        else ("unit/execute", "unit/llm/presentations", "unit/runtime/calls/stages/test_inject.py")
    ),
    *(() if find_spec("redis") and find_spec("psycopg") else ("unit/runtime/policy/rate_limits",)),
    *(() if find_spec("psycopg") else ("unit/record/postgres", "unit/runtime/policy/grants")),
]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-cases",
        action="store_true",
        help="rewrite expected/ and diagnostics.txt of tests/cases; the difference is reviewed like code",
    )


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Use twice as many workers as there are cores: the tests that take longest wait for programs and databases.

    With `-n logical` there are as many as cores, for tests that wait for nothing. Three times as many take longer.
    """
    return (os.cpu_count() or 1) * (1 if config.getoption("numprocesses") == "logical" else 2)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    from tests.scheduling import ByModule

    return ByModule(config, log) if config.getoption("dist") == "loadgroup" else None


def pytest_make_parametrize_id(val: object) -> str | None:
    """Name the test of a long text after its beginning: workers report each name several times."""
    if isinstance(val, str | bytes) and len(val) > _LONG_ID:
        return f"{val[:_LONG_ID]!a} and {len(val) - _LONG_ID} more"
    return None


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Iterator[None]:
    _mark_most_variants_long(items)
    yield  # tests are chosen by their marks
    if hasattr(config, "workerinput"):
        from tests.scheduling import slow_first

        items[:] = slow_first(items)


def _mark_most_variants_long(items: list[pytest.Item]) -> None:
    """Mark the tests `long` that `make test` leaves out of those with the mark `variants`."""
    families: dict[tuple[str, int], list[pytest.Item]] = defaultdict(list)
    for item in items:
        mark = item.get_closest_marker("variants")
        if mark is not None and not item.get_closest_marker("long"):
            families[item.nodeid.partition("[")[0], mark.args[0]].append(item)
    for (_, number), family in families.items():
        chosen = {len(family) * place // number for place in range(number)}
        for place, item in enumerate(family):
            if place not in chosen:
                item.add_marker(pytest.mark.long)


def pytest_configure(config: pytest.Config) -> None:
    """Collect without garbage collection: nearly all that is made lives until the end."""
    gc.disable()
    config.pluginmanager.register(_Watchdog(os.dup(2)))  # the tests' own is captured


class _Watchdog:
    """Ends a worker in which a test hangs; the others go on.

    It is wound up once a minute: the `faulthandler_timeout` of pytest starts a thread for each test and waits for its
    end, which takes longer than most tests do.
    """

    def __init__(self, stderr: int) -> None:
        self._stderr = stderr
        self._wound_up = -60.0

    def pytest_runtest_setup(self) -> None:
        if time.monotonic() - self._wound_up > 60:
            faulthandler.dump_traceback_later(_HANGS, exit=True, file=self._stderr)
            self._wound_up = time.monotonic()

    def pytest_unconfigure(self) -> None:
        faulthandler.cancel_dump_traceback_later()
        os.close(self._stderr)


def pytest_collection_finish() -> None:
    """Exclude thousands of tests, which live until the end, from garbage collection and from forks.

    What tests build together lives as long: to look through it as often as by default takes up to a tenth of the time.
    """
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()


@pytest.fixture(autouse=True)
def _process_as_before() -> Iterator[None]:
    """Fail a test that leaves another environment or working directory to the tests, and the programs, after it."""
    before = _process()
    yield
    assert _process() == before


def _process() -> tuple[dict[str, str], str]:
    variables = {name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"}
    return variables, str(Path.cwd())


@pytest.fixture(scope="session")
def mypy_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a mypy cache for all tests of this process, with what `make lint` left in its own.

    A run without cached libraries and toolgen takes half a minute. It is a copy: two processes cannot write to one.
    """
    cache = tmp_path_factory.mktemp("mypy_cache")
    linted = Path(__file__).resolve().parents[1] / ".mypy_cache"
    if linted.is_dir():
        shutil.copytree(linted, cache, dirs_exist_ok=True)
    return cache
