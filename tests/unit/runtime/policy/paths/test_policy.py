"""The path policy: its answers, and that its resolved path is the one of the operating system."""

from __future__ import annotations

import os
from fnmatch import fnmatchcase
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.project.checkout import ROOT
from toolgen.contract.records import FailureKind
from toolgen.execute.paths import PathAccess
from toolgen.runtime.base.errors import CallFailed
from toolgen.runtime.policy.paths import (
    FileKind,
    PathConcern,
    PathPolicy,
    PathProblem,
    PathRules,
    Resolution,
    SensitivePattern,
    UnsupportedSystem,
    ancestry,
    expand,
    is_within,
    resolve,
)
from toolgen.runtime.policy.policy import Policies
from toolgen.spec.sensitive import SENSITIVE


@pytest.fixture
def top(tmp_path: Path) -> Path:
    for folder in ("project/sub", "home/.ssh", "home/desk", "extra", "scratch", "elsewhere"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "project/file.txt").write_text("x")
    return tmp_path


def policy(top: Path, *rules: PathRules, **options: Any) -> PathPolicy:
    places: dict[str, Any] = {"home": top / "home", "temporary": [top / "scratch"], **options}
    return PathPolicy(top / "project", rules=rules or (PathRules(),), **places)


def test_reg_74_an_answer_names_the_resolved_path_and_its_root(top: Path) -> None:
    (top / "project/link").symlink_to("sub/../file.txt")
    answer = policy(top).judge("sub/.././link")
    assert answer.given == "sub/.././link"
    assert (answer.resolved, answer.root) == (str(top / "project/file.txt"), str(top / "project"))
    assert (answer.kind, answer.sensitive, answer.pattern, answer.problem) == (FileKind.FILE, False, None, None)
    assert (answer.read_concern, answer.write_concern) == (None, None)


def test_reg_74_a_missing_file_is_judged_by_the_path_where_it_would_be_created(top: Path) -> None:
    (top / "project/out").symlink_to(top / "elsewhere")
    inside, outside = (policy(top).judge(path) for path in ("new/deep/file", "out/new/file"))
    assert (inside.kind, inside.write_concern) == (FileKind.MISSING, None)
    assert (outside.resolved, outside.kind) == (str(top / "elsewhere/new/file"), FileKind.MISSING)
    assert outside.write_concern is PathConcern.OUTSIDE_ROOTS


def test_a_relative_path_starts_at_its_base(top: Path) -> None:
    assert policy(top).judge("file", base=str(top / "project/sub")).resolved == str(top / "project/sub/file")


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("", PathProblem.EMPTY),
        ("a\0b", PathProblem.NUL),
        ("a\ud800", PathProblem.NOT_TEXT),
        ("a" * 300, PathProblem.TOO_LONG),
        ("a/" * 3000, PathProblem.TOO_LONG),
        ("loop", PathProblem.TOO_MANY_LINKS),
    ],
)
def test_an_unusable_path_has_a_problem_and_no_resolved_path(top: Path, path: str, problem: PathProblem) -> None:
    (top / "project/loop").symlink_to("loop")
    answer = policy(top).judge(path)
    assert (answer.problem, answer.resolved, answer.root) == (problem, "", None)
    assert answer.read_concern is answer.write_concern is PathConcern.UNUSABLE
    with pytest.raises(CallFailed) as caught:
        PathAccess(policy(top)).check_read(path)
    assert (caught.value.kind, caught.value.code) == (FailureKind.INVALID_CALL, "invalid_path")
    assert problem.value in caught.value.message


MATRIX = {
    # write roots, tmp     project file  sub   home   extra  tmp
    ((".",), False): (True, True, False, False, False),
    ((".",), True): (True, True, False, False, True),
    (("sub",), False): (False, True, False, False, False),
    (("./sub",), True): (False, True, False, False, True),
    (("~/desk",), False): (False, False, True, False, False),
    ((".", "../extra"), False): (True, True, False, True, False),
    ((".", "{top}/extra"), True): (True, True, False, True, True),
    (("{top}",), False): (True, True, True, True, True),
    ((), False): (False, False, False, False, False),
    ((), True): (False, False, False, False, True),
}


