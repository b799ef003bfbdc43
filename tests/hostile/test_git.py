"""A hostile repository: whatever its settings, hooks, attributes and objects say, looking at it runs no program."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

import pytest

from tests.project.checkout import ROOT
from tests.unit.authoring.diff.repository import ORDERS, Project, git
from tests.unit.cli.command_line import toolgen
from tests.unit.cli.forked_python import forked_python
from toolgen.authoring.diff.git import DiffError, Repository, folder_in_repository
from toolgen.authoring.diff.sides import other_side
from toolgen.compiler.project.config import load_config

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

RUN: Final = "@RUN@"
"""Stands for a program that leaves a mark."""

HOOKS = (
    "post-checkout",
    "pre-commit",
    "post-index-change",
    "reference-transaction",
    "pre-auto-gc",
    "fsmonitor-watchman",
)
SETTINGS: dict[str, tuple[dict[str, str], tuple[str, ...] | None]] = {
    "fsmonitor": ({"core.fsmonitor": RUN}, ("status",)),
    "hooks": ({"core.hooksPath": "hostile-hooks"}, ("checkout", "-q", "-b", "other")),
    "signatures": ({"log.showSignature": "true", "gpg.program": RUN}, ("log", "-1", "signed")),
    "ssh signatures": (
        {"log.showSignature": "true", "gpg.ssh.program": RUN, "gpg.ssh.allowedSignersFile": "x"},
        ("log", "-1", "ssh-signed"),
    ),
    "pager": ({"core.pager": RUN, "pager.log": "true", "pager.rev-list": RUN, "pager.ls-tree": RUN}, None),
    "alias": ({"alias.rev-list": f"!{RUN}", "alias.own": f"!{RUN}", "alias.cat-file": f"!{RUN}"}, ("own",)),
    "external diff": ({"diff.external": RUN}, ("diff", "HEAD~1", "HEAD")),
    "text conversion": ({"diff.own.textconv": RUN, "diff.own.command": RUN}, ("log", "-p", "--ext-diff")),
    "filters": (
        {"filter.own.clean": RUN, "filter.own.smudge": RUN, "filter.own.process": RUN, "filter.own.required": "true"},
        ("checkout", "HEAD~1", "--", "specs"),
    ),
    "editor": ({"core.editor": RUN, "sequence.editor": RUN}, ("commit", "--amend")),
    "merge driver": ({"merge.own.driver": RUN, "merge.default": "own"}, None),
    "refs of alternates": ({"core.alternateRefsCommand": RUN}, None),
    "partial clone": (
        {
            "core.repositoryFormatVersion": "1",
            "extensions.partialClone": "origin",
            "remote.origin.promisor": "true",
            "remote.origin.url": f"ext::{RUN}",
            "protocol.ext.allow": "always",
        },
        ("cat-file", "-p", "0123456789012345678901234567890123456789"),
    ),
    "partial clone by file": (
        {
            "core.repositoryFormatVersion": "1",
            "extensions.partialClone": "origin",
            "remote.origin.promisor": "true",
            "remote.origin.url": ".",
            "remote.origin.uploadpack": RUN,
            "protocol.allow": "always",
        },
        ("cat-file", "-p", "0123456789012345678901234567890123456789"),
    ),
    "partial clone by ssh": (
        {
            "core.repositoryFormatVersion": "1",
            "extensions.partialClone": "origin",
            "remote.origin.promisor": "true",
            "remote.origin.url": "ssh://host.example/x",
            "core.sshCommand": RUN,
        },
        ("cat-file", "-p", "0123456789012345678901234567890123456789"),
    ),
    "partial clone by a rewritten address": (
        {
            "core.repositoryFormatVersion": "1",
            "extensions.partialClone": "origin",
            "remote.origin.promisor": "true",
            "remote.origin.url": "own:x",
            f"url.ext::{RUN} .insteadOf": "own:",
            "protocol.ext.allow": "always",
        },
        ("cat-file", "-p", "0123456789012345678901234567890123456789"),
    ),
    "credentials": ({"credential.helper": f"!{RUN}", "core.askPass": RUN, "core.gitProxy": RUN}, None),
    "included": ({"include.path": "../hostile-settings"}, ("own",)),
    "included by folder": ({"includeIf.gitdir:/.path": "../hostile-settings"}, None),
    "another working tree": ({"core.worktree": "..", "core.fsmonitor": RUN}, ("status",)),
    "bare": ({"core.bare": "true", "core.fsmonitor": RUN}, None),
    "submodules": ({"submodule.own.update": f"!{RUN}", "submodule.recurse": "true", "diff.submodule": "log"}, None),
}
"""What a repository can set, and a command of git that it makes run a program; None if that needs more."""


class Hostile(Project):
    """A project in a repository; programs that it names leave a mark."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.mark = folder.parent / "mark"
        self.program = folder.parent / "program"
        self.program.write_text(f"#!/bin/sh\ntouch '{self.mark}'\nexit 0\n")
        self.program.chmod(0o755)
        self.write("* diff=own filter=own merge=own\n", ".gitattributes")
        self.edit(("Find orders.", "Find some orders."))
        self.commit()
        hooks = folder / "hostile-hooks"
        hooks.mkdir()
        for place in (hooks, folder / ".git/hooks"):
            for name in HOOKS:
                shutil.copy(self.program, place / name)
        (folder / "hostile-settings").write_text(
            f'[alias]\n\town = "!{self.program}"\n[core]\n\tfsmonitor = {self.program}\n'
        )
        for kind, branch in (("PGP", "signed"), ("SSH", "ssh-signed")):
            head = f"\ngpgsig -----BEGIN {kind} SIGNATURE-----\n \n x\n -----END {kind} SIGNATURE-----\n\n"
            signed = git(folder, "cat-file", "commit", "HEAD").replace("\n\n", head, 1)
            id_ = subprocess.run(
                ["git", "hash-object", "-t", "commit", "-w", "--stdin"],
                cwd=folder, input=signed, capture_output=True, text=True, check=True,
            ).stdout.strip()  # fmt: skip
            git(folder, "update-ref", f"refs/heads/{branch}", id_)
        self.mark.unlink(missing_ok=True)

    def set(self, settings: dict[str, str]) -> None:
        for name, value in settings.items():
            git(self.folder, "config", name.replace(RUN, str(self.program)), value.replace(RUN, str(self.program)))
        self.mark.unlink(missing_ok=True)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Hostile:
    folder = tmp_path_factory.mktemp("hostile") / "project"
    folder.mkdir()
    return Hostile(folder)


