"""Cases: what models are asked, and which calls are right; read from `evals/*.eval.yaml`, and checked against tools."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from toolgen.compiler.diagnostics.diagnostic import Diagnostics, nearest
from toolgen.compiler.documents.evaluation import CallSpec, EvalFile, UserSpec
from toolgen.compiler.documents.read import read_document
from toolgen.compiler.source.read import parse_spec, read_listed
from toolgen.runtime.codec.validation import Validation
from toolgen.schema.bounds import Bounds, excess, is_usable
from toolgen.schema.compact import model_args_schema
from toolgen.schema.json_values import is_object
from toolgen.schema.references import pointer_of
from toolgen.spec.selector import Selector

if TYPE_CHECKING:
    from toolgen.compiler.diagnostics import Span
    from toolgen.compiler.documents.evaluation import CaseSpec, ResultSpec
    from toolgen.compiler.documents.read import Document
    from toolgen.compiler.project.listing import Listed
    from toolgen.contract.records import Issue
    from toolgen.runtime.catalog.catalog import Catalog


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A case that is checked: its name, `EVALUATION/CASE`, what it says, and the catalog that has its tools."""

    name: str
    spec: CaseSpec
    agent: str
    system: str
    tags: frozenset[str]
    catalog: Catalog
    span: Span

    @property
    def expected(self) -> tuple[tuple[CallSpec, ...], ...] | None:
        """The calls that are expected, each with its alternatives; None if any call may be right."""
        if self.spec.expect is None:
            return None
        return tuple((each,) if isinstance(each, CallSpec) else tuple(each.one_of) for each in self.spec.expect)

    @property
    def idents(self) -> frozenset[str]:
        """The tools that are expected."""
        return frozenset(call.call for group in self.expected or () for call in group)

    def selects(self, selectors: Iterable[str], ident: str) -> bool:
        """Whether one of the selectors means a tool."""
        return ident in self.catalog and _selects(self.catalog, _parsed(selectors), ident)


def read_evaluations(listed: Mapping[str, Listed], sink: Diagnostics) -> list[Document[EvalFile]]:
    """Read evaluations, by the paths under which they are shown, and check their form.

    What is wrong is reported with its place; broken files are omitted.
    """
    found: list[Document[EvalFile]] = []
    for path, text in read_listed(listed, sink).items():
        own = Diagnostics()
        spec = parse_spec(path, text, own)
        document = None if spec is None else read_document(spec, EvalFile, own)
        for each in own:
            sink.add(each)
        if document is not None and not own.has_errors:
            found.append(document)
    return found


def cases_of(documents: Iterable[Document[EvalFile]], catalogs: Sequence[Catalog], sink: Diagnostics) -> list[Case]:
    """Return the valid cases of evaluations, of the first catalog that has all tools of the file, or else the first.

    What is wrong is reported with its place.
    """
    found: list[Case] = []
    names: dict[str, str] = {}
    for document in documents:
        if (other := names.setdefault(document.file.eval, document.path)) != document.path:
            message = f"the evaluation `{document.file.eval}` is also in {other}"
            sink.report("TG904", document.span("eval"), message, fix="rename one of them")
        found += _Checked(document, catalogs, sink).cases()
    return found


