"""The rules by which two versions are compared, and the changes that they name.

Codes are never reused. Plain data, fast to import.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, TypeAlias

from toolgen.schema.json_values import compact_json
from toolgen.spec.text import cut, hunks


class Category(StrEnum):
    """Whom a change concerns."""

    WIRE = "wire"
    """Callers: a recorded call or result that was valid stops being so."""
    CODE = "code"
    """Consumers: typed Python that uses the package stops type-checking."""
    MODEL = "model"
    """Models: what they see of a tool or an agent changes."""
    ROUTE = "route"
    """Operators: what runs a call, and who may make it."""


class Level(StrEnum):
    """How much a change matters."""

    BREAKING = "breaking"
    """Something that worked may fail."""
    IGNORED = "ignored"
    """Calls stay valid, and a part of them has no effect any more."""
    CHANGE = "change"
    """Behavior may differ; nothing that worked fails."""
    NOTE = "note"
    """What only uses outside the public contract can notice."""
    COMPATIBLE = "compatible"
    """An addition, or a widening of what is accepted."""


class Bump(StrEnum):
    """The part of a package's version that a change raises."""

    MAJOR = "major"
    MINOR = "minor"
    PATCH = "patch"


@dataclass(frozen=True, slots=True)
class Rule:
    """What `toolgen explain` prints of a rule. Its category is the word that its code starts with."""

    code: str
    name: str
    severity: Level
    explanation: str

    @property
    def category(self) -> Category:
        """The category of its changes."""
        return Category(self.code.rstrip("0123456789").lower())

    @property
    def bump(self) -> Bump:
        """The part of the version that its changes raise.

        Breaking changes, and ignored args, raise the major version, whatever their category; but not a method that hosts have to add for a
        new tool, which is an addition. Compatible changes, and changes of ROUTE, raise the minor one. What only a model
        sees, and notes, raise the patch version.
        """
        if self.code == HANDLER_ADDED:
            return Bump.MINOR
        if self.severity in (Level.BREAKING, Level.IGNORED):
            return Bump.MAJOR
        if self.severity is Level.NOTE or self.category is Category.MODEL:
            return Bump.PATCH
        return Bump.MINOR


def _table(*rows: tuple[str, str, Level, str]) -> dict[str, Rule]:
    return {code: Rule(code, name, level, explanation) for code, name, level, explanation in rows}


HANDLER_ADDED = "CODE501"

_B, _I, _CH, _N, _C = Level.BREAKING, Level.IGNORED, Level.CHANGE, Level.NOTE, Level.COMPATIBLE

