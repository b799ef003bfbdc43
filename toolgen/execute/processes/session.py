"""Sessions: a process and all processes that it started, watched until it exits, and ended together.

On Linux these are the processes of its session, from /proc; elsewhere those of its process group. A process that has
created a new session (a daemon) is not included.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from subprocess import Popen

_PROC: Final = Path("/proc")
_ZOMBIE_STATES: Final = (b"Z", b"X")
_FIRST_LOOK: Final = 0.002
_LAST_LOOK: Final = 0.1
_KILLED_WITHIN: Final = 2.0
"""Seconds that the system may take to end a killed process; one that waits for a device can take longer."""


class Session:
    """A process that was started as the leader of a session, and the processes that it started.

    `exited` is done when the leader has exited. If possible, the leader is not reaped before `kill`, so that its id is
    not reused.
    """

    def __init__(self, leader: Popen[bytes]) -> None:
        self._leader = leader
        self._exit_code: int | None = None
        self._loop = asyncio.get_running_loop()
        self.exited: asyncio.Future[None] = self._loop.create_future()
        self._pidfd = _pidfd(leader.pid)
        if self._pidfd is None:
            threading.Thread(target=self._wait, name=f"process-{leader.pid}", daemon=True).start()
        else:
            self._loop.add_reader(self._pidfd, self._set_exited)

    async def end(self, grace: float) -> None:
        """Ask all remaining processes to end, and wait up to `grace` seconds. `kill` must follow."""
        if not self._is_alive():
            return
        self._signal(signal.SIGTERM)
        deadline, look = self._loop.time() + grace, _FIRST_LOOK
        while self._is_alive() and (left := deadline - self._loop.time()) > 0:
            await asyncio.sleep(min(look, left))
            look = min(2 * look, _LAST_LOOK)

    def kill(self) -> int:
        """Kill all remaining processes, and reap the leader; return its exit code.

        It does not wait in the event loop, so that it cannot be cancelled. It blocks for the milliseconds in which the
        system ends a process, and at most `_KILLED_WITHIN` seconds. Called again, it only returns the code.
        """
        if self._exit_code is not None:
            return self._exit_code
        deadline, look = time.monotonic() + _KILLED_WITHIN, _FIRST_LOOK
        while self._is_alive() and time.monotonic() < deadline:
            self._signal(signal.SIGKILL)
            if self._pidfd is None and self._leader.poll() is not None:
                break  # remaining processes of a group cannot be distinguished from zombies
            time.sleep(look)
            look = min(2 * look, _LAST_LOOK)
        if self._pidfd is not None:
            self._loop.remove_reader(self._pidfd)
            os.close(self._pidfd)
            self._pidfd = None
        code = self._leader.poll()
        self._exit_code = -signal.SIGKILL if code is None else code
        return self._exit_code

    def _set_exited(self) -> None:
        if not self.exited.done():
            self.exited.set_result(None)
        if self._pidfd is not None:
            self._loop.remove_reader(self._pidfd)

    def _wait(self) -> None:
        self._leader.wait()
        with suppress(RuntimeError):  # the loop was closed
            self._loop.call_soon_threadsafe(self._set_exited)

    def _is_alive(self) -> bool:
        if self._pidfd is not None:
            return any(True for _ in _living(self._leader.pid))
        if self._leader.poll() is None:
            return True
        try:
            os.killpg(self._leader.pid, 0)
        except (ProcessLookupError, PermissionError):
            return False
        return True

    def _signal(self, number: signal.Signals) -> None:
        """Send to the group of the leader, which is atomic, and then to those with other groups."""
        leader = self._leader.pid
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(leader, number)
        for member in _living(leader) if self._pidfd is not None else ():
            if member.group != leader:
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(member.pid, number)


class _Member(NamedTuple):
    pid: int
    group: int


def _pidfd(pid: int) -> int | None:
    """Open a descriptor that signals the exit of a process without reaping it; None if that is not supported."""
    if sys.platform != "linux" or not (_PROC / "self" / "stat").exists():
        return None
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):  # an old kernel, or a Python built for one
        return None


def _living(session: int) -> Iterator[_Member]:
    """Return the processes of a session from /proc, without zombies."""
    for entry in os.listdir(_PROC):  # noqa: PTH208  # pathlib takes twice as long, and this is half of the work
        if entry.isdigit():
            try:
                stat = (_PROC / entry / "stat").read_bytes()
            except OSError:  # it is gone
                continue
            # pid (name) state parent group session …; a name can contain anything, including brackets (proc(5))
            state, _parent, group, its_session = stat[stat.rindex(b")") + 2 :].split(b" ", 4)[:4]
            if int(its_session) == session and state not in _ZOMBIE_STATES:
                yield _Member(int(entry), int(group))
