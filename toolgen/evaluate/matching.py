"""Matching: which of the calls that a model made are right, which args are wrong, and what was called instead."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from inspect import iscoroutine
from math import inf
from types import NoneType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, cast

from toolgen.execute.python.modules import ForeignModule, HandlerModules
from toolgen.runtime.base.errors import ends_the_caller
from toolgen.runtime.base.json_text import NotJson, parse
from toolgen.runtime.codec.typed_values import with_integers
from toolgen.runtime.codec.validation import Validation
from toolgen.runtime.issues.issue_text import counted
from toolgen.runtime.redact.call_secrets import all_values, hide_args, hide_text, secrets_of_call, secrets_of_tool
from toolgen.runtime.redact.exceptions import explanation, hiding, shown_error
from toolgen.runtime.redact.secrets import NO_SECRETS, Secrets
from toolgen.schema.compact import model_args_schema
from toolgen.schema.fields import defaults_of
from toolgen.schema.json_values import canonical, compact_json, is_object
from toolgen.schema.references import steps_of
from toolgen.spec.text import cut

if TYPE_CHECKING:
    from toolgen.compiler.documents.evaluation import CallSpec
    from toolgen.contract.records import Issue, ToolRequest
    from toolgen.evaluate.cases import Case
    from toolgen.runtime.catalog.catalog import Catalog

NO_TOOL: Final = ""
"""Stands for no call, where a call was expected or made."""

_LONGEST: Final = 200
"""Characters of args in a message."""

_MISSING: Final = object()


@dataclass(frozen=True, slots=True, kw_only=True)
class CalledTool:
    """A call that a model asked for. `ident` is empty if no tool that was shown has the name.

    `arguments` are its args as JSON, without defaults; None if the text is no JSON object. `issues` are what the schema
    of the tool rejects.
    """

    name: str
    ident: str = ""
    arguments: dict[str, Any] | None = None
    issues: tuple[Issue, ...] = ()
    secrets: Secrets = field(default=NO_SECRETS, repr=False, compare=False)

    @property
    def hidden_args(self) -> dict[str, Any] | None:
        """The args as reports have them: without secrets."""
        return None if self.arguments is None else cast("dict[str, Any]", hide_args(self.arguments, self.secrets))

    @property
    def shown_args(self) -> str:
        """The same as text."""
        return "no JSON object" if self.arguments is None else compact_json(self.hidden_args)

    def __str__(self) -> str:
        return f"{self.ident or self.name} {cut(self.shown_args, _LONGEST)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseRun:
    """How the conversation of a case went: what a function under `check` looks at.

    `calls` are those that the model asked for, in their order; `text` is its last text, `messages` are all of them in
    the form of the API, and `turns` is the number of responses.
    """

    case: str
    calls: tuple[CalledTool, ...]
    text: str = ""
    messages: tuple[Mapping[str, Any], ...] = ()
    turns: int = 1


class WrongArg(NamedTuple):
    """An arg that is wrong: its tool, its name (None for all args), and the keyword that rejects it.

    The keyword is that of a JSON Schema, of the tool or of the case; `value` if it is not the one that is expected,
    `missing`, `unexpected`, or `function`.
    """

    ident: str
    field: str | None
    keyword: str

    @property
    def shown(self) -> str:
        """The name of the arg in reports."""
        return "(all)" if self.field is None else self.field


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What is wrong with the run of a case. Without `problems` it is right.

    `pairs` has an expected ident and the one that was called in its place for each call: equal ones for the right tool;
    `NO_TOOL` stands for none. `wrong_args` are those of calls of the right tools.
    """

    problems: tuple[str, ...] = ()
    pairs: tuple[tuple[str, str], ...] = ()
    wrong_args: tuple[WrongArg, ...] = ()


