"""Embedding classes: the sources of vectors, which a host configures by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

from toolgen.runtime.base.suggest import nearest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

LEXICAL: Final = "lexical"
"""The class that is always available: lexical search without vectors."""


class EmbeddingError(RuntimeError):
    """Vectors are unavailable: an invalid configuration, or a model that fails. The message is one line, no secrets."""


class Embedder(Protocol):
    """Computes vectors of texts. Vectors with the same `model` are comparable, and are stored under that name.

    The classes below name their kind, where the model is, and the model.
    """

    @property
    def model(self) -> str:
        """The unique name of the model."""
        ...

    def embed(self, texts: Sequence[str], /) -> Sequence[Sequence[float]]:
        """Return a vector for each text, all of one length; blocks. If it raises, search continues without vectors."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointClass:
    """A server that answers `POST {url}/embeddings` as OpenAI's does; `url` as in `https://api.example.com/v1`.

    `key_variable` is the environment variable with the key; without it, none is sent. The key is sent only over https
    or to this machine. `timeout_seconds` limits `embed`, including all requests and retries.
    """

    url: str
    model: str
    key_variable: str = ""
    timeout_seconds: float = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalClass:
    """A model of sentence-transformers in a folder. Needs the extra `toolgen[local-vectors]`; nothing is downloaded."""

    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionClass:
    """A function of the host, as `module:name`: from a list of texts to a list of vectors."""

    function: str


EmbeddingClass: TypeAlias = EndpointClass | LocalClass | FunctionClass


def embedder_of(name: str | None, classes: Mapping[str, EmbeddingClass]) -> Embedder | None:
    """Return the embedder of a class by name; None for `lexical`, and for no class.

    Raises EmbeddingError for a name that is not configured, and for a class with missing dependencies.
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
