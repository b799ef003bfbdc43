"""The loop: changes of the project and answers of its parts come in, and the page is shown after each."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from tempfile import TemporaryFile
from threading import Event, Thread
from typing import IO, TYPE_CHECKING, Final, NoReturn, Protocol, Self, TypeAlias

from toolgen.authoring.dev.page import Answer, Page, Part, Question
from toolgen.authoring.watch import Version, versions
from toolgen.compiler.project.config import Config, ConfigError

if TYPE_CHECKING:
    from pathlib import Path

    from toolgen.authoring.dev.page import Choices


# Processes of parts: each is asked the newest question when it has answered the one before.

_CODE: Final = "import sys; sys.path[:] = {path!r}; from toolgen.authoring.dev.worker import main; main({part!r})"
"""The folders of imports are those of this process, not the working directory, where a project may have any module."""

_GRACE: Final = 2.0
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
            self._process.wait(_GRACE)
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


_COMPARED: Final = frozenset({Part.CHANGES, Part.SURFACE})
_NAMED: Final = 3
"""Maximum number of changed files that are named."""

_PATIENCE: Final = 0.5
"""Seconds to wait for an event at once: Windows delivers no Ctrl-C to a thread that waits."""


class View(Protocol):
    """What shows the page. A context, in which it may be closed for a while and opened again."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_error: object) -> None: ...

    def open(self) -> None:
        """Begin to show."""

    def close(self) -> None:
        """Stop showing."""

    def show(self, page: Page) -> None:
        """Show the page as it is now."""


@dataclass(frozen=True, slots=True)
class _Moved:
    """The commit to compare with is another one."""


@dataclass(frozen=True, slots=True)
class _Answered:
    """A part has answered a question."""

    part: Part
    number: int
    answer: Answer


@dataclass(frozen=True, slots=True)
class _Redraw:
    """The terminal has another size, or was used by another program."""


@dataclass(frozen=True, slots=True)
class _Stop:
    """The process is to stop until it is continued."""


_Event: TypeAlias = Version | _Moved | _Answered | _Redraw | _Stop | BaseException


class Loop:
    """The page of the project in a folder, until Ctrl-C.

    `problem_of` returns what is wrong with a configuration that can be read, such as a missing folder; empty if nothing
    is. `page` is what is shown.
    """

    def __init__(self, root: Path, choices: Choices, view: View, problem_of: Callable[[Config], str]) -> None:
        self.page = Page(root, choices)
        self._view = view
        self._problem_of = problem_of
        self._events: SimpleQueue[_Event] = SimpleQueue()  # which a signal handler may put into
        self._config = Config(root)
        self._is_loaded = Event()

    def run(self) -> NoReturn:
        """Show the page now and after each event, without end; the processes of parts end with it."""
        with ExitStack() as stack:
            processes = {part: PartProcess(part, self._answered) for part in Part}
            stack.callback(_close, processes.values())
            stack.enter_context(self._view)
            self._take_signals()
            for source in (self._watch_project, self._watch_commit):
                Thread(target=self._forward, args=(source,), daemon=True).start()
            stack.callback(self._is_loaded.wait)  # an interpreter that ends while a thread imports crashes
            while True:
                self._take(self._next(), processes)
                self._view.show(self.page)

    def _next(self) -> _Event:
        while True:
            try:
                return self._events.get(timeout=_PATIENCE)
            except Empty:
                continue

    def _take(self, event: _Event, processes: dict[Part, PartProcess]) -> None:
        if isinstance(event, BaseException):
            raise event
        if isinstance(event, _Answered):
            self.page.take(event.part, event.number, event.answer)
        elif isinstance(event, Version):
            self._begin(event)
            self._ask(processes, frozenset(Part))
        elif isinstance(event, _Moved) and not self.page.setting:
            self.page.begin("the commit to compare with is another one", _COMPARED)
            self._ask(processes, _COMPARED)
        elif isinstance(event, _Stop):
            self._stop()

    def _begin(self, version: Version) -> None:
        config = version.config
        self.page.setting = config if isinstance(config, ConfigError) else self._problem_of(config)
        if isinstance(config, Config):
            self._config = config
        self.page.begin(f"{_listed(version.changed)} changed" if version.changed else "started")

    def _ask(self, processes: dict[Part, PartProcess], parts: frozenset[Part]) -> None:
        if not self.page.setting:
            for part in parts:
                processes[part].ask(self.page.number, Question(self._config, self.page.choices))

    def _answered(self, part: Part, number: int, answer: Answer) -> None:
        self._events.put(_Answered(part, number, answer))

    def _forward(self, source: Callable[[], None]) -> None:
        """Run a source of events; an error of it ends the loop."""
        try:
            source()
        except BaseException as error:  # noqa: BLE001  # raised in the main thread
            self._events.put(error)

    def _watch_project(self) -> None:
        for version in versions(self.page.root):
            self._events.put(version)

    def _watch_commit(self) -> None:
        """Watch the commit to compare with. The imports for it would delay the first page."""
        try:
            from toolgen.authoring.dev.commits import commits
        finally:
            self._is_loaded.set()
        found = commits(self.page.root, self.page.choices.against)
        next(found)
        for _ in found:
            self._events.put(_Moved())

    def _take_signals(self) -> None:
        """End at SIGTERM as at an error, draw again for another size, and leave the terminal while stopped.

        A signal may arrive while the page is written, in which nothing else can be written.
        """
        signal.signal(signal.SIGTERM, lambda number, _frame: sys.exit(128 + number))
        if sys.platform == "win32":
            return
        signal.signal(signal.SIGWINCH, lambda _number, _frame: self._events.put(_Redraw()))
        signal.signal(signal.SIGTSTP, lambda _number, _frame: self._events.put(_Stop()))

    def _stop(self) -> None:
        self._view.close()
        os.kill(os.getpid(), signal.SIGSTOP)
        self._view.open()


def _close(processes: Iterable[PartProcess]) -> None:
    """End all processes at once."""
    for process in processes:
        process.terminate()
    for process in processes:
        process.close()


def _listed(paths: tuple[str, ...]) -> str:
    more = len(paths) - _NAMED
    return ", ".join(paths[:_NAMED]) + (f" and {more} more" if more > 0 else "")
