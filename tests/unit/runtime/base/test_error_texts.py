"""Error texts for models: short, without details of the host, and with the next step. Every kind of failure is real."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from functools import cache
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Final

import pytest

from tests.unit.runtime.base.failures import DEEP_ARGS, FAILURES, FOLDER, SECRET, Failure
from tests.unit.runtime.tools import catalog_of, runtime_of
from toolgen.contract.records import FailureKind, ToolCallMeta, ToolRequest
from toolgen.record.memory import MemoryStore
from toolgen.spec.text import is_hidden

if TYPE_CHECKING:
    from toolgen.contract.records import ToolError

LONGEST: Final = 2_000
"""Maximum characters of a text. A model reads all of them in this turn and all later ones."""

CHECKOUT: Final = Path(__file__).parents[4]
LEAKS: Final = (
    *(SECRET, SECRET[:20], FOLDER, "/srv", "prod.yaml with api_key=sk", "Traceback", 'File "', "site-packages"),
    *map(str, (CHECKOUT, Path.home(), sys.prefix, sys.base_prefix)),
)


@cache
def error_and_text(name: str) -> tuple[ToolError, str]:
    """Return how a call failed, and the text shown to the model."""
    result = next(failure for failure in FAILURES if failure.name == name).happens()
    assert result.error is not None, result
    shown = [block.data if block.type == "text" else json.dumps(block.data) for block in result.content]
    return result.error, "\n".join(shown)


of_each_failure = pytest.mark.parametrize("failure", FAILURES, ids=lambda failure: failure.name)


def test_every_kind_of_failure_is_covered() -> None:
    assert {failure.kind for failure in FAILURES} == set(FailureKind)
    assert len({failure.name for failure in FAILURES}) == len(FAILURES)


@of_each_failure
def test_a_failure_has_its_kind_and_its_code(failure: Failure) -> None:
    error, _ = error_and_text(failure.name)
    assert (error.kind, error.code) == (failure.kind, failure.code)
    assert re.fullmatch(r"[a-z]+(_[a-z]+)*", error.code)


@of_each_failure
def test_a_failure_text_is_bounded(failure: Failure) -> None:
    error, text = error_and_text(failure.name)
    assert 0 < len(text) <= LONGEST
    assert len(error.message) <= 700


def test_most_failure_texts_are_far_shorter() -> None:
    lengths = [len(error_and_text(failure.name)[1]) for failure in FAILURES]
    assert median(lengths) <= 150
    assert sum(length <= 500 for length in lengths) >= 0.75 * len(lengths)


@of_each_failure
def test_a_failure_text_leaks_nothing_of_the_host(failure: Failure) -> None:
    error, text = error_and_text(failure.name)
    all_texts = "\n".join([text, error.message, error.hint, *(f"{each.found} {each.hint}" for each in error.issues)])
    assert [leak for leak in LEAKS if leak in all_texts] == []


@of_each_failure
def test_a_failure_text_contains_no_invisible_characters(failure: Failure) -> None:
    error, text = error_and_text(failure.name)
    assert "\n" not in error.message
    assert [line for line in text.splitlines() if any(map(is_hidden, line))] == []


@of_each_failure
def test_a_failure_text_says_what_to_do_next(failure: Failure) -> None:
    error, text = error_and_text(failure.name)
    is_to_be_mended = error.kind is FailureKind.INVALID_CALL and error.issues
    advice = [issue.hint for issue in error.issues] if is_to_be_mended else [error.hint]
    assert all(advice)
    assert advice[0] in text
    assert text.startswith(error.message)


def test_a_secret_sent_by_a_model_is_in_no_error_and_no_store() -> None:
    async def stored() -> str:
        store = MemoryStore()
        request = ToolRequest(name="own.tool", payload='{"mode": "mode_1", "size": 1, "password": "hunter2hunter2"}')
        result = await runtime_of(catalog_of(input_schema=DEEP_ARGS), store=store).invoke(
            request, meta=ToolCallMeta(run_id="r1")
        )
        text = result.content[0].data
        assert "hunter2" not in f"{text} {result}"
        assert "- /password: use at most 4 characters (found [redacted])" in text
        assert 'you sent: {"mode":"mode_1","size":1,"password":"[redacted]"}' in text
        record = await store.read("r1")
        return json.dumps([event.data for event in record.events] + [each.content for each in record.results])

    assert "hunter2" not in asyncio.run(stored())
