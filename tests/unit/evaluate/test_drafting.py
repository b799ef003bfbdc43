"""Drafts: valid evaluations to complete, for what search confuses and what no case expects."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from hypothesis import example, given
from hypothesis import strategies as st

from tests.unit.evaluate.world import SHOP, catalog_of, read
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.source.read import parse_spec
from toolgen.evaluate.drafting import Draft, DraftCall, confused_pairs, drafts_of_calls, suggestions, written
from toolgen.llm.search.index import search_documents_of, search_index_of
from toolgen.llm.search.vectors import Vectors
from toolgen.testing.recordings import Take

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

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
    assert "by vectors" in suggestions(catalog, [], pairs)[0].why
    twins = catalog_of(TWINS)
    vectors = Vectors(search_index_of(twins), Embedder(), lambda idents: search_documents_of(twins, idents))
    found = {frozenset((each.ident, each.other)): each.by for each in confused_pairs(twins, vectors)}
    assert found[frozenset(("mail.send_message", "mail.post_message"))] == "words", "what words tell is not told again"


def test_suggestions_are_of_what_no_case_expects(tmp_path: Path) -> None:
    catalog = catalog_of()
    cases, _ = read(tmp_path, CASES, catalog)
    drafts = suggestions(catalog, cases, [])
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
    drafts = suggestions(catalog, [], [])
    assert [(each.key, each.calls[0].ident) for each in drafts] == [
        ("find", "shop.orders.find"),
        ("find-2", "shop.people.find"),
    ]
    cases, messages = read(tmp_path, written("drafts", drafts), catalog)
    assert (len(cases), messages) == (2, [])


def test_values_of_an_enum_whose_keys_are_alike_have_a_draft_each(tmp_path: Path) -> None:
    args = '{mood?: {enum: [开心, 难过]}, n?: {enum: [1, "1"]}}'
    catalog = catalog_of(find_in("diary", "Find a day.", args))
    drafts = suggestions(catalog, [], [])
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
    drafts = suggestions(catalog, [], [pair, turned])
    assert [(each.key, each.calls[0].ident, each.avoid) for each in drafts] == [
        ("find-not-find", pair.ident, (pair.other,)),
        ("find-not-find-2", pair.other, (pair.ident,)),
    ]


def test_a_value_of_an_enum_stands_beside_the_args_of_an_example_where_they_fit() -> None:
    example = "    examples: [{args: {customer: ann, state: paid}}]\n"
    alone = "    args: {customer: string, state?: {enum: [open, paid]}, day?: string}\n"
    plain = suggestions(catalog_of(HEAD + alone + example), [], [])
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
    bound = suggestions(catalog_of(HEAD + either + example), [], [])
    assert [each.calls[0].args for each in bound[1:]] == [{"state": "open"}, {"customer": "ann", "state": "paid"}]


def test_drafts_are_a_valid_evaluation(tmp_path: Path) -> None:
    catalog = catalog_of(SHOP, TWINS)
    pairs = confused_pairs(catalog)
    drafts = suggestions(catalog, [], pairs)
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
    cases, messages = read(tmp_path, written("drafts", drafts_of_calls(catalog, takes)), catalog)
    assert messages == []
    first, second = (case.expected[0][0] for case in cases if case.expected)
    assert (first.args, first.fields) == ({"order_id": "o-1"}, {"reason": True})
    assert second.args == {"customer": 'A "quoted": #name\u202e'}


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
    drafts = suggestions(catalog, [], [])
    shown = FAMILY.replace("\u200d", "\\u200d")
    assert [each.why for each in drafts[1:]] == ['no case has "开心" for `mood`', f'no case has "{shown}" for `mood`']
    _, messages = read(tmp_path, written("drafts", drafts), catalog)
    assert messages == []