@pytest.mark.parametrize(("roots", "tmp"), MATRIX)
def test_reg_72_write_roots_and_the_switch_for_temporary_files(top: Path, roots: tuple[str, ...], tmp: bool) -> None:
    rules = PathRules(write_roots=[root.replace("{top}", str(top)) for root in roots], tmp=tmp)
    paths = ("new", "sub/new", "~/desk/new", f"{top}/extra/new", f"{top}/scratch/new")
    answers = [policy(top, rules).judge(path) for path in paths]
    assert tuple(answer.root is not None for answer in answers) == MATRIX[roots, tmp]
    assert [answer.write_concern for answer in answers] == [
        None if allowed else PathConcern.OUTSIDE_ROOTS for allowed in MATRIX[roots, tmp]
    ]


def test_reg_72_what_a_policy_does_not_say_of_paths_is_as_strict_as_without_a_policy() -> None:
    """Temporary folders are no write roots, and no files are sensitive beside those that always are."""
    policies = Policies(
        {"silent": {}, "open": {"tmp": True, "write_roots": ["src"], "sensitive": ["*.key"], "hard_links": True}}
    )
    silent, opened = (PathRules(**each) for each in policies.paths)
    assert silent == PathRules(write_roots=(".",), tmp=False, sensitive=(), hard_links=False)
    assert opened == PathRules(write_roots=["src"], tmp=True, sensitive=["*.key"], hard_links=True)


def test_reg_72_the_folders_for_temporary_files_are_tmp_and_tmpdir(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(top / "scratch"))
    judge = PathPolicy(top / "project", rules=[PathRules(write_roots=[], tmp=True)]).judge
    assert judge("/tmp/x").root == str(Path("/tmp").resolve())  # noqa: S108  # the folder under test
    assert judge(f"{top}/scratch/x").write_concern is None


def test_policies_combine_and_the_strictest_wins(top: Path) -> None:
    both = policy(top, PathRules(sensitive=["*.md"]), PathRules(write_roots=["sub"], sensitive=["*.csv"]))
    assert both.judge("x").write_concern is PathConcern.OUTSIDE_ROOTS
    assert both.judge("sub/x").write_concern is None
    assert [both.judge(name).pattern for name in ("x.md", "x.csv", "x.pem")] == ["*.md", "*.csv", "*.pem"]
    assert policy(top, PathRules(hard_links=True), PathRules()).judge("file.txt").names_unknown is False


SECRETS = """
.netrc .git-credentials .kube/config .docker/config.json .pgpass .npmrc .pypirc .config/gh/hosts.yml .bash_history
.zsh_history .python_history .psql_history .local/share/fish/fish_history .aws/credentials .azure/msal_token_cache.json
.config/gcloud/credentials.db .gnupg/private-keys-v1.d/a .ssh/id_ed25519 .ssh/config .cargo/credentials.toml
.config/toolgen/logins.json .cache/toolgen/cache.key .config/containers/auth.json .m2/settings.xml .password-store/a
.gem/credentials .terraform.d/credentials.tfrc.json .config/rclone/rclone.conf .mozilla/firefox/x/logins.json
.claude/.credentials.json .codex/auth.json .cache/huggingface/token .local/share/keyrings/login.keyring .my.cnf
""".split()
"""Files of a home with credentials, as programs name them; not from the list that is under test."""


@pytest.mark.parametrize("name", SECRETS)
@pytest.mark.parametrize("home", ["~", "{top}/home", "/home/ann", "/root", "/Users/Ann"])
@pytest.mark.variants(60)
def test_reg_52_files_with_credentials_of_any_home_are_sensitive(top: Path, home: str, name: str) -> None:
    path = f"{home.replace('{top}', str(top))}/{name}"
    assert policy(top).judge(path).read_concern is PathConcern.SENSITIVE
    assert policy(top).judge(path).search_concern is PathConcern.SENSITIVE


