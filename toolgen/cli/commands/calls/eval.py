"""`toolgen eval`: how well models choose and call the tools, and whether a change makes it better or worse."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from toolgen.cli.commands.calls.log import store_option
from toolgen.cli.ending import run_calls
from toolgen.cli.executors import handler_modules, raised, stdout_kept
from toolgen.cli.folders import importable
from toolgen.cli.names import STDIN, GivenName, read_named, suggestion
from toolgen.cli.output import CommandGroup, FiniteRange, echo, progress, show_diagnostics, show_json
from toolgen.cli.packages import built_catalogs, check_known
from toolgen.cli.project import project
from toolgen.cli.recordings import tell_left_out
from toolgen.cli.vectors import ask_for_embedding, vectors_of
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.documents.evaluation import UserSpec
from toolgen.compiler.project.cache import open_cache
from toolgen.compiler.project.listing import EVALUATION_SUFFIXES, Listed, list_evaluations
from toolgen.evaluate.cases import Case, cases_of, read_evaluations
from toolgen.evaluate.drafting import confused_pairs, drafts_of_calls, drafts_of_tasks, suggestions, written
from toolgen.evaluate.exchanges import Exchanges, ExchangesError
from toolgen.evaluate.models import SEARCH, SEARCH_PROVIDER, EvaluatedModel, SearchModel
from toolgen.evaluate.published import PublishedError, read_tasks
from toolgen.evaluate.reports import (
    Report,
    ReportError,
    compared,
    outcomes_of,
    summaries_of,
    to_json,
    uncovered_tools,
)
from toolgen.evaluate.running import Limits, Outcome, chosen, evaluate
from toolgen.llm.search.embedding import EmbeddingError
from toolgen.llm.search.index import search_documents_of, search_index_of
from toolgen.runtime.issues.issue_text import counted
from toolgen.spec.text import visible
from toolgen.spec.tool_use import PRESENTATIONS
from toolgen.testing.recordings import RecordingError, find_tool, takes_of_run

if TYPE_CHECKING:
    from toolgen.compiler.documents.evaluation import EvalFile
    from toolgen.compiler.documents.read import Document
    from toolgen.compiler.project.config import Config
    from toolgen.runtime.catalog.catalog import Catalog
    from toolgen.spec.tool_use import PresentationName

_LARGEST: Final = 256 * 1024 * 1024
"""Bytes of a report that is compared with, and of a published set."""


class _Share(click.ParamType[float]):
    """A share from 0 to 1."""

    name = "share"

    def convert(self, value: str | float, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            found = float(value)
        except ValueError:
            found = -1.0
        if not 0 <= found <= 1:
            self.fail(f"{value!r} is not a share from 0 to 1, such as 0.9", param, ctx)
        return found


class _RunFirst(CommandGroup):
    """`toolgen eval a.eval.yaml` is `toolgen eval run a.eval.yaml`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Insert the `run` command where it is omitted."""
        if not args or args[0] not in (*self.commands, *ctx.help_option_names):
            args = ["run", *args]
        return super().parse_args(ctx, args)


@click.group("eval", cls=_RunFirst)
def command() -> None:
    """Ask models, report how well they choose and call tools, and draft cases for it.

    `toolgen eval [CASES]` is short for `toolgen eval run`.
    """


@command.command("run")
@click.argument("cases", nargs=-1, metavar="[CASES]...")
@click.option(
    "--model",
    "models",
    multiple=True,
    default=(SEARCH,),
    show_default=True,
    metavar="NAME",
    help="A model of the configuration (`models`), or `search`, which needs no key and no network; repeatable.",
)
@click.option(
    "--presentation",
    "presentations",
    type=click.Choice(PRESENTATIONS),
    multiple=True,
    help="How models are shown the tools; repeatable. Default: that of the layer `chat`.",
)
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="Only cases with this tag; repeatable.")
@click.option(
    "--record",
    type=GivenName(),
    metavar="FILE",
    help="Keep requests and replies in FILE, and ask only what it does not have.",
)
@click.option(
    "--replay",
    type=GivenName(),
    metavar="FILE",
    help="Answer from FILE, and ask no model: what is not recorded is stale.",
)
@click.option(
    "--against",
    type=GivenName(),
    metavar="REF|DIR|FILE",
    help="Compare with the tools of a git commit, of a project in a folder, or with a report in JSON.",
)
@click.option(
    "--not-worse-than",
    type=GivenName(),
    metavar="REF|DIR|FILE",
    help="Compare, and exit 1 if a model is worse: p < 0.05 in McNemar's exact test; or if a case of a report is gone.",
)
@click.option("--fail-under", type=_Share(), metavar="SHARE", help="Exit 1 if a model is right in fewer cases: 0.9.")
@click.option("--max-cost", type=FiniteRange(min=0), help="Begin no case once the requests have cost this much.")
@click.option("--retries", type=click.IntRange(0, 10), default=2, show_default=True, help="Tries after an error.")
@click.option(
    "--concurrency", type=click.IntRange(1, 1000), default=8, show_default=True, help="Cases that run at a time."
)
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "json", "junit", "markdown", "html"]),
    default="text",
    show_default=True,
    help="Output format: junit for CI, markdown for a comment, html for a page with every case.",
)
def run(
    *,
    cases: Sequence[str],
    models: Sequence[str],
    presentations: Sequence[PresentationName],
    tags: Sequence[str],
    record: str | None,
    replay: str | None,
    against: str | None,
    not_worse_than: str | None,
    fail_under: float | None,
    max_cost: float | None,
    retries: int,
    concurrency: int,
    output_format: str,
) -> int:
    """Ask models what the CASES ask, and report which tools they call, with which args.

    CASES are evaluation files, by default all `evals/*.eval.yaml`.

    Calls of the models run no tool: they get the results that a case gives, or those of stubs. The exit code is 1 where
    a case was not judged, that is where it had an error, was stopped by the cost or is not recorded, and where a gate
    fails: --fail-under, --not-worse-than.
    """
    if record and replay:
        raise click.UsageError("--record and --replay exclude each other.")
    if against and not_worse_than:
        raise click.UsageError("--against and --not-worse-than exclude each other: both compare.")
    config = project()
    importable(config)
    found = _cases(config, cases, tags)
    if found is None:
        return 1
    documents, every = found
    chosen_models = _models(config, models, presentations)
    if max_cost is not None:
        _check_prices(config, models)
    limits = Limits(concurrency=concurrency, retries=retries, max_cost=max_cost)
    exchanges = _exchanges(record, replay)
    with stdout_kept():  # for the report
        outcomes = _evaluated(config, every, chosen_models, limits, exchanges)
        report = Report(
            summaries=summaries_of(outcomes),
            uncovered=() if cases or tags else uncovered_tools(every),
            questions={case.name: _question(case) for case in every},
        )
        if other := against or not_worse_than:
            report = _compared(config, report, other, documents, cases, tags, chosen_models, limits, exchanges)
    _show(report, output_format)
    return _verdict(report, fail_under, is_gate=not_worse_than is not None)


@command.command("suggest")
@click.option("--package", help="The output folder of a target. Default: the first target.")
@click.option("--yes", is_flag=True, help="Use the embedding class of the configuration without asking.")
def suggest(*, package: str | None, yes: bool) -> int:
    """Print drafts of cases: an evaluation to complete.

    They are for tools that search confuses, for tools that no case expects, and for values of enums that none has.
    Search compares words and, if an embedding class is configured, vectors. What that class reaches is shown first, as
    `toolgen search` does.
    """
    config = project()
    catalog = _catalog(config, package)
    sink = Diagnostics()
    # `toolgen eval suggest > evals/new.eval.yaml` makes an empty file before this runs
    listed = {path: each for path, each in list_evaluations(config.root).items() if not _is_empty(each)}
    documents = read_evaluations(listed, sink)
    cases = cases_of(documents, [catalog], sink)
    show_diagnostics(sink, sink.sources)
    if sink.has_errors:
        return 1
    ask_for_embedding(config, yes=yes)
    index = search_index_of(catalog)
    try:
        vectors = vectors_of(config, index, lambda idents: search_documents_of(catalog, idents))
        pairs = confused_pairs(catalog, vectors)
    except EmbeddingError as error:
        raise click.UsageError(f"{error}.") from None
    drafts, problems = suggestions(catalog, cases, pairs)
    tell_left_out(problems)
    echo(written("suggested", drafts, pairs), nl=False)
    return 0


@command.command("from-log")
@click.argument("run_id", metavar="RUN")
@store_option
@click.option("--package", help="The output folder of a target. Default: the first target.")
def from_log(*, run_id: str, target: str, package: str | None) -> int:
    """Print the calls of the recorded RUN as cases: an evaluation to complete.

    A record has no questions, so they are drafted from the descriptions. The comment of a case says where its call
    failed. Calls that reached no tool, that the tools of today exclude, or that are not recorded with their args and
    results, are left out, and told, and so is what is more than one evaluation gets.
    """
    config = project()
    catalog = _catalog(config, package)
    try:
        recording, problems = takes_of_run(target, run_id)
    except (RecordingError, ImportError) as error:
        raise click.UsageError(f"{error}.") from None
    for take in recording:
        find_tool(take, catalog)
    problems += [f"{take}: {take.stale}" for take in recording if take.stale]
    drafts, undrafted = drafts_of_calls(catalog, [take for take in recording if not take.stale])
    tell_left_out([*undrafted, *problems])
    if not drafts:
        raise click.UsageError(f"The run {run_id} has no calls that became cases.")
    echo(written("recorded", drafts), nl=False)
    return 0


@command.command("from-dataset")
@click.argument("file", metavar="FILE")
@click.option("--answers", metavar="FILE", help="The answers of the set, by id, where they are in another file.")
@click.option("--package", help="The output folder of a target. Default: the first target.")
def from_dataset(*, file: str, answers: str | None, package: str | None) -> int:
    """Print the tasks of a published set as cases: an evaluation to complete.

    FILE is JSON, or has a JSON object in each line: questions with their `ground_truth` (BFCL, ACEBench), tasks with
    `actions` (tau-bench, tau2-bench), or calls, `{"tool": …, "arguments": …, "question": …}`. Tools are found by their
    names. Tasks that do not fit the tools are left out, and told.
    """
    config = project()
    catalog = _catalog(config, package)
    text = read_named(file, _LARGEST)
    try:
        tasks = read_tasks(
            text, "stdin" if file == STDIN else file, None if answers is None else read_named(answers, _LARGEST)
        )
    except PublishedError as error:
        raise click.UsageError(f"{visible(str(error))}.") from None
    drafts, problems = drafts_of_tasks(catalog, tasks)
    tell_left_out(problems)
    if not drafts:
        raise click.UsageError(f"{file} has no tasks that became cases.")
    echo(written("published", drafts), nl=False)
    return 0


def _catalog(config: Config, package: str | None) -> Catalog:
    catalogs = built_catalogs(config)
    if package is None:
        return next(iter(catalogs.values()))
    check_known("package", package, catalogs)
    return catalogs[package]


def _cases(
    config: Config, names: Sequence[str], tags: Sequence[str]
) -> tuple[Sequence[Document[EvalFile]], list[Case]] | None:
    """Read the cases; None if there are errors, which are shown."""
    for name in names:
        if not name.lower().endswith(EVALUATION_SUFFIXES):
            hint = suggestion(name, command.commands) or f"Its name ends in {', '.join(EVALUATION_SUFFIXES)}."
            raise click.UsageError(f"{name} is no evaluation. {hint}")
    named = {path: Listed(path, str(config.root / path)) for path in (_relative(config.root, name) for name in names)}
    files = named or list_evaluations(config.root)
    if not files:
        raise click.UsageError(
            "There are no evaluations. Write one, `evals/NAME.eval.yaml`, or print drafts: `toolgen eval suggest`."
        )
    sink = Diagnostics()
    documents = read_evaluations(files, sink)
    catalogs = list(built_catalogs(config).values())
    every = chosen(cases_of(documents, catalogs, sink), tags)
    show_diagnostics(sink, sink.sources)
    if sink.has_errors:
        return None
    if not every and not tags:
        raise click.UsageError(f"There are no cases in {', '.join(list(files)[:5])}.")
    if not every:
        raise click.UsageError(f"No case has {'the tag' if len(tags) == 1 else 'one of the tags'} {', '.join(tags)}.")
    return documents, every


def _is_empty(listed: Listed) -> bool:
    with suppress(OSError):  # reading it says why
        return not listed.problem and not Path(listed.real).stat().st_size
    return False


def _relative(root: Path, name: str) -> str:
    place = Path(os.path.normpath(Path(name).absolute()))
    return place.relative_to(root).as_posix() if place.is_relative_to(root) else name


def _models(config: Config, names: Sequence[str], presentations: Sequence[PresentationName]) -> list[EvaluatedModel]:
    """Return the models, each with each presentation. Raises click.UsageError for an unknown one."""
    shown = presentations or (config.tool_use.presentations["chat"],)
    return [
        replace(model, presentation=each)
        for model in (_model(config, name) for name in dict.fromkeys(names))
        for each in dict.fromkeys(shown)
    ]


def _check_prices(config: Config, models: Iterable[str]) -> None:
    """Raise click.UsageError for a model whose requests cannot be counted."""
    for name in models:
        settings = config.models.get(name)
        if settings and None in (settings.input_price, settings.output_price):
            raise click.UsageError(
                f"--max-cost needs the prices of `{name}`: write `input_price` and `output_price` into "
                f"models.{name}, of a million tokens each; 0 if it costs nothing."
            )


def _model(config: Config, name: str) -> EvaluatedModel:
    if name == SEARCH:
        return EvaluatedModel(name=SEARCH, ask=SearchModel(), provider=SEARCH_PROVIDER)
    settings = config.models.get(name)
    if settings is None:
        known = (SEARCH, *config.models)
        hint = suggestion(name, known) or f"There are {', '.join(known)}."
        raise click.UsageError(f"There is no model `{name}`: `models` of the configuration names them. {hint}")
    module, _, path = settings.ask.partition(":")
    try:
        ask: Any = import_module(module)
        for part in path.split("."):
            ask = getattr(ask, part)
    except (Exception, SystemExit) as error:  # the project's own code may raise anything
        why = visible(raised(error, config.root))
        raise click.UsageError(f'models.{name} = "{settings.ask}" cannot be used: {why}') from error
    if not callable(ask):
        raise click.UsageError(f'models.{name} = "{settings.ask}" is no function.')
    return EvaluatedModel(
        name=name,
        ask=ask,
        provider=settings.provider,
        input_price=settings.input_price or 0.0,
        output_price=settings.output_price or 0.0,
    )


def _exchanges(record: str | None, replay: str | None) -> Exchanges | None:
    path = record or replay
    try:
        return None if path is None else Exchanges(path, asks=record is not None)
    except ExchangesError as error:
        raise click.UsageError(f"{error}.") from None


def _evaluated(
    config: Config,
    cases: Sequence[Case],
    models: Sequence[EvaluatedModel],
    limits: Limits,
    exchanges: Exchanges | None,
    version: str = "",
) -> list[Outcome]:
    total = len(cases) * len(models)
    with progress() as begin:
        told = _counting(begin, total, version)
        running = evaluate(
            cases,
            models,
            tool_use=config.tool_use,
            limits=limits,
            exchanges=exchanges,
            modules=handler_modules(config),
            on_outcome=told,
        )
        try:
            return run_calls(running)
        except ExchangesError as error:
            raise click.UsageError(f"{error}.") from None


def _counting(begin: Callable[[str], None], total: int, version: str) -> Callable[[Outcome], None]:
    done = 0
    begin(f"0 of {total:,} cases{version}")

    def told(_outcome: Outcome) -> None:
        nonlocal done
        done += 1
        begin(f"{done:,} of {total:,} cases{version}")

    return told


def _compared(
    config: Config,
    report: Report,
    against: str,
    documents: Sequence[Document[EvalFile]],
    names: Sequence[str],
    tags: Sequence[str],
    models: Sequence[EvaluatedModel],
    limits: Limits,
    exchanges: Exchanges | None,
) -> Report:
    """Add the comparison with another version: its report, or the outcomes of its tools."""
    after = [outcome for summary in report.summaries for outcome in summary.outcomes]
    if os.path.isfile(against):  # noqa: PTH113  # raises nothing for a long name
        is_deselected = _deselection(report, documents, names)
        earlier = [each for each in _reported(against) if not is_deselected(each.case)]
        return replace(report, against=against, comparisons=compared(earlier, after))
    with _other_catalogs(config, against) as (label, catalogs):
        cases = chosen(cases_of(documents, catalogs, Diagnostics()), tags)  # those that this version cannot have differ
        before = _evaluated(config, cases, models, limits, exchanges, f" of {label}")
    return replace(report, against=label, comparisons=compared(before, after))


def _deselection(
    report: Report, documents: Sequence[Document[EvalFile]], names: Sequence[str]
) -> Callable[[str], bool]:
    """Return what says whether a case is not asked because of tags, or of named evaluations: it may still be there."""
    evaluations = {each.file.eval for each in documents}
    there = {f"{each.file.eval}/{key}" for each in documents for key in each.file.cases}

    def is_deselected(case: str) -> bool:
        is_of_another = bool(names) and case.partition("/")[0] not in evaluations
        return case not in report.questions and (case in there or is_of_another)

    return is_deselected


def _reported(path: str) -> list[Outcome]:
    try:
        return outcomes_of(json.loads(read_named(path, _LARGEST)))
    except ReportError as error:
        raise click.UsageError(f"{path}: {error}.") from None
    except (ValueError, RecursionError):
        raise click.UsageError(f"{path} is not JSON: write one with `toolgen eval --format json`.") from None


@contextmanager
def _other_catalogs(config: Config, against: str) -> Generator[tuple[str, list[Catalog]]]:
    from toolgen.authoring.diff.git import DiffError, SpecsError
    from toolgen.authoring.diff.sides import other_side

    try:
        with other_side(config, against, open_cache(config.root)) as side:
            if not side.packages:
                raise DiffError(f"{side.label}: there is nothing to compare with")
            yield side.label, [package.catalog for package in side.packages.values()]
    except SpecsError as error:
        show_diagnostics(error.diagnostics, error.sources)
        raise click.UsageError(f"{error}.") from None
    except DiffError as error:
        raise click.UsageError(f"{error}.") from None


def _question(case: Case) -> str:
    spec = case.spec
    return spec.question or "\n".join(
        each.user if isinstance(each, UserSpec) else f"(model) {each.assistant}" for each in spec.messages
    )


def _show(report: Report, output_format: str) -> None:
    if output_format == "json":
        show_json(to_json(report))
        return
    from toolgen.evaluate import rendering

    if output_format == "html":
        from toolgen.evaluate.page import render_page

        text = render_page(report)
    else:
        renderers: Mapping[str, Callable[[Report], str]] = {
            "text": rendering.render_text,
            "markdown": rendering.render_markdown,
            "junit": rendering.render_junit,
        }
        text = renderers[output_format](report)
    if output_format == "text":
        echo(text, nl=False)
    else:
        echo(text.encode("utf-8", "backslashreplace"), nl=False)
    sys.stdout.flush()


def _verdict(report: Report, fail_under: float | None, *, is_gate: bool) -> int:
    """Return the exit code, and say which gate fails."""
    failures: list[str] = []
    if fail_under is not None:
        failures += [
            f"{each.label} is right in {each.success:.1%} of the cases, under {fail_under:.1%}"
            for each in report.summaries
            if each.success < fail_under
        ]
    if is_gate:
        shared = {each.label for each in report.comparisons if each.count}
        failures += [
            f"{each.label} has no case in common with {report.against}, so nothing was compared"
            for each in report.summaries
            if each.label not in shared
        ]
        failures += [
            f"{each.label} is worse than {report.against}" for each in report.comparisons if each.verdict == "worse"
        ]
        failures += [
            f"{each.label} lacks {counted(len(each.removed), 'case')} of {report.against}: "
            "write a new report if they were removed on purpose"
            for each in report.comparisons
            if each.removed
        ]
    failures += _unjudged(report)
    for line in failures:
        echo(visible(line), err=True)
    return 1 if failures else 0


def _unjudged(report: Report) -> Iterable[str]:
    unjudged = report.unjudged
    if unjudged:
        yield f"{len(unjudged)} of the cases were not judged, so they are not right"
