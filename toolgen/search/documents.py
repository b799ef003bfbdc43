"""Documents: the searchable texts of a tool, or of anything else with a name."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from toolgen.schema.args import without_injected
from toolgen.schema.json_values import is_array, is_object
from toolgen.search.words import words_of

_HEAD: Final = 2
"""The weight of a word in the name, title or description; words about parameters have weight 1.
Tuned on the tuning half of `benchmarks/search_queries.jsonl`, where 1 to 5 came within two points of each other."""

_TABLES: Final = frozenset({"properties", "$defs", "definitions", "patternProperties", "dependentSchemas"})
_NESTED: Final = frozenset(
    {"items", "prefixItems", "anyOf", "oneOf", "allOf", "additionalProperties", "contains", "if", "then", "else"}
)
"""Keywords with schemas: by name, and directly or in a list."""

_DEPTH: Final = 64
_ENUM: Final = 50
"""Maximum levels of a schema, and values of one enum."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchDocument:
    """One searchable document. `key` identifies a hit; any text, unique in an index.

    `names` are its names: common words count once. `parameters` are the texts about its parameters: names, titles,
    descriptions, and enum values.
    """

    key: str
    names: tuple[str, ...]
    title: str = ""
    description: str = ""
    parameters: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        """A digest of sixteen hexadecimal digits."""
        text = json.dumps((self.key, self.names, self.title, self.description, self.parameters, self.tags))
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @property
    def text(self) -> str:
        """All of it as one text, for embedding models."""
        names = " ".join(dict.fromkeys(filter(None, (*self.names, self.title))))
        return "\n".join(filter(None, (names, self.description, ", ".join(self.parameters), ", ".join(self.tags))))

    def counted_words(self) -> Counter[str]:
        """Return the words with their weights."""
        called = dict.fromkeys(word for name in (*self.names, self.title) for word in words_of(name))
        counted = Counter(words_of("\n".join((*self.parameters, *self.tags))))
        for word in (*called, *words_of(self.description)):
            counted[word] += _HEAD
        return counted


@dataclass(frozen=True, slots=True)
class CountedDocument:
    """What an index holds of a document: its digest, and its words with their weights."""

    key: str
    digest: str
    words: Mapping[str, int]

    @classmethod
    def of(cls, document: SearchDocument) -> CountedDocument:
        """Count the words of a document."""
        return cls(document.key, document.digest, document.counted_words())


def document_of_tool(
    ident: str,
    *,
    source_name: str,
    title: str,
    description: str,
    args: Any,
    inject: Collection[str],
    tags: Collection[str],
) -> SearchDocument:
    """Return the document of a tool. `args` is the JSON Schema of its args; injected fields are ignored."""
    return SearchDocument(
        key=ident,
        names=(ident, source_name) if source_name else (ident,),
        title=title,
        description=description,
        parameters=parameter_texts(without_injected(args, inject) if is_object(args) else args),
        tags=tuple(sorted(tags)),
    )


def documents_of_tools(tools: Mapping[str, Any]) -> Iterator[SearchDocument]:
    """Return the documents of the tools of a `catalog.json`, by ident."""
    for ident, tool in tools.items():
        yield document_of_tool(
            ident,
            source_name=tool.get("source_name", ""),
            title=tool.get("title", ""),
            description=tool.get("description", ""),
            args=tool["args"],
            inject=tool.get("inject", ()),
            tags={*tool.get("tags", ()), tool["permission"]},
        )


def parameter_texts(schema: Any) -> tuple[str, ...]:
    """Return the texts about parameters in a JSON Schema, including nested ones: names, descriptions, enum values."""
    return tuple(dict.fromkeys(filter(None, _texts(schema, _DEPTH))))


def _texts(schema: Any, depth: int) -> Iterator[str]:
    if not is_object(schema) or not depth:
        return
    allowed = schema.get("enum")
    own = (schema.get("description"), schema.get("const"), *(allowed[:_ENUM] if is_array(allowed) else ()))
    yield from (text for text in own if isinstance(text, str))
    for key, value in schema.items():
        if key in _TABLES and is_object(value):
            for name, below in value.items():
                if key == "properties":
                    yield name
                yield from _texts(below, depth - 1)
        elif key in _NESTED:
            for below in value if is_array(value) else [value]:
                yield from _texts(below, depth - 1)


# The search index as text: `search_index.json`, derived data of a generated package.
#
# A digest in its head covers the rest, so that a file that was truncated, edited or merged is rejected. There is one
# word per line, so that a runtime parses only the lines of the queried words. A line has, in one flat list, the
# numbers of the documents with the word, in order, each with the weight of the word there.

INDEX_START: Final = '{"sha256": "'
"""The text before the hexadecimal digest of everything after its line."""

DIGEST_END: Final = '",\n'

WORDS_START: Final = b'"words": {\n'
WORDS_END: Final = b"\n}}\n"


def postings_of(documents: Sequence[SearchDocument], first: int = 0) -> tuple[list[int], dict[str, list[int]]]:
    """Return the weighted length of each document in words, and for each word `[place, weight, place, ...]`.

    The places are numbers of the documents, starting at `first`.
    """
    return _postings([document.counted_words() for document in documents], first)


def _postings(counted: Iterable[Mapping[str, int]], first: int) -> tuple[list[int], dict[str, list[int]]]:
    lengths: list[int] = []
    postings: dict[str, list[int]] = {}
    for place, words in enumerate(counted, first):
        lengths.append(sum(words.values()))
        for word, weight in words.items():
            postings.setdefault(word, []).extend((place, weight))
    return lengths, postings


def write_index(documents: Iterable[SearchDocument], mark: str) -> str:
    """Return the index of documents in any order. `mark` identifies their catalog (`catalog_mark`)."""
    return write_counted(map(CountedDocument.of, documents), mark)


def write_counted(documents: Iterable[CountedDocument], mark: str) -> str:
    """Return the index of documents whose words are counted, as `write_index` does."""
    ordered = sorted(documents, key=lambda document: document.key)
    lengths, postings = _postings((document.words for document in ordered), 0)
    head: Mapping[str, Any] = {
        "keys": [document.key for document in ordered],
        "digests": [document.digest for document in ordered],
        "lengths": lengths,
    }
    lines = [f"{_json_text(key)}: {_json_text(value)}" for key, value in head.items()]
    words = ",\n".join(f"{_json_text(word)}: {_json_text(postings[word])}" for word in sorted(postings))
    covered = ",\n".join([mark, *lines]) + ",\n" + WORDS_START.decode() + words + WORDS_END.decode()
    return f"{INDEX_START}{hashlib.sha256(covered.encode()).hexdigest()}{DIGEST_END}{covered}"


def _json_text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"))
