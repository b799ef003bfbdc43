"""Parts of the page, computed in this process, and the processes that compute them."""

from __future__ import annotations

import json
import pickle
import shutil
import time
from queue import SimpleQueue
from typing import TYPE_CHECKING

import pytest

from tests.unit.authoring.diff.repository import ORDERS, Project
from tests.unit.cli.command_line import toolgen
from toolgen.authoring.dev import terminal
from toolgen.authoring.dev.loop import PartProcess
from toolgen.authoring.dev.page import Answer, Build, Choices, Page, Part, PartProblem, Question
from toolgen.authoring.dev.surface import Comparison, OtherSide, SurfaceMeasure
from toolgen.authoring.dev.worker import build_targets, lint_targets
from toolgen.compiler.project.config import load_config

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

MISSPELT = """\
  drop:
    description: Drop an order.
    args: {limit: {type: integer, default: ten}}
"""
"""A tool whose default does not fit, which is a warning."""

AGENT = "toolgen: 1\nagent: clerk\nuse: [shop.orders]\n"

ACTIONS = """\
toolgen: 1
catalog: all
categories:
  orders: {description: Orders., actions: {find: shop.orders.find}}
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / ".gitignore").write_text(".toolgen\ngenerated\n")
    return Project(tmp_path)


def question(project: Project, **choices: str) -> Question:
    return Question(load_config(project.folder), Choices(**choices))


def lines(section: terminal.Section) -> list[str]:
    return [section.title.plain, *(item.plain for item in section.items)]


def test_a_build_without_changes_has_its_warnings_too(project: Project) -> None:
    project.write(ORDERS + MISSPELT)
    for outcome in ("files written", "up to date"):
        (target,) = build_targets(question(project)).targets
        assert outcome in target.outcome
        assert [found.code for found in target.found] == ["TG208"]


def test_a_file_of_others_in_a_package_is_a_problem(project: Project) -> None:
    build_targets(question(project))
    (project.folder / "generated" / "mine.py").write_text("")
    page = Page(project.folder, Choices())
    page.begin("started", frozenset([Part.BUILD]))
    page.take(Part.BUILD, 1, Answer(build_targets(question(project))))
    assert lines(terminal.build_problems(page))[1].startswith("warning generated/mine.py: ")


def test_cases_that_no_longer_fit_the_tools_are_problems(project: Project) -> None:
    case = "toolgen: 1\neval: a\ncases: {one: {question: Find., expect: [{call: shop.orders.%s}]}}\n"
    page = Page(project.folder, Choices())
    for number, (tool, is_wrong) in enumerate((("find", False), ("gone", True), ("find", False)), 1):
        project.write(case % tool, "evals/a.eval.yaml")
        page.begin("started", frozenset([Part.BUILD, Part.LINT]))
        page.take(Part.BUILD, number, Answer(build_targets(question(project))))
        page.take(Part.LINT, number, Answer(lint_targets(question(project))))
        for section in (terminal.build_problems(page), terminal.lint_problems(page), terminal.problems(page)):
            told = [line for line in lines(section) if "TG901" in line]
            assert [each.split(": ")[1] for each in told] == ["there is no tool `shop.orders.gone`"] * is_wrong


def test_problems_are_sorted_the_worst_first_and_shown_once(project: Project) -> None:
    project.write('[[targets]]\n[[targets]]\nspecs = "specs"\nout = "other"\n', "toolgen.toml")
    project.write(ORDERS + MISSPELT)
    page = Page(project.folder, Choices())
    page.begin("started", frozenset([Part.BUILD, Part.LINT]))
    assert lines(terminal.problems(page)) == ["Problems [build computed now] [lint computed now]", "computed now …"]
    page.take(Part.BUILD, 1, Answer(build_targets(question(project))))
    page.take(Part.LINT, 1, Answer(lint_targets(question(project))))
    title, *items = lines(terminal.problems(page))
    assert "warnings" in title
    severities = [item.partition("[")[0] for item in items]
    assert severities == sorted(severities, reverse=True)
    assert len(items) == len(set(items))
    assert sum("TG208" in item for item in items) == 1
    outcomes = [item.partition(": ") for item in lines(terminal.header(page))[1:]]
    assert [(out, "files written" in outcome) for out, _, outcome in outcomes] == [("generated", True), ("other", True)]


def test_lint_waits_for_specs_without_errors_and_names_a_broken_baseline(project: Project) -> None:
    assert not lint_targets(question(project)).waits
    project.edit(("customer: string", "customer: Nothing"))
    assert lint_targets(question(project)).waits
    project.write("toolgen: [", "specs/b.yaml")
    assert lint_targets(question(project)).waits
    project.edit()
    (project.folder / "specs" / "b.yaml").unlink()
    project.write("[", "toolgen-lint-baseline.json")
    with pytest.raises(PartProblem, match=r"toolgen-lint-baseline\.json.*Delete it, or restore it"):
        lint_targets(question(project))


def test_the_other_side_is_read_again_only_where_it_is_another_commit(project: Project) -> None:
    side = OtherSide()
    first = side.read(question(project))
    assert side.read(question(project)) is first
    project.edit(("maximum: 50", "maximum: 20"))
    project.commit()
    second = side.read(question(project))
    assert second is not first
    assert second.label != first.label
    folder = side.read(question(project, against="."))
    assert side.read(question(project, against=".")) is not folder


def test_changes_are_those_of_diff(project: Project) -> None:
    compare = Comparison()
    project.edit(("maximum: 50", "maximum: 20"), ("  find:", "  search:"))
    for _ in range(2):  # of which the second compiles nothing again
        found = compare(question(project)).changes
        report = toolgen(project.folder, "diff", "--format", "json").json["changes"]
        assert [each.change.code for each in found] == [each["code"] for each in report]
        assert [each.after.line if each.after else None for each in found] == [
            each["after"]["place"] and each["after"]["place"]["line"] for each in report
        ]
    project.edit(("customer: string", "customer: Nothing"))
    with pytest.raises(PartProblem, match="the specs of the working tree have errors"):
        compare(question(project))
    with pytest.raises(PartProblem, match="`nowhere` is no commit"):
        compare(question(project, against="nowhere"))


def test_the_surface_has_the_figures_of_stats_and_what_changed(project: Project) -> None:
    project.write('[[targets]]\nbuiltin = ["actions"]\n', "toolgen.toml")
    project.write(ACTIONS, "specs/all.catalog.yaml")
    project.write(AGENT, "specs/clerk.agent.yaml")
    project.commit()
    project.edit(("Find orders.", "Find orders of a customer."))
    measure = SurfaceMeasure()
    found = measure(question(project, provider="anthropic"))
    toolgen(project.folder, "build")
    stats = toolgen(project.folder, "stats", "--provider", "anthropic", "--format", "json").json["costs"]
    of_stats = {cost["presentation"]: (cost["tools"], cost["bytes"], cost["tokens"]) for cost in stats}
    figures = [
        (each.now.presentation, (each.now.tools, each.now.bytes, each.now.tokens)) for each in found.presentations
    ]
    assert figures == [(name, of_stats[name]) for name in ("enumerate-all", "universal-category")]
    enumerated = found.presentations[0]
    assert enumerated.before is not None
    assert enumerated.now.bytes - enumerated.before.bytes == 14
    (tool,) = found.tools
    assert (tool.ident, tool.before) == ("shop.orders.find", tool.now - 14)
    assert tool.now == enumerated.now.tools_bytes

    agent = measure(question(project, provider="anthropic", agent="clerk"))
    assert agent.presentations[0].now.tools == 1
    with pytest.raises(PartProblem, match="there is no agent `nobody`"):
        measure(question(project, agent="nobody"))


def test_a_package_to_compare_with_is_never_imported(project: Project) -> None:
    project.write('[[targets]]\nbuiltin = ["actions"]\n', "toolgen.toml")
    project.write(ACTIONS, "specs/all.catalog.yaml")
    toolgen(project.folder, "build")
    package = project.folder / "generated"
    for module in package.rglob("*.py"):
        module.write_text(f"raise SystemExit({str(module)!r})\n")
    found = SurfaceMeasure()(question(project, against="./generated"))
    enumerated, universal = found.presentations
    assert enumerated.before is not None
    assert enumerated.before.bytes == enumerated.now.bytes
    assert (universal.now.problem, universal.before) == ("", None)


def test_without_a_repository_the_surface_is_not_compared(tmp_path: Path) -> None:
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "orders.yaml").write_text(ORDERS)
    asked = Question(load_config(tmp_path), Choices())
    found = SurfaceMeasure()(asked)
    assert not found.is_compared
    assert "is in no git repository" in found.why_not
    page = Page(tmp_path, Choices())
    page.begin("started")
    page.take(Part.SURFACE, 1, Answer(found))
    assert "(new)" not in "\n".join(lines(terminal.surface(page)))
    with pytest.raises(PartProblem, match="is in no git repository"):
        Comparison()(asked)


def test_an_internal_error_of_a_part_is_kept_for_the_end(project: Project) -> None:
    page = Page(project.folder, Choices())
    page.begin("started")
    page.take(Part.LINT, 1, Answer(problem="internal error: x", traceback="Traceback …"))
    assert lines(terminal.lint_problems(page)) == ["Problems by lint", "error internal error: x"]
    assert list(page.tracebacks) == ["Traceback …"]


def test_questions_and_answers_travel_between_processes(project: Project) -> None:
    asked = question(project)
    for value in (asked, build_targets(asked), lint_targets(asked), Comparison()(asked), SurfaceMeasure()(asked)):
        assert pickle.loads(pickle.dumps(value)) == value


@pytest.mark.slow
def test_a_process_answers_the_newest_question_only(project: Project) -> None:
    answers: SimpleQueue[tuple[Part, int, Answer]] = SimpleQueue()
    process = PartProcess(Part.BUILD, lambda *answer: answers.put(answer))
    asked = question(project)
    for number in range(1, 6):
        process.ask(number, asked)
        time.sleep(0.01)
    seen = [answers.get(timeout=60)]
    while seen[-1][1] < 5:
        seen.append(answers.get(timeout=60))
    process.close()
    assert [number for _, number, _ in seen] in ([1, 5], [5])
    assert all(isinstance(answer.found, Build) for _, _, answer in seen)
    assert json.loads((project.folder / "generated" / "catalog.json").read_text())["tools"]


def test_a_folder_without_a_project_is_an_error(tmp_path: Path) -> None:
    done = toolgen(tmp_path, "dev")
    assert (done.code, "There is no project here" in done.err) == (2, True)