class _Checked:
    """Checks the cases of one file against a catalog."""

    def __init__(self, document: Document[EvalFile], catalogs: Sequence[Catalog], sink: Diagnostics) -> None:
        self._document: Final = document
        self._sink: Final = sink
        self._catalog: Final = self._chosen(catalogs)
        self._args: dict[str, tuple[Mapping[str, Any], Validation]] = {}
        self._reported = 0

    def cases(self) -> Iterator[Case]:
        file = self._document.file
        if file.agent and file.agent not in (agents := self._catalog.section("agents")):
            self._unknown("agent", file.agent, agents, "agent")
            return
        for key, spec in file.cases.items():
            before = self._reported
            self._check_form(key, spec)
            self._check_names(key, spec)
            self._check_avoided(key, spec)
            if self._reported > before:
                continue
            yield Case(
                name=f"{file.eval}/{key}",
                spec=spec,
                agent=file.agent,
                system=file.system,
                tags=frozenset((*file.tags, *spec.tags)),
                catalog=self._catalog,
                span=self._document.span("cases", key, key=True),
            )

    def _report(self, code: str, span: Span, message: str, *, fix: str = "") -> None:
        self._reported += 1
        self._sink.report(code, span, message, fix=fix)

    def _chosen(self, catalogs: Sequence[Catalog]) -> Catalog:
        file = self._document.file
        named = {call for spec in file.cases.values() for call, _ in _idents(spec)}
        for catalog in catalogs:
            if all(each in catalog for each in named) and (not file.agent or file.agent in catalog.section("agents")):
                return catalog
        return catalogs[0]

    def _check_form(self, key: str, spec: CaseSpec) -> None:
        span = self._document.span("cases", key, key=True)
        if bool(spec.question) == bool(spec.messages):
            what = "both a `question` and `messages`" if spec.question else "neither a `question` nor `messages`"
            self._report("TG903", span, f"`{key}` has {what}", fix="write one of them")
        elif spec.messages and not isinstance(spec.messages[-1], UserSpec):
            last = self._document.span("cases", key, "messages", len(spec.messages) - 1)
            self._report("TG903", last, "the last message is the model's", fix="end with a message of the `user`")
        if spec.expect is None and not spec.avoid and spec.check is None:
            fix = "write the calls that are right under `expect`, or `expect: []` if no tool fits"
            self._report("TG903", span, f"every answer to `{key}` would be right", fix=fix)

    def _check_names(self, key: str, spec: CaseSpec) -> None:
        for ident, path in _idents(spec):
            if ident not in self._catalog:
                self._unknown("tool", ident, self._catalog, "cases", key, *path, "call")
        for name, selectors in (("allow", spec.allow), ("avoid", spec.avoid)):
            for index, selector in enumerate(selectors):
                self._check_selector(selector, "cases", key, name, index)
        for call, path in _calls(spec):
            self._check_args(call, "cases", key, *path)
        for index, result in enumerate(spec.results):
            place = ("cases", key, "results", index)
            if result.call in self._catalog:
                self._check_values(result.call, result.args, place)
                self._check_result(result, place)

    def _check_avoided(self, key: str, spec: CaseSpec) -> None:
        """Report calls that are expected and, with each of their alternatives, avoided."""
        avoided = _parsed(spec.avoid)
        for index, each in enumerate(spec.expect or ()):
            calls = (each,) if isinstance(each, CallSpec) else tuple(each.one_of)
            if all(call.call in self._catalog and _selects(self._catalog, avoided, call.call) for call in calls):
                named = " or ".join(dict.fromkeys(f"`{call.call}`" for call in calls))
                message = f"no answer to `{key}` would be right: `avoid` excludes the expected {named}"
                fix = "remove what means the tool from `avoid`, or the call from `expect`"
                self._report("TG903", self._document.span("cases", key, "expect", index), message, fix=fix)

    def _check_selector(self, text: str, *place: str | int) -> None:
        selectors = _parsed((text,))
        if any(_selects(self._catalog, selectors, ident) for ident in self._catalog.entries):
            return
        self._unknown("tool", text, (*self._catalog, *self._catalog.toolsets), *place)

    def _check_args(self, call: CallSpec, *place: str | int) -> None:
        if call.call not in self._catalog:
            return
        self._check_values(call.call, call.args, place)
        schema, _ = self._schema(call.call)
        for name, wanted in call.fields.items():
            self._check_known(call.call, schema, name, (*place, "fields", name))
            if name in call.args:
                span = self._document.span(*place, "fields", name, key=True)
                self._report("TG902", span, f"`{name}` is in `args` too", fix="keep one of them")
            if is_object(wanted) and (excess(wanted) or not is_usable(wanted, Bounds(wanted))):
                span = self._document.span(*place, "fields", name)
                self._report("TG202", span, f"`{name}` has a schema that is no JSON Schema")

    def _check_values(self, ident: str, args: Mapping[str, Any], place: Sequence[str | int]) -> None:
        schema, validation = self._schema(ident)
        for name in args:
            self._check_known(ident, schema, name, (*place, "args", name))
        known = [name for name in args if takes_arg(schema, name)]
        for issue in given_issues(validation, args, known):
            steps = [each.replace("~1", "/").replace("~0", "~") for each in issue.pointer.split("/")[1:]]
            self._report("TG902", self._document.span(*place, "args", *steps), f"{ident}: {issue.hint}")

    def _check_known(self, ident: str, schema: Mapping[str, Any], name: str, place: Sequence[str | int]) -> None:
        known = schema.get("properties", {})
        if not takes_arg(schema, name) and schema.get("additionalProperties") is False:
            listed = [*known, *schema.get("patternProperties", ())]
            fix = nearest(name, known) or f"it has {', '.join(f'`{each}`' for each in listed) or 'none'}"
            self._report("TG902", self._document.span(*place, key=True), f"{ident} has no arg `{name}`", fix=fix)

    def _check_result(self, result: ResultSpec, place: Sequence[str | int]) -> None:
        if result.error or not self._catalog.definition(result.call).has_certain_result:
            return
        schema = self._catalog.schema(result.call, "result")
        validation = Validation(schema, assert_formats=self._catalog.asserts_formats)
        if not validation.is_valid(result.result):
            issue = validation.issues(result.result)[0]
            where = f" at {issue.pointer}" if issue.pointer else ""
            span = self._document.span(*place, "result")
            self._report("TG902", span, f"{result.call} returns no such result{where}: {issue.hint}")

    def _schema(self, ident: str) -> tuple[Mapping[str, Any], Validation]:
        found = self._args.get(ident)
        if found is None:
            definition = self._catalog.definition(ident)
            schema = model_args_schema(definition.input_schema, definition.settings.inject)
            validation = Validation(schema, assert_formats=self._catalog.asserts_formats)
            found = self._args[ident] = schema, validation
        return found

    def _unknown(self, what: str, name: str, known: Collection[str], *place: str | int) -> None:
        span = self._document.span(*place)
        self._report("TG901", span, f"there is no {what} `{name}`", fix=nearest(name, known))


