"""The tables of diagnostic codes and of lint rules. Codes are never reused; their numbers group them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """The severity of a finding: an error stops the build, a warning or a note does not."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Code:
    """What `toolgen explain` prints: a name, what it means and how to fix it."""

    code: str
    name: str
    severity: Severity
    explanation: str


def _table(*rows: tuple[str, str, Severity, str]) -> dict[str, Code]:
    return {code: Code(code, name, severity, explanation) for code, name, severity, explanation in rows}


_E, _W, _N = Severity.ERROR, Severity.WARNING, Severity.NOTE

CODES = _table(
    # TG0xx: reading files
    (
        "TG001",
        "unreadable-file",
        _E,
        "A spec file or folder cannot be read: it is missing or not a regular file, it or its name is not UTF-8 text, or it is a link that leads out of the spec folder.",
    ),
    ("TG002", "file-too-large", _E, "A spec file is over 10 MB. Split it: `specs/` may contain any number of files."),
    ("TG003", "syntax", _E, "The text is not valid YAML 1.2 or JSON. The caret shows where parsing failed."),
    (
        "TG004",
        "duplicate-key",
        _E,
        "A mapping has the same key twice. Parsers disagree on which value wins, so duplicates are rejected.",
    ),
    (
        "TG005",
        "too-deep",
        _E,
        "Mappings and lists are nested more than 200 levels deep, aliases followed. Give the inner part a name under `types`.",
    ),
    (
        "TG006",
        "too-many-values",
        _E,
        "A file holds more than a million values, with YAML aliases expanded (long text counts as one for each 100 characters), or an alias refers to a collection that contains it. Split the file, and move repeated parts to `types`.",
    ),
    (
        "TG007",
        "unsupported-yaml",
        _E,
        "Tags such as `!!set`, merge keys (`<<`), keys that are mappings, lists, aliases or empty, and several documents in one file are not part of the spec language.",
    ),
    (
        "TG008",
        "unencodable-text",
        _E,
        "Text contains half of a surrogate pair (a lone surrogate), which UTF-8 cannot encode. JSON writes a character beyond U+FFFF as both halves, `\\ud83d\\ude00`; YAML writes it as `\\U0001f600`.",
    ),
    (
        "TG009",
        "number-out-of-range",
        _E,
        "A number is NaN or infinite, overflows a double, or has over 4,300 digits. Quote it if it is text, or remove it if it is a bound.",
    ),
    # TG1xx: the form of a file
    (
        "TG101",
        "not-a-mapping",
        _E,
        "A spec file is a mapping that starts with `toolgen: 1` and one head: `toolset`, `agent`, `catalog` or `policy`, or none for shared types and tags.",
    ),
    (
        "TG102",
        "two-heads",
        _E,
        "A file has one head, which determines its kind. Move the other head and its keys to a separate file.",
    ),
    ("TG103", "missing-key", _E, "A required key is missing."),
    (
        "TG104",
        "unknown-key",
        _E,
        "A key that the spec language does not define here. It is often misspelled, or indented one level too far or too little.",
    ),
    ("TG105", "invalid-value", _E, "A value has the wrong type or is not one of the allowed values."),
    # TG2xx: schemas
    (
        "TG201",
        "unknown-type",
        _E,
        'A type word is one of string, integer, number, boolean, object, null, any; a capitalized name is an entry of `types` in the same file. To use a type of another file, reference it: `types: {Source: {$ref: "../shared.yaml#/types/Source"}}`.',
    ),
    (
        "TG202",
        "invalid-schema",
        _E,
        "The schema is not valid under its JSON Schema draft. A map with `type`, `properties`, `enum`, `const`, `allOf`, `anyOf`, `oneOf` or a keyword that starts with `$` is read as JSON Schema; write a field with such a name with `!`: `type!: string`.",
    ),
    (
        "TG203",
        "unknown-keyword",
        _W,
        "JSON Schema ignores keywords that its draft does not define, so this one has no effect. It is kept in the schema unchanged. Keywords that start with `x-` are annotations and give no warning. `secret` is not a keyword: mark a secret with `writeOnly: true`.",
    ),
    (
        "TG204",
        "unresolved-reference",
        _E,
        "A `$ref` does not resolve. It points into its own schema (`#/$defs/Name`), at a type of this file (`#/types/Name`) or of another (`relative/file.yaml#/types/Name`). References are never fetched from a URL.",
    ),
    (
        "TG205",
        "mixed-drafts",
        _E,
        "A schema and a type it uses have different JSON Schema drafts, in which the same keywords differ in meaning. Set the same `dialect` in both files.",
    ),
    ("TG206", "duplicate-field", _E, "A field is defined twice: `name`, `name?` and `name!` are the same field."),
    (
        "TG207",
        "args-not-object",
        _E,
        "The args of a tool are always an object with named fields; put a value of another type into a field. A recursive args schema of a tool with `inject` or `one_of`, which change the outermost object, must recurse through a named type. No keyword of the args requires a field of `inject`, which callers do not send.",
    ),
    (
        "TG208",
        "default-refused",
        _W,
        "A default does not fit its own schema, so the typed model would hold a value that can never be sent.",
    ),
    (
        "TG209",
        "example-refused",
        _E,
        "An example of a tool does not fit the tool's schemas: correct the example or the schema.",
    ),
    (
        "TG210",
        "outside-profile",
        _E,
        "The target is built with profile `core`, and the schema uses a keyword outside it. `core` is object, array, scalars, enum, required, description, default, bounds and lengths, `additionalProperties: false`, and nesting.",
    ),
    (
        "TG211",
        "type-name-clash",
        _E,
        "Two different types with the same name are used in one schema. Rename one of them where it is used: `types: {OtherName: {$ref: ...}}`. Or a reference leads to an `$id` or `$anchor` that several different parts of one schema define; types that are used together share one document. Names without references may repeat.",
    ),
    (
        "TG212",
        "array-form",
        _E,
        "A list as a schema means an array of its one item schema, so it has exactly one item. For tuples, use JSON Schema with `prefixItems`.",
    ),
    (
        "TG213",
        "uncompilable-schema",
        _E,
        "The schema is valid JSON Schema, but the validator cannot compile it, so calls could not be checked.",
    ),
    (
        "TG214",
        "unsatisfiable",
        _W,
        "No value fits this part of a schema: bounds cross, `enum` is empty, or a required field is forbidden. A tool whose args require it can never be called.",
    ),
    (
        "TG215",
        "field-mark",
        _W,
        "`name?` is an optional field and `name!` a field whose name is taken literally, in the short form only, and with one mark. In JSON Schema the marks are part of the name, and `required` lists the required fields.",
    ),
    (
        "TG216",
        "costly-schema",
        _E,
        "A validator evaluates a `$ref` every time a path leads to it, so schemas that reference one another twice double the cost at each step: twenty of them are a million evaluations for one call. At most 10,000 schemas may apply to one value (or as many as the schema has), and their number may not grow with each level of nesting. Reference each schema once: remove repeated `$ref`s from `allOf`, `anyOf` and `oneOf`, or merge them.",
    ),
    # TG3xx: names
    (
        "TG301",
        "duplicate-name",
        _E,
        "Two definitions have the same name. Names of toolsets, tools, agents, catalogs, policies and tags are unique in a target; definitions never override each other.",
    ),
    (
        "TG302",
        "python-name-clash",
        _E,
        "Two names of the spec map to the same Python name, or one shadows a name that generated code needs. toolgen never numbers names, because adding a tool would then rename another: rename one of them (`rename` for fields, another key for tools).",
    ),
    (
        "TG303",
        "wire-name",
        _E,
        "A `wire_name` is not accepted by providers (at most 64 letters, digits, `_`, `-`), or two tools have the same one.",
    ),
    (
        "TG304",
        "invalid-rename",
        _E,
        "`rename` maps a JSON field name to a Python attribute, which is ASCII, not private, and not a Python keyword, a builtin or an attribute of pydantic models.",
    ),
    (
        "TG305",
        "reserved-separator",
        _E,
        "Parts of a toolset's name may not contain `__` or end in `_`: wire names join them with `__`.",
    ),
    (
        "TG306",
        "mcp-name",
        _E,
        "Toolsets of kind `mcp` are exactly those named `mcp.<server>`, so that policies can match them by name.",
    ),
    # TG4xx: tools
    (
        "TG401",
        "unknown-field",
        _E,
        "A key names an arg, or a field of the result or the payload, that does not exist. Only named fields of the outermost object can be referenced.",
    ),
    (
        "TG402",
        "invalid-template",
        _E,
        "A template contains only `{{args.name}}` placeholders: no filters, no nesting, no environment. `hints.result` may also use `{{result.name}}`.",
    ),
    (
        "TG403",
        "unknown-method",
        _E,
        '`bind` names a method of the same file\'s `methods`; reference a method of another file with `methods: {Name: {$ref: "file.yaml#/methods/Name"}}`.',
    ),
    (
        "TG404",
        "no-transform",
        _N,
        "The fields of a tool and its method do not match, so no transform is generated for that side. Map it by hand in the executor, or align the two schemas.",
    ),
    (
        "TG405",
        "unknown-tag",
        _E,
        "Tags are built in or declared in a shared file (`tags: {word: meaning}`), so that a misspelled tag cannot bypass a policy.",
    ),
    ("TG406", "wrong-kind", _E, "A key is for toolsets of another kind, or a key that this kind requires is missing."),
    (
        "TG407",
        "tag-pattern",
        _E,
        "The pattern of a tag is a regular expression with one group for each required arg, in their order. It is matched in linear time, so it has no backreferences, lookaround or conditions; it must match everything after the prefix, so it has no anchors. A repeated part is never empty and contains no group.",
    ),
    (
        "TG408",
        "tag-clash",
        _E,
        "Tag tools are identified by their prefix and by their key, so both must be unique among them.",
    ),
    (
        "TG409",
        "bounded-result",
        _E,
        "`bounded` names the arg for the cursor and the result field with the next cursor.",
    ),
    (
        "TG410",
        "command",
        _E,
        "A command runs a fixed program, its first word: `exec` is an argv whose elements are filled separately; `shell` is one line whose values are quoted, allowed for tools that may write or are dangerous.",
    ),
    (
        "TG411",
        "server",
        _E,
        "An MCP server is reached in exactly one way: `http: url`, `sse: url` or `stdio: [argv]`. A URL starts with `http://` or `https://` and names a host. `$env.NAME` in a URL, an argument or the value of a header is an environment variable.",
    ),
    (
        "TG412",
        "one-of",
        _E,
        "`one_of` names two or more distinct args, of which exactly one is given. So each of them is optional: `name?`, or not in `required`.",
    ),
    (
        "TG413",
        "unoffered-tool",
        _E,
        "A target has a provider in `export` that cannot represent a tool: its name or its args. No payload is written without the tool. `toolgen export` prints a provider's payload and the same reasons.",
    ),
    (
        "TG420",
        "api",
        _E,
        "An HTTP API has a `base_url` (`https://host/path`), and ways to authenticate under `auth`: `api_key` (`in`, `name`, `value`), `basic` (`username`, `password`), `bearer` (`token`) or `oauth2` (`token_url`, `client_id`, `client_secret`). No secret is in a spec: it is `$env.NAME`, the value of an environment variable.",
    ),
    (
        "TG421",
        "http-request",
        _E,
        "The request of a tool puts every arg in exactly one place: `params` says path, query, header, cookie or querystring; all others are fields of the `body`, or one of them is the whole body. Each `{name}` of the path is filled by a required arg.",
    ),
    # TG5xx: agents, catalogs, policies
    ("TG501", "unknown-tool", _E, "A name refers to a tool or toolset that no file defines."),
    (
        "TG502",
        "export",
        _E,
        "A toolset of kind `agent` is exported by exactly one agent, which runs it; other kinds are not exported.",
    ),
    (
        "TG503",
        "invalid-selector",
        _E,
        "A selector is the name of a toolset, an ident, or a pattern in which `*` stands for any text, then `+tag` for each tag a tool must have.",
    ),
    (
        "TG504",
        "selector-matches-nothing",
        _W,
        "A selector matches no tool of this target. It is kept: the tools may come from a live server. `allow`, `use` and `on_request` take any name that refers to exactly one tool; an action with its own args does not.",
    ),
    (
        "TG505",
        "category",
        _E,
        "A category is named by words joined by dots, and has either fixed `actions` or a `target` for entries from the host, with `invoke`, a text that says what invoking one does.",
    ),
    (
        "TG506",
        "action-args",
        _E,
        "The args of an action fill parameters of its target, each from one source: `$entry`, `$args`, `$args.name`, `[$entry]`, or a literal.",
    ),
    ("TG507", "mandate", _E, "A mandate names a catalog entry that does not exist, so no model could follow it."),
    ("TG508", "role", _E, "An agent uses a tool that its role may never hold."),
    ("TG509", "hot-list", _E, "A seed of the hot list is `category__entry`, and must exist."),
    (
        "TG510",
        "policy-value",
        _E,
        "A policy value is invalid: hosts are names, `*.name` or `*`; a timeout may not exceed the maximum.",
    ),
    (
        "TG511",
        "restriction-of-nothing",
        _E,
        "A rule answers `deny`, `exclude` or `ask`, but its name matches no tool of this target (by ident, toolset, pattern, wire name, Python name, action, name at the server or tag), so it would restrict nothing. Correct the name, or list it under `registered` of the policy if hosts register the tool. A rule whose tags no such tool has (`shop.*+dangerous`, `+dangerous`) is a warning, TG504: the next tool may have them.",
    ),
    # TG6xx: publishing the generated package
    (
        "TG601",
        "unsafe-path",
        _E,
        "A generated file would be outside its output folder, or at a path reserved by toolgen. Rename the toolset or tool that it is named after.",
    ),
    (
        "TG602",
        "edited-by-hand",
        _E,
        "A generated file was changed since toolgen wrote it, and building would lose the change. Move the change elsewhere, or build with `--force` to discard it.",
    ),
    (
        "TG603",
        "stray-in-the-way",
        _E,
        "A file that toolgen did not write is at the path of a generated file. Move it elsewhere, or build with `--force` to replace it.",
    ),
    (
        "TG604",
        "blocked-output",
        _E,
        "The output folder, or a path in it that must change, is a symbolic link, or a folder in place of a file, or the reverse. toolgen writes only regular files in real folders: remove the obstacle.",
    ),
    (
        "TG605",
        "case-clash",
        _E,
        "Two paths differ only in case, so they are the same file on Windows and macOS. Rename one of them.",
    ),
    (
        "TG606",
        "broken-lock",
        _E,
        "`toolgen.lock` cannot be read, so toolgen cannot tell which files it generated and which were edited. Restore it from version control, or build with `--force` to replace every generated file. A lock with conflict markers, or with the entries of two branches, is read as both.",
    ),
    (
        "TG607",
        "output-busy",
        _E,
        "Another toolgen command is still writing to the same output folder. Wait for it to finish, or stop it, and run the command again.",
    ),
    (
        "TG608",
        "unwritable-output",
        _E,
        "The operating system refused to change the output folder: a missing permission, a full disk, an open file. Fix the cause and run the command again; the next command completes or undoes an interrupted build.",
    ),
    (
        "TG609",
        "damaged-journal",
        _E,
        "A build was interrupted, and its journal in `.toolgen` is damaged or not toolgen's, so it can be neither completed nor undone. Restore the output folder from version control, delete its `.toolgen` folder, and build again.",
    ),
    (
        "TG610",
        "newer-package",
        _E,
        "A newer toolgen built the package, by its `toolgen.lock`, and a build with this one would write what the older one does, and take back what the newer one fixed. Upgrade toolgen to that version; a team builds with one version, which `requirements` or a lock file of the project names. `--force` writes the package of this version.",
    ),
    # TG7xx: configuration
    (
        "TG701",
        "configuration-unreadable",
        _E,
        "`toolgen.toml` or `pyproject.toml` cannot be read: it is not a regular file, over 10 MB, not UTF-8 text, not readable by this user, or a link that leads out of the project.",
    ),
    ("TG702", "configuration-syntax", _E, "The configuration is not valid TOML. The caret shows where parsing failed."),
    (
        "TG703",
        "two-configurations",
        _E,
        "Both `toolgen.toml` and `[tool.toolgen]` of `pyproject.toml` configure toolgen. Keep one of them.",
    ),
    (
        "TG704",
        "unknown-setting",
        _E,
        "The configuration has an unknown key. The keys are `targets`, `executors`, `handlers`, `models`, `lint` and those of tool use; those of a target are `specs`, `out`, `formats`, `profile`, `builtin` and `export`.",
    ),
    ("TG705", "wrong-setting", _E, "A setting has a value of the wrong type, or not one of the allowed values."),
    (
        "TG706",
        "folder-outside-project",
        _E,
        "`specs` and `out` are relative paths, with `/`, to folders inside the folder of the configuration file.",
    ),
    (
        "TG707",
        "output-not-a-package",
        _E,
        "`out` becomes a Python package, so its last part must be a Python identifier and not a keyword, such as `generated` or `src/tools`. It is in no hidden folder: `.git`, `.toolgen` and the like belong to other tools, which may delete what is in them.",
    ),
    (
        "TG708",
        "overlapping-folders",
        _E,
        "An output folder is, contains or is inside the output folder of another target or a spec folder. toolgen owns everything in its output folders: give each target its own.",
    ),
    (
        "TG709",
        "unknown-catalog",
        _E,
        "`tool_use.catalog` names an action catalog that no target has. Write the name after `catalog:` of its file, or leave it out where there is only one.",
    ),
    (
        "TG710",
        "unknown-base-tool",
        _E,
        "`action_retrieval.base` names a tool that no target has, or that several have. Write its ident.",
    ),
    (
        "TG711",
        "unknown-executor",
        _E,
        '`executors` has a toolset that no target has, so nothing would run by it. A dotted name needs quotes: `"shop.orders" = "app:shop"`.',
    ),
    (
        "TG712",
        "unread-setting",
        _W,
        "`settings` has a value that no condition (`needs`) of an action catalog looks at, so it has no effect.",
    ),
    (
        "TG713",
        "silence-of-nothing",
        _W,
        "`silence.toolsets` names a toolset that no target has, or has a pattern that matches none, so the row has no effect.",
    ),
    # TG8xx: importing
    (
        "TG801",
        "not-a-tool-list",
        _E,
        'The import takes an MCP server\'s response to `tools/list`: `{"tools": [...]}`, the JSON-RPC response around it, or the list alone.',
    ),
    (
        "TG802",
        "incomplete-list",
        _W,
        "A server may answer `tools/list` in pages. This response has a `nextCursor`, so it is not the last page, and tools are missing.",
    ),
    (
        "TG803",
        "unnamed-tool",
        _E,
        "An entry of the list is not an object with a `name`, so it could not be called. It is omitted.",
    ),
    (
        "TG804",
        "repeated-tool",
        _E,
        "A server has two tools with the same name, so calls would be ambiguous. The first is imported.",
    ),
    (
        "TG805",
        "broken-tool",
        _E,
        "A tool is invalid at its source: its schema is not a JSON Schema, does not describe an object, or cannot be compiled. It is omitted, and the others are imported. Fix it at the server, or in the saved response.",
    ),
    (
        "TG806",
        "unknown-tool-key",
        _W,
        "A tool has a key that MCP does not define, and lacks a similar one that MCP does.",
    ),
    (
        "TG807",
        "tool-gone",
        _W,
        "The source no longer offers a tool of the spec, or offers an invalid one, which is omitted. The tool stays in the spec with all that was written for it, and is `disabled`: no package has it, and the next build reports remaining uses. If it has another name now, take over what you wrote into the new tool. Remove it when nobody needs it; if the source offers it again, it is enabled.",
    ),
    (
        "TG808",
        "both-changed",
        _W,
        "The source changed something that a person edited in the spec. What the person wrote stays, and what the source says is in the spec under `source`. To follow the source, replace your text by it.",
    ),
    (
        "TG809",
        "edit-not-in-force",
        _W,
        "The source no longer has a part of a tool or type that a person edited, such as an arg that was marked as a secret, or it has at another place what a person removed: an arg, a field or a value. The edit cannot be in force, so it is under `kept`, where null stands for an arg that was removed. Write it where it belongs now, and remove it there; if the source has the part again, the edit is in force again.",
    ),
    (
        "TG810",
        "invisible-characters",
        _W,
        "A text of a tool has characters that are not shown, such as zero-width spaces, variation selectors or tag characters. Models read them, and people who review the text do not.",
    ),
    (
        "TG811",
        "text-direction",
        _W,
        "A text of a tool has characters that turn the direction of text, so it is shown in another order than a model reads it.",
    ),
    (
        "TG812",
        "control-codes",
        _W,
        "A text of a tool has control codes, such as the escape sequences with which terminals hide or overwrite text.",
    ),
    (
        "TG813",
        "instructs-model",
        _W,
        "A text of a tool instructs the model instead of describing the tool: to call it before others, to hide something from the user, to ignore instructions, to change calls of other tools, or to send what is not the tool's. This is how poisoned tools act. Read the whole text; remove the instruction from the spec, or do not use the server.",
    ),
    (
        "TG814",
        "hidden-markup",
        _W,
        "A text of a tool has markup that is not shown, such as an HTML comment, or that imitates messages to a model, such as `<IMPORTANT>`.",
    ),
    (
        "TG815",
        "encoded-text",
        _W,
        "A text of a tool has data in base64, hexadecimal or escaped characters, which a model can decode and a person does not read.",
    ),
    (
        "TG816",
        "unreviewable-text",
        _W,
        "A text of a tool has over 10,000 characters, or a blank stretch that moves the rest of it out of sight.",
    ),
    (
        "TG817",
        "new-host",
        _W,
        "A text that a server changed has a link, a mail address or an IP address of a host that no text of the toolset had before.",
    ),
    (
        "TG818",
        "names-other-tool",
        _W,
        "A text of an imported tool names a tool of another toolset. A server has no reason to know of the others, and can so redirect their calls.",
    ),
    (
        "TG819",
        "shadows-tool",
        _W,
        "An imported tool has the same name as a tool of another toolset, or one that looks like it: by similar letters, by case, by `_` and `-`. A model or a person may take one for the other.",
    ),
    (
        "TG820",
        "asks-for-more",
        _W,
        "A parameter of a tool asks for the conversation, the system prompt or keys, by its name or description: a model fills in what it is asked for, and the server gets it.",
    ),
    (
        "TG821",
        "names-private-file",
        _W,
        "A text of a tool names a file with the keys or the configuration of a person, such as `~/.ssh` or `mcp.json`.",
    ),
    (
        "TG822",
        "renamed-at-source",
        _W,
        "The source calls a tool by another name. It was recognized by its request, or because all else is equal, so the tool of the spec keeps its key, and all that was written for it. Review whether it still is the same tool.",
    ),
    (
        "TG830",
        "not-an-api-description",
        _E,
        "The import takes a description of an HTTP API in OpenAPI 3.0, 3.1, 3.2 or Swagger 2.0, as JSON or YAML, with at least one operation that is selected.",
    ),
    (
        "TG831",
        "broken-operation",
        _E,
        "An operation cannot become a tool: a parameter has no schema, a reference leads nowhere, a schema is invalid, a part of its path has no parameter, or another path is the same but for the names of its parameters. It is omitted, and the others are imported.",
    ),
    (
        "TG832",
        "repeated-operation-id",
        _W,
        "Several operations have the same `operationId`, which must be unique. Each of them is called by its method and its path.",
    ),
    ("TG833", "result-left-out", _W, "The schema of a response is invalid, so the tool's result is any JSON."),
    (
        "TG834",
        "server-or-security-left-out",
        _W,
        "The servers or the security schemes cannot be read, a server has no URL that requests can be sent to (a variable has no default, or the URL is relative in a file), or a scheme is of a type that `auth` does not have, such as HTTP digest or mutual TLS. Write `base_url` by hand; requests are sent without credentials, unless the host adds them (`HttpHost`).",
    ),
    (
        "TG835",
        "wildcard-in-path",
        _N,
        "A path has a placeholder for several segments (`{path+}`). No import allows that by itself, since a value with `/` can lead to another operation: write `separators: keep_slash` beside the param. It stays when you import again.",
    ),
    ("TG836", "text-left-out", _W, "A text of an API or of its tags is a reference that cannot be followed."),
    (
        "TG837",
        "overlapping-alternatives",
        _N,
        "A value fits two alternatives of a `oneOf` in the args of an operation, so by the letter it is not valid, and often no value is. The spec has `anyOf`: a call needs to fit any of them, and the server decides.",
    ),
    (
        "TG838",
        "condition-left-out",
        _N,
        "What `not`, `if`, `maxContains` or `unevaluatedProperties` decides by cannot be imported in full: it leads to more definitions than a tool has, or to a `$dynamicRef`. Any other text of it would refuse valid values, so the keyword is left out, `if` with its `then` and `else`.",
    ),
    (
        "TG839",
        "credential-as-parameter",
        _N,
        "A parameter of an operation has the name of a credential that the operation needs, in any case. It is no arg: the host sends the credential, and a model could put its own before it.",
    ),
    (
        "TG840",
        "no-such-source",
        _E,
        "A module to import tools from is missing or raises when it is imported, or has nothing of that name, or nothing in it is a tool. The other sources are imported.",
    ),
    (
        "TG841",
        "broken-function",
        _E,
        "A function or tool object cannot be a tool: it takes `*args` or `**kwargs`, a parameter is of a type that JSON does not have (a callback, an open file), an annotation is not known at run time, or the instance of its class cannot be made without args. It is omitted, and the others are imported.",
    ),
    (
        "TG842",
        "untyped-parameter",
        _W,
        "A parameter has no annotation, so the tool takes any JSON for it, and a model learns nothing about it.",
    ),
    (
        "TG843",
        "untyped-result",
        _W,
        "The annotation of a function's result has no JSON Schema, so the result is any JSON.",
    ),
    (
        "TG844",
        "no-docstring",
        _W,
        "A function has no docstring, so its name is its description. Models choose tools by the description.",
    ),
    (
        "TG845",
        "kind-changed",
        _W,
        "The spec was of another kind, and the import changes it. The tools keep everything but the keys that say how the other kind runs them.",
    ),
    (
        "TG846",
        "nothing-runs-tool",
        _W,
        "After a change of its toolset's kind, a tool has nothing that runs it. Write `handler: module:name`, or remove it; in runs it is not available.",
    ),
    (
        "TG847",
        "kind-conflict",
        _E,
        "The spec is of another kind and has tools that the API does not have, so as a toolset of kind http nothing could run them. Nothing is written.",
    ),
    (
        "TG848",
        "other-server",
        _W,
        "The tools were imported from a description or a server that names another address than the spec, for all of them or for one, or that was found at another host than the one that was asked. An import never changes `api.base_url`, the host of `http.base_url` or `server`, because calls go there with the credentials of the toolset. Change it by hand if calls are to go to the other one. A new tool has the server that the description gives it, and a warning if that is another host than that of the API.",
    ),
    (
        "TG849",
        "other-source",
        _E,
        "The import names another source than the spec, and it offers hardly any of the tools that the spec has: it is another API or server, and the import would disable the tools. Nothing is written. Import it into a toolset of its own. If the tools are there now, write the source in the spec, under `import` or `server`, and import with `--toolset` alone.",
    ),
    (
        "TG850",
        "other-request",
        _W,
        "A tool of the spec was found again by its name, and its method or its path is another one, so it may do something else than what was reviewed. A `permission` that a person wrote was said of the former request: it is under `kept`, and not in force. Look at what else was written for the tool, such as policies, limits and `confirm`.",
    ),
    # TG9xx: evaluations
    (
        "TG901",
        "case-names-nothing",
        _E,
        "A case of an evaluation names a tool, an agent or a selector that no target has. Write the ident of a tool, as `toolgen list` prints it.",
    ),
    (
        "TG902",
        "case-args-refused",
        _E,
        "A call that a case expects, or gives a result for, has args that the tool does not take, so no call is ever like it: correct the case. Args that the case leaves out are not missing: only what is written is checked.",
    ),
    (
        "TG903",
        "unanswerable-case",
        _E,
        "A case of an evaluation cannot be asked or judged: it has no `question` and no `messages`, or both; or it has none of `expect`, `avoid` and `check`, so that every answer would be right; or it avoids the tool of a call that it expects, with each alternative, so that no answer would be right.",
    ),
    (
        "TG904",
        "repeated-evaluation",
        _E,
        "Two files have the same name after `eval:`, so that their cases would have the same names in reports.",
    ),
)


