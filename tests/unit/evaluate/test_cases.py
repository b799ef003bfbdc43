"""Cases: what is wrong with an evaluation is told with its place and how to fix it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.evaluate.world import catalog_of, read
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.project.listing import list_evaluations
from toolgen.evaluate.cases import cases_of, read_evaluations

if TYPE_CHECKING:
    from pathlib import Path

CASE = """toolgen: 1
eval: shop
tags: [all]
cases:
  one:
    question: Refund o-1
    tags: [smoke]
    """


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("expect: [{call: shop.refnd}]", "TG901 8:21 there is no tool `shop.refnd` (did you mean `shop.refund`?)"),
        (
            "expect: [{one_of: [{call: shop.find}, {call: shop.refnd}]}]",
            "TG901 8:50 there is no tool `shop.refnd` (did you mean `shop.refund`?)",
        ),
        ("avoid: [shop.cancl]", "TG901 8:13 there is no tool `shop.cancl` (did you mean `shop.cancel`?)"),
        (
            "expect: [{call: shop.refund, args: {orderid: o-1}}]",
            "TG902 8:41 shop.refund has no arg `orderid` (did you mean `order_id`?)",
        ),
        (
            "expect: [{call: shop.refund, fields: {order: true}}]",
            "TG902 8:43 shop.refund has no arg `order` (did you mean `order_id`?)",
        ),
        (
            "expect: [{call: shop.refund, args: {reason: x}, fields: {reason: true}}]",
            "TG902 8:62 `reason` is in `args` too (keep one of them)",
        ),
        (
            "expect: [{call: shop.find, fields: {state: {type: txt}}}]",
            "TG202 8:48 `state` has a schema that is no JSON Schema ()",
        ),
        ("expect: [{one_of: []}]", "TG105 8:23 `one_of` must be not empty, but is a list ("),
        (
            "expect: [{call: shop.find, one_of: [{call: shop.find}]}]",
            "TG104 8:32 `one_of` is not a key beside the others of `cases.one.expect.0` (choose one way to write it)",
        ),
        (
            "turns: 99\n    expect: []",
            "TG105 8:12 `turns` must be at most 50, but is 99 (`turns`: how many responses the model may give)",
        ),
        ("expected: []", "TG104 8:5 `expected` is not a key of `cases.one` (did you mean `expect`?)"),
        (
            "messages: [{user: hi}]\n    expect: []",
            "TG903 5:3 `one` has both a `question` and `messages` (write one of them)",
        ),
        ("tags: [x]", "TG004"),
        (
            "system: x\n    expect: []",
            "TG104 8:5 `system` is not a key of `cases.one`",
        ),
        (
            "turns: 2",
            "TG903 5:3 every answer to `one` would be right (write the calls that are right under `expect`, or",
        ),
        *(
            (
                f"expect: [{{call: shop.find}}, {expected}]\n    avoid: {avoided}",
                f"TG903 8:33 no answer to `one` would be right: `avoid` excludes the expected {named} (remove what",
            )
            for expected, avoided, named in (
                ("{call: shop.refund}", "[shop.refund]", "`shop.refund`"),
                (
                    "{one_of: [{call: shop.refund}, {call: shop.cancel}]}",
                    "[shop+write]",
                    "`shop.refund` or `shop.cancel`",
                ),
            )
        ),
        (
            "check: nowhere",
            "TG105 8:12 `nowhere` is not a valid value here (write `module:name`, such as `app.tools:search`)",
        ),
    ],
)
def test_mistakes_are_told_with_their_place(tmp_path: Path, text: str, reported: str) -> None:
    found, messages = read(tmp_path, CASE + text, catalog_of())
    assert messages[0].startswith(reported)
    assert found == []


def test_an_expected_call_may_have_an_alternative_that_is_avoided(tmp_path: Path) -> None:
    text = CASE + "expect: [{one_of: [{call: shop.refund}, {call: shop.cancel}]}]\n    avoid: [shop.refund]"
    (case,), messages = read(tmp_path, text, catalog_of())
    assert (case.spec.avoid, messages) == (["shop.refund"], [])


def test_args_are_checked_as_far_as_they_are_given(tmp_path: Path) -> None:
    text = CASE + "expect: [{call: shop.refund, args: {amount: 3}}]"
    (case,), messages = read(tmp_path, text, catalog_of())
    assert messages == []
    assert (case.name, sorted(case.tags), sorted(case.idents)) == ("shop/one", ["all", "smoke"], ["shop.refund"])
    found, messages = read(tmp_path, text.replace("amount: 3", "amount: -3"), catalog_of())
    assert (found, len(messages)) == ([], 1)
    assert messages[0].startswith("TG902 8:49 shop.refund: ")


def test_results_are_checked(tmp_path: Path) -> None:
    text = CASE + "turns: 2\n    expect: []\n    results: [{call: shop.find, args: {customer: 1}, result: {a: 1}}]"
    _, messages = read(tmp_path, text, catalog_of())
    assert [message.split(" ")[:2] for message in messages] == [["TG902", "10:50"], ["TG902", "10:62"]]


def test_the_last_message_is_the_users(tmp_path: Path) -> None:
    text = CASE.replace("question: Refund o-1", "messages: [{user: hi}, {assistant: hello}]") + "expect: []"
    _, messages = read(tmp_path, text, catalog_of())
    assert messages == ["TG903 6:28 the last message is the model's (end with a message of the `user`)"]


def test_an_unknown_agent_is_told_once(tmp_path: Path) -> None:
    _, messages = read(tmp_path, CASE.replace("tags: [all]", "agent: clerk") + "expect: []", catalog_of())
    assert messages == ["TG901 3:8 there is no agent `clerk` ()"]


def test_two_evaluations_of_one_name_are_told(tmp_path: Path) -> None:
    (tmp_path / "evals" / "more").mkdir(parents=True)
    for name in ("a.eval.yaml", "more/b.eval.yaml", "notes.yaml"):
        (tmp_path / "evals" / name).write_text(CASE + "expect: []")
    listed = list_evaluations(tmp_path)
    assert [*listed] == ["evals/a.eval.yaml", "evals/more/b.eval.yaml"]
    sink = Diagnostics()
    assert len(cases_of(read_evaluations(listed, sink), [catalog_of()], sink)) == 2
    assert [(each.code, each.message) for each in sink] == [
        ("TG904", "the evaluation `shop` is also in evals/a.eval.yaml")
    ]


def test_args_are_known_by_patterns_of_names_too(tmp_path: Path) -> None:
    catalog = catalog_of("""
toolgen: 1
toolset: piers
tools:
  light:
    description: Switch lights.
    args: {type: object, patternProperties: {"^pier_": {type: boolean}}, additionalProperties: false}
""")
    case = "toolgen: 1\neval: a\ncases:\n  b: {question: x?, expect: [{call: piers.light, args: {%s}}]}\n"
    assert read(tmp_path, case % "pier_north: true", catalog)[1] == []
    (unknown,) = read(tmp_path, case % "quay_north: true", catalog)[1]
    assert unknown.startswith("TG902 4:57 piers.light has no arg `quay_north` (it has `^pier_`)")
    (wrong,) = read(tmp_path, case % "pier_north: 3", catalog)[1]
    assert wrong.startswith("TG902 4:69 piers.light: ")
