"""The engines, as fixtures, and a look at what they leave behind."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from tests.unit.engine.engines import durable, engines, prepared_postgres, prepared_url, retrying_threads, until

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["durable", "engines", "prepared_postgres", "prepared_url"]


@pytest.fixture(scope="module", autouse=True)
def no_thread_is_left_that_tries_again() -> Iterator[None]:
    """See that no thread waits for a database that a test had: it would go on, in any test of the same process."""
    yield
    asyncio.run(until(retrying_threads, lambda names: not names, seconds=120))  # each ends after its pause
