"""Embedders: what makes the vectors of a configured class. Local models need the extra `local-vectors`."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolgen.contract.extras import MissingExtra
from toolgen.llm.search.embedding import EmbeddingError, EndpointClass, FunctionClass, LocalClass
from toolgen.runtime.base.suggest import nearest
from toolgen.runtime.redact.exceptions import explanation, hiding
from toolgen.runtime.redact.secrets import NO_SECRETS
from toolgen.spec.tool_use import LEXICAL

if TYPE_CHECKING:
    from toolgen.llm.search.embedding import Embedder, EmbeddingClass


# Vectors from a function of the host.


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
        found: Any = import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as error:
        why = explanation(error, hiding(NO_SECRETS))
        raise EmbeddingError(f"{function!r} cannot be imported: {why}") from error
    except (Exception, SystemExit) as error:  # the module does what it likes, and its messages may have secrets
        raise EmbeddingError(f"{function!r} cannot be imported: it raised {type(error).__name__}") from error
    if not callable(found):
        raise EmbeddingError(f"{function!r} is not a function, but {type(found).__name__}")
    return found  # type: ignore[no-any-return]  # the result is checked where it is used


# Vectors from a sentence-transformers model in a folder. Needs an extra, imported on use.


class LocalEmbedder:
    """Uses a model in a folder, loaded on first use. Raises EmbeddingError if there is none."""

    def __init__(self, path: str) -> None:
        if find_spec("sentence_transformers") is None:
            missing = MissingExtra("a local embedding model needs sentence-transformers", "local-vectors")
            raise EmbeddingError(str(missing))
        if not os.path.isdir(path):  # noqa: PTH112  # raises nothing for a long name
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
            return LocalEmbedder(path)
        case FunctionClass(function=function):
            return FunctionEmbedder(function)
        case None:
            known = (LEXICAL, *classes)
            meant = nearest(name, known, count=1)
            hint = f"did you mean {meant[0]!r}?" if meant else f"there are {', '.join(known)}"
            raise EmbeddingError(f"there is no embedding class {name!r}; {hint}")
