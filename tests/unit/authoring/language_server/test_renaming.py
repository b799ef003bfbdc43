"""New names: what policies and agents select is the same tools as before, or the name is refused."""

from __future__ import annotations

import json
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgen.authoring.language_server.navigation import RenameRefused, renamed
from toolgen.authoring.language_server.symbols import Kind
from toolgen.authoring.language_server.workspace import Index, Project
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.source.read import parse

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

NOTES = "toolgen: 1\ntoolset: team.notes\ntools:\n  nope: {description: A tool.}\n  read: {description: A tool.}\n"
OTHER = "toolgen: 1\ntoolset: team.other\ntools:\n  nope: {description: A tool.}\n"
POLICY = "toolgen: 1\npolicy: own\nrules: {%s: deny}\n"
AGENT = "toolgen: 1\nagent: main\nuse: [%s]\n"


def after(folder: Path, selector: str, kind: Kind, name: str, new: str) -> list[str]:
    """Rename in a project whose policy and agent have a selector; return what they have then."""
    files = {
        "specs/notes.yaml": NOTES,
        "specs/other.yaml": OTHER,
        "specs/own.yaml": POLICY % selector,
        "specs/main.yaml": AGENT % selector,
    }
    (folder / "specs").mkdir()
    for path, text in files.items():
        (folder / path).write_text(text)
    project = Project(folder, {})
    index = Index.of(project.files(project.config().targets[0]))
    edits = renamed(index, index.symbols[kind, name], new)
    for place, text in sorted(edits, key=lambda edit: -edit[0].start):
        old = files[place.path]
        files[place.path] = old[: place.start] + text + old[place.end :]
    policy, agent = files["specs/own.yaml"], files["specs/main.yaml"]
    return [policy.partition("{")[2].partition(":")[0], agent.partition("[")[2].partition("]")[0]]


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("team.notes.nope", "team.notes.dont"),
        ("team__notes__nope", "team__notes__dont"),
        ("team.notes.nope+write", "team.notes.dont+write"),
        ("team.notes.read", "team.notes.read"),
        ("team__other__nope", "team__other__nope"),
        ("team.notes", "team.notes"),
        ("team.notes.*", "team.notes.*"),
        ("team.other.n*", "team.other.n*"),
        ("'*'", "'*'"),
    ],
)
def test_a_tool_is_renamed_wherever_it_is_selected(selector: str, expected: str, tmp_path: Path) -> None:
    assert after(tmp_path, selector, Kind.TOOL, "team.notes.nope", "dont") == [expected, expected]


@pytest.mark.parametrize("selector", ["'*.nope'", "team.notes.n*", "team.notes.do*", "team.*.nope"])
def test_a_tool_that_a_pattern_would_select_or_lose_is_not_renamed(selector: str, tmp_path: Path) -> None:
    with pytest.raises(RenameRefused, match=r"in specs/(own|main)\.yaml .*: change it first"):
        after(tmp_path, selector, Kind.TOOL, "team.notes.nope", "dont")


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("team.notes", "team.pages"),
        ("team.notes.nope", "team.pages.nope"),
        ("team__notes__nope", "team__pages__nope"),
        ("team.notes.*", "team.pages.*"),
        ("team.notes.n*", "team.pages.n*"),
        ("team.other.*", "team.other.*"),
        ("team.*", "team.*"),
        ("'*.nope'", "'*.nope'"),
    ],
)
def test_a_toolset_is_renamed_wherever_its_tools_are_selected(selector: str, expected: str, tmp_path: Path) -> None:
    assert after(tmp_path, selector, Kind.TOOLSET, "team.notes", "team.pages") == [expected, expected]


@pytest.mark.parametrize(("selector", "new"), [("team.*", "crew.notes"), ("team.p*", "team.pages")])
def test_a_toolset_whose_tools_a_pattern_would_select_or_lose_is_not_renamed(
    selector: str, new: str, tmp_path: Path
) -> None:
    with pytest.raises(RenameRefused, match="change it first"):
        after(tmp_path, selector, Kind.TOOLSET, "team.notes", new)


# Texts: whatever a name is written like, the files read as before, but for the name.