@pytest.fixture
def hostile(model: Hostile) -> Iterator[Hostile]:
    """Return the repository, which is as it was afterwards."""
    kept = model.folder.parent / "kept"
    shutil.copytree(model.folder, kept, symlinks=True)
    model.mark.unlink(missing_ok=True)
    yield model
    shutil.rmtree(model.folder)
    kept.rename(model.folder)


def look(folder: Path) -> None:
    """Do all that any command does with git."""
    config = load_config(folder)
    folder_in_repository(folder)
    try:
        repository = Repository(folder)
    except DiffError:
        return
    for ref in ("signed", "HEAD~1", "0123456789012345678901234567890123456789"):
        try:
            repository.default_commit()
            repository.describe(ref)
            repository.state_files()
            repository.history(["specs", "."], 9)
            repository.read([ref, "HEAD"], "specs")
            repository.read([ref, "HEAD"], "specs/orders.yaml")
            with other_side(config, ref):
                pass
        except DiffError:
            continue


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.variants(8)
def test_no_setting_of_a_repository_runs_a_program(hostile: Hostile, name: str) -> None:
    settings, control = SETTINGS[name]
    hostile.set(settings)
    if control is not None and control[-1].endswith("signed"):
        git(hostile.folder, "update-ref", "HEAD", control[-1])
    hostile.mark.unlink(missing_ok=True)
    look(hostile.folder)
    assert not hostile.mark.exists()
    if control is not None:  # the setting does run it, where git is started otherwise
        subprocess.run(["git", *control], cwd=hostile.folder, capture_output=True, check=False, timeout=60)
        assert hostile.mark.exists(), "this setting runs nothing: the test proves nothing"


