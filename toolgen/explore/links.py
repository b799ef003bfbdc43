"""Links: the one way in which addresses of pages are written."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import quote, urlencode

from toolgen.contract.records import NOTHING

_UNSAFE: Final = re.compile(r"^\.|[^A-Za-z0-9_.:-]")
_ESCAPED: Final = re.compile(rb"~([0-9A-F]{2})")

LONGEST_ARGS: Final = 32_000
"""Characters of JSON that a link has at most."""


def address(
    *parts: str, view: Mapping[str, str] = NOTHING, args: str = "", left_out: Sequence[str] = (), **fields: object
) -> str:
    """Return the address of a page, below the root, by the parts of its path: words and ids.

    `view` are the parameters that keep as whom a person looks (`Viewpoint.query`), `args` fill the form of a tool, as
    JSON, which names the pointers of what is `left_out` of them. `fields` are further parameters, those with a value.
    """
    path = "".join(f"/{segment(part)}" for part in parts)
    fragment = f"#args={_quoted(args)}" if args else ""
    if args and left_out:
        fragment += f"&left_out={_quoted(' '.join(left_out))}"
    given = query(view, **fields)
    return f"{path}{given if given != '?' else ''}{fragment}"


def segment(part: str) -> str:
    """Return a word or an id as one segment of a path: `..`, or one with `/`, would lead elsewhere as it is.

    Bytes of what is not plain are `~` with two digits, which nothing on the way takes for something else, as it does
    with percent-encoding. An empty id is `~`.
    """
    return _UNSAFE.sub(lambda found: "".join(f"~{byte:02X}" for byte in _bytes(found[0])), part) or "~"


def part_of(found: str) -> str:
    """Return the word or the id of a segment."""
    raw = b"" if found == "~" else _bytes(found)
    try:
        return _ESCAPED.sub(lambda each: bytes.fromhex(each[1].decode()), raw).decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:  # it was written by hand
        return found


def _quoted(text: str) -> str:
    return quote(text, safe="", errors="surrogatepass")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def query(view: Mapping[str, str] = NOTHING, **fields: object) -> str:
    """Return the query of such an address, for a link to the same page."""
    given = {**view, **{name: str(value) for name, value in fields.items() if value}}
    return f"?{urlencode(given, errors='surrogatepass')}"
