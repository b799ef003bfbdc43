"""Drafts: valid evaluations to complete, for what search confuses and what no case expects."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from hypothesis import example, given
from hypothesis import strategies as st

from tests.unit.evaluate.world import SHOP, catalog_of, read
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.source.read import parse_spec
from toolgen.contract.records import FailureKind, ToolError
from toolgen.evaluate import drafting
from toolgen.evaluate.drafting import (
    Draft,
    DraftCall,
    confused_pairs,
    drafts_of_calls,
    drafts_of_tasks,
    suggestions,
    written,
)
from toolgen.evaluate.published import PublishedTask
from toolgen.llm.search.index import search_documents_of, search_index_of
from toolgen.llm.search.vectors import Vectors
from toolgen.testing.recordings import Take

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pytest

TWINS = """
toolgen: 1
toolset: mail
tools:
  send_message:
    description: Send a message to a person.
    args: {to: string, text: string}
  post_message:
    description: Send a message to a person or a channel.
    args: {to: string, text: string}
  archive:
    description: Move old conversations out of sight.
    args: {before: string}
"""

CASES = """toolgen: 1
eval: shop
cases:
  paid:
    question: Which orders of Ann are paid?
    expect: [{call: shop.find, args: {customer: ann, state: paid}}]
"""


HEAD = """
toolgen: 1
toolset: shop
tools:
  find:
    description: Find the orders of a customer.
    permission: readonly
    result: [string]
"""


def test_tools_of_like_words_are_confused_and_others_are_not() -> None:
    (pair,) = confused_pairs(catalog_of(TWINS))
    assert {pair.ident, pair.other} == {"mail.send_message", "mail.post_message"}
    assert pair.share > 0.7
    assert confused_pairs(catalog_of()) == []


class Embedder:
    """A model for which what is about Ann is alike."""

    model = "own"

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [[1.0, "customer" in text.lower(), "paid" in text.lower()] for text in texts]


def test_tools_whose_vectors_alone_are_alike_are_confused_by_vectors() -> None:
    catalog = catalog_of()
    index = search_index_of(catalog)
    vectors = Vectors(index, Embedder(), lambda idents: search_documents_of(catalog, idents))
    pairs = confused_pairs(catalog, vectors)
    assert [(each.ident, each.other, each.by) for each in pairs] == [("shop.find", "shop.refund", "vectors")]
    assert confused_pairs(catalog) == []
    assert "by vectors" in suggestions(catalog, [], pairs)[0][0].why
    twins = catalog_of(TWINS)
    vectors = Vectors(search_index_of(twins), Embedder(), lambda idents: search_documents_of(twins, idents))
    found = {frozenset((each.ident, each.other)): each.by for each in confused_pairs(twins, vectors)}
    assert found[frozenset(("mail.send_message", "mail.post_message"))] == "words", "what words tell is not told again"


def test_suggestions_are_of_what_no_case_expects(tmp_path: Path) -> None:
    catalog = catalog_of()
    cases, _ = read(tmp_path, CASES, catalog)
    drafts, _ = suggestions(catalog, cases, [])
    assert {each.key: each.why for each in drafts} == {
        "refund": "no case expects it",
        "cancel": "no case expects it",
        "find-state-open": 'no case has "open" for `state`',
        "find-state-shipped": 'no case has "shipped" for `state`',
    }


def find_in(toolset: str, description: str, args: str = "{}") -> str:
    """Return a spec of one tool, `find`."""
    tool = f"tools: {{find: {{description: {description}, args: {args}}}}}"
    return f"toolgen: 1\ntoolset: {toolset}\n{tool}\n"


def test_tools_of_one_name_have_a_draft_each(tmp_path: Path) -> None:
    catalog = catalog_of(find_in("shop.orders", "List what was bought."), find_in("shop.people", "Look a person up."))
    drafts, _ = suggestions(catalog, [], [])
    assert [(each.key, each.calls[0].ident) for each in drafts] == [
        ("find", "shop.orders.find"),
        ("find-2", "shop.people.find"),
    ]
    cases, messages = read(tmp_path, written("drafts", drafts), catalog)
    assert (len(cases), messages) == (2, [])


def test_values_of_an_enum_whose_keys_are_alike_have_a_draft_each(tmp_path: Path) -> None:
    args = '{mood?: {enum: [开心, 难过]}, n?: {enum: [1, "1"]}}'
    catalog = catalog_of(find_in("diary", "Find a day.", args))
    drafts, _ = suggestions(catalog, [], [])
    assert [(each.key, dict(each.calls[0].args)) for each in drafts] == [
        ("find", {}),
        ("find-mood-value", {"mood": "开心"}),
        ("find-mood-value-2", {"mood": "难过"}),
        ("find-n-1", {"n": 1}),
        ("find-n-1-2", {"n": "1"}),
    ]
    cases, messages = read(tmp_path, written("drafts", drafts), catalog)
    assert (len(cases), messages) == (5, [])


def test_pairs_are_told_apart_by_their_tools() -> None:
    catalog = catalog_of(find_in("shop.orders", "Find an entry."), find_in("shop.people", "Find an entry."))
    (pair,) = confused_pairs(catalog)
    turned = replace(pair, ident=pair.other, other=pair.ident)
    drafts, _ = suggestions(catalog, [], [pair, turned])
    assert [(each.key, each.calls[0].ident, each.avoid) for each in drafts] == [
        ("find-not-find", pair.ident, (pair.other,)),
        ("find-not-find-2", pair.other, (pair.ident,)),
    ]


def test_a_value_of_an_enum_stands_beside_the_args_of_an_example_where_they_fit() -> None:
    example = "    examples: [{args: {customer: ann, state: paid}}]\n"
    alone = "    args: {customer: string, state?: {enum: [open, paid]}, day?: string}\n"
    plain, _ = suggestions(catalog_of(HEAD + alone + example), [], [])
    assert [each.calls[0].args for each in plain[1:]] == [
        {"customer": "ann", "state": "open"},
        {"customer": "ann", "state": "paid"},
    ]
    either = """\
    args:
      type: object
      properties: {customer: {type: string}, state: {enum: [open, paid]}, day: {type: string}}
      oneOf: [{properties: {state: {const: paid}}, required: [customer]}, {required: [day]}]
