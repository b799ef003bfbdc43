"""The page in a terminal, drawn again after each event, or printed as plain text for logs."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import TextIOWrapper
from itertools import cycle
from typing import TYPE_CHECKING, Any, Final, Self, TextIO

from rich.console import Console
from rich.live import Live
from rich.text import Text

from toolgen.authoring.dev.page import Part
from toolgen.changes.rules import Category, Level
from toolgen.compiler.build import STRAY
from toolgen.compiler.diagnostics import Severity
from toolgen.compiler.diagnostics.render import summary
from toolgen.runtime.issues.issue_text import counted
from toolgen.spec.text import cut, visible

if TYPE_CHECKING:
    from toolgen.authoring.dev.page import Build, BuiltTarget, Compared, Lint, Page, Shown, ToolSize
    from toolgen.authoring.diff.compare import Located
    from toolgen.compiler.diagnostics import Diagnostic
    from toolgen.compiler.project.config import ConfigError

# Layout: sections as the lines of a terminal, as many as fit, with a count of the rest.

_INDENT: Final = 2
_HIGHEST: Final = 3
"""Lines of one item."""

_TURNS: Final = (0, 0, 1, 2)
"""The order in which sections get lines: the first of them gets twice as many as the others."""


def lay_out(header: Section, sections: Sequence[Section], width: int, height: int) -> list[Text]:
    """Return at most `height` lines of at most `width` columns: the header, then the sections after a blank line each.

    A section that needs less leaves its lines to the others.
    """
    lines = [line for text in (header.title, *header.items) for line in _item(text, width)][:height]
    blocks = [([Text(), *_item(each.title, width)], [_item(item, width) for item in each.items]) for each in sections]
    shares = _shares([len(title) + sum(map(len, items)) for title, items in blocks], height - len(lines))
    for (title, items), share in zip(blocks, shares, strict=True):
        lines += [*title, *_fitting(items, share - len(title), width)] if share > len(title) else title[:share]
    return lines


def _shares(wanted: Sequence[int], height: int) -> list[int]:
    """Share lines out, in turns."""
    shares = [0] * len(wanted)
    left = min(height, sum(wanted))
    for index in cycle(_TURNS):
        if left <= 0:
            return shares
        if shares[index] < wanted[index]:
            shares[index] += 1
            left -= 1
    raise AssertionError("a cycle has no end")


def _fitting(items: Sequence[Sequence[Text]], height: int, width: int) -> list[Text]:
    """Return the lines of the first items, and how many are left out."""
    if sum(map(len, items)) <= height:
        return [line for item in items for line in item]
    lines: list[Text] = []
    count = 0
    for item in items:
        if len(lines) + len(item) > height - 1:
            break
        lines += item
        count += 1
    rest = Text(f"… and {len(items) - count:,} more" if count else f"… {len(items):,} in all", "dim")
    return [*lines, _line(rest, width)][: max(0, height)]


def _item(item: Text, width: int) -> list[Text]:
    """Return an item on lines that fit, at most three; those after the first are indented."""
    inner = max(1, width - _INDENT)
    if item.cell_len <= width:
        return [item]
    lines = list(item.wrap(Console(width=inner), inner, overflow="fold"))
    if len(lines) > _HIGHEST:
        lines = lines[:_HIGHEST]
        lines[-1].rstrip()
        lines[-1].append(" …")
        lines[-1].truncate(inner, overflow="ellipsis")
    return [line if number == 0 else Text(" " * _INDENT).append_text(line) for number, line in enumerate(lines)]


def _line(text: Text, width: int) -> Text:
    cut = text.copy()
    cut.truncate(width, overflow="ellipsis")
    return cut


_USUAL: Final = (80, 24)
"""The columns and lines of a terminal that does not tell."""


class Screen:
    """A page on the alternate screen of a terminal. A context; typed text is not echoed, and is dropped at the end."""

    def __init__(self, out: TextIO, *, color: bool) -> None:
        if isinstance(out, TextIOWrapper):
            out.reconfigure(errors="backslashreplace")  # of what the encoding of the terminal lacks
        self._out = out
        self._console = Console(
            file=out, color_system="auto" if color else None, force_terminal=True, highlight=False, markup=False
        )
        self._live: Live | None = None
        self._settings: list[Any] | None = None

    def __enter__(self) -> Self:
        self.open()
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def open(self) -> None:
        """Take the terminal."""
        self._settings = _without_echo()
        self._live = Live(
            console=self._console, screen=True, auto_refresh=False, redirect_stdout=False, redirect_stderr=False
        )
        self._live.start()

    def close(self) -> None:
        """Give the terminal back."""
        live, self._live = self._live, None
        try:
            if live is not None:
                live.stop()
        finally:
            _restore(self._settings)

    def show(self, page: Page) -> None:
        """Draw the page."""
        width, height = _size(self._out)
        self._console.size = (width, height)
        lines = lay_out(header(page), [problems(page), changes(page), surface(page)], width, height)
        if self._live is not None:
            self._live.update(Text("\n", no_wrap=True, overflow="crop").join(lines), refresh=True)


def _size(out: TextIO) -> tuple[int, int]:
    try:
        width, height = os.get_terminal_size(out.fileno())
    except OSError:
        return _USUAL
    return (width, height) if width and height else _USUAL


def _without_echo() -> list[Any] | None:
    """Turn off the echo of the terminal that stdin is; return its settings as they were."""
    if sys.platform == "win32" or not sys.stdin or not sys.stdin.isatty():
        return None
    import termios

    settings = termios.tcgetattr(sys.stdin)
    quiet = list(settings)
    quiet[3] &= ~termios.ECHO
    termios.tcsetattr(sys.stdin, termios.TCSADRAIN, quiet)
    return settings


def _restore(settings: list[Any] | None) -> None:
    if settings is not None and sys.platform != "win32":
        import termios

        termios.tcsetattr(sys.stdin, termios.TCSAFLUSH, settings)


# Log: the page as plain text, a block for each change, whose parts are printed as they are found.

_MOST: Final = 20
"""Items of a section."""


class Log:
    """Blocks of text, for logs and for terminals that cannot be drawn on. A context; `echo` prints a line."""

    def __init__(self, echo: Callable[[str], None]) -> None:
        self._echo = echo
        self._number = 0
        self._left: set[Part] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        pass

    def open(self) -> None:
        """Do nothing: there is no terminal to take."""

    def close(self) -> None:
        """Do nothing: there is no terminal to give back."""

    def show(self, page: Page) -> None:
        """Print what is new of the newest version."""
        if page.number != self._number:
            if self._number:
                self._echo("")
            self._echo(f"{page.at} {visible(page.cause)}")
            self._number, self._left = page.number, set(Part)
        if page.setting and self._left:
            self._print(problems(page))
            self._left = set()
            self._echo("watching for changes")
        for part in Part:
            if part in self._left and not page.shown(part).is_stale:
                self._left.remove(part)
                for section in _sections(page, part):
                    self._print(section)
                if not self._left:
                    self._echo("watching for changes")

    def _print(self, section: Section) -> None:
        self._echo(section.title.plain)
        for item in section.items[:_MOST]:
            self._echo(f"  {item.plain}")
        if len(section.items) > _MOST:
            self._echo(f"  … and {len(section.items) - _MOST:,} more")


def _sections(page: Page, part: Part) -> list[Section]:
    if part is Part.BUILD:
        return [header(page), build_problems(page)]
    if part is Part.LINT:
        return [lint_problems(page)]
    return [changes(page) if part is Part.CHANGES else surface(page)]


# Sections of the page as lines. Whatever comes from specs, files and git is made visible first.

_STYLES: Final = {Severity.ERROR: "bold red", Severity.WARNING: "bold yellow", Severity.NOTE: "bold cyan"}
_LEVELS: Final = {
    Level.BREAKING: "bold red",
    Level.IGNORED: "bold red",
    Level.CHANGE: "bold yellow",
    Level.NOTE: "bold cyan",
    Level.COMPATIBLE: "bold green",
}
_QUIET: Final = "dim"
_WORST_FIRST: Final = list(Severity)
_LONGEST: Final = 400
"""Characters of a message: it may quote spec text of any length."""

_LARGEST: Final = 8
"""How many of the largest tools are listed."""


@dataclass(frozen=True, slots=True)
class Section:
    """A section of the page: its title, and its items, each a line or, where that is too narrow, several."""

    title: Text
    items: tuple[Text, ...]


def header(page: Page) -> Section:
    """Return the project, its targets, and the last build of each."""
    title = Text.assemble(("toolgen dev", "bold"), f"  {_shown(page.root.name)}")
    build = page.build
    if page.setting:
        return Section(title, (Text("not built: the configuration has errors", "bold red"),))
    if build.found is None:
        return Section(title, (Text(_shown(build.problem) or "builds …", "bold red" if build.problem else _QUIET),))
    items = [_target(each.out, each.outcome, is_good=each.is_published) for each in build.found.targets]
    last = f"  last build at {build.at}, in {build.found.seconds:.2f} s"
    return Section(Text.assemble(title, _mark(build), (last, _QUIET)), tuple(items))


def _target(out: str, outcome: str, *, is_good: bool) -> Text:
    return Text.assemble(f"{_shown(out)}: ", (outcome, "green" if is_good else "bold red"))


def problems(page: Page) -> Section:
    """Return the diagnostics of the build and the findings of lint, the worst first."""
    return _problems("Problems", page, build=page.build, lint=page.lint)


def build_problems(page: Page) -> Section:
    """Return the diagnostics of the build."""
    return _problems("Problems of the build", page, build=page.build)


def lint_problems(page: Page) -> Section:
    """Return the findings of lint."""
    return _problems("Problems by lint", page, lint=page.lint)


def _problems(title: str, page: Page, build: Shown[Build] | None = None, lint: Shown[Lint] | None = None) -> Section:
    if page.setting:
        return _of_setting(title, page.setting)
    found: dict[Diagnostic, None] = {}
    items: list[Text] = []
    strays: list[Text] = []
    notes: list[str] = []
    marks: list[Text] = []
    if build is not None:
        marks.append(_mark(build, "build"))
        items += _failed(build)
        for target in build.found.targets if build.found else ():
            found |= dict.fromkeys(target.found)
            strays += _strays(target)
        found |= dict.fromkeys(build.found.evaluations if build.found else ())
    if lint is not None:
        marks.append(_mark(lint, "lint"))
        items += _failed(lint)
        if lint.found is not None:
            found |= dict.fromkeys(lint.found.findings)
            notes += [f"`toolgen lint --fix` fixes {lint.found.fixable}"] if lint.found.fixable else []
            notes += ["lint waits for specs without errors"] if lint.found.waits else []
    items += [*_sorted(found), *strays]
    if not items:
        items = [_waiting() if any(each and not each.number for each in (build, lint)) else Text("none", _QUIET)]
    counts = "; ".join(filter(None, [summary(found), *notes]))
    return Section(Text.assemble((title, "bold"), *marks, f"  {counts}" if counts else ""), tuple(items))


def _of_setting(title: str, setting: ConfigError | str) -> Section:
    """Return what is wrong with the configuration."""
    if isinstance(setting, str):
        return Section(Text(title, "bold"), (_error(setting),))
    counts = summary(setting.diagnostics)
    return Section(Text.assemble((title, "bold"), f"  {counts}"), tuple(_sorted(setting.diagnostics)))


def _sorted(found: Iterable[Diagnostic]) -> Iterator[Text]:
    order = sorted(found, key=lambda each: (_WORST_FIRST.index(each.severity), each.span, each.code, each.message))
    return map(_problem, order)


def _problem(found: Diagnostic) -> Text:
    title = (f"{found.severity.value}[{found.code}]", _STYLES[found.severity])
    return Text.assemble(title, f" {_shown(f'{found.span.file}:{found.span.line}')}: {_shown(found.message)}")


def _strays(target: BuiltTarget) -> Iterator[Text]:
    for path in target.strays:
        yield Text.assemble(("warning", _STYLES[Severity.WARNING]), f" {_shown(f'{target.out}/{path}')}: {STRAY}")


def changes(page: Page) -> Section:
    """Return the changes against another version, by category: first the ids of rules, then each change."""
    shown = page.changes
    found = shown.found
    title = Text.assemble(("Changes", "bold"))
    if found is None:
        return Section(Text.assemble(title, _mark(shown)), tuple(_failed(shown)) or (_waiting(),))
    title = Text.assemble(title, _mark(shown), f" against {_shown(found.label)}")
    items: list[Text] = []
    for category in Category:
        of_category = [each for each in found.changes if each.change.category is category]
        if of_category:
            items.append(_counts(category, of_category))
    levels = list(Level)
    ordered = sorted(found.changes, key=lambda each: levels.index(each.change.level))
    items += [_change(each) for each in ordered]
    return Section(title, tuple(items) if found.changes else (*items, Text("no changes", _QUIET)))


def _counts(category: Category, found: list[Located]) -> Text:
    levels = Counter(each.change.level for each in found)
    codes = Counter(each.change.code for each in found)
    named = ", ".join(f"{code} x{count}" if count > 1 else code for code, count in sorted(codes.items()))
    text = Text.assemble((f"{category.value.upper()}", "bold"), ": ")
    text.append_text(
        Text(", ").join([Text(f"{levels[level]} {level.value}", _LEVELS[level]) for level in Level if levels[level]])
    )
    return text.append(f" ({named})")


def _change(located: Located) -> Text:
    change = located.change
    place = located.after or located.before
    where = f" ({_shown(f'{place.file}:{place.line}')})" if place else ""
    title = (f"{change.level.value}[{change.code} {change.rule.name}]", _LEVELS[change.level])
    return Text.assemble(title, f" {_shown(change.summary())}{where}")


def surface(page: Page) -> Section:
    """Return what models are sent: the presentation of each layer, and the largest tools."""
    shown, choices = page.surface, page.choices
    whose = f" of {_shown(choices.agent)}" if choices.agent else ""
    title = Text.assemble(("Surface", "bold"), _mark(shown), f"{whose} with {choices.provider}")
    found = shown.found
    if found is None:
        return Section(title, tuple(_failed(shown)) or (_waiting(),))
    several = len({each.now.package for each in found.presentations}) > 1
    items = [_presentation(each, several=several) for each in found.presentations]
    largest = [_tool(each, found.is_compared, several=several) for each in found.tools[:_LARGEST]]
    if largest:
        items += [Text(f"the largest of {counted(len(found.tools), 'tool')}, in bytes:", _QUIET), *largest]
    notes = [f"not compared: {found.why_not}" if found.why_not else "", found.tokens]
    items += [Text(_shown(note), _QUIET) for note in notes if note]
    return Section(title, tuple(items))


def _presentation(compared: Compared, *, several: bool) -> Text:
    now, before = compared.now, compared.before
    package = f"{_shown(now.package)}: " if several else ""
    text = Text.assemble(f"{package}{now.presentation} ({', '.join(now.layers)}): ")
    if now.problem:
        return text.append(_shown(now.problem), _STYLES[Severity.WARNING])
    earlier = None if before is None or before.problem else before
    figures = [
        (counted(now.tools, "tool"), now.tools, earlier.tools if earlier else None),
        (f"{now.bytes:,} bytes", now.bytes, earlier.bytes if earlier else None),
        (f"{now.tokens or 0:,} tokens", now.tokens, earlier.tokens if earlier else None),
    ]
    counts = [Text.assemble(what, _difference(new, old)) for what, new, old in figures if new is not None]
    return text.append_text(Text(", ").join(counts))


def _tool(size: ToolSize, is_compared: bool, *, several: bool) -> Text:
    package = f"{_shown(size.package)}: " if several else ""
    is_new = is_compared and size.before is None
    change = Text(" (new)", "yellow") if is_new else _difference(size.now, size.before)
    return Text.assemble(f"  {package}{_shown(size.ident)} {size.now:,}", change)


def _difference(now: int | None, before: int | None) -> Text:
    if now is None or before is None or now == before:
        return Text()
    return Text(f" ({now - before:+,})", "yellow" if now > before else "green")


def _mark(shown: Shown[Any], what: str = "") -> Text:
    """Return a mark of what is not of the newest version, and that it is of an earlier one without the problem."""
    prefix = f"{what} " if what else ""
    if shown.is_stale:
        return Text(f" [{prefix}{'stale' if shown.number else 'computed now'}]", "yellow")
    if shown.problem and shown.found is not None:
        return Text(f" [{prefix}of {shown.at}: {_shown(shown.problem)}]", "yellow")
    return Text()


def _failed(shown: Shown[Any]) -> Iterator[Text]:
    if shown.problem and shown.found is None:
        yield _error(shown.problem)


def _error(message: str) -> Text:
    return Text.assemble(("error", _STYLES[Severity.ERROR]), f" {_shown(message)}")


def _waiting() -> Text:
    return Text("computed now …", _QUIET)


def _shown(text: str) -> str:
    return visible(cut(text, _LONGEST))
