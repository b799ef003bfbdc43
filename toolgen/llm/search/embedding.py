"""Embedding classes: the sources of vectors, which a host configures by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias


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
