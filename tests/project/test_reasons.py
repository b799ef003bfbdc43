"""Reasons: what suppresses a check, or handles every exception, says in its line why it must."""

from __future__ import annotations

import re
from io import StringIO
from tokenize import COMMENT, generate_tokens

import pytest

from tests.project.checkout import ROOT, sources

_CODES = r"(?:noqa: [A-Z]+\d+(?:, [A-Z]+\d+)*|(?:type|pyright): ignore\[\w+(?:[-, ]+\w+)*\])"
_SUPPRESSION = re.compile(r"# ?(?:noqa|(?:type|pyright): ?ignore)")
_WITH_REASON = re.compile(rf"(?:# {_CODES}  )+# (?!noqa|type:)\S.*")
_HANDLER = re.compile(r"^ *(?:except\b|(?:async )?with suppress\().*$", re.MULTILINE)
_EVERYTHING = re.compile(r"except:|(?<![\w.])(?:Base)?Exception\b")


def _without_reason(text: str) -> list[int]:
    """Return the numbers of the lines, from 1, whose reason is missing."""
    if all(_WITH_REASON.match(text, match.start()) for match in _SUPPRESSION.finditer(text)):
        return []
    comments = (token for token in generate_tokens(StringIO(text).readline) if token.type == COMMENT)
    return [
        token.start[0]
        for token in comments
        if _SUPPRESSION.match(token.string) and not _WITH_REASON.fullmatch(token.string)
    ]


def _broad_without_reason(text: str) -> list[int]:
    """Return the numbers of the lines that handle every exception and do not say why."""
    found = (match for match in _HANDLER.finditer(text) if "  # " not in match[0] and _EVERYTHING.search(match[0]))
    return [text.count("\n", 0, match.start()) + 1 for match in found]


@pytest.mark.parametrize(
    ("line", "has_reason"),
    [
        ("a = b  # noqa: S101", False),
        ("a = b  # noqa", False),
        ("a = b  # noqa: S101 - not in one form", False),
        ("a = b  # type: ignore[misc]", False),
        ("a = b  # type: ignore[misc]  # noqa: S101", False),
        ("a = b  # pyright: ignore[reportPrivateUsage]", False),
        ("a = b  # noqa: S101  # not of users", True),
        ("a = b  # type: ignore[misc]  # noqa: S101, S102  # not of users", True),
        ("a = b  # pyright: ignore[reportPrivateUsage]  # no public name", True),
        ("a = '# noqa'", True),
        ("a = b  # of users", True),
    ],
)
def test_suppressions_without_a_reason_are_found(line: str, has_reason: bool) -> None:
    assert _without_reason(f"\n{line}\n") == ([] if has_reason else [2])


@pytest.mark.parametrize(
    ("line", "has_reason"),
    [
        ("except Exception:", False),
        ("except BaseException as error:", False),
        ("except (OSError, Exception):", False),
        ("except:", False),
        ("except Exception:  # noqa: BLE001", True),  # that it has none is found by the other
        ("with suppress(Exception):", False),
        ("except DBOSException:", True),
        ("except OSError:", True),
        ("except Exception:  # hooks are the host's", True),
    ],
)
def test_handlers_of_everything_without_a_reason_are_found(line: str, has_reason: bool) -> None:
    assert _broad_without_reason(f"try:\n    pass\n{line}\n    pass\n") == ([] if has_reason else [3])


def test_every_suppression_and_every_handler_of_all_exceptions_says_why() -> None:
    found: list[str] = []
    for file in sources("toolgen", "tests", "benchmarks", "docs", "specs"):
        text = file.read_text(encoding="utf-8")
        lines = _without_reason(text)
        if not file.is_relative_to(ROOT / "tests"):  # tests handle what they cause
            lines += _broad_without_reason(text)
        found += (f"{file.relative_to(ROOT)}:{line}" for line in lines)
    assert found == []


_OF_GROUP = re.compile(r"(?<![\\(])\)(?:[*+?]|\{[0-9,]+\})\+|\(\?>")


def test_no_pattern_has_a_possessive_group() -> None:
    """Python before 3.11.5 matches one wrongly whose parts can match in several ways (python/cpython#106052)."""
    assert _OF_GROUP.search(r"(?:ab?c)?+")
    found = {
        f"{file.relative_to(ROOT)}:{number}"
        for file in sources("toolgen")
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        if _OF_GROUP.search(line)
    }
    assert found == set()
