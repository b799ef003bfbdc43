"""Options of the whole test suite, and the package that tests of the runtime load."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from tests.unit.runtime.package import shop

if TYPE_CHECKING:
    import pytest

__all__ = ["collect_ignore", "pytest_addoption", "shop"]

# The runtime is tested without the compiler and without Redis, too.
collect_ignore = [
    *(
        ()
        if find_spec("click")
        else ("unit/execute", "unit/llm/presentations", "unit/runtime/calls/stages/test_inject.py")
    ),
    *(() if find_spec("redis") else ("unit/runtime/policy/rate_limits",)),
]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-cases",
        action="store_true",
        help="rewrite expected/ and diagnostics.txt of tests/cases; the difference is reviewed like code",
    )
