"""Verifying a run in one piece and page by page: both find the same."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from toolgen.record.chain import ChainCheck, chain_pages, verify_chain
from toolgen.runtime.events.records import StoreError

if TYPE_CHECKING:
    from toolgen.record.chain import ChainFinding, ChainHead, ChainKey


def verified(reader: Any, run_id: str, head: ChainHead, key: ChainKey) -> list[ChainFinding]:
    """Return what is wrong with a run, after it was read in pages too.

    Pages of few rows leave out some of many forged rows, and a column of another type may have no pages.
    """
    found = verify_chain(reader.chain(run_id), head, key)
    for most in (1, 2, 500):
        check = ChainCheck(run_id, head, key)
        with suppress(*([StoreError] if found else [])):
            for page in chain_pages(reader, run_id, most):
                check.add(page)
            in_pages = check.end()
            assert {each.verdict for each in in_pages} == {each.verdict for each in found}
            assert most < 500 or in_pages == found
    return found
