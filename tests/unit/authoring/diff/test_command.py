"""`toolgen diff`: what it compares with, what it prints, and when it fails."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.authoring.diff.repository import ORDERS, Project, git
from tests.unit.cli.command_line import toolgen
from tests.unit.record.sample import record_calls

if TYPE_CHECKING:
    from pathlib import Path

FEWER = ("maximum: 50", "maximum: 20")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_a_working_tree_is_compared_with_where_it_left_main(project: Project) -> None:
    git(project.folder, "switch", "--quiet", "--create", "work")
    project.edit(FEWER)
    project.commit()
    git(project.folder, "switch", "--quiet", "main")
    project.edit(("Find orders.", "Find all orders."))  # which is no change of the branch
    project.commit()
    git(project.folder, "switch", "--quiet", "work")
    assert project.codes() == ["WIRE203", "MODEL207"]


def test_text_has_carets_on_both_sides_and_a_value_that_is_rejected(project: Project) -> None:
    start = git(project.folder, "rev-parse", "--short", "HEAD").strip()
    project.edit(FEWER)
    found = project.diff("--against", "main", "--only", "wire")
    assert found.code == 0
    assert (
        found.out
        == f"""\
breaking[WIRE203 arg-narrowed]: shop.orders.find: the arg `limit` accepts fewer values
 --> specs/orders.yaml:9:30
  |
9 |       limit: {{type: integer, maximum: 20, default: 10}}
  |                              ^^^^^^^
  |
  = for example: 21
note: in main ({start})
 --> main:specs/orders.yaml:9:30
  |
9 |       limit: {{type: integer, maximum: 50, default: 10}}
  |                              -------

