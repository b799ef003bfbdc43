"""Synonyms are symmetric, suggestions are not, and none is the word itself."""

from __future__ import annotations

import pytest

from toolgen.llm.search.index import SearchIndex
from toolgen.search.documents import SearchDocument
from toolgen.search.synonyms import _SUGGESTED, meant, related, synonyms


def test_synonyms_are_symmetric_and_exclude_the_word_itself() -> None:
    found = synonyms()
    assert "delet" in found["remov"]
    assert all(word in found[other] for word, others in found.items() for other in others)
    assert not any(word in others for word, others in found.items())


def test_related_words_are_synonyms_and_suggestions_which_are_not_symmetric() -> None:
    found = related()
    assert all(set(found[word]) >= set(others) for word, others in synonyms().items())
    assert "weather" in found["umbrella"]
    assert "umbrella" not in found["weather"]
    assert not any(word in others for word, others in found.items())


def test_every_suggestion_has_words_and_is_written_once_in_order() -> None:
    entries = [entry.partition(":") for entry in _SUGGESTED.split(";")]
    assert all(words.split() for _, _, words in entries)
    suggested = [word.strip() for word, _, _ in entries]
    assert suggested == sorted(set(suggested))
    assert all(words.split() == sorted(set(words.split())) for _, _, words in entries)


@pytest.mark.parametrize(
    ("query", "meaning"),
    [
        ("call off my order", "cancel"),
        ("Called it off", "cancel"),
        ("getting rid of a file", "delete"),
        ("put that off", "postpone"),
        ("turn on the alarm", "enable"),
    ],
)
def test_phrasal_verbs_have_their_own_synonyms(query: str, meaning: str) -> None:
    assert meant(query) == f"{query} {meaning}"
    assert meant("call my office, and put an offer") == "call my office, and put an offer"


TOOLS = (
    SearchDocument(key="bank.transfer", names=("transfer",), description="Transfer funds between accounts."),
    SearchDocument(key="bookings.cancel", names=("cancel",), description="Cancel a booking."),
    SearchDocument(key="cluster.scale", names=("scale",), description="Scale a deployment."),
    SearchDocument(key="files.delete", names=("delete",), description="Delete a file."),
    SearchDocument(key="flights.baggage", names=("baggage",), description="Allowed baggage of a flight."),
    SearchDocument(key="pods.logs", names=("logs",), description="Logs of a pod."),
    SearchDocument(key="projects.list", names=("list",), description="List projects."),
    SearchDocument(key="seats.exchange", names=("exchange",), description="Exchange one seat for another."),
    SearchDocument(key="sky.weather", names=("weather",), description="Weather of a city."),
    SearchDocument(key="sim.usage", names=("usage",), description="How much data was used."),
)


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("move money", "bank.transfer"),
        ("call off my stay", "bookings.cancel"),
        ("three more replicas", "cluster.scale"),
        ("get rid of this", "files.delete"),
        ("may I bring a suitcase", "flights.baggage"),
        ("what was printed to stdout", "pods.logs"),
        ("what do I have that exists", "projects.list"),
        ("swap my place", "seats.exchange"),
        ("how many gigabytes are left", "sim.usage"),
        ("do I need an umbrella", "sky.weather"),
        ("how foggy is it", "sky.weather"),
    ],
)
def test_synonyms_find_tools_with_other_names(query: str, wanted: str) -> None:
    assert SearchIndex.build(TOOLS).search(query, 1)[0].key == wanted
