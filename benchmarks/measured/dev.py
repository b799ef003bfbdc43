"""`toolgen dev`: seconds from a save of one spec until each part of the page is of the saved version, for each save."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Self

from benchmarks.projects import changed
from toolgen.authoring.dev.loop import Loop
from toolgen.authoring.dev.page import Choices, Page, Part


class Measuring:
    """A view that saves when all parts are current, `saves` times, and notes when each part is current again."""

    def __init__(self, saves: int) -> None:
        self._left = saves
        self._saved: float | None = None
        self._waits: set[Part] = set()
        self._number = 0
        self.seconds: dict[str, list[float]] = {part.value: [] for part in Part}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None: ...

    def open(self) -> None: ...

    def close(self) -> None: ...

    def show(self, page: Page) -> None:
        current = {part for part in Part if not page.shown(part).is_stale}
        problems = [page.shown(part).problem for part in Part if page.shown(part).problem]
        assert not problems, problems
        if self._saved is not None and page.number > self._number:
            for part in self._waits & current:
                self.seconds[part.value].append(time.perf_counter() - self._saved)
            self._waits -= current
        if current == set(Part) and not self._waits:
            if self._left == 0:
                raise KeyboardInterrupt
            self._left -= 1
            self._number, self._waits = page.number, set(Part)
            self._saved = time.perf_counter()
            changed(Path())


def main(saves: int) -> None:
    view = Measuring(saves)
    try:
        Loop(Path(), Choices(), view, lambda _config: "").run()
    except KeyboardInterrupt:
        print(json.dumps(view.seconds))


if __name__ == "__main__":
    main(int(sys.argv[1]))
