"""Lint: all rules over a compiled target, then suppressions and the baseline; diagnostics, with the fixes of some."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from toolgen.authoring.inputs import BASELINE
from toolgen.authoring.lint.baseline import entry_of
from toolgen.authoring.lint.kept import findings_of
from toolgen.authoring.lint.registry import all_rules
from toolgen.authoring.lint.view import Project
from toolgen.authoring.text import SUPPRESSION, Fix, TextEdit
from toolgen.authoring.tree import read_tree
from toolgen.compiler.compile import compile_files
from toolgen.compiler.diagnostics.diagnostic import Diagnostic, Diagnostics, Related, Severity, Span
from toolgen.compiler.diagnostics.lint_settings import near_rule, rule_named
from toolgen.compiler.diagnostics.silence import hides
from toolgen.compiler.project.listing import BUILTIN_PREFIX
from toolgen.compiler.source.nodes import MappingNode, Source
from toolgen.spec.text import LINE_BREAK

if TYPE_CHECKING:
    from toolgen.authoring.lint.baseline import BaselineEntry
    from toolgen.authoring.lint.registry import Finding
    from toolgen.authoring.lint.view import SpecPlace
    from toolgen.authoring.text import Comment
    from toolgen.authoring.tree import TreeEntry
    from toolgen.compiler.compile import Compiled
    from toolgen.compiler.documents import Document
    from toolgen.compiler.project.cache import Cache
    from toolgen.compiler.project.config import Config, Target
    from toolgen.compiler.source.read import SpecFile


# Suppressions: comments in a YAML spec that silence rules for what they are about, each with a reason.
#
# What a comment is about is what `fmt` moves it with. Lines would change with the layout, and so would their effect.

_MARK: Final = re.compile(SUPPRESSION.pattern + r"(?P<rules>.*?)(?:\s--(?P<reason>.*))?$")


@dataclass
class Suppression:
    """One comment `# toolgen: ignore TL203 -- reason`, for the findings of `rules` at one of the spans `about`.

    `used` are the rules that it silenced a finding of. `words` are the rules as they are written, at
    `listed`, and also names that are of no rule; `removal` removes the comment.
    """

    rules: tuple[str, ...]
    about: frozenset[Span]
    span: Span
    removal: Fix
    words: tuple[str, ...]
    listed: TextEdit
    used: set[str] = field(default_factory=set[str])


@dataclass(frozen=True, slots=True)
class Misuse:
    """A suppression that has no effect, by the rule that reports it."""

    code: str
    span: Span
    message: str
    help: str
    fix: Fix | None = None


def suppressions_of(file: SpecFile) -> tuple[list[Suppression], list[Misuse]]:
    """Return the suppressions in a spec, and those that have no effect. JSON has no comments, and so none."""
    path, text = file.path, file.text
    if path.lower().endswith(".json") or not SUPPRESSION.search(text):
        return [], []
    source = Source(path, text)
    found: list[Suppression] = []
    misused: list[Misuse] = []
    for comment, entry in read_tree(text, file.root).owners:
        match = _MARK.match(comment.text)
        if match is None:
            continue
        span = source.span(comment.start, comment.end)
        words = re.split(r"[\s,]+", match["rules"].strip()) if match["rules"].strip() else []
        known = [code for word in words if (code := rule_named(word))]
        misused += _misuses(words, match["reason"], span)
        if known and (match["reason"] or "").strip():
            removal = Fix("Remove the suppression", (_removal(path, text, comment),))
            rules = TextEdit(path, comment.start + match.start("rules"), comment.start + match.end("rules"), "")
            about = frozenset(_about(entry, source) if entry is not None else ())
            found.append(Suppression(tuple(known), about, span, removal, tuple(words), rules))
    return found, misused


def unused(suppressions: list[Suppression]) -> Iterator[tuple[Suppression, list[str]]]:
    """Yield each suppression with the rules of it that silenced nothing."""
    for each in suppressions:
        if idle := [code for code in each.rules if code not in each.used]:
            yield each, idle


def without_rules(suppression: Suppression, doomed: Collection[str]) -> Fix:
    """Return the fix that removes rules of a suppression, and with the last one the suppression."""
    left = [word for word in suppression.words if rule_named(word) not in doomed]
    if not left:
        return suppression.removal
    return Fix("Remove the rule of the suppression", (replace(suppression.listed, new_text=f" {', '.join(left)}"),))


def _misuses(words: list[str], reason: str | None, span: Span) -> Iterator[Misuse]:
    if not words:
        yield Misuse("TL002", span, "the suppression names no rule", "write `# toolgen: ignore TL203 -- reason`")
    for word in words:
        if not rule_named(word):
            hint = near_rule(word) or "`toolgen explain` lists the rules"
            yield Misuse("TL002", span, f"there is no lint rule `{word}`", hint)
    if not (reason or "").strip():
        message = "a suppression needs a reason, and has no effect without one"
        yield Misuse("TL003", span, message, f"write `# toolgen: ignore {' '.join(words) or 'TL203'} -- reason`")


def _about(entry: TreeEntry, source: Source) -> Iterator[Span]:
    """Yield the spans of what a comment of an entry is about: its key, its value, and what is in a value of one line.

    An alias is a value of another place.
    """
    if entry.key is not None:
        yield source.span(entry.key.start, entry.key.end)
    if entry.value.kind != "alias":
        yield source.span(entry.value.start, entry.value.node_end)
    if entry.value.is_one_line:
        for inner in entry.value.entries:
            yield from _about(inner, source)


def _removal(path: str, text: str, comment: Comment) -> TextEdit:
    """Return the edit that removes a comment: its whole line if it is alone, else also the blanks before it."""
    start, end = comment.start, comment.end
    while start > 0 and text[start - 1] in " \t":
        start -= 1
    while end < len(text) and text[end] in " \t":
        end += 1
    if comment.is_alone:
        ends = LINE_BREAK.search(text, end)
        end = ends.end() if ends else len(text)
    return TextEdit(path, start, end, "")


_OF_SOURCE: Final = frozenset("123")
"""The groups of rules on texts, schemas and names."""

_OF_IMPORTED_NAMES: Final = frozenset({"TL304", "TL305", "TL306"})

WITHOUT_PLACE = frozenset({"TL001", "TL002", "TL003", "TL004"})
"""The rules on suppressions and the baseline: they are not in the registry, and cannot be suppressed."""


@dataclass
class Linted:
    """The findings of one or more targets, sorted, each once.

    `fixes` has the safe fix of a finding, `accepted` what a baseline would accept, with the rule. `errors` are those of
    the specs, which keep rules from running.
    """

    findings: list[Diagnostic] = field(default_factory=list[Diagnostic])
    fixes: dict[Diagnostic, Fix] = field(default_factory=dict["Diagnostic", "Fix"])
    accepted: list[tuple[str, Finding]] = field(default_factory=list[tuple[str, "Finding"]])
    errors: list[Diagnostic] = field(default_factory=list[Diagnostic])
    sources: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def entries(self) -> set[BaselineEntry]:
        """What a baseline would hold, without what is suppressed."""
        return {entry_of(code, finding) for code, finding in self.accepted}

    @property
    def fails(self) -> bool:
        """Whether there are errors or warnings."""
        return bool(self.errors) or any(found.severity is not Severity.NOTE for found in self.findings)


def lint(
    config: Config,
    files: Mapping[Target, Sequence[SpecFile]],
    baseline: Mapping[BaselineEntry, int] | None = None,
    compiled: Mapping[Target, Compiled] | None = None,
    cache: Cache | None = None,
) -> Linted:
    """Run the rules that are in use over the files of each target. Findings of a `baseline` are left out.

    `compiled` are targets that were compiled without errors from these files; others are compiled here, except for what
    `cache` has.
    """
    baseline = baseline or {}
    outcome = Linted()
    rules = {code: rule for code, rule in all_rules().items() if config.lint.reports(code)}
    suppressions: dict[str, list[Suppression]] = {}
    about: defaultdict[Span, list[Suppression]] = defaultdict(list)
    matched: set[BaselineEntry] = set()
    for target, read in files.items():
        sink = Diagnostics()
        made = compiled[target] if compiled and target in compiled else compile_files(read, target, sink, cache=cache)
        outcome.sources |= {each.path: each.text for each in read}
        if sink.has_errors:
            outcome.errors += [found for found in sink if found.severity is Severity.ERROR]
            continue
        for each in read:
            if each.path not in suppressions and not each.path.startswith(BUILTIN_PREFIX):
                suppressions[each.path], misused = suppressions_of(each)
                for suppression in suppressions[each.path]:
                    for span in suppression.about:
                        about[span].append(suppression)
                for misuse in misused:
                    _add(outcome, config, misuse.code, misuse.span, misuse.message, misuse.help, (), misuse.fix)
        project = Project(config, target, made.catalog, made.documents, cache)
        imported = {each.path for each in project.documents if _has_imported(each)}
        for code, finding in findings_of(project, rules):
            if not _is_of_server(code, finding.place, imported):
                _place(outcome, config, code, finding, about, baseline, matched)
    if not outcome.errors:
        _report_unused(outcome, config, suppressions)
        _report_fixed(outcome, config, baseline, matched)
    outcome.findings = sorted(set(outcome.findings), key=lambda found: (found.span, found.code, found.message))
    return outcome


def _place(
    outcome: Linted,
    config: Config,
    code: str,
    finding: Finding,
    about: Mapping[Span, Sequence[Suppression]],
    baseline: Mapping[BaselineEntry, int],
    matched: set[BaselineEntry],
) -> None:
    """Add a finding of the project's own files, unless the baseline has it, or a suppression about its span."""
    span = finding.place.span
    if span.file.startswith(BUILTIN_PREFIX):
        return
    silenced = Diagnostic(code, config.lint.severity_of(code), span, finding.message)
    if hides(config.silence, silenced, lambda file: _toolset(finding.place)):
        return
    for suppression in about.get(span, ()):
        if code in suppression.rules:
            suppression.used.add(code)
            return
    outcome.accepted.append((code, finding))
    if baseline and (entry := entry_of(code, finding)) in baseline:
        matched.add(entry)
        return
    related = tuple(Related(place.span, message) for place, message in finding.related)
    _add(outcome, config, code, span, finding.message, finding.help, related, finding.fix)