SHOP = """\
toolgen: 1
toolset: <shop.orders>
tags: {<money>: About money.}
types: {<Item>: {id: string}}
methods: {<Give>: {payload: {item: <Item>}, result: <Item>}}
tools:
  <refund>:
    description: Give back.
    tags: [<money>]
    bind: <Give>
    args: {item: <Item>, other: {$ref: <#/types/Item>}}
    result: [<Item>]
  <look>: {description: Look at it., args: {}, result: integer}
"""
SELECTED = """\
toolgen: 1
policy: team
rules: {<shop.orders.refund+money>: deny, <shop__orders__look>: ask, <+money>: ask, <shop.orders.*>: allow}
modes: {late: {<shop.orders.refund>: deny}}
approvers: {<shop.orders.refund>: {people: 2}, <shop.orders.*>: {user: true}, <+money>: {roles: [boss]}}
registered: [<shop.orders.refund>]
"""
HELPER = """\
toolgen: 1
agent: helper
use: [<shop.orders.refund>, <shop__orders__look>, <shop.orders+money+money>, <shop.orders.l*>]
export: [<shop.orders>]
"""
ACTIONS = """\
toolgen: 1
catalog: actions
from: <shop.orders>
categories:
  one: {description: One., actions: {back: <refund>, see: {target: <shop.orders.look>}}}
"""
TEXTS = {"shop.yaml": SHOP, "team.yaml": SELECTED, "helper.yaml": HELPER, "actions.yaml": ACTIONS}

RENAMES: list[tuple[Kind, str, str, str, str]] = [
    (Kind.TOOL, "shop.orders.refund", "repay", "refund", "repay"),
    (Kind.TOOL, "shop.orders.refund", "null", "refund", "null"),
    (Kind.TOOLSET, "shop.orders", "sales", "shop.orders", "sales"),
    (Kind.TYPE, "specs/shop.yaml#Item", "Goods", "Item", "Goods"),
    (Kind.METHOD, "specs/shop.yaml#Give", "null", "Give", "null"),
    (Kind.TAG, "money", "true", "money", "true"),
]
"""A kind, a name of it and another one, and what is replaced by what in all texts of the files."""

STYLES: list[Callable[[str, int], str]] = [
    lambda text, _: text,
    lambda text, _: f"'{text}'",
    lambda text, _: f'"{text}"',
    lambda text, _: '"' + "".join(f"\\x{ord(char):02x}" if at % 3 == 1 else char for at, char in enumerate(text)) + '"',
    lambda text, _: '"' + text.replace("/", "\\/") + '"',
    lambda text, _: f'"{text[:3]}\\\n            {text[3:]}"',
    lambda text, number: f"&{text.replace('.', '_').strip('+#/*')}{number} '{text}'".replace("+", "-").replace(
        "/", "-"
    ),
    lambda text, number: f'&{text.strip("+*").split(".")[-1].split("/")[-1].split("+")[0]}{number}   "{text}"',
    lambda text, _: f"!!str '{text}'",
    lambda text, number: f"!!str &a{number} {text}",
]


def _style(style: Callable[[str, int], str], text: str, number: int) -> str:
    """Write a text in a style; in quotes where YAML reads the style as another text, or as no text."""
    written = style(text, number)
    found = parse(f"{{{written}: 1, b: [{written}]}}", "a.yaml", sink := Diagnostics())
    is_text = found is not None and not sink.has_errors and found.to_data() == {text: 1, "b": [text]}
    return written if is_text else json.dumps(text)


@st.composite
def styled(draw: st.DrawFn) -> dict[str, str]:
    """Return the files, with each name in a style of its own."""
    numbers = count()

    def written(text: str) -> str:
        name, end, rest = text.partition(">")
        return _style(draw(st.sampled_from(STYLES)), name, next(numbers)) + rest if end else text

    texts = {name: "".join(map(written, text.split("<"))) for name, text in TEXTS.items()}
    return {f"specs/{name}": text for name, text in texts.items()}


def _data(path: str, text: str) -> Any:
    found = parse(text, path, sink := Diagnostics())
    assert found is not None
    assert not sink.has_errors, (text, [*sink])
    return found.to_data()


def _substituted(data: Any, old: str, new: str) -> Any:
    """Return data with a name in place of another one in each text that is no prose."""
    if isinstance(data, dict):
        return {_substituted(key, old, new): _substituted(value, old, new) for key, value in data.items()}
    if isinstance(data, list):
        return [_substituted(each, old, new) for each in data]
    if not isinstance(data, str) or data.endswith("."):
        return data
    return data.replace(old, new).replace(old.replace(".", "__"), new)


def _renamed(folder: Path, files: Mapping[str, str], kind: Kind, name: str, new: str) -> dict[str, str]:
    project = Project(folder, dict(files))
    index = Index.of([project.file(path) for path in files])
    texts = dict(files)
    for place, text in sorted(renamed(index, index.symbols[kind, name], new), key=lambda edit: -edit[0].start):
        old = texts[place.path]
        texts[place.path] = old[: place.start] + text + old[place.end :]
    return texts


