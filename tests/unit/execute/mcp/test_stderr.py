"""The stderr of MCP servers: whatever it is read in, no part of a credential is shown."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toolgen.execute.mcp.stdio import _Log
from toolgen.runtime.redact.sent import SentCredentials

if TYPE_CHECKING:
    import pytest

SECRET = "Zq7wXk2mPv9bN4tRs8LcYh3gJd6fKa1eTu5oWi0x"


class Pieces(asyncio.StreamReader):
    """A stream of which each read returns the next piece."""

    def __init__(self, pieces: list[bytes]) -> None:
        self._pieces = iter(pieces)

    async def read(self, n: int = -1) -> bytes:
        return next(self._pieces, b"")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    parts=st.lists(st.tuples(st.integers(0, 1_100), st.sampled_from([" ", "\n", ""])), min_size=1, max_size=4),
    cuts=st.lists(st.integers(1, 4_000), max_size=6),
)
def test_a_credential_is_hidden_wherever_a_line_of_stderr_is_read_apart(
    parts: list[tuple[int, str]], cuts: list[int], capsys: pytest.CaptureFixture[str]
) -> None:
    text = "".join(f"{'x' * length} {SECRET}{end}" for length, end in parts).encode()
    places = [0, *sorted(cut % len(text) for cut in cuts), len(text)]
    pieces = [text[begin:end] for begin, end in pairwise(places) if begin < end]
    asyncio.run(_Log("shop", SentCredentials([SECRET]).hide).copy(Pieces(pieces)))
    shown = capsys.readouterr().err
    assert not any(SECRET[at : at + 6] in shown for at in range(len(SECRET) - 5))
    assert shown.count("[shop]") == len(text.decode().rstrip("\n").split("\n"))