RULES = _table(
    # WIRE1xx: names
    ("WIRE101", "tool-removed", _B, "A tool is gone: recorded calls of it, and prompts and policies that name it, refer to nothing. Keep it, and say in its description what replaces it, until nothing calls it."),
    ("WIRE102", "tool-added", _C, "A tool is new. No call that was valid changes."),
    ("WIRE103", "tool-renamed", _B, "A tool has another ident, and the same schemas and description. Records, limits, grants and policies are keyed by the ident."),
    ("WIRE104", "wire-name-changed", _B, "The name of a tool in requests to providers changed. Recorded conversations and cached prompts call it by the old one. Pin it with `wire_name`."),
    ("WIRE105", "action-removed", _B, "An entry of an action catalog is gone: recorded calls of it by `invoke_action` lead nowhere. `formerly` of a category only tells a model that lists the old category what it is called now: calls of its actions by the old name lead nowhere too."),
    ("WIRE106", "action-added", _C, "An entry of an action catalog is new."),
    ("WIRE107", "action-hidden", _B, "A category of an action catalog, or the search for actions, is visible in fewer settings (`needs`): where it is not, recorded calls of its actions by `invoke_action` lead nowhere."),
    # WIRE2xx: args, which may accept more
    ("WIRE201", "arg-required", _B, "An arg must be given that could be left out before, so calls without it are rejected. Give it a default, or leave it optional (`name?`)."),
    ("WIRE202", "arg-removed", _B, "An arg is gone, and the args are closed, so calls with it are rejected."),
    ("WIRE203", "arg-narrowed", _B, "An arg, or a key that was valid because of `additionalProperties`, accepts fewer values: a value was found, or is certain, that was valid before and is not now."),
    ("WIRE204", "args-narrowed", _B, "The args as a whole accept fewer values, not one arg alone: combinations of args, or keys that no arg has."),
    ("WIRE205", "args-undecided", _B, "Whether the args still accept every value that was valid cannot be decided, and no counterexample was found. Treat it as breaking unless you know better; recorded calls (`--calls`) may show one."),
    ("WIRE206", "arg-injected", _B, "An arg that callers gave is filled by the host now (`inject`): a call that gives it is refused."),
    ("WIRE207", "arg-added", _C, "The args have a new optional arg."),
    ("WIRE208", "args-widened", _C, "The args accept more values than before, and every value that was valid."),
    ("WIRE209", "undeclared-key", _N, "The args are open, and declare a key that any value could be given under before. Calls that already sent this undeclared key with another value are rejected."),
    ("WIRE210", "arg-ignored", _I, "An arg, or a field of one, is gone, and the args are open, as those of MCP servers are by default: calls that give it are accepted, and it has no effect. A call with `dry_run` becomes a real one. Close the args (`additionalProperties: false`) before args are removed, or keep the arg."),
    ("WIRE211", "arg-renamed", _B, "An arg has another name, and the same schema: calls that give the old one are rejected, or it has no effect where the args are open."),
    # WIRE3xx: results, which may promise more
    ("WIRE301", "result-field-optional", _B, "A field that every result had may be absent now. Readers of results may rely on it."),
    ("WIRE302", "result-field-removed", _B, "A field of the result is gone. Readers of results may rely on it."),
    ("WIRE303", "result-field-added", _B, "A closed result has a new field: readers with the old schema reject it. Add `additionalProperties: true` to results that will grow, before they do."),
    ("WIRE304", "result-field-widened", _B, "A field of the result may have values that it could not have before, such as a new enum value or null."),
    ("WIRE305", "result-widened", _B, "The result as a whole may have values that it could not have before."),
    ("WIRE306", "result-undecided", _B, "Whether results may have new values cannot be decided, and no such value was found. Treat it as breaking unless you know better."),
    ("WIRE307", "result-narrowed", _C, "The result has fewer possible values than before, and no new ones."),
    ("WIRE308", "result-key-declared", _C, "An open result declares a field that it may have had before."),
    # WIRE4xx: what is beside the schemas
    ("WIRE401", "paging-changed", _B, "`bounded` changed: callers that page through results pass the cursor in another arg, or find it in another field."),
    ("WIRE402", "formats-asserted", _B, "The target checks `format` now (`formats`), and in the drafts 06 and 07 the encoding and media type of content, so texts that are not of their format are rejected. Data for the host besides the result (`server_data`) is never checked for it."),
    ("WIRE403", "formats-not-asserted", _C, "The target does not check `format` any more, so args accept more texts. Results may have them too."),
    ("WIRE404", "server-data-changed", _B, "The data that a tool hands to its host besides the result (`server_data`) has another schema."),
    # WIRE5xx: recordings
    ("WIRE501", "recorded-call-rejected", _B, "A recorded call (`--calls`) that was valid is rejected."),
    ("WIRE502", "recorded-result-rejected", _B, "A recorded result (`--calls`) that was valid is rejected."),
    # CODE1xx: names
    ("CODE101", "package-removed", _B, "The Python package of a target, a toolset, an agent or an action catalog is gone or has another place: imports fail."),
    ("CODE102", "name-removed", _B, "Names are gone from a package: imports of them fail."),
    ("CODE103", "name-added", _C, "A package has new names."),
    ("CODE104", "name-kind-changed", _B, "A name is another kind of thing: a class became an alias, or the reverse."),
    ("CODE105", "module-moved", _N, "The module that defines a name changed, below the package that offers it. Import names from the package, never from its modules."),
    # CODE2xx: fields of classes
    ("CODE201", "field-removed", _B, "A class has lost an attribute: code that reads or passes it does not type-check."),
    ("CODE202", "field-renamed", _B, "The attribute for a field of the JSON has another Python name. `rename` keeps the old one."),
    ("CODE203", "field-required", _B, "A constructor needs an attribute that could be left out."),
    ("CODE204", "field-added", _C, "A class has a new attribute, which can be left out."),
    ("CODE205", "field-type-widened", _B, "The type of an attribute has more values: code that reads it as the old type does not type-check."),
    ("CODE206", "field-type-narrowed", _B, "The type of an attribute has fewer values: code that passes the old type does not type-check."),
    ("CODE207", "field-type-changed", _B, "The type of an attribute is another one: code that reads or passes the old type does not type-check."),
    ("CODE208", "field-optional", _C, "An attribute can be left out of the constructor, and has the same type."),
    ("CODE209", "field-default-changed", _CH, "An attribute has another value where it is left out: of args, payloads of methods, or results. Code that leaves it out passes, or reads, another value. Payloads have fields that no arg fills: their methods get the new value with each call."),
    # CODE3xx: aliases and constants
    ("CODE301", "alias-changed", _B, "The name stands for another type. Enums (`Literal`) change with each value: a new one breaks code that covers all, a lost one code that uses it."),
    ("CODE302", "constant-changed", _B, "The type of a constant (an ident, a codec) changed."),
    # CODE4xx: functions
    ("CODE401", "argument-removed", _B, "A function has lost a parameter."),
    ("CODE402", "argument-required", _B, "A function needs an argument that it did not need."),
    ("CODE403", "argument-type-changed", _B, "A parameter does not accept every value of its old type."),
    ("CODE404", "argument-added", _C, "A function has a new parameter that can be left out, or one that needed an argument does not need it any more."),
    ("CODE405", "argument-widened", _C, "A parameter accepts more types."),
    ("CODE406", "return-type-changed", _B, "A function returns values that are not of the old type."),
    # CODE5xx: protocols that consumers implement
    ("CODE501", "handler-added", _B, "A protocol has a new method: classes that implement it lack the method. This is so with every new tool of a toolset that a host runs by its `Handlers`, so not of kind `mcp` or `http`."),
    ("CODE502", "handler-signature-changed", _B, "A method of a protocol has another signature: implementations of the old one do not fit."),
    # MODEL1xx: texts of tools
    ("MODEL101", "title-changed", _CH, "The title of a tool changed."),
    ("MODEL102", "description-changed", _CH, "The description of a tool changed. Models choose tools by it: evaluate again what depends on the choice."),
    ("MODEL103", "examples-changed", _CH, "The examples of a tool changed."),
    ("MODEL104", "tag-format-changed", _CH, "The line of text that calls a tool changed: its prefix, its pattern, or its example."),
    ("MODEL105", "confirm-changed", _CH, "The text that asks a person to confirm a call changed."),
    ("MODEL106", "hints-changed", _CH, "The one-line summaries, the retry hints or the reminder of a tool changed."),
    ("MODEL107", "annotations-changed", _CH, "The server's hints about a tool (`readOnlyHint` and others), or its icons, changed."),
    ("MODEL108", "name-changed", _CH, "A model sees a tool under another name: prompts and examples that call it by the old one mislead."),
    # MODEL2xx: parameters
    ("MODEL201", "parameter-added", _CH, "A model sees a new parameter."),
    ("MODEL202", "parameter-removed", _CH, "A model does not see a parameter any more."),
    ("MODEL203", "parameter-description-changed", _CH, "The description of a parameter, or of a part of it, changed."),
    ("MODEL204", "parameter-order-changed", _CH, "The parameters come in another order. Models tend to fill them in the order in which they see them, and cached prompts are invalidated."),
    ("MODEL205", "enum-changed", _CH, "The values that a model may choose from changed."),
    ("MODEL206", "enum-order-changed", _CH, "The values that a model may choose from come in another order."),
    ("MODEL207", "parameter-schema-changed", _CH, "A model sees another schema of a parameter: its type, its bounds, its default, whether it is required."),
    ("MODEL208", "result-schema-changed", _CH, "The schema of the result changed. Models see it where they write code, and where a provider takes output schemas."),
    # MODEL3xx: agents and action catalogs
    ("MODEL301", "agent-prompt-changed", _CH, "The system prompt or the description of an agent changed."),
    ("MODEL302", "prompt-template-changed", _CH, "The messages that a tool of kind agent starts its run with changed."),
    ("MODEL303", "action-catalog-changed", _CH, "The texts of an action catalog changed: its prompt, its mandates, its hot list, its categories or their order."),
    ("MODEL304", "toolset-description-changed", _CH, "The description of a toolset, which listings show, changed."),
    # ROUTE1xx: what runs a tool
    ("ROUTE101", "binding-changed", _CH, "A tool is bound to another method of its service."),
    ("ROUTE102", "handler-changed", _CH, "Another function runs a tool."),
    ("ROUTE103", "command-changed", _CH, "A tool runs another command line, or with other settings."),
    ("ROUTE104", "request-changed", _CH, "A tool makes another HTTP request."),
    ("ROUTE105", "server-changed", _CH, "A toolset is reached at another server or API, with other credentials, or handled otherwise when the server changes its tools (`on_drift`)."),
    ("ROUTE106", "source-name-changed", _CH, "A tool has another name at its server."),
    ("ROUTE107", "toolset-kind-changed", _B, "A toolset is of another kind, or another agent runs it: the executors that hosts register for it do not fit."),
    ("ROUTE108", "action-target-changed", _CH, "An action leads to another tool, or maps its args otherwise."),
    ("ROUTE109", "injection-changed", _B, "The fields that the host fills (`inject`) changed: a host without a value for a new one cannot run the tool."),
    ("ROUTE110", "default-changed", _CH, "A field of the args that calls may leave out has another default, has one now, or has none any more: calls that leave it out do something else. They stay valid. Where too many definitions refer to each other, the change says that not all defaults were compared."),
    # ROUTE2xx: how calls of a tool are treated
    ("ROUTE201", "permission-changed", _CH, "A tool changed between `readonly` and `write`, by which policies, hosts and schedulers decide."),
    ("ROUTE202", "tags-changed", _CH, "The tags of a tool changed, by which policies and selectors match it."),
    ("ROUTE203", "roles-changed", _CH, "The roles of agents that may hold a tool changed."),
    ("ROUTE204", "access-changed", _CH, "What a call touches (`access`) changed: the paths, hosts and scopes that policies check and grants are limited to."),
    ("ROUTE205", "limits-changed", _CH, "The limits of a tool changed: rate, timeout or size of the result."),
    ("ROUTE206", "cost-changed", _CH, "The cost of a tool, or whether the eval gate must approve it, changed."),
    ("ROUTE207", "secrets-changed", _CH, "The fields that are marked as secret changed, so records and messages redact others."),
    ("ROUTE208", "result-check-changed", _CH, "Whether the result of a tool is checked against its schema (`result_inferred` of MCP servers, `validate_responses` of APIs) changed, or whether retry hints are given."),
    # ROUTE3xx: who may call
    ("ROUTE301", "agent-removed", _B, "An agent is gone: hosts cannot start runs of it."),
    ("ROUTE302", "agent-added", _C, "An agent is new."),
    ("ROUTE303", "agent-changed", _CH, "The role of an agent, what it may request, or what it exports or suggests changed."),
    ("ROUTE304", "tools-lost", _B, "Runs of an agent cannot call tools that they could: by its selectors, a role, tags or policies."),
    ("ROUTE305", "tools-gained", _CH, "Runs of an agent can call tools that they could not, beyond those that are new in the catalog."),
    ("ROUTE306", "decision-stricter", _CH, "The policies answer calls of an agent's tools more strictly: a person is asked, or the call is denied."),
    ("ROUTE307", "decision-looser", _CH, "The policies answer calls of an agent's tools less strictly."),
    ("ROUTE308", "policy-removed", _B, "A policy is gone: hosts that apply it by name fail to start."),
    ("ROUTE309", "policy-added", _C, "A policy is new."),
    ("ROUTE310", "policy-changed", _CH, "A policy changed: its rules, hosts, paths or limits."),
    ("ROUTE311", "visibility-changed", _CH, "The condition under which a category of an action catalog, or the search for actions, is visible changed, and it is visible wherever it was."),
    ("ROUTE312", "tag-declared", _CH, "The declared tags, or their meanings, changed."),
    ("ROUTE313", "mode-removed", _B, "A mode of a policy is gone: hosts that use it fail to start runs."),
)  # fmt: skip
"""Every rule by its code."""