@pytest.mark.hypothesis
@given(styled(), st.sampled_from(RENAMES))
def test_a_name_is_replaced_in_whatever_style_it_is_written(
    files: dict[str, str], rename: tuple[Kind, str, str, str, str]
) -> None:
    kind, name, new, old_text, new_text = rename
    texts = _renamed(Path(), files, kind, name, new)
    for path, text in texts.items():
        assert _data(path, text) == _substituted(_data(path, files[path]), old_text, new_text), text


@pytest.mark.hypothesis
@given(st.data())
def test_a_rename_in_json_writes_json(data: st.DataObject) -> None:
    spec = {
        "toolgen": 1,
        "toolset": "shop.orders",
        "types": {"Item": {"type": "object"}},
        "tools": {"refund": {"description": "Give.", "args": {"item": "Item", "other": {"$ref": "#/types/Item"}}}},
    }
    kind, name, new, old_text, new_text = data.draw(st.sampled_from(RENAMES[:4]))
    written = json.dumps(spec)
    for text in ("Item", "refund", "shop.orders", "#/types/Item"):
        at = data.draw(st.integers(0, len(text) - 1))
        escaped = f"{text[:at]}\\u{ord(text[at]):04x}{text[at + 1 :]}"
        written = written.replace(f'"{text}"', f'"{data.draw(st.sampled_from([text, escaped]))}"')
    path = "specs/shop.json"
    texts = _renamed(Path(), {path: written}, kind, name.replace("shop.yaml", "shop.json"), new)
    assert json.loads(texts[path]) == _substituted(spec, old_text, new_text)


def test_a_name_that_an_alias_repeats_as_another_text_is_not_renamed() -> None:
    files = {"specs/a.yaml": "toolgen: 1\ntoolset: team\ntools:\n  &t look: {description: *t}\n"}
    with pytest.raises(RenameRefused, match=r"an alias in specs/a\.yaml repeats `look` where it is no name"):
        _renamed(Path(), files, Kind.TOOL, "team.look", "see")


def test_a_name_that_aliases_repeat_as_a_name_is_renamed_once() -> None:
    text = "toolgen: 1\npolicy: own\nroles:\n  a: &r {team.look: deny}\n  b: *r\n"
    files = {"specs/a.yaml": "toolgen: 1\ntoolset: team\ntools: {look: {description: Look.}}\n", "specs/p.yaml": text}
    for kind, name, new in ((Kind.TOOL, "team.look", "team.see"), (Kind.TOOLSET, "team", "crew.look")):
        texts = _renamed(Path(), files, kind, name, new.rpartition(".")[2] if kind is Kind.TOOL else "crew")
        assert texts["specs/p.yaml"] == text.replace("team.look", new)


@pytest.mark.parametrize(
    "broken", ["toolgen: 1\npolicy: [", "toolgen: 1\npolicy: p\nrules: {team.see: ask, team.look: deny}"]
)
def test_nothing_is_renamed_where_a_file_would_be_wrong_or_left_behind(broken: str) -> None:
    spec = "toolgen: 1\ntoolset: team\ntools: {look: {description: Look.}}\n"
    with pytest.raises(RenameRefused, match=r"specs/p\.yaml (cannot be read|would not read as before)"):
        _renamed(Path(), {"specs/a.yaml": spec, "specs/p.yaml": broken}, Kind.TOOL, "team.look", "see")


# Other names: the prefix of a tag, names at servers and of Python, and actions with the name of their target.

