"""Processes of parts: each is asked the newest question when it has answered the one before."""

from __future__ import annotations

import pickle
import subprocess
import sys
from queue import SimpleQueue
from tempfile import TemporaryFile
from threading import Thread
from typing import TYPE_CHECKING, Final

from toolgen.authoring.dev.parts.records import Answer

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import IO

    from toolgen.authoring.dev.parts.records import Part, Question

_CODE: Final = "import sys; sys.path[:] = {path!r}; from toolgen.authoring.dev.parts.worker import main; main({part!r})"
"""The folders of imports are those of this process, not the working directory, where a project may have any module."""

_LAST_WORDS: Final = 2000
"""Bytes that are read of what an ended process wrote on stderr."""


class PartProcess:
    """The process of one part, and a thread that asks it. `report` is called in that thread with number and answer."""

    def __init__(self, part: Part, report: Callable[[Part, int, Answer], None]) -> None:
        self._part = part
        self._report = report
        self._asked: SimpleQueue[tuple[int, Question]] = SimpleQueue()
        self._is_closed = False
        self._start()
        Thread(target=self._work, daemon=True).start()

    def ask(self, number: int, question: Question) -> None:
        """Ask a question, under a number. Of questions that wait, only the newest is answered."""
        self._asked.put((number, question))

    def close(self) -> None:
        """End the process, and wait for its end."""
        self._is_closed = True
        self._process.terminate()
        self._process.wait()

    def _start(self) -> None:
        """Start the process, in a group of its own: Ctrl-C at the terminal is for the process that shows the page."""
        self._errors: IO[bytes] = TemporaryFile()  # noqa: SIM115 (until the process has ended)
        code = _CODE.format(path=sys.path, part=self._part.value)
        self._process = subprocess.Popen(  # noqa: S603 (no shell)
            [sys.executable, "-P", "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            process_group=0,
        )

    def _work(self) -> None:
        while True:
            number, question = self._asked.get()
            while not self._asked.empty():
                number, question = self._asked.get()
            answer = self._answer(question)
            if self._is_closed:
                return
            self._report(self._part, number, answer)

    def _answer(self, question: Question) -> Answer:
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            pickle.dump(question, process.stdin)
            process.stdin.flush()
            answer: Answer = pickle.load(process.stdout)  # noqa: S301 (from a process that this one started)
        except (EOFError, OSError, pickle.UnpicklingError):
            ended = process.wait()
            words = self._last_words()
            if not self._is_closed:
                self._start()
            return Answer(problem=f"internal error: the process of this part ended ({ended})", traceback=words)
        return answer

    def _last_words(self) -> str:
        self._errors.seek(0, 2)
        self._errors.seek(max(0, self._errors.tell() - _LAST_WORDS))
        return self._errors.read().decode(errors="replace")
