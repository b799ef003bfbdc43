"""The content of `TOOLS.md` as a reader sees it."""

from __future__ import annotations

from markdown_it import MarkdownIt


def skeleton(markdown: str) -> list[str]:
    """Return the structure of a page: headings, tables and their cells.

    The number of paragraphs depends on the text.
    """
    tokens = MarkdownIt("commonmark").enable("table").parse(markdown)
    inner = [child.type for token in tokens for child in token.children or ()]
    foreign = {"html_inline", "image", "em_open", "strong_open", "hr", "fence", "code_block", "html_block"}
    assert foreign.isdisjoint((*inner, *(token.type for token in tokens)))
    kept = (token for token in tokens if token.type not in ("inline", "paragraph_open", "paragraph_close"))
    return [f"{token.type} {token.tag}" for token in kept] + [kind for kind in inner if kind == "link_open"]


def words(markdown: str) -> list[str]:
    """Return the words that a reader sees, in order."""
    tokens = MarkdownIt("commonmark").enable("table").parse(markdown)
    inner = [child for token in tokens for child in (*(token.children or ()), token)]
    return "".join(child.content if child.type in READ else " " for child in inner).split()


READ = frozenset({"text", "text_special", "code_inline", "link_open", "link_close"})
"""Tokens that are text, or inside a word."""