TAGGED = """\
toolgen: 1
toolset: shop.orders
tools:
  find_it: {description: Find it., args: {text: string}, tag: {example: "FIND_IT: pens"}}
  drop: {description: Drop it.}
"""
FINDER = "toolgen: 1\nagent: main\nuse: [shop.orders.drop, %s]\nsuggest: [%s]\n"
CASES = "toolgen: 1\neval: shop\ncases: {a: {question: Find it., avoid: [%s]}}\n"
LISTED = "toolgen: 1\ncatalog: actions\nfrom: shop.orders\ncategories: {one: {description: One., actions: {%s}}}\n"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("FIND_IT", "shop.orders.look"),
        ("FIND_IT+write", "shop.orders.look+write"),
        ("find_it", "find_it"),
        ("one__seek", "one__seek"),
        ("shop.orders.find_it", "shop.orders.look"),
        ("shop__orders__find_it", "shop__orders__look"),
    ],
)
def test_every_name_that_means_a_tool_means_it_afterwards(name: str, expected: str) -> None:
    texts = {
        "specs/a.yaml": TAGGED,
        "specs/b.yaml": FINDER,
        "specs/c.yaml": POLICY,
        "specs/d.yaml": LISTED % "seek: shop.orders.find_it",
        "evals/e.eval.yaml": CASES,
    }
    files = {path: text.replace("%s", name) for path, text in texts.items()}
    expected_texts = {path: text.replace("%s", expected) for path, text in texts.items()}
    expected_texts["specs/a.yaml"] = TAGGED.replace("find_it:", "look:")
    expected_texts["specs/d.yaml"] = LISTED % "seek: shop.orders.look"
    assert _renamed(Path(), files, Kind.TOOL, "shop.orders.find_it", "look") == expected_texts


def test_a_name_that_a_tool_keeps_stays() -> None:
    spec = TAGGED.replace("tag: {", "tag: {prefix: FIND_IT, ")
    files = {"specs/a.yaml": spec, "specs/c.yaml": POLICY % "FIND_IT"}
    texts = _renamed(Path(), files, Kind.TOOL, "shop.orders.find_it", "look")
    assert texts == {**files, "specs/a.yaml": spec.replace("  find_it", "  look")}
    texts = _renamed(Path(), {**files, "specs/a.yaml": TAGGED}, Kind.TOOLSET, "shop.orders", "shop.sales")
    assert texts["specs/c.yaml"] == files["specs/c.yaml"]


def test_a_name_of_several_tools_is_not_left_with_one() -> None:
    other = (
        TAGGED.replace("shop.orders", "shop.lists")
        .replace("  find_it", "  seek_it")
        .replace("tag: {", "tag: {prefix: FIND_IT, ")
    )
    files = {"specs/a.yaml": TAGGED, "specs/b.yaml": other, "specs/c.yaml": POLICY % "FIND_IT"}
    with pytest.raises(RenameRefused, match=r"`FIND_IT` in specs/c\.yaml would mean other tools: write the idents"):
        _renamed(Path(), files, Kind.TOOL, "shop.orders.find_it", "look")


def test_a_tool_is_not_renamed_to_what_another_name_means() -> None:
    spec = TAGGED.replace("  drop: {", "  drop: {args: {text: string}, tag: {prefix: LOOK, example: 'LOOK: pens'}, ")
    files = {"specs/a.yaml": spec, "specs/c.yaml": POLICY % "LOOK"}
    with pytest.raises(RenameRefused, match=r"`LOOK` in specs/c\.yaml would mean other tools"):
        _renamed(Path(), files, Kind.TOOL, "shop.orders.find_it", "look")


@pytest.mark.parametrize("entry", ["find_it: ", "find_it: null", "? find_it"])
def test_an_action_with_the_name_of_its_target_is_told(entry: str) -> None:
    files = {"specs/a.yaml": TAGGED, "specs/d.yaml": LISTED % entry}
    with pytest.raises(RenameRefused, match=r"the action `find_it` in specs/d\.yaml .* write the `target` first"):
        _renamed(Path(), files, Kind.TOOL, "shop.orders.find_it", "look")
    texts = _renamed(Path(), files, Kind.TOOLSET, "shop.orders", "shop.sales")
    assert texts["specs/d.yaml"] == files["specs/d.yaml"].replace("shop.orders", "shop.sales")
    assert _renamed(Path(), files, Kind.TOOL, "shop.orders.drop", "remove")["specs/d.yaml"] == files["specs/d.yaml"]


def test_a_pattern_of_wire_names_would_lose_a_tool() -> None:
    files = {"specs/a.yaml": TAGGED, "specs/c.yaml": POLICY % "shop__orders__f*"}
    with pytest.raises(RenameRefused, match=r"`shop__orders__f\*` in specs/c\.yaml does not select"):
        _renamed(Path(), files, Kind.TOOL, "shop.orders.find_it", "look")


def test_what_cannot_be_known_of_a_tool_with_errors_is_told() -> None:
    files = {"specs/a.yaml": f"{TAGGED}agent: clerk\n", "specs/c.yaml": POLICY % "FIND_IT"}
    with pytest.raises(RenameRefused, match=r"`FIND_IT` in specs/c\.yaml may mean a tool whose file has errors"):
        _renamed(Path(), files, Kind.TOOL, "shop.orders.find_it", "look")
