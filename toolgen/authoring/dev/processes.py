"""Processes of parts: each is asked the newest question when it has answered the one before."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from tempfile import TemporaryFile
from threading import Thread
from typing import IO, TYPE_CHECKING, Final

from toolgen.authoring.dev.page import Answer

if TYPE_CHECKING:
    from toolgen.authoring.dev.page import Part, Question


_CODE: Final = "import sys; sys.path[:] = {path!r}; from toolgen.authoring.dev.worker import main; main({part!r})"
"""The folders of imports are those of this process, not the working directory, where a project may have any module."""

_PATIENCE: Final = 2.0
"""Seconds for a process to end in."""

_LAST_WORDS: Final = 2000
"""Bytes that are read of what an ended process wrote on stderr."""


class PartProcess:
    """The process of one part, and a thread that asks it. `report` is called in that thread with number and answer."""

    def __init__(self, part: Part, report: Callable[[Part, int, Answer], None]) -> None:
        self._part = part
        self._report = report
        self._asked: SimpleQueue[tuple[int, Question] | None] = SimpleQueue()
        self._is_closed = False
        self._start()
        self._thread = Thread(target=self._work, daemon=True)
        self._thread.start()

    def ask(self, number: int, question: Question) -> None:
        """Ask a question, under a number. Of questions that wait, only the newest is answered."""
        self._asked.put((number, question))

    def terminate(self) -> None:
        """End the process and the thread, and do not wait for their end."""
        self._is_closed = True
        self._asked.put(None)
        self._process.terminate()

    def close(self) -> None:
        """End the process and the thread, and wait for their end."""
        self.terminate()
        self._end()
        self._thread.join()
        self._end()  # the process that the thread may have started since

    def _start(self) -> None:
        """Start the process, in a group of its own: Ctrl-C at the terminal is for the process that shows the page."""
        self._errors: IO[bytes] = TemporaryFile()  # noqa: SIM115  # until the process has ended
        code = _CODE.format(path=sys.path, part=self._part.value)
        self._process = subprocess.Popen(  # noqa: S603  # no shell
            [sys.executable, "-P", "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            process_group=0,
        )

    def _end(self) -> None:
        """End the process, which may be at work."""
        self._process.terminate()
        try:
            self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _work(self) -> None:
        while asked := self._newest():
            number, question = asked
            self._report(self._part, number, self._answer(question))
        self._disconnect()

    def _newest(self) -> tuple[int, Question] | None:
        """Wait for a question, and return the newest; None at the end."""
        asked = self._asked.get()
        while asked and not self._asked.empty():
            asked = self._asked.get()
        return asked

    def _disconnect(self) -> None:
        for file in (self._process.stdin, self._process.stdout, self._errors):
            with suppress(OSError):  # what was not sent to a process that has ended
                if file:
                    file.close()

    def _answer(self, question: Question) -> Answer:
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            pickle.dump(question, process.stdin)
            process.stdin.flush()
            answer: Answer = pickle.load(process.stdout)  # noqa: S301  # from a process that this one started
        except (EOFError, OSError, pickle.UnpicklingError):
            ended = process.wait()
            words = self._last_words()
            if not self._is_closed:
                self._disconnect()
                self._start()
            return Answer(problem=f"internal error: the process of this part ended ({ended})", traceback=words)
        return answer

    def _last_words(self) -> str:
        self._errors.seek(0, 2)
        self._errors.seek(max(0, self._errors.tell() - _LAST_WORDS))
        return self._errors.read().decode(errors="replace")
