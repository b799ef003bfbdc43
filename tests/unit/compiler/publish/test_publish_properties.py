"""Any sequence of builds and manual edits: a build leaves exactly its files beside the user's, or changes nothing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.publish.apply import Disk
from toolgen.compiler.publish.drift import Cause, drift
from toolgen.compiler.publish.inputs import Inputs
from toolgen.compiler.publish.lock import read_lock
from toolgen.compiler.publish.publish import Package, publish
from toolgen.compiler.publish.tree import LOCK, Tree

if TYPE_CHECKING:
    from collections.abc import Sequence

PATHS = ("a.py", "b/a.py", "b/c/d.md", "b", "b/c", "B/a.py", "e/f.py")
CONTENTS = st.sampled_from([b"", b"1", b"2"])
FILES = st.dictionaries(st.sampled_from(PATHS), CONTENTS, max_size=5)
INPUTS = Inputs(specs={}, generator="", formatter="", config="")


@dataclass(frozen=True)
class Edit:
    """A file written by hand, or removed."""

    path: str
    content: bytes | None


@dataclass(frozen=True)
class Build:
    """A build of these files."""

    files: dict[str, bytes]
    force: bool


ACTIONS = st.lists(
    st.one_of(
        st.builds(Build, FILES, st.booleans()),
        st.builds(Edit, st.sampled_from(PATHS), st.one_of(st.none(), CONTENTS)),
    ),
    max_size=8,
)


class UnflushedDisk(Disk):
    """The real disk without flushing, since there are no power failures here."""

    def flush(self, paths: Sequence[str]) -> None:
        pass


@settings(max_examples=2 * settings().max_examples)
@given(ACTIONS)
def test_a_build_leaves_exactly_its_files_or_changes_nothing(actions: list[Build | Edit]) -> None:
    with TemporaryDirectory() as folder:
        tree = Tree(Path(folder), "generated")
        for action in actions:
            if isinstance(action, Edit):
                edit(tree, action.path, action.content)
            else:
                build(tree, action.files, force=action.force)


def edit(tree: Tree, path: str, content: bytes | None) -> None:
    """Write or remove a file by hand, if possible."""
    place = Path(tree.at(path))
    try:
        if content is None:
            place.unlink()
        else:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
    except OSError:
        return


def build(tree: Tree, files: dict[str, bytes], *, force: bool) -> None:
    """Publish, and check the guarantees of publishing on the tree before and after."""
    sink = Diagnostics()
    lock = read_lock(tree, sink)
    owned = lock.files if lock else {}
    former = lock
    before = content(tree)

    published = publish(tree, Package(files, INPUTS, {}), force=force, sink=sink, disk=UnflushedDisk())

    after = content(tree)
    if published is None:
        assert sink.has_errors
        assert after == before
        return
    assert not len(sink)
    assert {path: after[path] for path in files} == files
    lock = read_lock(tree, sink)
    assert lock
    assert lock.files.keys() == files.keys()
    assert all(lock.has_written(path, data) for path, data in files.items())
    lost = {path for path in before if path not in after and path != LOCK}
    assert lost <= owned.keys() - files.keys()
    assert force or all(former and former.has_written(path, before[path]) for path in lost)
    changed = {path for path in files if path in before and before[path] != after[path]}
    assert force or all(former and former.has_written(path, before[path]) for path in changed)
    kept = {path: data for path, data in after.items() if path not in files and path != LOCK}
    assert kept.items() <= before.items()
    assert not kept.keys() & owned.keys()
    assert {change.causes for change in drift(tree, lock, INPUTS, files, {})} <= {(Cause.STRAY,)}
    assert {*published.written} == {path for path in after if before.get(path) != after[path]}
    assert {*published.removed} == lost


def content(tree: Tree) -> dict[str, bytes]:
    return {path: tree.read(path) for path in tree.scan()}
