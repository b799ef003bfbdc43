"""Keys of imported tools: readable, distinct in Python, and independent of other tools."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgen.compiler.documents.base import ToolKeyPattern
from toolgen.compiler.importers.update import choose_keys, spelled
from toolgen.compiler.resolve.toolsets.tools import tool_names, types_module
from toolgen.spec.wire_names import wire_name

if TYPE_CHECKING:
    from random import Random

LIKE_ONE_ANOTHER = st.sampled_from([
    *("get", "Get", "GET", "get_", "_get", "g-e-t", "get it", "get.it", "getIt", "get_it", "get-it", "new_get_call"),
    *("class", "class_", "shared", "Tool", "tool", "查询", "查詢", "é", "e", "_", "__", "-", "🔥", "0", "tool_0"),
])  # fmt: skip
NAMES = st.lists(
    st.one_of(LIKE_ONE_ANOTHER, st.text(max_size=12), st.text("aA_-.", max_size=5)).filter(bool), max_size=20
)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("search_issues", "search_issues"),
        ("createIssue", "createIssue"),
        ("kubectl-get", "kubectl-get"),
        ("events_list__2", "events_list__2"),
        ("class", "class"),
        ("search.issues", "search_issues"),
        ("chat-with-${AI_CHAT_NAME_CLEAN}", "chat-with-AI_CHAT_NAME_CLEAN"),
        ("r&d", "r_d"),
        (" padded name ", "padded_name"),
        ("naïve café", "naive_cafe"),
        ("3d render", "tool_3d_render"),
    ],
)
def test_a_key_is_as_close_to_the_name_as_possible(name: str, key: str) -> None:
    assert choose_keys([name]) == {name: key}


@pytest.mark.parametrize("name", ["查询天气", "获取weather", "🔥", "x" * 200])
def test_a_shortened_key_ends_with_a_hash(name: str) -> None:
    assert re.fullmatch(r"(tool|weather|x{128})_[0-9a-f]{6}", spelled(name))


def test_of_two_names_that_clash_the_one_equal_to_the_key_has_no_hash() -> None:
    keys = choose_keys(["get.user", "getUser", "get_user"])

    assert keys["get_user"] == "get_user"
    assert re.fullmatch(r"getUser_[0-9a-f]{6}", keys["getUser"])
    assert re.fullmatch(r"get_user_[0-9a-f]{6}", keys["get.user"])


def test_a_key_does_not_depend_on_names_without_a_clash() -> None:
    alone = choose_keys(["get.user", "查询"])
    assert choose_keys(["a", "get.user", "x y", "查询", "z"]).items() >= alone.items()


def test_keys_of_the_existing_spec_are_not_reused() -> None:
    assert choose_keys(["get_user"], ["getUser"])["get_user"].startswith("get_user_")


@given(NAMES, st.randoms(use_true_random=False))
def test_reg_06_keys_are_distinct_in_python_and_as_wire_names(names: list[str], random: Random) -> None:
    keys = choose_keys(names)

    assert keys.keys() == set(names)
    assert all(re.fullmatch(ToolKeyPattern, key) and len(key) <= 200 for key in keys.values())
    claims = [
        claim for key in keys.values() for claim in {*tool_names(key).claimed, types_module(tool_names(key)) + ".py"}
    ]
    assert len(claims) == len(set(claims))
    assert len({wire_name(f"mcp.shop.{key}") for key in keys.values()}) == len(keys)
    random.shuffle(names)
    assert choose_keys(names) == keys


def test_names_constructed_to_match_the_hash_of_another_are_handled() -> None:
    second = choose_keys(["a_b", "a.b"])["a.b"]
    keys = choose_keys(["a_b", "a.b", second])

    assert keys[second] == second
    assert len(set(keys.values())) == 3