class ArgsReader:
    """Reads the args of calls of the tools of a catalog, each schema compiled once.

    `modules` are those whose functions cases may name.
    """

    def __init__(self, catalog: Catalog, modules: HandlerModules) -> None:
        self._catalog: Final = catalog
        self.modules: Final = modules
        self._tools: dict[str, tuple[Validation, Mapping[str, Any]]] = {}

    def called(self, asked: ToolRequest, ident: str) -> CalledTool:
        """Return a call that a model asked for, with what is wrong with its args."""
        try:
            found: Any = parse(asked.payload or b"{}")
        except NotJson:
            found = None
        arguments = found if is_object(found) else None
        of_tool = secrets_of_tool(self._catalog.definition(ident)) if ident in self._catalog else NO_SECRETS
        secrets = secrets_of_call(of_tool, asked.payload)
        if ident not in self._catalog or arguments is None:
            known = ident if ident in self._catalog else ""
            return CalledTool(name=asked.name, ident=known, arguments=arguments, secrets=secrets)
        validation = self._tool(ident)[0]
        issues = () if validation.is_valid(arguments) else validation.issues(arguments)
        return CalledTool(name=asked.name, ident=ident, arguments=arguments, issues=issues, secrets=secrets)

    def defaults(self, ident: str) -> Mapping[str, Any]:
        """Return the values that args of a tool have when they are left out."""
        return self._tool(ident)[1]

    def _tool(self, ident: str) -> tuple[Validation, Mapping[str, Any]]:
        found = self._tools.get(ident)
        if found is None:
            definition = self._catalog.definition(ident)
            schema = model_args_schema(definition.input_schema, definition.settings.inject)
            validation = Validation(schema, assert_formats=self._catalog.asserts_formats)
            found = self._tools[ident] = validation, defaults_of(definition.input_schema)
        return found


def secrets_of(calls: Iterable[CalledTool]) -> Secrets:
    """Return the secret values of the calls of a case, which its function, its model and their errors may tell."""
    return all_values(each.secrets for each in calls)


class CheckError(Exception):
    """A function that a case names cannot be used."""


def judge(case: Case, run: CaseRun, reader: ArgsReader) -> Verdict:
    """Compare the calls of a case with those that it expects, and ask its function. Raises `CheckError`."""
    avoided = [call.ident for call in run.calls if case.selects(case.spec.avoid, call.ident)]
    problems = [f"{ident} must not be called" for ident in dict.fromkeys(avoided)]
    pairs: list[tuple[str, str]] = []
    wrong: list[WrongArg] = []
    if case.expected is not None:
        found = _compared(case, run.calls, reader)
        problems += [each for each in found.problems if each not in problems]
        pairs += found.pairs
        wrong += found.wrong_args
    if case.spec.check is not None:
        reason = _why_wrong(case.spec.check, run, reader.modules, secrets_of(run.calls), bool, str, NoneType)
        problems += [f"{case.spec.check}: {reason}"] if reason else []
    return Verdict(problems=tuple(problems), pairs=tuple(pairs), wrong_args=tuple(wrong))


