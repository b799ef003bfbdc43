"""Requirements of the universal action catalog that the compiler and the contract meet."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.compiler.specs import resolved, toolset
from toolgen.contract.ident import build, split

CATEGORIES = ["skill", "agent.peer", "mcp", "file", "web", "memory_entry", "rag_corpus", "a.b_c.d"]


@given(st.sampled_from(CATEGORIES), st.text(min_size=1))
def test_uac_02_a_qualified_name_splits_into_its_parts(category: str, entry: str) -> None:
    assert split(build(category, entry), CATEGORIES) == (category, entry)


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("agent.peer__alice", ("agent.peer", "alice")),
        ("mcp__call_tool", ("mcp", "call_tool")),
        ("mcp__install_registry", ("mcp", "install_registry")),
        ("rag_corpus__meetings", ("rag_corpus", "meetings")),
        ("file__read", ("file", "read")),
        ("mcp__a__b__c", ("mcp", "a__b__c")),
    ],
)
def test_uac_03_a_name_is_split_at_the_first_separator_after_its_category(name: str, parts: tuple[str, str]) -> None:
    assert split(name, CATEGORIES) == parts


@pytest.mark.parametrize(
    ("name", "reason"), [("noSep", "no `__`"), ("zzz__x", "unknown category 'zzz'"), ("file__", "no entry")]
)
def test_uac_04_an_invalid_qualified_name_is_refused(name: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        split(name, CATEGORIES)


@pytest.mark.parametrize("category", ["a__b", "a_", "__a", "a.b__c"])
def test_uac_04_a_category_with_the_separator_in_its_name_is_a_compile_error(category: str) -> None:
    actions = "{description: A., actions: {add: }}"
    catalog = f"toolgen: 1\ncatalog: all\nfrom: shop\ncategories:\n  {category}: {actions}\n"
    (message,) = resolved(toolset({"add": {}}), catalog).messages
    assert message.startswith(f"TG505 2.yaml:5:3 `{category}` cannot be a category")
    with pytest.raises(ValueError, match="cannot be a category"):
        build(category, "add")


def test_uac_04_a_name_without_a_category_or_an_entry_is_not_built() -> None:
    for category, entry in (("", "add"), ("shop", "")):
        with pytest.raises(ValueError, match=r"cannot be a category|needs a name"):
            build(category, entry)


def test_uac_04_categories_may_have_dots_and_entries_are_free_text() -> None:
    catalog = "toolgen: 1\ncatalog: all\nfrom: shop\ncategories:\n  a.b: {description: A., actions: {two words: add}}\n"
    found = resolved(toolset({"add": {}}), catalog)
    assert found.messages == []
    assert build("a.b", *found.catalog.catalogs[0].categories[0].actions) == "a.b__two words"
