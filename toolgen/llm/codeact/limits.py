"""The resource limits of one snippet."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeActLimits:
    """The resource limits of one snippet, and how much of its output is shown.

    `seconds` limits the processor time of its code, and separately that of type checking; calls do not count. By the
    clock, as where the system does not tell processor times (outside of Linux), it is at most ten times as long.
    `total_seconds` limits the total wall-clock time, including calls: a call that is still running is cancelled.
    `memory_bytes` limits its values, and the memory of the type checker. `kept_bytes` limits the variables that a host
    keeps for the next snippet. `depth` limits the call depth, `calls` the number of tool calls of one snippet,
    `argument_bytes` the total size of their arguments. `source_chars` limits the snippet, `result_chars` and
    `printed_chars` what the model is shown of the result and the output, in characters as shown: an escape of ten
    characters counts ten.

    The limits are per snippet. The host must limit how many run at a time.
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
