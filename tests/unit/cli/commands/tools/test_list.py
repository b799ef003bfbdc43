"""`toolgen list`: the tools of a project, as people and programs read them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.unit.cli.command_line import toolgen

if TYPE_CHECKING:
    from pathlib import Path

SHOP = f"""\
toolgen: 1
toolset: shop
tools:
  find:
    permission: readonly
    description: |

      Find orders of a customer.
      At most ten.
    args: {{}}
  refund: {{description: {"Refund an order. " * 10}, args: {{}}}}
"""


def test_tools_are_listed_with_the_first_line_of_their_descriptions(tmp_path: Path) -> None:
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "shop.yaml").write_text(SHOP, encoding="utf-8")

    assert toolgen(tmp_path, "list").out == (
        "shop.find    readonly  Find orders of a customer.\n"
        f"shop.refund  write     {('Refund an order. ' * 10)[:79]}…\n"
    )
    find = toolgen(tmp_path, "list", "--format", "json").json[0]
    assert (find["title"], "description" in find) == ("Find", False)
