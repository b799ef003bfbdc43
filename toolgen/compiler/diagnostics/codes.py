"""The one table of diagnostic codes. Codes are never reused; their numbers group them by stage."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """How much a finding weighs: an error stops the build, a warning and a note do not."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Code:
    """What `toolgen explain` prints: a name, what it means, and how to mend it."""

    code: str
    name: str
    severity: Severity
    explanation: str


def _table(*rows: tuple[str, str, Severity, str]) -> dict[str, Code]:
    return {code: Code(code, name, severity, explanation) for code, name, severity, explanation in rows}


_E, _W, _N = Severity.ERROR, Severity.WARNING, Severity.NOTE

CODES = _table(
    # TG0xx: reading files
    ("TG001", "unreadable-file", _E, "A spec file or folder cannot be read: it is missing or not a regular file, it or its name is not UTF-8 text, or it is a link that leads out of the spec folder."),
    ("TG002", "file-too-large", _E, "A spec file is over 10 MB. Split it: any number of files may lie under `specs/`."),
    ("TG003", "syntax", _E, "The text is not valid YAML 1.2 or JSON. The caret shows where the parser gave up."),
    ("TG004", "duplicate-key", _E, "A mapping has the same key twice. YAML and JSON parsers disagree on which one counts, so neither does."),
    ("TG005", "too-deep", _E, "Mappings and lists are nested more than 200 levels deep, aliases followed. Give the inner part a name under `types`."),
    ("TG006", "too-many-values", _E, "A file holds more than a million values, with YAML aliases expanded (long text counts as one for each 100 characters), or an alias stands inside what it repeats. Split the file, and give what is repeated a name under `types`."),
    ("TG007", "unsupported-yaml", _E, "Tags such as `!!set`, merge keys (`<<`), keys that are mappings, lists, aliases or nothing at all, and several documents in one file are not part of the spec language."),
    ("TG008", "unencodable-text", _E, "Text holds half of a surrogate pair, which no UTF-8 file can carry. JSON writes a character beyond U+FFFF as both halves, `\\ud83d\\ude00`; YAML writes it as `\\U0001f600`."),
    ("TG009", "number-out-of-range", _E, "A number is NaN or infinite, overflows a double, or has over 4,300 digits. Put it in quotes if it is text, or leave the bound out."),
    # TG1xx: the form of a file
    ("TG101", "not-a-mapping", _E, "A spec file is a mapping that starts with `toolgen: 1` and one head: `toolset`, `agent`, `catalog` or `policy`, or none for shared types and tags."),
    ("TG102", "two-heads", _E, "A file has one head, which says what it is. Put what belongs to the other head into a file of its own."),
    ("TG103", "missing-key", _E, "A key that must be there is not."),
    ("TG104", "unknown-key", _E, "A key that the spec language does not have in this place. Often it is misspelt, or indented one level too deep or too little."),
    ("TG105", "invalid-value", _E, "A value is of the wrong type or not one of the words allowed here."),
    # TG2xx: schemas
    ("TG201", "unknown-type", _E, "A type word is one of string, integer, number, boolean, object, null, any; a name with a capital is an entry of `types` in the same file. To use a type of another file, name it: `types: {Source: {$ref: \"../shared.yaml#/types/Source\"}}`."),
    ("TG202", "invalid-schema", _E, "What is written is not a JSON Schema of its draft. A map with `type`, `properties`, `enum`, `const`, `allOf`, `anyOf`, `oneOf` or a keyword that starts with `$` is read as JSON Schema; a field of that name is written with `!`: `type!: string`."),
    ("TG203", "unknown-keyword", _W, "JSON Schema ignores keywords that its draft does not have, so this one checks nothing. It is carried along as it is. Keywords that start with `x-` are notes and give no warning."),
    ("TG204", "unresolved-reference", _E, "A `$ref` leads nowhere. It points into its own schema (`#/$defs/Name`), at a type of this file (`#/types/Name`) or of another (`relative/file.yaml#/types/Name`). Nothing is ever fetched from a URL."),
    ("TG205", "mixed-drafts", _E, "A schema and a type it uses are of different drafts of JSON Schema, which give the same words different meanings. Write the same `dialect` at the head of both files."),
    ("TG206", "duplicate-field", _E, "A field is written twice: `name`, `name?` and `name!` are the same field."),
    ("TG207", "args-not-object", _E, "The args of a tool are always an object with named fields; a value of another type goes into a field. Their schema refers to itself only by a type, where `inject` or `one_of` change the outermost object."),
    ("TG208", "default-refused", _W, "A default that its own schema refuses would make the typed value answer something that can never be sent."),
    ("TG209", "example-refused", _E, "An example of a tool does not fit the schemas of the tool, so one of the two is wrong."),
    ("TG210", "outside-profile", _E, "The target is built with profile `core`, and the schema uses a keyword outside it. `core` is object, array, scalars, enum, required, description, default, bounds and lengths, `additionalProperties: false`, and nesting."),
    ("TG211", "type-name-clash", _E, "Two different types of the same name meet in one schema. Give one of them another name where it is used: `types: {OtherName: {$ref: ...}}`. Or a reference leads to an `$id` or `$anchor` that several different parts of one schema have; types that are used together share one document. Names that nothing refers to may be repeated."),
    ("TG212", "array-form", _E, "A list as a schema stands for an array of what it holds, so it has exactly one item. Arrays whose places differ are written in JSON Schema, with `prefixItems`."),
    ("TG213", "uncompilable-schema", _E, "The schema is valid JSON Schema, and still no validator can be made of it, so no call could be checked."),
    ("TG214", "unsatisfiable", _W, "No value fits this part of a schema: bounds cross, `enum` lists nothing, or a field that must be there may not be. A tool whose args ask for it can never be called."),
    ("TG215", "field-mark", _W, "`name?` is an optional field and `name!` a field of any name, in the short form only, and with one mark. In JSON Schema the marks are part of the name, and `required` lists the fields that must be there."),
    ("TG216", "costly-schema", _E, "A validator follows every `$ref` each time that a way leads to it, so schemas that apply one another twice cost twice as much at each step: twenty of them are a million evaluations for one call. At most 10,000 schemas may apply to one value (or as many as the schema has), and their number may not grow with each level that the value nests. Refer to each schema once: take repeated `$ref`s out of `allOf`, `anyOf` and `oneOf`, or merge them."),
    # TG3xx: names
    ("TG301", "duplicate-name", _E, "Two definitions have the same name. Names of toolsets, tools, agents, catalogs, policies and tags are unique in a target; nothing overrides anything."),
    ("TG302", "python-name-clash", _E, "Two names of the spec become the same name in Python, or hide one that generated code needs. toolgen never numbers names, because adding a tool would then rename another: give one of them a name of its own (`rename` for fields, another key for tools)."),
    ("TG303", "wire-name", _E, "A `wire_name` is not one that providers take (64 letters, digits, `_`, `-`), or two tools have the same."),
    ("TG304", "invalid-rename", _E, "`rename` maps the name of a field in JSON to an attribute in Python, which is ASCII, not private, and not a word of Python, its builtins or pydantic's models."),
    ("TG305", "reserved-separator", _E, "Parts of a toolset's name hold no `__` and do not end in `_`: wire names join them with `__`."),
    ("TG306", "mcp-name", _E, "Toolsets of kind `mcp` are exactly those named `mcp.<server>`, so that policies can tell them apart by name."),
    # TG4xx: tools
    ("TG401", "unknown-field", _E, "Something names an arg, or a field of the result or the payload, that is not there. Only named fields of the outermost object can be meant."),
    ("TG402", "invalid-template", _E, "Templates are `{{args.name}}` and nothing else: no filters, no nesting, no environment. `hints.result` may also use `{{result.name}}`."),
    ("TG403", "unknown-method", _E, "`bind` names a method of the same file's `methods`; one of another file is brought in by `methods: {Name: {$ref: \"file.yaml#/methods/Name\"}}`."),
    ("TG404", "no-transform", _N, "The shapes of a tool and its method do not fit, field by field, so no transform is generated for that side. The executor maps it by hand, or the two are brought closer."),
    ("TG405", "unknown-tag", _E, "Tags are built in or declared in a shared file (`tags: {word: meaning}`), so that a misspelt tag cannot slip past a policy."),
    ("TG406", "wrong-kind", _E, "A key belongs to toolsets of another kind, or one that this kind needs is missing."),
    ("TG407", "tag-pattern", _E, "The pattern of a tag is a regular expression with one group for each required arg, in their order. It is matched in time linear in the line, so it has no backreferences, lookaround or conditions; and as it has to match all that stands after the prefix, no anchors. What it repeats is never empty, and holds no group."),
    ("TG408", "tag-clash", _E, "Tag tools are told apart by their prefix and by their key, so both are unique among them."),
    ("TG409", "bounded-result", _E, "`bounded` names the arg that takes a cursor and the field of the result that gives the next one."),
    ("TG410", "command", _E, "A command runs a fixed program, its first word: `exec` is an argv whose elements are filled one by one, `shell` one line whose values are quoted, for tools that may write or are dangerous."),
    ("TG411", "server", _E, "An MCP server is reached in exactly one way: `http: url`, `sse: url` or `stdio: [argv]`. A URL starts with `http://` or `https://` and names a host. The value of a header is text, or `$env.VAR` and nothing beside it."),
    ("TG412", "one-of", _E, "`one_of` names two or more args, each once, of which exactly one is given. So each of them is optional: `name?`, or left out of `required`."),
    ("TG413", "unoffered-tool", _E, "A target has a provider in `export` that cannot be told of a tool: of its name, or of what it takes. So no payload is written that lacks a tool. `toolgen export` prints the payload of a provider, and the same reasons."),
    # TG5xx: agents, catalogs, policies
    ("TG501", "unknown-tool", _E, "A tool or toolset is named that no file defines."),
    ("TG502", "export", _E, "A toolset of kind `agent` is exported by exactly one agent, which runs it; other kinds are not exported."),
    ("TG503", "invalid-selector", _E, "A selector is the name of a toolset, an ident, or a pattern in which `*` stands for any text, then `+tag` for each tag a tool must have."),
    ("TG504", "selector-matches-nothing", _W, "A selector matches no tool of this target. It is kept: the tools may come from a live server. A permission (`allow`, `use`, `on_request`) takes a name in any spelling that certainly means one tool; an action with args of its own is not one."),
    ("TG505", "category", _E, "A category has a name of words joined by dots, and either fixed `actions` or a `target` for entries from the host, with a text that says what invoking one does."),
    ("TG506", "action-args", _E, "The args of an action fill parameters of its target, each from one source: `$entry`, `$args`, `$args.name`, `[$entry]`, or a literal."),
    ("TG507", "mandate", _E, "A mandate names an entry of the catalog that does not exist, so no model could obey it."),
    ("TG508", "role", _E, "An agent asks for a tool that its role may never hold."),
    ("TG509", "hot-list", _E, "A seed of the hot list is `category__entry`, and must exist."),
    ("TG510", "policy-value", _E, "A value of a policy makes no sense: hosts are names, `*.name` or `*`; a timeout is not over the maximum."),
    ("TG511", "restriction-of-nothing", _E, "A rule answers `deny`, `exclude` or `ask`, and its name means no tool of this target in any spelling (ident, toolset, pattern, wire name, Python name, action, name at the server, tag), so it would restrict nothing. Correct the name, or list it under `registered` of the policy, if it is that of a tool that hosts register. A rule by tags alone (`+dangerous`) may match nothing."),
    # TG6xx: publishing the generated package
    ("TG601", "unsafe-path", _E, "A generated file would lie outside its output folder, or take a path that toolgen keeps for itself. Rename what the file is named after."),
    ("TG602", "edited-by-hand", _E, "A generated file was changed since toolgen wrote it, and building would lose the change. Move the change elsewhere, or build with `--force` to drop it."),
    ("TG603", "stray-in-the-way", _E, "A file that toolgen did not write stands where a generated file must go. Move it elsewhere, or build with `--force` to replace it."),
    ("TG604", "blocked-output", _E, "The output folder, or a place in it that must change, is a symbolic link, or a folder where a file must go, or the reverse. toolgen writes only regular files in real folders: take away what is in the way."),
    ("TG605", "case-clash", _E, "Two paths differ only in upper and lower case, so that they are one file on Windows and macOS. Rename one of them."),
    ("TG606", "broken-lock", _E, "`toolgen.lock` cannot be read, so nothing says which files are toolgen's and unedited. Restore it from version control, or build with `--force` to replace every generated file. A lock with conflict markers, or with the entries of two branches, is read as both."),
    ("TG607", "output-busy", _E, "Another toolgen command has been writing the same output folder for too long. Wait for it to end, or end it, and run the command again."),
    ("TG608", "unwritable-output", _E, "The operating system refused to change the output folder: a missing permission, a full disk, a file held open. Mend that and run the command again; an interrupted build is completed or undone by the next command."),
    ("TG609", "damaged-journal", _E, "A build was interrupted, and its notes in `.toolgen` are damaged or not toolgen's, so it can be neither completed nor undone. Restore the output folder from version control, delete its `.toolgen` folder, and build again."),
    # TG7xx: configuration
    ("TG701", "configuration-unreadable", _E, "`toolgen.toml` or `pyproject.toml` cannot be read: it is not a regular file, over 10 MB, not UTF-8 text, or may not be opened, or it is a link that leads out of the project."),
    ("TG702", "configuration-syntax", _E, "The configuration is not valid TOML. The caret shows where the parser gave up."),
    ("TG703", "two-configurations", _E, "Both `toolgen.toml` and `[tool.toolgen]` of `pyproject.toml` configure toolgen. Keep one of them."),
    ("TG704", "unknown-setting", _E, "The configuration has a key that toolgen does not know. The keys are `targets` and `executors`; those of a target are `specs`, `out`, `formats`, `profile`, `builtin` and `export`."),
    ("TG705", "wrong-setting", _E, "A setting has a value of the wrong type, or one that is not among its choices."),
    ("TG706", "folder-outside-project", _E, "`specs` and `out` are relative paths, with `/`, to folders inside the one that holds the configuration."),
    ("TG707", "output-not-a-package", _E, "`out` becomes a Python package, so its last part must be a Python identifier and no keyword, such as `generated` or `src/tools`."),
    ("TG708", "overlapping-folders", _E, "An output folder is, holds, or lies in the output folder of another target or a folder of specs. toolgen owns its output folders whole: give each target one of its own."),
    # TG8xx: importing
    ("TG801", "not-a-tool-list", _E, "What is imported is the answer of an MCP server to `tools/list`: `{\"tools\": [...]}`, the JSON-RPC response around it, or the list alone."),
    ("TG802", "incomplete-list", _W, "A server may answer `tools/list` in pages. The answer holds a `nextCursor`, so it is not the last page, and tools are missing."),
    ("TG803", "unnamed-tool", _E, "An entry of the list is not an object with a `name`, so nothing could call it. It is left out."),
    ("TG804", "repeated-tool", _E, "A server has two tools of one name, and a call could mean either. The first is imported."),
    ("TG805", "broken-tool", _E, "A tool is broken at its source: its schema is no JSON Schema, describes no object, or cannot be compiled. It is left out, and the others are imported. Mend it at the server, or in the saved answer."),
    ("TG806", "unknown-tool-key", _W, "A tool has a key that MCP does not have, and lacks one that looks much like it."),
    ("TG807", "tool-gone", _W, "A tool of the spec is not offered by its server any more. It is taken out of the spec; whoever still uses it is told by the next build."),
    ("TG808", "text-replaced", _W, "A server changed what it says of a tool, and so had the spec: the server's text takes the place of yours. Put yours back if it still holds. It then stays until the server changes its text again; `imported` in the spec is how an import tells."),
)
