"""`TOOLS.md`: the content of specs, escaped as text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.compiler.specs import resolved, toolset
from toolgen.compiler.emit.documentation import emit_tools_md

if TYPE_CHECKING:
    from collections.abc import Mapping


def page(args: Mapping[str, Any], description: str = "A tool.") -> str:
    """Return the page of one tool."""
    found = resolved(toolset({"add": {"description": description, "args": {"type": "object", "properties": args}}}))
    return emit_tools_md(found.catalog)


def test_a_tool_has_its_description_and_its_args() -> None:
    args = {"name": {"type": "string", "description": "Whose?"}, "size": {"type": "integer"}}
    text = page(args, "Add it.\n\nThen say so.")
    assert "| [`shop.add`](#shopadd) | write |  |" in text
    assert "### `shop.add`\n\nAdd it.\n\nThen say so.\n" in text
    assert "| `name` | `str` |  |  |  | Whose? |\n| `size` | `int` |  |  |  |  |\n" in text


def test_a_tool_has_its_result_defaults_bounds_confirmation_and_limits() -> None:
    tool = {
        "description": "Refund.",
        "permission": "write",
        "tags": ["dangerous"],
        "confirm": "Refund {{args.amount}}?",
        "limits": {"daily_limit": 3, "timeout_ms": 500},
        "args": {
            "type": "object",
            "required": ["order", "tenant"],
            "properties": {
                "order": {"$ref": "#/$defs/Id"},
                "amount": {"type": "number", "exclusiveMinimum": 0, "default": 2.5},
                "tenant": {"type": "string"},
            },
            "$defs": {"Id": {"type": "string", "pattern": "^o-|x", "maxLength": 9}},
        },
        "inject": ["tenant"],
        "result": {
            "type": "object",
            "required": ["left"],
            "properties": {"left": {"type": "integer", "minimum": 0, "description": "What is left."}},
        },
    }
    text = emit_tools_md(resolved(toolset({"refund": tool})).catalog)
    assert text.partition("### ")[2] == (
        "`shop.refund`\n\nRefund.\n\n"
        "- permission: `write`\n- tags: `dangerous`\n- confirm: Refund {{args.amount}}?\n"
        "- limits: `daily_limit: 3`, `timeout_ms: 500`\n- injected by the host: `tenant`\n\n"
        "| arg | type | required | default | bounds | what it is |\n| --- | --- | --- | --- | --- | --- |\n"
        "| `order` | `str` | yes |  | `maxLength: 9`, `pattern: ^o-\\|x` |  |\n"
        "| `amount` | `int \\| float` |  | `2.5` | `exclusiveMinimum: 0` |  |\n\n"
        "Result: `RefundResult`\n\n"
        "| field | type | required | bounds | what it is |\n| --- | --- | --- | --- | --- |\n"
        "| `left` | `int` | yes | `minimum: 0` | What is left. |\n"
    )


@pytest.mark.parametrize(
    ("name", "cell"),
    [
        (" padded ", "`  padded  `"),
        ("", '`""`'),
        ("a`b", "``a`b``"),
        ("`", "`` ` ``"),
        ("a|b", r"`a\|b`"),
        ("a\nb", r"`a\nb`"),
    ],
)
def test_the_name_of_an_arg_is_always_rendered_as_code(name: str, cell: str) -> None:
    assert f"| {cell} | `str` |" in page({name: {"type": "string"}})


@pytest.mark.parametrize(
    "description", ["# a heading", "- a list", "1. a list", "> a quote", "```", "| a | table |", "<b>", "\u202e"]
)
def test_a_description_starts_no_markdown_block(description: str) -> None:
    text = page({"x": {"type": "string", "description": description}}, f"First.\n{description}")
    body = text.split("### `shop.add`\n\nFirst.\n")[1].splitlines()[0]
    assert not re.match(r"\s*([#>-]|\d+[.)]|```|<)", body)
    assert "<" not in body
    assert "\u202e" not in text
    assert sum(line.count("|") - line.count("\\|") == 7 for line in text.splitlines() if line.startswith("| `x`")) == 1
