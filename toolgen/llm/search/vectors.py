"""Vectors of documents: computed once, stored, and compared with those of queries. Needs the extra `vectors`.

numpy is imported on use.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from contextlib import closing
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

from toolgen.contract.extras import MissingExtra
from toolgen.llm.search.embedding import EmbeddingError
from toolgen.runtime.base.processes import ForkSafeLock
from toolgen.runtime.base.sqlite_files import UNREADABLE, SqliteKind, why
from toolgen.runtime.redact.warning import warn
from toolgen.spec.text import visible

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from toolgen.llm.search.embedding import Embedder
    from toolgen.llm.search.index import SearchIndex
    from toolgen.search.documents import SearchDocument

_T = TypeVar("_T")

_VECTORS_FILE: Final = SqliteKind(
    name="file of vectors",
    application=0x74676576,  # `tgev` in ASCII
    version=1,
    tables=(
        "CREATE TABLE vectors (model TEXT, digest TEXT, vector BLOB, PRIMARY KEY (model, digest)) WITHOUT ROWID",
        "CREATE TABLE uses (model TEXT, digest TEXT, day INTEGER, PRIMARY KEY (model, digest)) WITHOUT ROWID",
    ),
    error=EmbeddingError,
)
"""`uses` has the day since 1970 on which a process last began to use a vector."""

_KEPT_DAYS: Final = 30
"""Days after its last use for which a vector is kept: of those of no tool of this process others may have the tools."""

_NOTE_USES: Final = (
    _VECTORS_FILE.tables[1].replace("TABLE", "TABLE IF NOT EXISTS"),  # earlier versions made none
    "DELETE FROM uses WHERE day > :today",  # by a clock that was wrong
    "INSERT OR IGNORE INTO uses SELECT model, digest, :today FROM vectors",
)
_DELETE_UNUSED: Final = (
    "DELETE FROM uses WHERE day < :today - :kept",
    "DELETE FROM vectors WHERE (model, digest) NOT IN (SELECT model, digest FROM uses)",
)
_USE: Final = """INSERT INTO uses (model, digest, day) VALUES (?, ?, ?)
ON CONFLICT (model, digest) DO UPDATE SET day = excluded.day WHERE day <> excluded.day"""
_BATCH: Final = 96
"""Number of documents that are embedded before they are stored: a failure loses no more."""

_ROUNDING: Final = 1e-3
"""How far the length of a stored vector may be from 1."""

_PATIENCE: Final = 5.0
"""Seconds that a search waits for new documents to be embedded; the next search continues."""

Read: TypeAlias = "Callable[[Sequence[str]], Iterable[SearchDocument]]"
"""Reads documents by key."""


class NotYetError(Exception):
    """Documents are still being embedded; until then search is lexical."""


@dataclass(frozen=True, slots=True)
class Source:
    """The data of one search, which may outlast a change: an index, and the function that reads its documents."""

    index: SearchIndex
    read: Read


@dataclass(frozen=True, slots=True)
class _Rows:
    """Documents of an index, ordered by key, with a row of the matrix for each."""

    index: SearchIndex
    keys: frozenset[str]
    ordered: list[str]
    matrix: NDArray[np.float32]


class Vectors:
    """The vectors of the documents of `source`, which may be replaced. Blocks; thread-safe."""

    def __init__(
        self,
        index: SearchIndex,
        embedder: Embedder,
        read: Read,
        file: Path | None = None,
        *,
        patience: float = _PATIENCE,
    ) -> None:
        """Take the function that reads documents by key, and the file of vectors; without it they are not stored.

        `patience` is how many seconds a search waits for documents to be embedded; then `nearness` raises NotYetError,
        after the current batch. Raises EmbeddingError without numpy.
        """
        if find_spec("numpy") is None:
            raise EmbeddingError(str(MissingExtra("search by vectors needs numpy", "vectors")))
        self.source = Source(index, read)
        self._embedder = embedder
        self._file = file
        self._patience = patience
        self._lock = ForkSafeLock()
        self._known: dict[str, NDArray[np.float32]] = {}
        self._rows: _Rows | None = None

    def nearness(self, query: str, keys: Collection[str], source: Source | None = None) -> dict[str, float]:
        """Return the similarity of the document of each key to a query, from 0 for the least to 1 for the most similar.

        It is the cosine, scaled to that range, because models differ in the cosines of unrelated texts. All keys are in
        the index of the source, by default the current one. Raises EmbeddingError and NotYetError.
        """
        if not keys:
            return {}
        (asked,) = self._unit_vectors([query])
        rows = self._rows_of(source or self.source, frozenset(keys), len(asked))
        cosines: Any = rows.matrix @ asked
        span = float(cosines.max() - cosines.min())
        near: list[float] = ((cosines - cosines.min()) / (span or 1)).tolist()
        return dict(zip(rows.ordered, near, strict=True))

    def _rows_of(self, source: Source, keys: frozenset[str], length: int) -> _Rows:
        """Return the vectors of documents, all of one length. The last ones are cached."""
        import numpy as np

        until = time.monotonic() + self._patience
        if not self._lock.acquire(timeout=self._patience):
            raise NotYetError
        try:
            kept = self._rows
            if kept is None or kept.keys != keys or kept.index is not source.index or kept.matrix.shape[1] != length:
                ordered = sorted(keys)
                digests = [source.index.digest(key) for key in ordered]
                self._embed_missing(source, dict(zip(ordered, digests, strict=True)), length, until)
                matrix = np.stack([self._known[digest] for digest in digests])
                self._rows = kept = _Rows(source.index, keys, ordered, matrix)
            return kept
        finally:
            self._lock.release()

    def _embed_missing(self, source: Source, digests: Mapping[str, str], length: int, until: float) -> None:
        """Embed the documents, given as digests by key, whose vectors are not known."""
        missing = self._missing(digests, length)
        if missing:
            wanted = {source.index.digest(key) for key in source.index}
            known = self._known | self._kept(wanted)
            self._known = {digest: vector for digest, vector in known.items() if digest in wanted}
            missing = self._missing(digests, length)
        for start in range(0, len(missing), _BATCH):
            if time.monotonic() >= until:
                raise NotYetError
            documents = list(source.read(missing[start : start + _BATCH]))
            made = zip(documents, self._unit_vectors([each.text for each in documents]), strict=True)
            found = {each.digest: vector for each, vector in made}
            if any(len(vector) != length for vector in found.values()):
                raise EmbeddingError(f"{visible(self._embedder.model)} returned vectors of different lengths")
            self._keep(found, length)
            self._known.update(found)
        if self._missing(digests, length):
            raise EmbeddingError("documents changed since they were indexed")

    def _missing(self, digests: Mapping[str, str], length: int) -> list[str]:
        """Return the keys of documents without vectors, or with vectors of another length."""
        known = self._known
        return [key for key, digest in digests.items() if digest not in known or len(known[digest]) != length]

    def _unit_vectors(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        import numpy as np

        model = visible(self._embedder.model)
        try:
            matrix = np.asarray(self._embedder.embed(texts), dtype=np.float64)
        except EmbeddingError:
            raise
        except (ValueError, TypeError) as error:
            raise EmbeddingError(f"{model} did not return one vector of the same length for each text") from error
        except Exception as error:  # a model is the host's, and its messages may have secrets
            raise EmbeddingError(f"{model} raised {type(error).__name__}") from error
        if matrix.ndim != 2 or len(matrix) != len(texts) or not matrix.shape[1] or not np.isfinite(matrix).all():
            raise EmbeddingError(f"{model} did not return one vector of the same length for each text")
        largest: Any = np.abs(matrix).max(axis=1, keepdims=True)
        scaled = matrix / np.where(largest == 0, 1, largest)  # squares of a value beyond 1e154 are infinite
        lengths: Any = np.linalg.norm(scaled, axis=1, keepdims=True)
        return list((scaled / np.where(lengths == 0, 1, lengths)).astype(np.float32))

    def _kept(self, wanted: Set[str]) -> dict[str, NDArray[np.float32]]:
        """Return the stored vectors of documents, by digest; invalid rows are skipped, and so recomputed.

        What nobody has used for long is deleted: SQLite writes later vectors in its place.
        """
        import numpy as np

        def rows(connection: sqlite3.Connection) -> dict[str, NDArray[np.float32]]:
            days = {"today": int(time.time() // 86_400), "kept": _KEPT_DAYS}
            model = self._embedder.model
            with connection:
                connection.execute("BEGIN IMMEDIATE")
                for statement in _NOTE_USES:
                    connection.execute(statement, days)
                connection.executemany(_USE, [(model, digest, days["today"]) for digest in wanted])
                for statement in _DELETE_UNUSED:
                    connection.execute(statement, days)
            held = connection.execute(
                "SELECT digest, vector FROM vectors WHERE model = ? AND typeof(vector) = 'blob'"
                " AND length(vector) > 0 AND length(vector) % 4 = 0",
                [model],
            )
            found = ((digest, np.frombuffer(vector, dtype="<f4")) for digest, vector in held if digest in wanted)
            return {digest: vector for digest, vector in found if _is_unit(vector)}

        return self._with_file(rows) or {}

    def _keep(self, vectors: dict[str, NDArray[np.float32]], length: int) -> None:
        """Store vectors; those of another length are from an earlier version of the model, and are deleted."""
        rows = [(self._embedder.model, digest, vector.astype("<f4").tobytes()) for digest, vector in vectors.items()]

        def keep(connection: sqlite3.Connection) -> None:
            with connection:
                connection.execute("BEGIN IMMEDIATE")
                gone = [self._embedder.model, 4 * length]
                connection.execute("DELETE FROM vectors WHERE model = ? AND length(vector) != ?", gone)
                connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows)

        self._with_file(keep)

    def _with_file(self, work: Callable[[sqlite3.Connection], _T]) -> _T | None:
        """Run a function with the file. If that fails, log a warning, and do not use the file again."""
        if self._file is None:
            return None
        try:
            with closing(_VECTORS_FILE.open_for_writing(self._file)) as connection:
                return work(connection)
        except UNREADABLE as error:
            reason = f"the file of vectors cannot be used: {why(error)}"
        except EmbeddingError as error:
            reason = str(error)
        self._file = None
        warn("vectors are recomputed and not stored: %s", visible(reason))
        return None


def _is_unit(vector: NDArray[np.float32]) -> bool:
    """Whether a stored vector is one that was made: of length 1, or nothing but zeros."""
    wide = vector.astype("<f8")  # whose squares are finite
    return abs(float(wide @ wide) - 1) < _ROUNDING or not vector.any()
