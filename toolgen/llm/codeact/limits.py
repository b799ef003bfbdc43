"""Limits: what one snippet may use."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeActLimits:
    """What one snippet may use, and how much of what it gives is shown.

    `seconds` bounds the wall clock while its code runs, and as much again while it is checked; the time of calls does
    not count. `total_seconds` bounds the wall clock of all of it, calls included: a call that is running then is
    cancelled. `memory_bytes` bounds its values, and what the type checker needs. `kept_bytes` is how large the
    variables may be that a host keeps for the next snippet. `depth` is how deep calls may nest, `calls` how often one
    snippet may call tools, `argument_bytes` how much it may pass to them in all. `source_chars` bounds the snippet,
    `result_chars` and `printed_chars` what a model is shown of the one value and the output, in characters as they are
    shown: an escape of ten characters counts ten.

    They are those of one snippet. How many run at a time is the host's to bound.
    """

    seconds: float = 5.0
    total_seconds: float = 600.0
    memory_bytes: int = 256 * 1024 * 1024
    kept_bytes: int = 64 * 1024 * 1024
    depth: int = 200
    calls: int = 100
    argument_bytes: int = 16 * 1024 * 1024
    source_chars: int = 50_000
    result_chars: int = 16_000
    printed_chars: int = 8_000