@pytest.mark.parametrize(
    "path",
    """/etc/shadow /etc/ssh/ssh_host_rsa_key /etc/ssl/private/x /run/secrets/token /proc/self/environ id_rsa
    sub/id_ed25519 a.p12 a.jks sub/.netrc""".split(),
)
def test_reg_52_keys_and_files_of_the_system_with_passwords_are_sensitive(top: Path, path: str) -> None:
    assert policy(top).judge(path).read_concern is PathConcern.SENSITIVE


@pytest.mark.parametrize(
    "path",
    """file.txt id_rsa.pub id_map.py sub/history.py config/gh/hosts.yml ~/notes.txt ~/.config/other ~/.docker/x
    /home/ann/.bashrc /srv/home/ann/.kube/config /etc/ssh/ssh_config /etc/passwd""".split(),
)
def test_plain_files_are_not_sensitive(top: Path, path: str) -> None:
    assert policy(top).judge(path).read_concern is None


def test_the_folders_of_toolgen_are_sensitive_whatever_a_policy_says(
    top: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(top / "extra/config"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(top / "extra/cache"))
    open_to_all = policy(top, PathRules(write_roots=["/"]))
    for path in ("~/.config/toolgen/logins.json", f"{top}/extra/config/toolgen/x", f"{top}/extra/cache/toolgen"):
        assert open_to_all.judge(path).read_concern is PathConcern.SENSITIVE
        assert open_to_all.judge(path).write_concern is PathConcern.SENSITIVE
    assert open_to_all.judge(f"{top}/extra/config/other").read_concern is None


def test_reg_52_a_sensitive_place_is_found_by_its_location_too(top: Path) -> None:
    (top / "elsewhere/vault").mkdir()
    (top / "home/.kube").symlink_to(top / "elsewhere/vault")
    assert policy(top).judge(f"{top}/elsewhere/vault/config").pattern == "~/.kube"


@given(
    pattern=st.sampled_from(SENSITIVE),
    below=st.sampled_from(["", "/x", "/x/y"]),
    upper=st.booleans(),
    own=st.none() | st.lists(st.sampled_from(["private", "*.secret", "~/vault", "~/.ssh"])),
)
def test_reg_52_each_pattern_matches_what_it_names_and_all_below(
    pattern: str, below: str, upper: bool, own: list[str] | None
) -> None:
    """Whatever a policy names, and without one."""
    with TemporaryDirectory() as folder:
        made = policy_in(Path(folder), None if own is None else [PathRules(sensitive=own)])
        path = f"{pattern.replace('*', 'any')}{below}"
        path = path if path.startswith(("~", "/")) else f"sub/{path}"
        head, _, rest = path.partition("/")
        path = f"{head}/{rest.upper()}" if upper else path
        assert made.judge(path).read_concern is PathConcern.SENSITIVE


def policy_in(folder: Path, rules: list[PathRules] | None) -> PathPolicy:
    for name in ("project", "home"):
        (folder / name).mkdir()
    return PathPolicy(folder / "project", rules=rules, home=folder / "home")


def test_the_guide_lists_what_is_always_sensitive() -> None:
    guide = " ".join((ROOT / "docs/explanation/security.md").read_text().split())
    assert [each for each in SENSITIVE if f"`{each}`" not in guide] == []


def test_without_a_path_policy_nothing_may_be_written(top: Path) -> None:
    assert PathPolicy(top / "project", rules=[]).judge("x").write_concern is PathConcern.OUTSIDE_ROOTS


def test_reg_72_roots_and_project_are_resolved_once(top: Path) -> None:
    (top / "link").symlink_to("project")
    linked = PathPolicy(top / "link", home=top / "home")
    assert linked.project == str(top / "project")
    (top / "link").unlink()
    (top / "link").symlink_to("elsewhere")
    assert linked.judge("new").root == str(top / "project")
    assert linked.judge(f"{top}/link/new").root is None


def test_reg_52_a_hard_linked_file_is_read_without_permission_only_if_the_host_allows_it(top: Path) -> None:
    (top / "project/second").hardlink_to(top / "project/file.txt")
    assert policy(top).judge("second").read_concern is PathConcern.HARD_LINKED
    assert policy(top).judge("second").write_concern is None
    assert policy(top, PathRules(hard_links=True)).judge("second").read_concern is None


@pytest.mark.parametrize(
    ("granted", "path", "allowed"),
    [
        ("home/.ssh/id", "~/.ssh/id", True),
        ("home/.ssh", "~/.ssh/id", True),
        ("home", "~/.ssh/id", False),
        ("home/.ssh/id", "~/.ssh/other", False),
        ("home/.ss", "~/.ssh/id", False),
        ("project", ".env", False),
        ("project/.env", ".env", True),
        ("project/.env", "link", True),
        ("project/link", "link", False),
        ("project", "second", False),
    ],
)
def test_reg_73_a_grant_for_a_folder_covers_sensitive_files_only_if_the_folder_is_sensitive(
    top: Path, granted: str, path: str, allowed: bool
) -> None:
    (top / "project/.env").write_text("x")
    (top / "project/link").symlink_to(".env")
    (top / "project/second").hardlink_to(top / "project/file.txt")
    access = PathAccess(policy(top), [str(top / granted)])
    if allowed:
        assert access.check_read(path).resolved
    else:
        with pytest.raises(CallFailed) as caught:
            access.check_read(path)
        assert (caught.value.kind, caught.value.code) == (FailureKind.PERMISSION_DENIED, "sensitive_path")


def test_reg_73_outside_the_roots_a_write_needs_a_grant(top: Path) -> None:
    with pytest.raises(CallFailed, match="is outside the folders that may be written to") as caught:
        PathAccess(policy(top)).check_write("../elsewhere/new")
    assert caught.value.code == "outside_roots"
    assert PathAccess(policy(top), [str(top / "elsewhere")]).check_write("../elsewhere/new").root is None


def test_a_system_without_relative_opening_is_refused_at_once(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "supports_dir_fd", set[object]())
    with pytest.raises(UnsupportedSystem, match="needs a POSIX system"):
        PathPolicy(top)


def test_an_unusable_folder_of_the_host_is_refused_at_once(top: Path) -> None:
    (top / "loop").symlink_to("loop")
    with pytest.raises(ValueError, match="loop' cannot be a folder of a path policy: its links form a loop"):
        PathPolicy(top / "loop")


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("~/.ssh", "/h/.ssh", True),
        ("~/.ssh", "/h/.ssh/a/b", True),
        ("~/.ssh/", "/h/.ssh/a", True),
        ("~/.ssh", "/h/.sshx", False),
        ("~/.ssh", "/p/.ssh", False),
        ("~/.config/*/token", "/h/.config/x/token", True),
        ("~/.config/*/token", "/h/.config/x/y/token", False),
        ("conf/prod", "/p/conf/prod/x", True),
        ("conf/prod", "/q/conf/prod", False),
        ("/srv/[ab]", "/srv/b/x", True),
        ("*.pem", "/q/a.pem", True),
        ("*.pem", "/q/a.PEM/b", True),
        ("*.pem", "/q/pem", False),
        (".env.*", "/q/.env", False),
        ("Straße", "/q/STRASSE", True),
        ("é", "/q/e\u0301", True),
        ("?.key", "/q/aa.key", False),
    ],
)
def test_reg_52_patterns_with_a_slash_match_paths_and_others_match_names(
    pattern: str, path: str, matches: bool
) -> None:
    assert SensitivePattern.parse(pattern, project="/p", home="/h").matches(path) is matches