main ({start}) -> the working tree: 1 breaking (1 wire)
"""
    )


def test_it_fails_only_on_the_categories_that_are_named(project: Project) -> None:
    project.edit(FEWER)
    assert {each: project.diff("--fail-on", each).code for each in ("wire", "code", "Model,code")} == {
        "wire": 1,
        "code": 0,
        "Model,code": 1,
    }
    assert project.diff("--only", "code", "--fail-on", "wire").code == 1  # what is shown does not matter
    assert project.diff().code == 0


def test_additions_do_not_fail(project: Project) -> None:
    project.edit(("      token?", "      page?: integer\n      token?"))
    assert project.diff("--fail-on", "wire,code").code == 0


def test_nothing_changed(project: Project) -> None:
    found = project.diff("--fail-on", "wire,code,model,route")
    assert (found.code, found.err) == (0, "")
    assert found.out.endswith("-> the working tree: no changes\n")


def test_the_reason_for_a_version_is_printed(project: Project) -> None:
    project.edit(FEWER)
    assert project.diff("--bump").out == "major\n  WIRE203 arg-narrowed: shop.orders.find\n"


def test_recorded_calls_that_are_rejected_are_quoted_without_secrets(project: Project) -> None:
    project.edit(FEWER)
    calls = [
        {"tool": "find", "arguments": {"customer": "ada", "limit": 30, "token": "s3cr3t-value"}},
        {"tool": "find", "arguments": {"customer": "ada", "limit": 20}},
        {"tool": "find", "arguments": {"customer": 1}},
        {"tool": "find", "result": [{"id": "o-1"}]},
        {"tool": "unknown", "arguments": {}},
    ]
    project.write("\n".join(map(json.dumps, calls)), "calls.jsonl")
    found = project.diff("--calls", "calls.jsonl", "--only", "wire")
    assert "WIRE501 recorded-call-rejected]: shop.orders.find: a recorded call is rejected" in found.out
    assert '= calls.jsonl:1: {"customer":"ada","limit":30,"token":"' in found.out
    assert "s3cr3t" not in found.out


def test_of_many_recorded_calls_that_are_rejected_three_are_quoted_and_the_rest_are_counted(project: Project) -> None:
    project.edit(FEWER)
    calls = [{"tool": "find", "arguments": {"customer": "ada", "limit": 30 + number}} for number in range(5)]
    for count, rest in ((3, ""), (4, "; and 1 more"), (5, "; and 2 more")):
        project.write("\n".join(map(json.dumps, calls[:count])), "calls.jsonl")
        found = project.diff("--calls", "calls.jsonl", "--only", "wire")
        assert f"shop.orders.find: {count} recorded calls are rejected" in found.out
        quoted = "; ".join(f'calls.jsonl:{n + 1}: {{"customer":"ada","limit":{30 + n}}}' for n in range(3))
        assert f"= {quoted}{rest}\n" in found.out


def test_a_store_is_a_recording_and_what_is_redacted_stands_for_anything(project: Project) -> None:
    project.edit(FEWER, ("writeOnly: true", "writeOnly: true, pattern: ^x"))
    calls = [{"customer": "ada", "limit": limit, "token": "[redacted]"} for limit in (20, 30)]
    record_calls(project.folder / "calls.db", "shop.orders.find", *((each, []) for each in calls))
    found = project.diff("--calls", "calls.db", "--only", "wire")
    assert "shop.orders.find: a recorded call is rejected" in found.out
    assert '= calls.db run r1 call c1: {"customer":"ada","limit":30,"token":"[redacted]"}' in found.out


def test_recorded_results_are_checked(project: Project) -> None:
    project.edit(("result: [{id: string}]", "result: [{id: {type: string, pattern: ^o-}}]"))
    project.write('{"tool": "find", "result": [{"id": "x-1"}]}\n', "calls.jsonl")
    assert "WIRE502" in project.codes("--calls", "calls.jsonl")


def test_recorded_calls_of_no_tool_are_counted_and_are_an_error_if_all_are(project: Project) -> None:
    known = '{"tool": "find", "arguments": {"customer": "ann"}}\n'
    unknown = '{"tool": "fnd", "arguments": {}}\n'
    done = project.diff("--calls", "-", stdin=known + unknown * 2)
    assert (done.code, done.err) == (0, "note: 2 of 3 recorded calls are of no tool of the version before\n")
    for stdin, named in ((unknown, ", such as `fnd`"), ("", "")):
        done = project.diff("--calls", "-", "--fail-on", "wire", stdin=stdin)
        assert done.code == 2
        assert f"no call is of a tool of the version before{named}, so there is nothing to check" in done.err


def test_a_file_that_is_no_recording_is_an_error(project: Project) -> None:
    project.write('\n{"tol": "find"}\n', "calls.jsonl")
    found = project.diff("--calls", "calls.jsonl")
    assert found.code == 2
    assert "calls.jsonl:2:2: a recorded call has no `tol`; did you mean `tool`?" in found.err


def test_a_commit_has_its_own_configuration(project: Project) -> None:
    project.write('[[targets]]\nspecs = "old"\nout = "pack"\n', "toolgen.toml")
    (project.folder / "specs").rename(project.folder / "old")
    project.commit()
    (project.folder / "old").rename(project.folder / "specs")
    project.write('[[targets]]\nspecs = "specs"\nout = "pack"\nformats = "assert"\n', "toolgen.toml")
    assert project.codes("--against", "HEAD") == []
    project.edit(("id: string", "id: {type: string, format: date}"))
    project.commit()
    project.write('[[targets]]\nspecs = "specs"\nout = "pack"\n', "toolgen.toml")
    assert "WIRE403" in project.codes("--against", "HEAD")
    project.write('[[targets]]\nspecs = "specs"\nout = "pack"\n', "toolgen.toml")
    project.commit()
    project.write('[[targets]]\nspecs = "specs"\nout = "pack"\nformats = "assert"\n', "toolgen.toml")
    assert "WIRE402" in project.codes("--against", "HEAD")


@pytest.mark.parametrize(
    ("edit", "codes"),
    [
        (("token?: {type: string,", "token?: {type: string, format: date,"), ["WIRE402"]),
        (("token?: {type: string,", "token?: {type: string, description: 'a \"format\":',"), []),
        (("token?: {type: string,", "token?: {type: string, contentEncoding: base64,"), []),
        (("toolset: shop.orders", "toolset: shop.orders\ndialect: draft-07"), []),
        (("result: [{id: string}]", "result: [{id: {type: string, format: date}}]"), ["WIRE402"]),
        (("result: [{id: string}]", "server_data: {when: {type: string, format: date}}"), []),
    ],
)
def test_checked_formats_are_told_where_they_can_reject_something(
    project: Project, edit: tuple[str, str], codes: list[str]
) -> None:
    project.edit(edit)
    project.commit()
    project.write('[[targets]]\nformats = "assert"\n', "toolgen.toml")
    assert project.codes("--against", "HEAD") == codes


def test_content_of_older_drafts_is_checked_with_formats(project: Project) -> None:
    dialect = ("toolset: shop.orders", "toolset: shop.orders\ndialect: draft-07")
    project.edit(dialect, ("token?: {type: string,", "token?: {type: string, contentEncoding: base64,"))
    project.commit()
    project.write('[[targets]]\nformats = "assert"\n', "toolgen.toml")
    assert project.codes("--against", "HEAD") == ["WIRE402"]
    project.commit()
    project.write("[[targets]]\n", "toolgen.toml")
    assert project.codes("--against", "HEAD") == ["WIRE403"]


def test_another_output_folder_breaks_the_imports_of_everything(project: Project) -> None:
    project.write('[[targets]]\nout = "gen2"\n', "toolgen.toml")
    assert "breaking[CODE101 package-removed]: generated: the package is in `gen2` now\n" in project.diff().out
    project.edit(FEWER)
    assert project.codes() == ["WIRE203", "CODE101", "MODEL207"]
    assert project.diff("--fail-on", "code").code == 1


def test_a_project_below_the_top_of_a_repository(tmp_path: Path) -> None:
    project = Project(tmp_path)
    inner = tmp_path / "services" / "a b"
    inner.mkdir(parents=True)
    (tmp_path / "specs").rename(inner / "specs")
    project.commit()
    (inner / "specs" / "orders.yaml").write_text(ORDERS.replace(*FEWER))
    report = toolgen(inner, "diff", "--against", "HEAD", "--format", "json").json
    assert [each["code"] for each in report["changes"]] == ["WIRE203", "MODEL207"]


def test_specs_behind_a_link_are_those_of_the_commit(project: Project) -> None:
    (project.folder / "shared").mkdir()
    (project.folder / "specs").rename(project.folder / "shared/now")
    (project.folder / "shared/specs").symlink_to("now")
    (project.folder / "specs").symlink_to("shared/specs")
    (project.folder / "shared/now/itself").symlink_to("itself")
    (project.folder / "shared/now/away").symlink_to("/nowhere")
    project.commit()
    (project.folder / "shared/now/orders.yaml").write_text(ORDERS.replace("  find:", "  search:"))
    assert "WIRE103" in project.codes("--against", "HEAD")  # renamed
    assert project.diff("--against", "HEAD", "--fail-on", "wire").code == 1


def test_a_project_that_was_moved_is_not_taken_for_a_new_one(project: Project) -> None:
    (project.folder / "old").mkdir()
    (project.folder / "specs").rename(project.folder / "old/specs")
    (project.folder / "old/toolgen.toml").write_text("")
    project.commit()
    (project.folder / "old").rename(project.folder / "new")
    for arguments in (("--fail-on", "wire"), ("--bump",)):
        done = toolgen(project.folder / "new", "diff", "--against", "HEAD", *arguments)
        assert done.code == 2
        assert "has no `specs` here, but a project or its package in `old`, which is gone from there" in done.err


def test_a_project_is_new_where_there_was_none(project: Project) -> None:
    other = project.folder / "other"
    (other / "specs").mkdir(parents=True)
    (other / "specs/orders.yaml").write_text(ORDERS)
    done = toolgen(other, "diff", "--against", "HEAD", "--fail-on", "wire")
    assert done.code == 0
    assert ", which has no specs -> the working tree: " in done.out


def test_specs_in_a_submodule_are_not_taken_for_new_ones(project: Project, tmp_path: Path) -> None:
    other = Project(tmp_path / "other")
    allow = ("-c", "protocol.file.allow=always", "submodule", "--quiet", "add")
    git(project.folder, *allow, str(other.folder), "specs/more")
    project.commit()
    done = project.diff("--against", "HEAD")
    assert done.code == 2
    assert "specs/more of the commit" in done.err
    assert "is a submodule, so its files are elsewhere" in done.err


def test_a_commit_is_named_by_its_message(project: Project) -> None:
    git(project.folder, "commit", "--quiet", "--allow-empty", "--message=the first release")
    assert "no changes" in project.diff("--against", ":/first release").out


def test_a_commit_of_which_a_part_is_missing_is_an_error(project: Project) -> None:
    blob = git(project.folder, "rev-parse", "HEAD:specs/orders.yaml").strip()
    (project.folder / ".git/objects" / blob[:2] / blob[2:]).unlink()
    done = project.diff("--against", "HEAD")
    assert done.code == 2
    assert "is not complete here: the repository is damaged, or a partial clone" in done.err


@pytest.mark.skipif(os.getuid() != 0, reason="only root may give files away")
@pytest.mark.parametrize("against", [(), ("--against", "HEAD")])
def test_a_repository_of_somebody_else_is_refused_with_the_reason_of_git(
    project: Project, against: tuple[str, ...]
) -> None:
    for place in (project.folder, project.folder / ".git"):
        os.chown(place, 12345, 12345)
    done = project.diff(*against)
    assert done.code == 2
    assert "detected dubious ownership" in done.err
    assert "safe.directory" in done.err


def test_a_folder_with_a_project(project: Project, tmp_path: Path) -> None:
    other = tmp_path / "other"
    (other / "specs").mkdir(parents=True)
    (other / "specs" / "orders.yaml").write_text(ORDERS.replace(*FEWER))
    assert project.codes("--against", "other") == ["MODEL207", "WIRE208"]
    assert project.codes("--against", "./other") == ["MODEL207", "WIRE208"]


def test_a_generated_package_is_read_and_never_imported(project: Project) -> None:
    assert toolgen(project.folder, "build").code == 0
    package = project.folder / "generated"
    trap = "raise SystemExit('imported')\n"
    for path in package.rglob("__init__.py"):
        path.write_text(trap + path.read_text() if path.parent == package else path.read_text())
    project.edit(FEWER, ("customer: string", "customer: integer"))
    codes = ["WIRE203", "WIRE203", "CODE207", "MODEL207", "MODEL207"]
    assert project.codes("--against", "generated") == codes
    package.rename(project.folder / "published")
    assert project.codes("--against", "published") == codes
    (project.folder / "lib").mkdir()
    (project.folder / "published").rename(project.folder / "lib" / "pack")
    (project.folder / "lib" / "__init__.py").write_text(trap)
    assert project.codes("--against", "lib.pack") == codes


@pytest.mark.parametrize(
    ("against", "message"),
    [
        ("nothing", "`nothing` is no commit of a git repository here, no folder and no package that can be found"),
        ("--upload-pack=x", "is no commit"),
        ("docs", "the folder docs is no project and no generated package: it has no `specs`"),
        ("both", "`both` is a commit and a folder: write `./both`"),
    ],
)
def test_what_cannot_be_compared_with(project: Project, against: str, message: str) -> None:
    git(project.folder, "branch", "both")
    for name in ("docs", "both"):
        (project.folder / name).mkdir()
    found = project.diff(f"--against={against}")
    assert found.code == 2
    assert message in " ".join(found.err.split())


def test_without_git_there_is_no_default(tmp_path: Path) -> None:
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "a.yaml").write_text(ORDERS)
    found = toolgen(tmp_path, "diff")
    assert found.code == 2
    assert "is in no git repository, so there is no commit to compare with" in " ".join(found.err.split())


def test_without_a_default_branch_one_must_be_named(project: Project) -> None:
    git(project.folder, "branch", "--move", "trunk")
    found = project.diff()
    assert found.code == 2
    assert "there is no branch `main` or `master` to compare with: name one, `--against REF`" in found.err
    assert project.codes("--against", "trunk") == []


def test_specs_with_errors_are_shown_and_nothing_is_compared(project: Project) -> None:
    project.write(ORDERS.replace("customer: string", "customer: strin"))
    project.commit()
    project.write(ORDERS)
    found = project.diff("--against", "HEAD")
    assert found.code == 1
    assert "error[TG201]" in found.err
    assert "the specs of HEAD (" in found.err
    assert found.out == ""


def test_a_category_that_is_none(project: Project) -> None:
    found = project.diff("--fail-on", "wire,cod")
    assert found.code == 2
    assert "there is no category or level `cod`; they are wire, code, model, route, breaking, ignored," in found.err


def test_rules_are_explained(project: Project) -> None:
    by_code, by_name = (toolgen(project.folder, "explain", each) for each in ("wire203", "arg-narrowed"))
    assert by_code.out == by_name.out
    assert by_code.out.startswith("WIRE203 arg-narrowed (breaking)\n")
    assert "WIRE203   breaking   arg-narrowed\n" in toolgen(project.folder, "explain").out
    assert "Did you mean `WIRE203`?" in toolgen(project.folder, "explain", "WIRE2033").err


def test_specs_and_targets_that_only_one_side_has(project: Project) -> None:
    project.write('[[targets]]\nspecs = "specs"\n[[targets]]\nspecs = "more"\nout = "two"\n', "toolgen.toml")
    project.write(ORDERS.replace("shop.orders", "desk.mail"), "more/mail.yaml")
    assert project.codes("--against", "HEAD") == ["WIRE102", "CODE103"]
    project.commit()
    project.write('[[targets]]\nspecs = "specs"\n', "toolgen.toml")
    assert project.codes("--against", "HEAD") == ["WIRE101", "CODE101"]
    git(project.folder, "checkout", "--quiet", "--orphan", "empty")
    git(project.folder, "rm", "-r", "--quiet", "--force", "--cached", ".")
    git(project.folder, "commit", "--quiet", "--allow-empty", "--message=x")
    assert project.codes("--against", "HEAD") == ["WIRE102", "CODE103"]


def test_the_folder_decides_on_the_repository_in_a_hook_of_a_linked_working_tree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    top = tmp_path / "top"
    (top / "tools" / "specs").mkdir(parents=True)
    (top / "tools" / "specs" / "orders.yaml").write_text(ORDERS)
    git(top, "init", "--quiet", "--initial-branch=main")
    git(top, "add", "--all")
    git(top, "commit", "--quiet", "--message", "One")
    git(top, "worktree", "add", "--quiet", str(tmp_path / "linked"), "-b", "work")
    linked = tmp_path / "linked" / "tools"
    spec = linked / "specs" / "orders.yaml"
    spec.write_text(ORDERS.replace(*FEWER))
    folder = git(linked, "rev-parse", "--absolute-git-dir").strip()
    monkeypatch.setenv("GIT_DIR", folder)  # as git sets it for hooks there
    monkeypatch.setenv("GIT_PREFIX", "")
    assert "WIRE203" in toolgen(linked, "diff").out


def test_options_that_print_nothing_are_refused(project: Project) -> None:
    bump = project.diff("--bump", "--format", "sarif")
    assert (bump.code, "`--bump` prints text or JSON, not sarif." in bump.err) == (2, True)
    only = project.diff("--only", "")
    assert (only.code, "`--only` needs a category: wire, code, model, route." in only.err) == (2, True)


@pytest.mark.parametrize(
    ("keys", "value", "damage"),
    [
        ([], [], 'at ``: [] is not of type "object"'),
        (["tools"], [], 'at `/tools`: [] is not of type "object"'),
        (["wire_names"], [], "at `/wire_names`: "),
        (["toolsets", "shop.orders"], 5, 'at `/toolsets/shop.orders`: 5 is not of type "object"'),
        (["tools", "shop.orders.find"], {}, 'at `/tools/shop.orders.find`: "permission" is a required property'),
        (["tools", "shop.orders.find", "permission"], {}, "at `/tools/shop.orders.find/permission`: {} is not of type"),
        (["tools", "shop.orders.find", "tags"], [[]], "at `/tools/shop.orders.find/tags/0`: [] is not of type"),
        (["contract"], 7, "'generated' was generated for contract 7, and this toolgen has contract"),
        (["policies", "all"], {"rules": {"*": "perhaps"}}, 'at `/policies/all/rules/*`: "perhaps" is not one of'),
    ],
)
def test_a_damaged_package_is_an_error(project: Project, keys: list[str], value: Any, damage: str) -> None:
    assert toolgen(project.folder, "build").code == 0
    place = project.folder / "generated" / "catalog.json"
    found: Any = {"": json.loads(place.read_text())}
    part, key = found, ""
    for each in keys:
        part, key = part[key], each
    part[key] = value
    place.write_text(json.dumps(found[""]))
    done = project.diff("--against", "./generated")
    assert (done.code, damage in done.err) == (2, True), done.err
