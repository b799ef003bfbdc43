"""Processes of the project: what compiles specs runs beside the pages, which it would hold up, and within bounds."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import TYPE_CHECKING, Any, Final

from toolgen.spec.text import cut

if TYPE_CHECKING:
    from pathlib import Path

_SECONDS: Final = 300.0
_OUTPUT_BYTES: Final = 16 * 1024 * 1024


async def json_of_process(root: Path, what: str, *words: str, given: bytes = b"") -> tuple[Any, str]:
    """Run a module of toolgen in the folder of a project, and return the JSON that it prints, and why it prints none.

    `words` are those of `python -m`, `what` is its name in a sentence, `given` is its stdin.
    """
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", *words),
        cwd=root,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(_SECONDS):
            _, out, err = await asyncio.gather(
                _sent(process.stdin, given), _bounded(process.stdout), _bounded(process.stderr)
            )
            await process.wait()
    except TimeoutError:
        return None, f"{what} takes longer than {_SECONDS:g} seconds: run it in a terminal"
    except _TooLong:
        return None, f"{what} prints more than {_OUTPUT_BYTES:,} bytes: run it in a terminal"
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    try:
        return await asyncio.to_thread(json.loads, out), ""
    except ValueError:
        return None, cut(err.decode(errors="replace").strip() or f"{what} printed no JSON", 10_000)


class _TooLong(Exception):
    """A stream has more than its bound."""


async def _sent(stream: asyncio.StreamWriter | None, given: bytes) -> None:
    assert stream is not None
    try:
        stream.write(given)
        await stream.drain()
    except (BrokenPipeError, ConnectionResetError):
        return  # the process has ended, and says why
    finally:
        stream.close()


async def _bounded(stream: asyncio.StreamReader | None) -> bytes:
    assert stream is not None
    read = bytearray()
    while chunk := await stream.read(65_536):
        read += chunk
        if len(read) > _OUTPUT_BYTES:
            raise _TooLong
    return bytes(read)
