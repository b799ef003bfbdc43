"""Corpora: collections of documents that are searched by paragraphs."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from specs.examples.router.handlers.ranking import rank
from specs.examples.router.handlers.refusals import not_found

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path


class Corpora:
    """The corpora in a folder: a folder each, with documents, and `about.txt` that says what they are.

    A document is Markdown: a heading, and paragraphs, each of which is found and shown with it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def entries(self) -> Iterator[tuple[str, str]]:
        """List the corpora, with what they are."""
        for name in self._names():
            yield name, (self._folder / name / "about.txt").read_text(encoding="utf-8").strip()

    def recall(self, sources: Sequence[str], query: str, limit: int) -> list[tuple[str, float, str]]:
        """Give up to `limit` paragraphs of these corpora that fit a query, the best first: id, score and text.

        An id is `<corpus>/<document>#<number of the paragraph>`. Raises `CallFailed` with `corpus_not_found`.
        """
        paragraphs = {key: text for source in sources for key, text in self._paragraphs(source)}
        return [(found.key, found.score, paragraphs[found.key]) for found in rank(query, paragraphs, limit)]

    def drop(self, source: str) -> None:
        """Remove a corpus. Raises `CallFailed` with `corpus_not_found`."""
        shutil.rmtree(self._of(source))

    def _paragraphs(self, source: str) -> Iterator[tuple[str, str]]:
        for file in sorted(self._of(source).glob("*.md")):
            heading, *texts = file.read_text(encoding="utf-8").split("\n\n")
            for number, text in enumerate(texts, start=1):
                yield f"{source}/{file.name}#{number}", f"{heading.removeprefix('# ')}: {text.strip()}"

    def _of(self, source: str) -> Path:
        names = self._names()
        if source not in names:
            raise not_found("corpus", source, names)
        return self._folder / source

    def _names(self) -> list[str]:
        return sorted(about.parent.name for about in self._folder.glob("*/about.txt"))