def test_no_command_runs_a_program_of_a_repository(hostile: Hostile) -> None:
    together = ("fsmonitor", "hooks", "signatures", "pager", "alias", "external diff", "text conversion", "filters")
    for name in (*together, "editor", "merge driver", "credentials", "included", "submodules"):
        hostile.set(SETTINGS[name][0])
    git_free = subprocess.run(["git", "update-ref", "refs/heads/main", "signed"], cwd=hostile.folder, check=False)
    assert git_free.returncode == 0
    hostile.edit(("Find orders.", "Find all orders."))
    hostile.mark.unlink(missing_ok=True)
    for command in (
        ("diff", "--against", "HEAD"),
        ("diff", "--against", "HEAD~1", "--format", "github"),
        ("diff", "--against", "HEAD~1", "--format", "sarif"),
        ("docs",),
        ("build",),
        ("build", "--check"),
        ("lint", "--format", "github"),
        ("lint", "--format", "sarif"),
        ("fmt", "--check"),
        ("diff", "--fail-on", "wire,code", "--against", "HEAD"),
    ):
        done = toolgen(hostile.folder, *command)
        assert done.code in (0, 1), done.err
        assert not hostile.mark.exists(), command
    page = (hostile.folder / "site/changes.html").read_text()
    assert page.count("MODEL102") == 2, "the history was read"
    dev = subprocess.Popen(
        [forked_python(), "-m", "toolgen", "dev", "--against", "HEAD~1"],
        cwd=hostile.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
        env=os.environ | {"PYTHONPATH": str(ROOT)}, text=True,
    )  # fmt: skip
    assert dev.stdout is not None
    shown = ""
    try:
        for line in dev.stdout:
            shown += line
            if "MODEL102" in shown or "description changed" in shown:
                break
        dev.send_signal(signal.SIGINT)
        dev.communicate(timeout=300)
    finally:
        dev.kill()
    assert not hostile.mark.exists()


