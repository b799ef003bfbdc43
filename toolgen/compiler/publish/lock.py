"""Lock: `toolgen.lock`, which says what a package was made from and which of its files are toolgen's."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final, cast

from toolgen import __version__
from toolgen.compiler.publish.inputs import Inputs, digest
from toolgen.compiler.publish.tree import LOCK, Tree, unsafe

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgen.compiler.diagnostics import Diagnostics

_FORMAT: Final = 1
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Lock:
    """What `toolgen.lock` says: the version of toolgen that wrote the package, its inputs, and each file's sha256."""

    generator: str
    inputs: Inputs
    files: Mapping[str, str]


class LockBroken(ValueError):
    """The text is no lock; the message says why."""


def lock_for(inputs: Inputs, files: Mapping[str, bytes]) -> Lock:
    """Give the lock of a package with these files."""
    return Lock(__version__, inputs, {path: digest(content) for path, content in files.items()})


def render_lock(lock: Lock) -> bytes:
    """Print a lock: JSON, sorted, one entry on a line, so that version control merges it well."""
    value = {
        "lock": _FORMAT,
        "generator": lock.generator,
        "inputs": asdict(lock.inputs),
        "files": dict(lock.files),
    }
    return (json.dumps(value, indent=2, sort_keys=True) + "\n").encode()


def parse_lock(content: bytes) -> Lock:
    """Read what `render_lock` printed. Raises LockBroken."""
    if b"\n<<<<<<< " in content:
        raise LockBroken("has unresolved merge conflicts")
    try:
        value = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise LockBroken(f"is not JSON: {error}") from error
    table = _table(value, "the lock")
    if table.get("lock") != _FORMAT:
        raise LockBroken(f"is not in format {_FORMAT}, the one that toolgen {__version__} reads")
    inputs = _table(table.get("inputs"), "`inputs`")
    files = _digests(table.get("files"), "`files`")
    for path in files:
        if problem := unsafe(path) or ("is the lock itself" if path == LOCK else ""):
            raise LockBroken(f"`files` has {path!r}, which {problem}")
    return Lock(
        generator=_text(table, "generator"),
        inputs=Inputs(
            specs=_texts(inputs.get("specs"), "`inputs.specs`"),
            generator=_text(inputs, "generator"),
            formatter=_text(inputs, "formatter"),
            config=_text(inputs, "config"),
        ),
        files=files,
    )


def read_lock(tree: Tree, sink: Diagnostics) -> Lock | None:
    """Read the lock of a package; None where there is none, or where it is broken, which is reported."""
    try:
        return parse_lock(tree.read(LOCK))
    except FileNotFoundError:
        return None
    except OSError as error:
        report_broken(tree, LockBroken(f"cannot be read: {error.strerror}"), sink)
        return None
    except LockBroken as error:
        report_broken(tree, error, sink)
        return None


def report_broken(tree: Tree, error: LockBroken, sink: Diagnostics) -> None:
    """Report that the lock of a package says nothing."""
    fix = "restore it from version control, or run `toolgen build --force`"
    sink.report("TG606", tree.span(LOCK), f"{tree.out}/{LOCK} {error}", fix=fix)


def _table(value: object, name: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise LockBroken(f"is not a lock: {name} is no object")
    return cast("dict[str, Any]", value)


def _text(table: dict[str, Any], key: str) -> str:
    value = table.get(key)
    if not isinstance(value, str):
        raise LockBroken(f"is not a lock: `{key}` is no string")
    return value


def _texts(value: object, name: str) -> dict[str, str]:
    table = _table(value, name)
    return {key: _text(table, key) for key in table}


def _digests(value: object, name: str) -> dict[str, str]:
    texts = _texts(value, name)
    for path, text in texts.items():
        if not _SHA256.fullmatch(text):
            raise LockBroken(f"is not a lock: {name} has no sha256 for {path!r}")
    return texts