"""
    bound, _ = suggestions(catalog_of(HEAD + either + example), [], [])
    assert [each.calls[0].args for each in bound[1:]] == [{"state": "open"}, {"customer": "ann", "state": "paid"}]


def test_drafts_are_a_valid_evaluation(tmp_path: Path) -> None:
    catalog = catalog_of(SHOP, TWINS)
    pairs = confused_pairs(catalog)
    drafts, _ = suggestions(catalog, [], pairs)
    cases, messages = read(tmp_path, written("drafts", drafts, pairs), catalog)
    assert messages == []
    assert len(cases) == len(drafts)
    twin = next(each for each in cases if each.name == "drafts/send_message-not-post_message")
    assert (sorted(twin.idents), twin.spec.avoid) == (["mail.send_message"], ["mail.post_message"])


def test_recorded_calls_become_cases_in_which_redacted_args_are_only_given(tmp_path: Path) -> None:
    catalog = catalog_of()
    takes = [
        Take(tool="x", place="run r\n- 1", ident="shop.refund", arguments={"order_id": "o-1", "reason": "[redacted]"}),
        Take(tool="x", place="2", ident="shop.find", arguments={"customer": 'A "quoted": #name\u202e'}),
    ]
    drafts, problems = drafts_of_calls(catalog, takes)
    assert problems == []
    cases, messages = read(tmp_path, written("drafts", drafts), catalog)
    assert messages == []
    first, second = (case.expected[0][0] for case in cases if case.expected)
    assert (first.args, first.fields) == ({"order_id": "o-1"}, {"reason": True})
    assert second.args == {"customer": 'A "quoted": #name\u202e'}


def test_a_recorded_call_that_failed_says_so() -> None:
    error = ToolError(kind=FailureKind.DOMAIN_REJECTION, message="there is no such order\n" + "x" * 300)
    take = Take(tool="x", place="run r", ident="shop.refund", arguments={"order_id": "o-1"}, error=error)
    drafts, _ = drafts_of_calls(catalog_of(), [take])
    (line,) = [each for each in written("drafts", drafts).split("\n") if "refund-1" in each]
    assert "# recorded: run r, where it failed (domain_rejection): there is no such order\\nxxx" in line
    assert len(line) < 300


def test_calls_that_give_no_valid_case_are_told() -> None:
    calls = [
        Take(tool="x", place=str(n), ident="shop.refund", arguments={"order_id": text})
        for n, text in enumerate(("o-1", "\ud800", "o-2"))
    ]
    drafts, problems = drafts_of_calls(catalog_of(), calls)
    assert [each.key for each in drafts] == ["refund-1", "refund-3"]
    assert problems == ["shop.refund (recorded: 1): YAML has no surrogate pairs, and half of one is not a character"]


def test_drafts_that_one_file_has_no_room_for_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drafting, "_MOST_DRAFTS", 2)
    catalog = catalog_of()
    calls = [Take(tool="x", place=str(n), ident="shop.refund", arguments={"order_id": "o-1"}) for n in range(1, 6)]
    drafts, problems = drafts_of_calls(catalog, calls)
    assert [each.why for each in drafts] == ["recorded: 1", "recorded: 2"]
    assert problems == [f"3 cases, first shop.refund (recorded: 3): {ROOM}"]
    drafts, problems = suggestions(catalog, [], [])
    assert len(drafts) == 2
    assert problems == [f'4 cases, first shop.find (no case has "open" for `state`): {ROOM}']
    tasks = [PublishedTask(name="", place=str(n), messages=((True, "Sing!"),)) for n in range(1, 4)]
    drafts, problems = drafts_of_tasks(catalog, [PublishedTask(name="", place="0", problem="no"), *tasks])
    assert len(drafts) == 2
    assert problems == [f"1 case, first 3: {ROOM}", "0: no"]
    monkeypatch.setattr(drafting, "_LARGEST_FILE", 100)
    drafts, problems = drafts_of_calls(catalog, calls)
    assert len(drafts) == 0
    assert problems[0].startswith(
        "5 cases, first shop.refund (recorded: 1): an evaluation gets at most 2 drafts, and 100 "
    )


ROOM = "an evaluation gets at most 2 drafts, and 4,194,304 characters"
FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
TAGGED = "\U0001f3f4\U000e0067\U000e007f"
HIDDEN = "\x00\x7f\x85\xa0\u202e\u2028\ufeff\ufffe\U0010ffff"
TEXTS = st.text(
    st.one_of(st.characters(exclude_categories=["Cs"]), st.sampled_from(f"{FAMILY}{TAGGED}{HIDDEN}\\\"'\n#:"))
)


@given(TEXTS, TEXTS, TEXTS)
@example(FAMILY, TAGGED, HIDDEN)
def test_any_text_of_a_draft_is_read_back_the_same(asked: str, value: str, why: str) -> None:
    call = DraftCall(ident="shop.find", args={"customer": value}, fields={value: {"const": value}})
    question = Draft(key="one", why=why, messages=((True, f"{asked}?"),), calls=(call,))
    messages = replace(question, key="two", messages=((True, f"{asked}?"), (False, f"{value}!"), (True, "Yes.")))
    sink = Diagnostics()
    spec = parse_spec("a.eval.yaml", written("drafts", [question, messages]), sink)
    assert spec is not None, [each.message for each in sink]
    assert spec.root.to_data()["cases"] == {
        "one": {
            "question": f"{asked}?",
            "expect": [{"call": call.ident, "args": dict(call.args), "fields": dict(call.fields)}],
        },
        "two": {
            "messages": [{"user": f"{asked}?"}, {"assistant": f"{value}!"}, {"user": "Yes."}],
            "expect": [{"call": call.ident, "args": dict(call.args), "fields": dict(call.fields)}],
        },
    }


def test_comments_show_values_as_they_are_written(tmp_path: Path) -> None:
    catalog = catalog_of(find_in("diary", "Find a day.", f'{{mood?: {{enum: [开心, "{FAMILY}"]}}}}'))
    drafts, _ = suggestions(catalog, [], [])
    shown = FAMILY.replace("\u200d", "\\u200d")
    assert [each.why for each in drafts[1:]] == ['no case has "开心" for `mood`', f'no case has "{shown}" for `mood`']
    _, messages = read(tmp_path, written("drafts", drafts), catalog)
    assert messages == []