def _has_imported(document: Document[Any]) -> bool:
    tools = document.root.child("tools")
    return isinstance(tools, MappingNode) and any(tool.child("imported") is not None for _, tool in tools.entries())


def _is_of_server(code: str, place: SpecPlace, imported: Set[str]) -> bool:
    """Whether a finding asks for a change that nobody here can make: the next import writes it as its source has it.

    These are texts, schemas and names in the args, results and types of imported tools, and names of tools that the
    import made of those of the source. `imported` are the files that have such tools.
    """
    root, path = place.document.root, place.path
    tools = root.child("tools")
    if path[:1] == ("types",):
        return code[2] in _OF_SOURCE and place.document.path in imported
    tool = None if path[:1] != ("tools",) or len(path) < 2 or tools is None else tools.child(path[1])
    if tool is None or tool.child("imported") is None:
        return False
    if len(path) > 2 and path[2] in ("args", "result"):
        return code[2] in _OF_SOURCE
    return code in _OF_IMPORTED_NAMES or (code == "TL401" and tool.child("remote") is not None)


def _toolset(place: SpecPlace) -> str:
    node = place.document.root.child("toolset")
    return "" if node is None else str(node.to_data())


def _add(
    outcome: Linted,
    config: Config,
    code: str,
    span: Span,
    message: str,
    help_: str,
    related: tuple[Related, ...] = (),
    fix: Fix | None = None,
) -> None:
    if not config.lint.reports(code):
        return
    found = Diagnostic(code, config.lint.severity_of(code), span, message, related, help_)
    outcome.findings.append(found)
    if fix is not None:
        outcome.fixes[found] = fix


def _report_unused(outcome: Linted, config: Config, suppressions: Mapping[str, list[Suppression]]) -> None:
    for each in suppressions.values():
        for suppression, idle in unused(each):
            checked = [code for code in idle if config.lint.reports(code)]
            if checked:
                line = min(suppression.about, default=suppression.span).line
                message = f"nothing to suppress: {' and '.join(checked)} reports nothing on line {line}"
                fix = without_rules(suppression, checked)
                _add(outcome, config, "TL001", suppression.span, message, "remove the suppression", fix=fix)


def _report_fixed(
    outcome: Linted, config: Config, baseline: Mapping[BaselineEntry, int], matched: Iterable[BaselineEntry]
) -> None:
    for entry in sorted(baseline.keys() - set(matched)):
        if config.lint.reports(entry.rule):
            line = baseline[entry]
            message = f"{entry.rule} no longer reports `{entry.place}`"
            span = Span(BASELINE, line, 1, line, 1)
            _add(outcome, config, "TL004", span, message, "run `toolgen lint --write-baseline`")
