"""The baseline: findings that a project accepts, identified by rule, place and digest, not by line."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from toolgen.authoring.inputs import BASELINE
from toolgen.schema.json_values import canonical
from toolgen.spec.files import read_file
from toolgen.spec.text import lines_of

if TYPE_CHECKING:
    from pathlib import Path

    from toolgen.authoring.lint.registry import Finding

_LARGEST: Final = 64 * 1024 * 1024


class BaselineBroken(ValueError):
    """The baseline cannot be used. The message has the reason."""


@dataclass(frozen=True, slots=True, order=True)
class BaselineEntry:
    """One accepted finding. `digest` is that of its message and of the value that it is about."""

    rule: str
    place: str
    digest: str


def entry_of(rule: str, finding: Finding) -> BaselineEntry:
    """Return how a finding is identified."""
    value = "" if finding.place.key else canonical(finding.place.node.to_data()).decode()
    digest = sha256(f"{finding.message}\n{value}".encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return BaselineEntry(rule, finding.place.name, digest)


def write_baseline(entries: Iterable[BaselineEntry]) -> str:
    """Return the text of a baseline: an entry has a line, so that branches merge."""
    rows = [json.dumps([each.rule, each.place, each.digest], ensure_ascii=False) for each in sorted(set(entries))]
    return '{"toolgen_lint_baseline": 1, "findings": [\n' + ",\n".join(rows) + ("\n]}\n" if rows else "]}\n")


def load_baseline(root: Path) -> dict[BaselineEntry, int]:
    """Return the entries of a project's baseline with their lines; none without a file. Raises BaselineBroken."""
    try:
        return read_baseline(read_file(root / BASELINE, _LARGEST).decode("utf-8"))
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise BaselineBroken(f"{BASELINE} cannot be read: {error.strerror}") from error
    except (UnicodeDecodeError, BaselineBroken) as error:
        raise BaselineBroken(f"{BASELINE} cannot be used: {error}") from error


def present_baseline(root: Path) -> str | None:
    """Return the text of a project's baseline, whatever it is; None without a file. Raises OSError."""
    try:
        return read_file(root / BASELINE, _LARGEST).decode("utf-8", "surrogateescape")
    except FileNotFoundError:
        return None


def read_baseline(text: str) -> dict[BaselineEntry, int]:
    """Return the entries of a baseline with their lines. Raises BaselineBroken."""
    try:
        data: Any = json.loads(text)
        if data["toolgen_lint_baseline"] != 1:
            raise ValueError("another version")
        entries = [BaselineEntry(*row) for row in data["findings"]]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise BaselineBroken("it is not what `toolgen lint --write-baseline` writes") from error
    if not all(isinstance(part, str) for each in entries for part in (each.rule, each.place, each.digest)):
        raise BaselineBroken("it is not what `toolgen lint --write-baseline` writes")
    lines = _lines(text)
    return {each: lines.get(each.digest, 1) for each in entries}


def _lines(text: str) -> dict[str, int]:
    """Return the line of each digest, which is the last text of its line."""
    numbered = enumerate(lines_of(text), 1)
    return {line.rstrip(" ],").removesuffix('"').rpartition('"')[2]: number for number, line in numbered}