def test_only_literal_patterns_name_a_path() -> None:
    places = [SensitivePattern.parse(text, project="/p", home="/h").place for text in ("~/.x", "a/b", "/a*/b", "*.k")]
    assert places == ["/h/.x", "/p/a/b", None, None]


def test_paths_are_split_at_slashes() -> None:
    assert list(ancestry("/a/bc/d")) == ["/", "/a", "/a/bc", "/a/bc/d"]
    assert list(ancestry("/")) == ["/"]
    assert [is_within(path, "/a") for path in ("/a", "/a/b", "/ab", "/")] == [True, True, False, False]
    assert is_within("/x", "/")
    assert [expand(path, base="/b", home="/h") for path in ("x", "/x", "~", "~/x", "~u/x")] == [
        "/b/x",
        "/x",
        "/h/",
        "/h/x",
        "/b/~u/x",
    ]


NAMES = st.sampled_from(["a", "b", "c", "missing", ".", "..", ""])
PATHS = st.lists(NAMES, min_size=1, max_size=7).map("/".join)


@given(links=st.lists(st.tuples(PATHS, PATHS), max_size=4), path=PATHS)
def test_reg_74_a_path_resolves_as_the_system_would_and_a_resolved_one_to_itself(
    links: list[tuple[str, str]], path: str
) -> None:
    with TemporaryDirectory() as folder:
        top = Path(folder).resolve()
        (top / "a/b/c").mkdir(parents=True)
        (top / "b").mkdir()
        (top / "c").write_text("x")
        for number, (place, target) in enumerate(links):
            with_link = top / os.path.normpath(f"/{place}").lstrip("/") / f"link{number}"
            if with_link.parent.is_dir() and top in with_link.resolve().parents:
                with_link.symlink_to(target or ".")
        for name in (path, *(f"{place}/link{number}/{path}" for number, (place, _target) in enumerate(links))):
            found = resolve(f"{top}/{name}")
            assert isinstance(found, Resolution)
            expected = os.path.realpath(f"{top}/{name}")
            assert found.path == expected
            assert (found.kind is FileKind.MISSING) is not os.path.lexists(expected)
            again = resolve(found.path)
            assert isinstance(again, Resolution)
            assert (again.path, again.spellings) == (found.path, ())


