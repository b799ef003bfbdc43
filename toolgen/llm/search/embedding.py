"""Embedding classes: where the vectors of texts come from, as a host configures it by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence


class EmbeddingError(RuntimeError):
    """No vectors came: a class that is not configured well, or a model that cannot be asked. One line, no secrets."""


class Embedder(Protocol):
    """Gives vectors of texts. `model` names what made them: vectors of one model compare, and are kept, under it.

    The classes below name their kind, where the model is, and the model.
    """

    @property
    def model(self) -> str:
        """The name of the model, which no other has."""
        ...

    def embed(self, texts: Sequence[str], /) -> Sequence[Sequence[float]]:
        """Give a vector for each text, all of one length; waits for it. Whatever it raises, search goes on by words."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointClass:
    """A server that answers `POST {url}/embeddings` as OpenAI's does; `url` as in `https://api.example.com/v1`.

    `key_variable` names the environment variable with the key; without one none is sent. It is sent over https alone,
    or to this machine. `timeout_seconds` bound what `embed` takes, all requests and tries together.
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
    """A function of the host's own, as `module:name`: from a list of texts to a list of vectors."""

    function: str


EmbeddingClass: TypeAlias = EndpointClass | LocalClass | FunctionClass