def _compared(case: Case, calls: Sequence[CalledTool], reader: ArgsReader) -> Verdict:
    groups = case.expected or ()
    fits = [[min((_wrong_args(each, call, reader) for each in group if each.call == call.ident), key=len, default=None)
             for call in calls] for group in groups]  # fmt: skip
    is_needed = [not case.selects(case.spec.allow, call.ident) for call in calls]
    right = _assigned(fits, is_needed)
    problems: list[str] = []
    if len(right) == len(groups) and not case.spec.any_order and sorted(right.values()) != list(right.values()):
        in_order = _in_order(fits, is_needed)
        right = right if in_order is None else in_order
        if in_order is None:
            problems.append("the calls are right, and in another order than is expected")
    pairs = [(calls[call].ident, calls[call].ident) for _, call in sorted(right.items())]
    wrong: list[WrongArg] = []
    rest = [one for one in range(len(groups)) if one not in right]
    left = [other for other in range(len(calls)) if other not in right.values()]
    for one in list(rest):  # the right tool with wrong args
        same = next((other for other in left if fits[one][other] is not None), None)
        if same is None:
            continue
        rest.remove(one)
        left.remove(same)
        found = fits[one][same] or ()
        wrong += found
        pairs.append((calls[same].ident, calls[same].ident))
        what = ", ".join(
            f"`{each.field}` ({each.keyword})" if each.field is not None else each.keyword for each in found
        )
        problems.append(f"args of {calls[same]} are wrong: {what}")
    left = [other for other in left if not case.selects(case.spec.allow, calls[other].ident)]
    for one in list(rest):  # another tool in its place
        if not left:
            break
        other = left.pop(0)
        rest.remove(one)
        pairs.append((groups[one][0].call, calls[other].ident or calls[other].name))
        problems.append(f"{_named(groups[one])} is expected, and {calls[other]} was called")
    for one in rest:
        pairs.append((groups[one][0].call, NO_TOOL))
        problems.append(f"{_named(groups[one])} is expected, and was not called")
    for other in left:
        pairs.append((NO_TOOL, calls[other].ident or calls[other].name))
        why = "no tool fits" if not groups else "no such call is expected"
        problems.append(f"{why}, and {calls[other]} was called")
    if not groups and not calls:
        pairs.append((NO_TOOL, NO_TOOL))
    return Verdict(problems=tuple(problems), pairs=tuple(pairs), wrong_args=tuple(wrong))


def _named(group: Sequence[CallSpec]) -> str:
    names = list(dict.fromkeys(each.call for each in group))
    return names[0] if len(names) == 1 else f"one of {', '.join(names)}"


_Fits: TypeAlias = Sequence[Sequence[Sequence[WrongArg] | None]]
"""Of each group and each call, the wrong args of the call; None if it is of another tool."""


def _assigned(fits: _Fits, is_needed: Sequence[bool]) -> dict[int, int]:
    """Assign as many groups as possible to different calls that are right; needed calls first, then the earliest.

    What is assigned once stays so, though to another group: thus as many needed calls as possible are assigned.
    """
    taken: dict[int, int] = {}

    def place(other: int, seen: set[int]) -> bool:
        for one, row in enumerate(fits):
            if one not in seen and row[other] == ():
                seen.add(one)
                if one not in taken or place(taken[one], seen):
                    taken[one] = other
                    return True
        return False

    for other in sorted(range(len(is_needed)), key=lambda other: not is_needed[other]):
        place(other, set())
    return dict(sorted(taken.items()))


def _in_order(fits: _Fits, is_needed: Sequence[bool]) -> dict[int, int] | None:
    """Assign each group to a right call behind that of the group before; None if that is not possible.

    As few needed calls as possible are left.
    """
    groups, calls = len(fits), len(is_needed)
    left = [[0.0 if one == groups else inf] * (calls + 1) for one in range(groups + 1)]
    """How many needed calls are left, for groups and calls from two on."""

    def if_taken(one: int, at: int) -> float:
        return left[one + 1][at + 1] if one < groups and fits[one][at] == () else inf

    for at in reversed(range(calls)):
        for one in range(groups + 1):
            left[one][at] = min(if_taken(one, at), left[one][at + 1] + is_needed[at])
    if left[0][0] == inf:
        return None
    found: dict[int, int] = {}
    for at in range(calls):
        one = len(found)
        if one < groups and if_taken(one, at) == left[one][at]:
            found[one] = at
    return found


