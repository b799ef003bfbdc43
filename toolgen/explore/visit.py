"""Visits: one request to a screen, read once, with who makes it and as whom they look."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, ParamSpec, TypeVar

from toolgen.contract.picklable import Picklable
from toolgen.contract.records import ToolCallMeta
from toolgen.explore.args_editor import LinkArgs
from toolgen.explore.links import LONGEST_ARGS
from toolgen.explore.visitors import Viewpoint, start_view
from toolgen.runtime.base.errors import CatalogError, ToolNotFound, UnknownAgent
from toolgen.schema.json_values import number_of

if TYPE_CHECKING:
    from toolgen.explore.app import Explorer
    from toolgen.explore.visitors import Visitor
    from toolgen.runtime.runs.run import Run

P = ParamSpec("P")
T = TypeVar("T")


class Refused(Picklable):
    """A request that cannot be answered, with the status of HTTP and a sentence for a person."""

    def __init__(self, status: int, message: str) -> None:
        self.status = status
        self.message = message
        super().__init__(message)


_LONG_TEXTS: Final = 16
"""Texts of the largest size that a page shows; it has more of smaller ones."""


class _Budget:
    """How many characters of long texts a page has so far."""

    def __init__(self) -> None:
        self.used = 0


@dataclass(frozen=True)
class Visit:
    """One request. `path` has the parameters of the path, `fields` those of the query and of the body."""

    explorer: Explorer
    visitor: Visitor
    view: Viewpoint
    path: Mapping[str, str]
    fields: Mapping[str, str]
    _budget: _Budget = field(default_factory=_Budget)

    def number(self, name: str, default: int, most: int) -> int:
        """Return a number of the query, from 1; the default for anything that is none."""
        return min(number_of(self.fields.get(name, "")) or default, most)

    def query_of(self, view: Viewpoint) -> dict[str, str]:
        """Return the parameters of a link to a page that looks as someone."""
        return view.query(self._start_view)

    @property
    def query(self) -> dict[str, str]:
        """The parameters of a link that keeps as whom this one looks."""
        return self.query_of(self.view)

    @cached_property
    def run(self) -> Run:
        """A run of the agent that is looked at, in which no call is made. Raises `Refused`."""
        return self.new_run()

    def new_run(self) -> Run:
        """Return a run in the session of the visitor. Raises `Refused` for an unknown agent, role or mode."""
        view = self.view
        try:
            return self.explorer.runtime.start_run(
                view.agent,
                role=view.role,
                mode=view.mode,
                session=self.explorer.calls.session_of(self.visitor, view.user),
                meta=ToolCallMeta(user=view.user),
            )
        except (UnknownAgent, ValueError, CatalogError) as error:
            raise Refused(404, str(error)) from None

    def usable(self) -> Visit:
        """Return the visit for links that lead on: as who chose nothing if there is no such agent, role or mode."""
        for view in (self.view, self._start_view):
            found = self.with_view(view)
            try:
                found.new_run()
            except Refused:
                continue
            return found
        return self.with_view(Viewpoint(user=self.view.user))

    @cached_property
    def tool(self) -> str:
        """The ident of the tool of the path. Raises `Refused`."""
        try:
            ident = self.explorer.runtime.catalog.resolve(self.path["tool"])
            if ident is None:
                raise ToolNotFound(self.path["tool"])
        except ToolNotFound:
            raise Refused(404, "there is no such tool") from None
        if not self.visitor.sees_all and ident not in self.run.effective:
            raise Refused(404, "there is no such tool")
        return ident

    @property
    def may_compare(self) -> bool:
        """Whether specs of other versions can be compiled: in a project, by the person at its machine."""
        return self.explorer.project is not None and self.visitor.sees_all

    @property
    def may_save(self) -> bool:
        """Whether calls can be saved: in a project, by the person at its machine, unless all is only read."""
        explorer = self.explorer
        return self.may_compare and explorer.records is not None and not explorer.settings.read_only

    async def aside(self, work: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
        """Do work in a thread, in the share of the visitor. Raises `Refused`."""
        return await self.explorer.aside(self.visitor.name, work, *args, **options)

    def with_view(self, view: Viewpoint) -> Visit:
        """Return the visit as someone else."""
        return replace(self, view=view)

    def cut(self, text: str) -> tuple[str, int]:
        """Return what a page shows of a text, and how many characters were left out.

        A text has a bound, and all texts of a page have one: the first ones are shown.
        """
        shown = text[: min(self.explorer.settings.shown_bytes, self._left)]
        self._budget.used += len(shown)
        return shown, len(text) - len(shown)

    @property
    def question(self) -> str:
        """The id of the question that is answered. Raises `Refused` without one."""
        found = self.fields.get("question", "")
        if not found:
            raise Refused(400, "`question` is missing: the id of the question to answer")
        return found

    def for_link(self, args: LinkArgs) -> LinkArgs:
        """Return args for a link; none if they are too long for one, or for what the page still shows."""
        length = len(args.text) + sum(map(len, args.left_out))
        if length > min(LONGEST_ARGS, self._left):
            return LinkArgs()
        self._budget.used += length
        return args

    @property
    def _left(self) -> int:
        return _LONG_TEXTS * self.explorer.settings.shown_bytes - self._budget.used

    @property
    def _start_view(self) -> Viewpoint:
        return start_view(self.explorer.settings, self.visitor)


Data = dict[str, Any]
