"""Sessions: a process and all processes that it started, watched until it exits, and ended together.

On Linux these are found in /proc: the processes of its session, their children, and those whose environment has the
mark that it was started with, as that of a daemon has, which left its session and its parent. A program that also
removes the mark from the environment of its children, and ends before they do, hides them. Elsewhere these are the
processes of its group.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

MARK: Final = "TOOLGEN_SESSION"
"""The variable with the marks of the sessions that a process belongs to, which may start each other."""

_PROC: Final = Path("/proc")
_ZOMBIE_STATES: Final = (b"Z", b"X")
_FIRST_LOOK: Final = 0.002
_LAST_LOOK: Final = 0.1
_KILLED_WITHIN: Final = 2.0
"""Seconds that the system may take to end a killed process; one that waits for a device can take longer."""


class ProcessSession:
    """A process that was started as the leader of a session, and the processes that it started.

    `exited` is done when the leader has exited. If possible, the leader is not reaped before `kill`, so that its id is
    not reused.
    """

    def __init__(self, argv: Sequence[str | bytes], *, cwd: str | None, env: Mapping[str, str], stdin: int) -> None:
        """Start a program without a terminal, with pipes for stdout and stderr. Raises what `Popen` raises."""
        self._mark = secrets.token_hex(16)
        self._known: set[tuple[int, int]] = set()
        marks = f"{os.environ.get(MARK, '')}:{self._mark}"
        self.leader = subprocess.Popen(  # noqa: S603  # earlier stages decide what may run
            argv,
            bufsize=0,
            cwd=cwd,
            env={**env, MARK: marks},
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        self._exit_code: int | None = None
        self._loop = asyncio.get_running_loop()
        self.exited: asyncio.Future[None] = self._loop.create_future()
        self._pidfd = _pidfd(self.leader.pid)
        if self._pidfd is None:
            threading.Thread(target=self._wait, name=f"process-{self.leader.pid}", daemon=True).start()
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
            if self._pidfd is None and self.leader.poll() is not None:
                break  # remaining processes of a group cannot be distinguished from zombies
            time.sleep(look)
            look = min(2 * look, _LAST_LOOK)
        if self._pidfd is not None:
            self._loop.remove_reader(self._pidfd)
            os.close(self._pidfd)
            self._pidfd = None
        code = self.leader.poll()
        self._exit_code = -signal.SIGKILL if code is None else code
        return self._exit_code

    def _set_exited(self) -> None:
        if not self.exited.done():
            self.exited.set_result(None)
        if self._pidfd is not None:
            self._loop.remove_reader(self._pidfd)

    def _wait(self) -> None:
        self.leader.wait()
        with suppress(RuntimeError):  # the loop was closed
            self._loop.call_soon_threadsafe(self._set_exited)

    def _is_alive(self) -> bool:
        if self._pidfd is not None:
            return bool(self._living())
        if self.leader.poll() is None:
            return True
        try:
            os.killpg(self.leader.pid, 0)
        except (ProcessLookupError, PermissionError):
            return False
        return True

    def _signal(self, number: signal.Signals) -> None:
        """Send to the group of the leader, which is atomic, and then to those with other groups."""
        leader = self.leader.pid
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(leader, number)
        for member in self._living() if self._pidfd is not None else ():
            if member.group != leader:
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(member.pid, number)

    def _living(self) -> list[_Process]:
        """Return the processes of the session, without zombies."""
        leader = self.leader.pid
        found = list(_processes())
        since = next((each.started for each in found if each.pid == leader), 0)
        members = {
            each.pid: each for each in found if each.session == leader or (each.pid, each.started) in self._known
        }
        later = [each for each in found if each.started >= since and each.pid not in members]
        mark = self._mark.encode()
        members |= {each.pid: each for each in later if _has(each.pid, mark)}
        rest = [each for each in later if each.pid not in members]
        while children := [each for each in rest if each.parent in members]:
            members |= {each.pid: each for each in children}
            rest = [each for each in rest if each.pid not in members]
        self._known |= {(each.pid, each.started) for each in members.values()}  # also after their parent has ended
        return [each for each in members.values() if each.state not in _ZOMBIE_STATES]


class _Process(NamedTuple):
    pid: int
    state: bytes
    parent: int
    group: int
    session: int
    started: int


def _pidfd(pid: int) -> int | None:
    """Open a descriptor that signals the exit of a process without reaping it; None if that is not supported."""
    if sys.platform != "linux" or not (_PROC / "self" / "stat").exists():
        return None
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):  # an old kernel, or a Python built for one
        return None


def _processes() -> Iterator[_Process]:
    for entry in os.listdir(_PROC):  # noqa: PTH208  # pathlib takes twice as long, and this is half of the work
        if entry.isdigit():
            try:
                stat = (_PROC / entry / "stat").read_bytes()
            except OSError:  # it is gone
                continue
            # pid (name) state parent group session … started …; a name can contain anything, also brackets (proc(5))
            fields = stat[stat.rindex(b")") + 2 :].split(b" ", 20)
            yield _Process(int(entry), fields[0], *map(int, (*fields[1:4], fields[19])))


def _has(pid: int, mark: bytes) -> bool:
    """Whether a process was started with a mark; one of another user is not looked at."""
    try:
        return mark in (_PROC / str(pid) / "environ").read_bytes()
    except OSError:
        return False