@pytest.mark.parametrize("knows_the_setting", [True, False])
def test_an_embedded_bare_repository_is_not_looked_at(
    hostile: Hostile, knows_the_setting: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder of a repository that is a repository itself, as a clone brings it: git takes it for the real one."""
    bare = hostile.folder / "vendor"
    git(hostile.folder, "clone", "--quiet", "--bare", ".", str(bare))
    (bare / "specs").mkdir()
    (bare / "specs/orders.yaml").write_text(ORDERS)
    for name, value in {"core.bare": "false", "core.worktree": ".", "core.fsmonitor": str(hostile.program)}.items():
        git(bare, f"--git-dir={bare}", "config", name, value)
    hostile.mark.unlink(missing_ok=True)
    if not knows_the_setting:
        monkeypatch.setattr("toolgen.authoring.diff.git._SETTINGS", {})
    else:
        monkeypatch.setattr("toolgen.authoring.diff.git._refuse_bare", lambda _folder: None)
    for folder in (bare, bare / "specs"):
        with pytest.raises(DiffError):
            Repository(folder)
        assert folder_in_repository(folder) == ""
    look(bare)
    assert not hostile.mark.exists()
    done = toolgen(bare, "diff")
    assert (done.code, "Traceback" in done.err) == (2, False), done.err
    for command in (("docs",), ("build",), ("lint", "--format", "github")):
        assert toolgen(bare, *command).code in (0, 1)
    assert not hostile.mark.exists()
    subprocess.run(["git", "status"], cwd=bare, capture_output=True, check=False)
    assert hostile.mark.exists(), "this repository runs nothing: the test proves nothing"


def test_a_commit_writes_nothing_through_a_link(hostile: Hostile, tmp_path: Path) -> None:
    """A tree may have a link and a folder of one name, which git itself never makes."""
    outside = tmp_path / "outside"
    outside.mkdir()
    folder = hostile.folder

    def stored(kind: str, content: bytes) -> str:
        command = ["git", "hash-object", "--literally", "-t", kind, "-w", "--stdin"]
        return (
            subprocess.run(command, cwd=folder, input=content, capture_output=True, check=True).stdout.decode().strip()
        )

    def tree(*entries: tuple[str, str, str]) -> str:
        return stored("tree", b"".join(f"{mode} {name}\0".encode() + bytes.fromhex(id_) for mode, name, id_ in entries))

    spec = stored("blob", ORDERS.encode())
    link = stored("blob", str(outside).encode())
    file = stored("blob", str(outside / "file.yaml").encode())
    inner = tree(("100644", "taken.yaml", spec))
    for entries in (
        [("120000", "a", link), ("40000", "a", inner), ("100644", "orders.yaml", spec)],
        [("120000", "a.yaml", file), ("100644", "a.yaml", spec)],
        [("100644", "../../taken.yaml", spec)],
        [("40000", "..", inner)],
        [("100644", str(outside / "taken.yaml"), spec)],
    ):
        top = tree(("40000", "specs", tree(*entries)))
        commit = git(folder, "commit-tree", top, "-m", "x").strip()
        done = toolgen(folder, "diff", "--against", commit)
        is_inside = entries[0][1].startswith("/")  # as a name below the folder
        assert (done.code, "Traceback" in done.err) == (0 if is_inside else 2, False), (entries, done.err)
        assert list(outside.iterdir()) == []


def stored(folder: Path, kind: str, content: bytes) -> str:
    """Write an object of git; return its id."""
    command = ["git", "hash-object", "--literally", "-t", kind, "-w", "--stdin"]
    return subprocess.run(command, cwd=folder, input=content, capture_output=True, check=True).stdout.decode().strip()


def test_a_commit_costs_no_more_than_its_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = Project(tmp_path / "project")
    folder = project.folder
    monkeypatch.setattr("toolgen.authoring.diff.git._OUTPUT", 4 * 1024 * 1024)
    repository = Repository(folder)

    def commit(*entries: tuple[str, str, str]) -> str:
        tree = b"".join(f"{mode} {name}\0".encode() + bytes.fromhex(id_) for mode, name, id_ in entries)
        return git(folder, "commit-tree", stored(folder, "tree", tree), "-m", "x").strip()

    large = stored(folder, "blob", b"\0" * (11 * 1024 * 1024))
    for name, is_refused in (("specs.yaml", True), ("specs.bin", False)):
        out = tmp_path / name
        out.mkdir()
        of_commit = commit(("100644", name, large))
        if is_refused:
            with pytest.raises(DiffError, match="over 10,485,760 bytes"):
                repository.extract(of_commit, ["."], out)
        else:
            repository.extract(of_commit, ["."], out)
        assert list(out.iterdir()) == []
        assert repository.read([of_commit], name) == [(large, b"")]
    small = stored(folder, "blob", b" " * (3 * 1024 * 1024))
    with pytest.raises(DiffError, match="are over 4,194,304 bytes"):
        repository.extract(commit(("100644", "a", small), ("100644", "b", small)), ["."], tmp_path)
    inner = stored(folder, "blob", b"")
    mode = "100644"
    for _ in range(12):  # 10 entries in each of 12 folders stand for 10**12 files
        listed = b"".join(f"{mode} {'x' * 50}{number}\0".encode() + bytes.fromhex(inner) for number in range(10))
        inner, mode = stored(folder, "tree", listed), "40000"
    with pytest.raises(DiffError, match="printed more than 4,194,304 bytes"):
        repository.extract(git(folder, "commit-tree", inner, "-m", "x").strip(), ["."], tmp_path)


def test_a_commit_of_any_time_is_shown(tmp_path: Path) -> None:
    project = Project(tmp_path / "project")
    author = "a <a@b.example> 99999999999999 +0000"
    tree = git(project.folder, "rev-parse", "HEAD^{tree}").strip()
    text = f"tree {tree}\nauthor {author}\ncommitter {author}\n\nlate\n".encode()
    late = stored(project.folder, "commit", text)
    git(project.folder, "update-ref", "refs/heads/main", late)
    (found,) = Repository(project.folder).history(["specs"], 1)
    assert datetime.fromtimestamp(found.time, UTC).year == 9999
