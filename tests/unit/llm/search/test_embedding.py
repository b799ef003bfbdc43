"""Embedding classes: lookup by name, and clear errors for unavailable ones."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

from toolgen.llm.search.embedders import FunctionEmbedder, embedder_of
from toolgen.llm.search.embedding import (
    EmbeddingClass,
    EmbeddingError,
    EndpointClass,
    FunctionClass,
    LocalClass,
)
from toolgen.llm.search.endpoint import EndpointEmbedder

if TYPE_CHECKING:
    from pathlib import Path

CLASSES: dict[str, EmbeddingClass] = {
    "standard": EndpointClass(url="http://localhost:1/v1", model="small"),
    "own": FunctionClass(function="benchmarks.hashed_vectors:vectors"),
    "local": LocalClass(path="/models/minilm"),
}


@pytest.mark.parametrize("name", [None, "", "lexical"])
def test_no_class_and_the_class_lexical_need_no_embedder(name: str | None) -> None:
    assert embedder_of(name, CLASSES) is None


def test_a_class_returns_its_embedder() -> None:
    assert isinstance(embedder_of("standard", CLASSES), EndpointEmbedder)
    own = embedder_of("own", CLASSES)
    assert isinstance(own, FunctionEmbedder)
    assert own.model == "function benchmarks.hashed_vectors:vectors"
    assert len(own.embed(["a", "b"])) == 2


def test_models_with_one_name_at_two_paths_are_distinct() -> None:
    urls = ["http://localhost:1/v1", "http://localhost:2/v1"]
    made = [embedder_of("it", {"it": EndpointClass(url=url, model="small")}) for url in urls]
    assert [each.model for each in made if each] == [f"endpoint {url} small" for url in urls]


def refusal(name: str, classes: dict[str, EmbeddingClass]) -> str:
    with pytest.raises(EmbeddingError) as refused:
        embedder_of(name, classes)
    return str(refused.value)


def test_an_unknown_class_is_refused_with_a_suggestion() -> None:
    assert refusal("standrad", CLASSES) == "there is no embedding class 'standrad'; did you mean 'standard'?"
    assert refusal("zzz", {}) == "there is no embedding class 'zzz'; there are lexical"


@pytest.mark.skipif(find_spec("sentence_transformers") is not None, reason="sentence-transformers is installed")
def test_a_local_model_without_its_library_says_what_to_install() -> None:
    assert 'pip install "toolgen[local-vectors]"' in refusal("local", CLASSES)


@pytest.mark.parametrize(
    ("function", "why"),
    [
        ("nothing", "'nothing' is not a function: write \"module:name\""),
        ("no_such_module_here:f", "'no_such_module_here:f' cannot be imported: No module named 'no_such_module_here'"),
        ("benchmarks.hashed_vectors:LENGTH", "'benchmarks.hashed_vectors:LENGTH' is not a function, but int"),
    ],
)
def test_a_missing_function_is_refused(function: str, why: str) -> None:
    assert refusal("own", {"own": FunctionClass(function=function)}) == why


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("def (", "it raised SyntaxError"),
        ("raise RuntimeError('sw0rdf1sh')", "it raised RuntimeError"),
        ("import sys; sys.exit(3)", "it raised SystemExit"),
        ("x = 1", "module 'broken_embedder' has no attribute 'Own'"),
    ],
)
def test_a_module_that_fails_is_refused(text: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "broken_embedder.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "broken_embedder", raising=False)
    told = refusal("own", {"own": FunctionClass(function="broken_embedder:Own.embed")})
    assert told == f"'broken_embedder:Own.embed' cannot be imported: {why}"


@pytest.mark.parametrize("function", [".near:embed", "a\0b:embed"])
def test_a_name_that_is_none_is_refused(function: str) -> None:
    assert f"{function!r} cannot be imported: " in refusal("own", {"own": FunctionClass(function=function)})


def test_a_method_of_a_class_is_found() -> None:
    found = embedder_of("own", {"own": FunctionClass(function="benchmarks.hashed_vectors:HashedVectors.embed")})
    assert found is not None
