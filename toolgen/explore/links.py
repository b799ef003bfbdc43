"""Links: the one way in which addresses of pages are written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from urllib.parse import quote, urlencode

from toolgen.contract.records import NOTHING

LONGEST_ARGS: Final = 32_000
"""Characters of JSON that a link has at most."""


def address(*parts: str, view: Mapping[str, str] = NOTHING, args: str = "", **fields: object) -> str:
    """Return the address of a page, below the root, by the parts of its path: words and ids.

    `view` are the parameters that keep as whom a person looks (`Viewpoint.query`), `args` fill the form of a tool, as
    JSON, and `fields` are further parameters, those with a value.
    """
    path = "".join(f"/{quote(part, safe='')}" for part in parts)
    fragment = f"#args={quote(args, safe='', errors='surrogatepass')}" if args else ""
    given = query(view, **fields)
    return f"{path}{given if given != '?' else ''}{fragment}"


def query(view: Mapping[str, str] = NOTHING, **fields: object) -> str:
    """Return the query of such an address, for a link to the same page."""
    given = {**view, **{name: str(value) for name, value in fields.items() if value}}
    return f"?{urlencode(given, errors='surrogatepass')}"