# Changes: what differs between two versions of a tool, or of what is around it, and by which rule.

Path: TypeAlias = "tuple[str, ...]"
"""A place in a catalog: `("tools", "shop.orders.find", "args", "properties", "limit")`."""


LONGEST: Final = 200
"""Characters of a value in a message."""
_LISTED: Final = 10

_AROUND: Final = 2
"""Lines before and after a difference that a diff shows."""

_LONGEST_DIFF: Final = 100_000
"""Characters of a diff."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One change. `subject` is the ident of a tool, or the name of what else changed; `message` a sentence about it.

    `before_path` and `after_path` are the places in the two catalogs, None where it is not there. `before` and `after`
    are the JSON values that differ. `evidence` shows the change by an example, such as a value that is rejected now.
    """

    code: str
    subject: str
    message: str
    before_path: Path | None = None
    after_path: Path | None = None
    before: Any = None
    after: Any = None
    evidence: str = ""

    @property
    def rule(self) -> Rule:
        """The rule by which it is a change."""
        return RULES[self.code]

    @property
    def category(self) -> Category:
        """The category of its rule."""
        return self.rule.category

    @property
    def level(self) -> Level:
        """The level of its rule."""
        return self.rule.severity

    def summary(self) -> str:
        """Return the change in one line: `shop.orders.find: the arg `tenant` is required`."""
        return f"{self.subject}: {self.message}"

    def diff(self) -> str:
        """Return the change as a unified diff of its values, with its summary as first line.

        It has at most `_LONGEST_DIFF` characters of differences, and says if lines are left out.
        """
        lines, is_whole = hunks(_lines(self.before), _lines(self.after), _AROUND)
        text = "\n".join(f"  {line}" for line in lines)
        if not is_whole or len(text) > _LONGEST_DIFF:
            text = f"{text[:_LONGEST_DIFF]}\n  … what comes after this is left out"
        return f"{self.summary()}\n{text}" if text else self.summary()


def quoted(value: Any) -> str:
    """Return a JSON value as text of at most 200 characters."""
    return cut(compact_json(value), LONGEST)


def names(listed: Iterable[str]) -> str:
    """Return names in a sentence, the first ten of many: "`a`, `b`"."""
    every = list(listed)
    shown = ", ".join(f"`{name}`" for name in every[:_LISTED])
    return f"{shown} and {len(every) - _LISTED} more" if len(every) > _LISTED else shown


def _lines(value: Any) -> list[str]:
    if value is None:
        return []
    if isinstance(value, str):
        return value.split("\n")
    return json.dumps(value, indent=2, ensure_ascii=False, sort_keys=True).split("\n")