def _parsed(selectors: Iterable[str]) -> list[Selector]:
    return [Selector.parse(each) for each in selectors]


def _selects(catalog: Catalog, selectors: Iterable[Selector], ident: str) -> bool:
    """Whether one of the selectors means a tool of the catalog."""
    entry = catalog.entry(ident)
    toolset, tags = catalog.toolset_of(ident), {*entry.tags, entry.permission}
    return any(each.matches(ident, toolset, tags) for each in selectors)


def takes_arg(schema: Mapping[str, Any], name: str) -> bool:
    """Whether the schema of args describes an arg, by its name or by a pattern of names."""
    patterns = schema.get("patternProperties")
    if name in schema.get("properties", {}):
        return True
    if not is_object(patterns):
        return False
    by_pattern = {"patternProperties": dict.fromkeys(patterns, True), "additionalProperties": False}
    return Validation(by_pattern, assert_formats=False).is_valid({name: None})


def given_issues(validation: Validation, args: Mapping[str, Any], known: Collection[str]) -> Iterator[Issue]:
    """Yield what is wrong with args as far as they are given: not that others are missing, or are not known."""
    if validation.is_valid(dict(args)):
        return
    places = tuple(pointer_of((name,)) for name in args if name in known)
    for issue in validation.issues(dict(args)):
        if any(issue.pointer == place or issue.pointer.startswith(f"{place}/") for place in places):
            yield issue


def _calls(spec: CaseSpec) -> Iterator[tuple[CallSpec, tuple[str | int, ...]]]:
    """Yield the calls that are expected, with their paths in the case."""
    for index, each in enumerate(spec.expect or ()):
        if isinstance(each, CallSpec):
            yield each, ("expect", index)
        else:
            yield from ((call, ("expect", index, "one_of", at)) for at, call in enumerate(each.one_of))


def _idents(spec: CaseSpec) -> Iterator[tuple[str, tuple[str | int, ...]]]:
    """Yield the idents of a case, with the paths of the calls that have them."""
    yield from ((call.call, path) for call, path in _calls(spec))
    yield from ((result.call, ("results", index)) for index, result in enumerate(spec.results))
