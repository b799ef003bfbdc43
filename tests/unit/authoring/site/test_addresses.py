"""Addresses: paths are safe and unique on every file system, whatever the names are."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.hostile.texts import TEXTS
from toolgen.authoring.site.contents import Addresses, Kind, file_names


def test_a_plain_name_is_its_own_file_name() -> None:
    names = ["shop.orders.find", "mcp.github.createIssue", "a_b-c", "x"]
    assert file_names(names) == {name: name for name in names}


@pytest.mark.parametrize(
    "name", ["con", "NUL.tools", "com1.x", "a/b", "..", ".hidden", "a b", "é", "", "a" * 121, "a."]
)
def test_another_name_gets_a_hash(name: str) -> None:
    assert re.fullmatch(r"[a-z0-9_-]{1,40}--[0-9a-f]{10}", file_names([name])[name])


def test_names_that_differ_in_case_only_get_hashes_both() -> None:
    found = file_names(["a.Find", "a.find", "a.other"])
    assert found["a.other"] == "a.other"
    assert found["a.Find"].startswith("a-find--")
    assert found["a.Find"] != found["a.find"]


@given(st.sets(st.one_of(st.text(), st.sampled_from([*TEXTS.values()]), st.from_regex(r"[A-Za-z.]{1,4}"))))
def test_file_names_are_unique_and_safe(names: set[str]) -> None:
    found = file_names(names)
    assert found.keys() == names
    assert len({each.lower() for each in found.values()}) == len(names)
    assert all(re.fullmatch(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,119}", each) for each in found.values())
    assert not any(each.endswith(".") for each in found.values())


def test_a_page_that_is_not_there_has_no_path() -> None:
    addresses = Addresses({Kind.TOOL: ["a.b"]})
    assert addresses.path(Kind.TOOL, "a.b") == "tools/a.b.html"
    assert addresses.find(Kind.TOOL, "a.c") == addresses.find(Kind.AGENT, "a.b") == ""
