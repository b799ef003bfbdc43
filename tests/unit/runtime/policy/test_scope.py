"""Scopes: what a grant remembers of a call is the same for equal values only."""

from __future__ import annotations

import json

import pytest

from toolgen.runtime.policy.scope import spelled_value


@pytest.mark.parametrize("levels", [1, 100, 900, 990, 1000, 5000, 100_000])
def test_a_text_that_may_be_json_is_never_spelled_like_the_value_of_it(levels: int) -> None:
    text = "[" * levels + "]" * levels
    assert spelled_value(text) == json.dumps(text)
