"""Embedders: what makes the vectors of a configured class."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.llm.search.embedding import EmbeddingError, EndpointClass, FunctionClass, LocalClass
from toolgen.runtime.base.suggest import nearest
from toolgen.spec.tool_use import LEXICAL

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgen.llm.search.embedding import Embedder, EmbeddingClass


def embedder_of(name: str | None, classes: Mapping[str, EmbeddingClass]) -> Embedder | None:
    """Return what makes the vectors of a class by name; None for `lexical`, and for no class.

    Raises EmbeddingError for a name that is not configured, and for a class whose parts are not there.
    """
    if not name or name == LEXICAL:
        return None
    match classes.get(name):
        case EndpointClass() as endpoint:
            from toolgen.llm.search.endpoint import EndpointEmbedder

            return EndpointEmbedder(endpoint)
        case LocalClass(path=path):
            from toolgen.llm.search.local import LocalEmbedder

            return LocalEmbedder(path)
        case FunctionClass(function=function):
            from toolgen.llm.search.function import FunctionEmbedder

            return FunctionEmbedder(function)
        case None:
            known = (LEXICAL, *classes)
            meant = nearest(name, known, count=1)
            hint = f"did you mean {meant[0]!r}?" if meant else f"there are {', '.join(known)}"
            raise EmbeddingError(f"there is no embedding class {name!r}; {hint}")