LAST = st.sampled_from(["a", "*", "[ab]", "new", "?"])


@given(links=st.lists(st.tuples(PATHS, PATHS), max_size=4), folder=PATHS, last=LAST, path=PATHS, name=NAMES)
@example(links=[("", "a")], folder="link0", last="*", path="a", name="missing")
@example(links=[("", "a")], folder="link0", last="new", path="a", name="new")
@example(links=[], folder="missing/..", last="*", path="a", name="b")
def test_reg_52_a_pattern_holds_for_all_names_of_its_folder(
    links: list[tuple[str, str]], folder: str, last: str, path: str, name: str
) -> None:
    with TemporaryDirectory() as temporary:
        top = Path(temporary).resolve()
        (top / "a/b/c").mkdir(parents=True)
        (top / "b").mkdir()
        folders = [folder, path]
        for number, (place, target) in enumerate(links):
            with_link = top / os.path.normpath(f"/{place}").lstrip("/") / f"link{number}"
            if with_link.parent.is_dir() and top in with_link.resolve().parents:
                with_link.symlink_to(target or ".")
                folders.append(f"{place}/link{number}")
        for folder_, path_ in product(folders, folders):
            rules = PathRules(sensitive=[f"./{folder_}/{last}"])
            judged = PathPolicy(top, rules=[rules], home=top / "home", temporary=[]).judge(f"./{path_}/{name}")
            if judged.problem is not None:
                continue
            real = os.path.realpath(top / folder_)
            below = Path(judged.resolved).relative_to(real).parts if Path(real) in Path(judged.resolved).parents else ()
            if below and fnmatchcase(below[0], last):
                assert judged.pattern == f"./{folder_}/{last}"


def test_reg_52_a_pattern_holds_for_a_path_through_a_link_that_only_a_wildcard_names(top: Path) -> None:
    (top / "project/real").mkdir()
    (top / "project/real/key.txt").write_text("x")
    (top / "project/config").symlink_to("real")
    judged = policy(top, PathRules(sensitive=["conf*/key.txt"])).judge("config/key.txt")
    assert judged.pattern == "conf*/key.txt"


def test_a_host_without_rules_adds_to_what_policies_forbid(top: Path) -> None:
    (top / "project/second").hardlink_to(top / "project/file.txt")
    policies = Policies({"team": {"sensitive": ["./file.txt"], "write_roots": ["."]}})
    nothing = PathPolicy(top / "project", rules=[], home=top / "home", temporary=[]).under(policies)
    assert nothing.judge("file.txt").read_concern is PathConcern.SENSITIVE
    assert nothing.judge("second").read_concern is PathConcern.SENSITIVE
    assert nothing.judge("new").write_concern is PathConcern.OUTSIDE_ROOTS
