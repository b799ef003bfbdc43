"""Vectors from a sentence-transformers model in a folder. Needs an extra, imported on use."""

from __future__ import annotations

from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolgen.llm.search.embedding import EmbeddingError

if TYPE_CHECKING:
    from collections.abc import Sequence


class LocalEmbedder:
    """Uses a model in a folder, loaded on first use. Raises EmbeddingError if there is none."""

    def __init__(self, path: str) -> None:
        if find_spec("sentence_transformers") is None:
            raise EmbeddingError(
                'a local embedding model needs sentence-transformers: pip install "toolgen[local-vectors]"'
            )
        if not Path(path).is_dir():
            raise EmbeddingError(f"there is no folder {Path(path).name!r} with an embedding model")
        self._path = path
        self.model = f"local {Path(path).resolve()}"

    def embed(self, texts: Sequence[str], /) -> Sequence[Sequence[float]]:
        """Return the vectors of the model; its exceptions are not caught."""
        vectors: list[list[float]] = self._loaded.encode(list(texts), show_progress_bar=False).tolist()
        return vectors

    @cached_property
    def _loaded(self) -> Any:
        made: Any = import_module("sentence_transformers")
        return made.SentenceTransformer(self._path, local_files_only=True)