def _wrong_args(spec: CallSpec, call: CalledTool, reader: ArgsReader) -> tuple[WrongArg, ...]:
    """Return the args of a call of the right tool that are wrong, each once."""
    if call.arguments is None:
        return (WrongArg(spec.call, None, "type"),)
    found: dict[str | None, str] = {_field(issue): issue.keyword or "type" for issue in reversed(call.issues)}
    given = {**reader.defaults(spec.call), **call.arguments}
    for name, keyword in (*_by_value(spec, given), *_by_field(spec, given, call, reader.modules)):
        found.setdefault(name, keyword)
    if spec.exact:
        for name in call.arguments.keys() - spec.args.keys() - spec.fields.keys():
            if not _equal(reader.defaults(spec.call).get(name, _MISSING), call.arguments[name]):
                found.setdefault(name, "unexpected")
    return tuple(sorted((WrongArg(spec.call, *each) for each in found.items()), key=order_of))


def order_of(wrong: WrongArg) -> tuple[str, bool, str, str]:
    """Return the key by which args are sorted; all args come first."""
    return wrong.ident, wrong.field is not None, wrong.shown, wrong.keyword


def _field(issue: Issue) -> str | None:
    """Return the name of the arg that an issue is about; None if it is about all of them."""
    return next(iter(steps_of(issue.pointer)), None)


def _by_value(spec: CallSpec, given: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in spec.args.items():
        if name not in given:
            yield name, "missing"
        elif not _equal(given[name], value):
            yield name, "value"


def _by_field(
    spec: CallSpec, given: Mapping[str, Any], call: CalledTool, modules: HandlerModules
) -> Iterator[tuple[str, str]]:
    for name, wanted in spec.fields.items():
        if wanted is False:
            if name in (call.arguments or ()):
                yield name, "unexpected"
        elif name not in given:
            yield name, "missing"
        elif isinstance(wanted, str):
            if _why_wrong(wanted, given[name], modules, call.secrets, bool):
                yield name, "function"
        elif is_object(wanted):
            validation = Validation(wanted, assert_formats=True)
            if not validation.is_valid(given[name]):
                yield name, validation.issues(given[name])[0].keyword or "type"


def _equal(one: Any, other: Any) -> bool:
    if one is _MISSING or other is _MISSING:
        return False
    return canonical(with_integers(one)) == canonical(with_integers(other))


def _why_wrong(place: str, value: Any, modules: HandlerModules, secrets: Secrets, *returns: type) -> str:
    """Ask a function of the project whether a value is right; return why it is not, without secrets, empty if it is.

    It is wrong if the function returns false or a reason, or fails an assertion. Raises `CheckError` for a function
    that cannot be found, raises anything else, or returns none of the types `returns`.
    """
    try:
        function = _function(place, modules)
        try:
            found = function(value)
        except AssertionError as failure:
            return explanation(failure, hiding(secrets)) or "an assertion failed"
    except ForeignModule as error:
        raise CheckError(f"{place} cannot be used: {explanation(error, hiding(secrets))}") from error
    except BaseException as error:  # the project's own code may raise anything
        if not isinstance(error, Exception) and ends_the_caller(error):
            raise
        raise CheckError(f"{place} cannot be used: {shown_error(error, secrets)}") from error
    if iscoroutine(found):
        found.close()  # otherwise Python warns that nothing awaited it
        raise CheckError(f"{place} cannot be used: it is async, and its result is not awaited")
    if not isinstance(found, returns):
        accepted = " or ".join(each.__name__ for each in returns)
        raise CheckError(f"{place} cannot be used: it returned {type(found).__name__}, and must return {accepted}")
    if isinstance(found, str):
        return hide_text(found, secrets) or "it is not right"
    return "it is not right" if found is False else ""


def _function(place: str, modules: HandlerModules) -> Any:
    """Return a function of the project. Raises `ForeignModule`, and what the import of its module raises."""
    module, _, name = place.partition(":")
    modules.check(module)
    function: Any = import_module(module)
    for part in name.split("."):
        function = getattr(function, part)
    modules.check_found(function)
    return function


def listed(problems: Iterable[str]) -> str:
    """Return problems in one line."""
    every = list(problems)
    return every[0] if len(every) == 1 else f"{counted(len(every), 'problem')}: {'; '.join(every)}"
