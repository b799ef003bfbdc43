"""Vectors of documents: made once for each content and model, kept in a file, and compared with that of a query.

Needs the extra `toolgen[vectors]` (numpy), which is imported on use.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing, contextmanager
from dataclasses import dataclass
from heapq import nsmallest
from importlib.util import find_spec
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from toolgen.runtime.search.embedding import EmbeddingError
from toolgen.runtime.sqlite_files import SqliteKind

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Iterable, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from toolgen.contract.search.documents import SearchDocument
    from toolgen.runtime.search.embedding import Embedder
    from toolgen.runtime.search.index import Index

_VECTORS_FILE: Final = SqliteKind(
    name="file of vectors",
    application=0x74676576,  # `tgev` in ASCII
    version=1,
    tables=("CREATE TABLE vectors (model TEXT, digest TEXT, vector BLOB, PRIMARY KEY (model, digest)) WITHOUT ROWID",),
    error=EmbeddingError,
)
_BATCH: Final = 256
"""Documents that are embedded before they are kept: a failure loses no more."""


@dataclass(frozen=True, slots=True)
class _Rows:
    """Documents of an index in the order of their keys, and a row of the matrix for each."""

    index: Index
    keys: frozenset[str]
    ordered: list[str]
    matrix: NDArray[np.float32]


class Vectors:
    """The vectors of the documents of `index`, which may be replaced. Waits for the embedder; threads may share it."""

    def __init__(
        self,
        index: Index,
        embedder: Embedder,
        read: Callable[[Sequence[str]], Iterable[SearchDocument]],
        file: Path | None = None,
    ) -> None:
        """Take what reads documents by key, and where vectors are kept; without a file they are made each time.

        Raises EmbeddingError without numpy.
        """
        if find_spec("numpy") is None:
            raise EmbeddingError('search by vectors needs numpy: pip install "toolgen[vectors]"')
        self.index = index
        self._embedder = embedder
        self._read = read
        self._file = file
        self._lock = Lock()
        self._known: dict[str, NDArray[np.float32]] = {}
        self._rows: _Rows | None = None

    def nearest(self, query: str, count: int, keys: Collection[str]) -> list[str]:
        """Give the `count` of these keys whose documents are nearest to a query by cosine, ties by key.

        Raises EmbeddingError.
        """
        if not keys or count < 1:
            return []
        rows = self._rows_of(frozenset(keys))
        (asked,) = self._unit_vectors([query])
        if asked.shape != rows.matrix.shape[1:]:
            raise self._uneven()
        far: list[float] = (-(rows.matrix @ asked)).tolist()
        return [key for _, key in nsmallest(count, zip(far, rows.ordered, strict=True))]

    def _rows_of(self, keys: frozenset[str]) -> _Rows:
        """The vectors of documents. Those asked for last are kept."""
        import numpy as np

        with self._lock:
            kept = self._rows
            if kept is None or kept.keys != keys or kept.index is not self.index:
                ordered = sorted(keys)
                self._embed_missing(ordered)
                rows = [self._known[self.index.digest(key)] for key in ordered]
                if any(row.shape != rows[0].shape for row in rows):
                    raise self._uneven()
                self._rows = kept = _Rows(self.index, keys, ordered, np.stack(rows))
            return kept

    def _uneven(self) -> EmbeddingError:
        return EmbeddingError(f"{self._embedder.model} gave vectors of different lengths")

    def _embed_missing(self, keys: Sequence[str]) -> None:
        missing = [key for key in keys if self.index.digest(key) not in self._known]
        if missing and self._file is not None:
            self._known.update(self._kept(self._file))
            missing = [key for key in missing if self.index.digest(key) not in self._known]
        for start in range(0, len(missing), _BATCH):
            documents = list(self._read(missing[start : start + _BATCH]))
            made = zip(documents, self._unit_vectors([each.text for each in documents]), strict=True)
            found = {each.digest: vector for each, vector in made}
            if self._file is not None:
                self._keep(self._file, found)
            self._known.update(found)
        if any(self.index.digest(key) not in self._known for key in keys):
            raise EmbeddingError("documents changed since they were indexed")

    def _unit_vectors(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        import numpy as np

        try:
            matrix = np.asarray(self._embedder.embed(texts), dtype=np.float32)
        except EmbeddingError:
            raise
        except (ValueError, TypeError) as error:
            raise EmbeddingError(f"{self._embedder.model} gave no vectors of one length") from error
        except Exception as error:
            raise EmbeddingError(f"{self._embedder.model} raised {type(error).__name__}") from error
        if matrix.ndim != 2 or len(matrix) != len(texts) or not np.isfinite(matrix).all():
            raise EmbeddingError(f"{self._embedder.model} gave no vectors of one length, one for each text")
        lengths: Any = np.linalg.norm(matrix, axis=1, keepdims=True)
        return list(matrix / np.where(lengths == 0, 1, lengths))

    def _kept(self, file: Path) -> dict[str, NDArray[np.float32]]:
        import numpy as np

        with _opened(file) as connection:
            rows = connection.execute("SELECT digest, vector FROM vectors WHERE model = ?", [self._embedder.model])
            return {digest: np.frombuffer(vector, dtype="<f4") for digest, vector in rows}

    def _keep(self, file: Path, vectors: dict[str, NDArray[np.float32]]) -> None:
        rows = [(self._embedder.model, digest, vector.astype("<f4").tobytes()) for digest, vector in vectors.items()]
        with _opened(file) as connection, connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows)


@contextmanager
def _opened(file: Path) -> Generator[sqlite3.Connection]:
    try:
        with closing(_VECTORS_FILE.open_for_writing(file)) as connection:
            yield connection
    except sqlite3.Error as error:
        raise EmbeddingError(f"the file of vectors cannot be used: {error}") from error
