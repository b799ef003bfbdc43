"""Vectors from a function of the host."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from toolgen.llm.search.embedding import EmbeddingError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class FunctionEmbedder:
    """Calls a function, `module:name`. Raises EmbeddingError if there is none."""

    def __init__(self, function: str) -> None:
        self._function = _imported(function)
        self.model = f"function {function}"

    def embed(self, texts: Sequence[str], /) -> Sequence[Sequence[float]]:
        """Return what the function returns; its exceptions are not caught."""
        return self._function(list(texts))


def _imported(function: str) -> Callable[[list[str]], Sequence[Sequence[float]]]:
    module, colon, name = function.partition(":")
    if not (module and colon and name):
        raise EmbeddingError(f'{function!r} is not a function: write "module:name"')
    try:
        found = getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise EmbeddingError(f"{function!r} cannot be imported: {error}") from error
    if not callable(found):
        raise EmbeddingError(f"{function!r} is not a function, but {type(found).__name__}")
    return found  # type: ignore[no-any-return]  # the result is checked where it is used
