"""Variants for the long suite: values of a parametrized test of which `make test` has others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable


def later(values: Iterable[Any]) -> list[Any]:
    """Return values as parameters that `make test-long` alone has. A value is that of one parameter."""
    return [pytest.param(each, marks=pytest.mark.long) for each in values]