# The table of lint rules: id, name and severity, and for some a threshold. Their pages are beside the rules.
#
# It is here because the configuration names rules, and is checked without importing them. The first digit is the group.


@dataclass(frozen=True, slots=True)
class LintRule:
    """One rule. `threshold` is the default of the figure beyond which it reports; None if it has none."""

    code: str
    name: str
    severity: Severity
    threshold: float | None = None


GROUPS = {
    "0": "lint itself",
    "1": "texts",
    "2": "schemas",
    "3": "names",
    "4": "portability",
    "5": "policy",
    "6": "presentation",
    "7": "imports",
}
"""What the rules are about, by the first digit of their ids."""


LINT_RULES = {
    rule.code: rule
    for rule in (
        LintRule("TL001", "unused-suppression", _W),
        LintRule("TL002", "unknown-suppression", _W),
        LintRule("TL003", "suppression-without-reason", _W),
        LintRule("TL004", "fixed-baseline-entry", _N),
        LintRule("TL101", "undescribed-parameter", _N),
        LintRule("TL102", "duplicate-description", _W),
        LintRule("TL103", "description-restates-name", _W),
        LintRule("TL104", "terse-description", _W),
        LintRule("TL105", "parameter-restates-name", _N),
        LintRule("TL106", "placeholder-description", _W),
        LintRule("TL107", "undescribed-toolset", _N),
        LintRule("TL108", "long-first-line", _N, 300),
        LintRule("TL109", "duplicate-parameter-description", _W),
        LintRule("TL110", "markup-in-description", _W),
        LintRule("TL111", "stray-blanks", _N),
        LintRule("TL112", "duplicate-toolset-description", _W),
        LintRule("TL121", "enum-in-prose", _W),
        LintRule("TL122", "bound-in-prose", _W),
        LintRule("TL123", "default-in-prose", _N),
        LintRule("TL124", "contradicted-requirement", _W),
        LintRule("TL125", "unit-in-doubt", _W),
        LintRule("TL126", "date-without-form", _W),
        LintRule("TL201", "free-form-object", _W),
        LintRule("TL202", "untyped-parameter", _W),
        LintRule("TL203", "unbounded-text", _N),
        LintRule("TL204", "unbounded-array", _N),
        LintRule("TL205", "array-without-items", _W),
        LintRule("TL206", "negated-boolean", _W),
        LintRule("TL207", "alike-enum-values", _W),
        LintRule("TL208", "boolean-as-text", _W),
        LintRule("TL209", "invalid-example", _W),
        LintRule("TL210", "default-breaks-format", _W),
        LintRule("TL211", "required-with-default", _N),
        LintRule("TL212", "deep-args", _W, 5),
        LintRule("TL213", "many-parameters", _W, 30),
        LintRule("TL214", "type-list-of-one", _W),
        LintRule("TL215", "open-args", _W),
        LintRule("TL216", "loose-pattern", _N),
        LintRule("TL217", "undescribed-required", _W),
        LintRule("TL301", "near-duplicate-tools", _W),
        LintRule("TL302", "parameter-types-differ", _W),
        LintRule("TL303", "parameter-spelling-differs", _W),
        LintRule("TL304", "mixed-tool-names", _W),
        LintRule("TL305", "repeated-prefix", _N),
        LintRule("TL306", "vague-tool-name", _W),
        LintRule("TL307", "vague-parameter-name", _W),
        LintRule("TL308", "odd-parameter-name", _W),
        LintRule("TL401", "hashed-wire-name", _W),
        LintRule("TL402", "refused-by-provider", _W),
        LintRule("TL403", "refused-parameter-name", _W),
        LintRule("TL404", "too-many-tools", _W),
        LintRule("TL405", "too-many-properties", _W),
        LintRule("TL406", "too-deep-for-strict", _N),
        LintRule("TL407", "too-many-enum-values", _W),
        LintRule("TL408", "unenforced-schema", _N),
        LintRule("TL409", "refused-by-strict-mode", _N),
        LintRule("TL501", "destructive-without-confirm", _W),
        LintRule("TL502", "writes-allowed-by-pattern", _W),
        LintRule("TL503", "dangerous-without-scope", _W),
        LintRule("TL504", "undeciding-rule", _W),
        LintRule("TL505", "redundant-rule", _N),
        LintRule("TL506", "access-arg-is-object", _W),
        LintRule("TL507", "readonly-that-changes", _W),
        LintRule("TL508", "write-by-default", _N),
        LintRule("TL509", "unmarked-secret", _W),
        LintRule("TL510", "path-without-access", _W),
        LintRule("TL511", "unused-tool", _N),
        LintRule("TL512", "permission-against-hint", _W),
        LintRule("TL601", "costly-tool", _W, 6000),
        LintRule("TL602", "costly-surface", _W, 100_000),
        LintRule("TL603", "tool-without-category", _W),
        LintRule("TL604", "repeated-example", _W),
        LintRule("TL701", "hidden-characters", _W),
        LintRule("TL702", "instructs-model", _W),
        LintRule("TL703", "hidden-markup", _W),
        LintRule("TL704", "encoded-text", _W),
        LintRule("TL705", "unreviewable-text", _W),
        LintRule("TL706", "names-other-tool", _W),
        LintRule("TL707", "shadows-tool", _W),
        LintRule("TL708", "asks-for-more", _W),
        LintRule("TL709", "names-private-file", _W),
        LintRule("TL710", "unencrypted-server", _W),
        LintRule("TL711", "credential-in-spec", _E),
        LintRule("TL712", "drift-only-warned", _W),
        LintRule("TL713", "unconfirmed-result", _N),
    )
}
"""All rules, by id."""
