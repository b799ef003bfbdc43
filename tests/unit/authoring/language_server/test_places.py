"""Places of names: at every key of a spec whose texts name something, a name is found, replaced and completed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from toolgen.authoring.language_server.completion import offers_at, writing_at
from toolgen.authoring.language_server.navigation import renamed, uses_of
from toolgen.authoring.language_server.symbols import Kind, NamedPlace, named_in
from toolgen.authoring.language_server.workspace import Index, Project
from toolgen.compiler.documents.base import SelectorPattern
from toolgen.compiler.documents.evaluation import EvalFile
from toolgen.compiler.documents.read import HEADS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import BaseModel

TEAM = """\
toolgen: 1
toolset: team
tags: {money: About money.}
types: {Item: {id: string}}
methods: {Give: {payload: {id: string}}}
tools: {look: {description: Look., permission: readonly}}
"""
CLERK = "toolgen: 1\nagent: clerk\n"
NAMES = {
    "selector": (Kind.TOOL, "team.look", "see", "team.look", "team.see"),
    "tool": (Kind.TOOL, "team.look", "see", "team.look", "team.see"),
    "toolset": (Kind.TOOLSET, "team", "crew", "team", "crew"),
    "agent": (Kind.AGENT, "clerk", "helper", "clerk", "helper"),
    "tag": (Kind.TAG, "money", "cash", "money", "cash"),
    "method": (Kind.METHOD, "specs/a.yaml#Give", "Take", "Give", "Take"),
    "schema": (Kind.TYPE, "specs/a.yaml#Item", "Goods", "Item", "Goods"),
    "reference": (Kind.METHOD, "specs/a.yaml#Give", "Take", "a.yaml#/methods/Give", "a.yaml#/methods/Take"),
}
"""Of each kind of name, a symbol and another name of it, and what is written before and after."""

MODELS: Mapping[str, type[BaseModel]] = {**HEADS, "eval": EvalFile}
PLACES = [(head, place) for head, model in MODELS.items() for place in named_in(model)]


def _with(place: NamedPlace, name: str) -> Any:
    """Return what a file has with a name at a place."""
    made: Any = {name: {}} if place.is_key else name
    for step in reversed(place.steps):
        made = {step: made} if isinstance(step, str) else [made] if step.value == "item" else {"a": made}
    return made


@pytest.mark.parametrize(
    ("head", "place"), PLACES, ids=[f"{head} {'/'.join(map(str, place.steps))}" for head, place in PLACES]
)
def test_a_name_is_found_and_replaced_at_every_place_that_a_spec_has_for_it(head: str, place: NamedPlace) -> None:
    kind, symbol, new, before, after_ = NAMES[place.kind]
    own = {"toolgen": 1, head: "own"}
    texts = [json.dumps({**own, **_with(place, name)}) for name in (before, after_)]
    path = "specs/b.yaml"
    files = {"specs/a.yaml": TEAM, "specs/c.yaml": CLERK, path: texts[0]}
    if place.kind in ("method", "schema"):  # they are of the file that uses them
        base = {"types": {"Item": {"id": "string"}}, "methods": {"Give": {}}}
        texts = [json.dumps({**base, **own, **_merged(base, _with(place, name))}) for name in (before, after_)]
        path = "specs/a.yaml"
        files = {path: texts[0]}
        texts[1] = texts[1].replace(f'"{before}"', f'"{after_}"')
    project = Project(Path(), dict(files))
    index = Index.of([project.file(each) for each in files])
    assert [used.place.path for used in uses_of(index, index.symbols[kind, symbol])] == [path]
    edits = renamed(index, index.symbols[kind, symbol], new)
    text = texts[0]
    for edit, written in sorted(edits, key=lambda each: -each[0].start):
        if edit.path == path:
            text = f"{text[: edit.start]}{written}{text[edit.end :]}"
    assert text == texts[1]
    writing = writing_at(path, texts[0], texts[0].rindex(f'"{before}"') + 1)
    assert writing is not None
    assert before in {offer.text for offer in offers_at(path, writing, index)}


def _merged(base: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    return {key: {**base.get(key, {}), **value} for key, value in more.items()}


def test_each_text_with_the_grammar_of_selectors_is_a_place_of_names() -> None:
    for head, model in MODELS.items():
        written = json.dumps(model.model_json_schema(by_alias=True))
        places = [place for each, place in PLACES if each == head and place.kind == "selector"]
        assert written.count(json.dumps(SelectorPattern)) == len(places), head
