"""Rules on what may be called: permissions, confirmation, scopes, secrets, and policies that decide nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from toolgen.authoring.lint.registry import Finding, tool_rule
from toolgen.authoring.lint.text_fixes import with_keyword
from toolgen.authoring.lint.view import READING, first_word
from toolgen.spec.wire_names import words

if TYPE_CHECKING:
    from toolgen.authoring.lint.view import LintedTool

_DESTRUCTIVE: Final = frozenset("delete remove drop destroy purge erase wipe truncate uninstall kill terminate".split())
_CHANGING: Final = _DESTRUCTIVE | frozenset(
    "create update insert add set write edit modify rename move send post upload refund pay transfer cancel".split()
)
_SECRET: Final = re.compile(
    r"(?:^|_)(?:password|passwd|passphrase|secret|api_?key|private_key|client_secret|access_key|(?:access|auth|bearer|refresh|api|"
    r"id|session|csrf)_token|credentials?)$|(?<=[a-z])(?:Password|Secret|ApiKey|PrivateKey|AccessToken|AuthToken|RefreshToken)$",
    re.IGNORECASE,
)
_PLACES: Final = {
    "path": "read",
    "file": "read",
    "filename": "read",
    "filepath": "read",
    "directory": "read",
    "folder": "read",
    "url": "url",
    "uri": "url",
}


@tool_rule(
    "TL501",
    bad="""
        toolset: shop
        tools:
          delete_order:
            description: Deletes an order for good.
            args: {number: {type: integer, description: The number on the invoice.}}
    """,
    good="""
        toolset: shop
        tools:
          delete_order:
            description: Deletes an order for good.
            args: {number: {type: integer, description: The number on the invoice.}}
            confirm: "Delete order {{args.number}} for good?"
    """,
)
def destructive_without_confirm(tool: LintedTool) -> Iterator[Finding]:
    """A write tool deletes something, by its name, its tags or its server's hints, and has no `confirm`.

    The person who is asked then sees no more than the name and the args. `confirm` also asks where a policy allows.
    """
    hints = tool.tool.annotations or {}
    destroys = first_word(tool.tool.key) in _DESTRUCTIVE or "dangerous" in tool.tool.tags
    if tool.is_write and not tool.tool.confirm and (destroys or hints.get("destructiveHint") is True):
        message = f"`{tool.tool.ident}` can do damage, and has no `confirm`"
        yield Finding(tool.key, message, "write what a person is asked, with `{{args.name}}` for its args")


@tool_rule(
    "TL503",
    bad="""
        toolset: shop
        tools:
          reset_prices:
            description: Puts the prices of last year back.
            tags: [dangerous]
            args: {shop: {type: integer, description: The number of the shop.}}
            confirm: Put all prices back?
    """,
    good="""
        toolset: shop
        tools:
          reset_prices:
            description: Puts the prices of last year back.
            tags: [dangerous]
            args: {shop: {type: integer, description: The number of the shop.}}
            access: {scope: shop}
            confirm: Put all prices back?
    """,
)
def dangerous_without_scope(tool: LintedTool) -> Iterator[Finding]:
    """A tool is tagged `dangerous` and has no `access`, so a grant for the session covers whatever it is called with.

    With `access` a grant covers the resources that were approved.
    """
    if "dangerous" in tool.tool.tags and not tool.tool.access.named and tool.tool.args.json.get("properties"):
        message = f"`{tool.tool.ident}` is dangerous, and a grant for it has no scope"
        yield Finding(tool.key, message, "write `access`, with the args that say what it works on")


@tool_rule(
    "TL506",
    bad="""
        toolset: shop
        tools:
          export_orders:
            description: Write orders to a file.
            args:
              target:
                type: object
                properties: {file: {type: string, maxLength: 200, description: Its path.}}
                additionalProperties: false
                description: Where to.
            access: {write: target}
    """,
    good="""
        toolset: shop
        tools:
          export_orders:
            description: Write orders to a file.
            args: {target: {type: string, maxLength: 200, description: The path of the file.}}
            access: {write: target}
    """,
)
def access_arg_is_object(tool: LintedTool) -> Iterator[Finding]:
    """An arg that `access` names is an object, so what the call touches cannot be read from it.

    Paths, URLs and scopes are texts, or lists of them. Name a text field of its own.
    """
    access = tool.tool.access
    kinds = {part.name: part for part in tool.parameters}
    for kind in ("read", "search", "write", "exec", "cwd", "url", "scope"):
        for name in getattr(access, kind):
            part = kinds.get(name)
            items = part.schema.get("items") if part is not None and part.is_a("array") else None
            in_list = isinstance(items, dict) and items.get("type") == "object"
            if part is not None and (part.is_a("object") or in_list):
                place = tool.place / "access" / kind
                message = f"`access.{kind}` of `{tool.tool.ident}` names `{name}`, which is an object"
                related = ((part.field.of_key, "the arg"),)
                yield Finding(place if place.exists else tool.key, message, "name an arg that is a text", related)


@tool_rule(
    "TL507",
    bad="""
        toolset: shop
        tools:
          delete_order: {description: Deletes an order for good., permission: readonly}
    """,
    good="""
        toolset: shop
        tools:
          find_order: {description: Find an order by its number., permission: readonly}
    """,
)
def readonly_that_changes(tool: LintedTool) -> Iterator[Finding]:
    """A tool is `readonly`, and its name says that it changes something. Readonly tools run without a question."""
    if not tool.is_write and first_word(tool.tool.key) in _CHANGING and "internal" not in tool.tool.tags:
        message = f"`{tool.tool.ident}` is readonly, and is named like one that changes something"
        permission = tool.place / "permission"
        yield Finding(permission if permission.exists else tool.key, message, "write `permission: write`, or rename it")


@tool_rule(
    "TL508",
    bad="""
        toolset: shop
        tools:
          find_order: {description: Find an order by its number.}
    """,
    good="""
        toolset: shop
        tools:
          find_order: {description: Find an order by its number., permission: readonly}
    """,
)
def write_by_default(tool: LintedTool) -> Iterator[Finding]:
    """A tool is named like one that only reads, and has no `permission`, so it counts as `write`.

    Every call of it asks a person. An MCP server says otherwise with `readOnlyHint`, an HTTP API with GET.
    """
    if tool.is_write and not tool.sets("permission") and first_word(tool.tool.key) in READING:
        message = f"`{tool.tool.ident}` counts as `write`, and asks before every call"
        yield Finding(tool.key, message, "write `permission: readonly`, if it changes nothing")


@tool_rule(
    "TL509",
    bad="""
        toolset: shop
        tools:
          sign_in:
            description: Opens a session of a customer.
            args: {password: {type: string, maxLength: 80, description: What the customer typed.}}
    """,
    good="""
        toolset: shop
        tools:
          sign_in:
            description: Opens a session of a customer.
            args: {password: {type: string, maxLength: 80, writeOnly: true, description: What the customer typed.}}
    """,
)
def unmarked_secret(tool: LintedTool) -> Iterator[Finding]:
    """An arg is named like a secret and not marked as one, so it is in records, logs and questions.

    The fix marks it with `writeOnly: true`, beside the reference to a named type. Better: let the host `inject` it.
    """
    for part in tool.args:
        marked = part.schema.get("writeOnly") is True or part.schema.get("format") == "password"
        if part.name and part.is_a("string") and _SECRET.search(part.name) and not marked and "enum" not in part.schema:
            message = f"`{part.name}` of `{tool.tool.ident}` looks like a secret, and is not marked as one"
            fix = with_keyword(part.field, "writeOnly", value=True, title="Mark it as secret")
            own = fix if part.has_own_field else None
            yield Finding(part.field.of_key, message, "write `writeOnly: true`, or `inject` it", fix=own)


@tool_rule(
    "TL510",
    bad="""
        toolset: files
        kind: command
        tools:
          count_lines:
            description: Counts how long a text is.
            args: {path: {type: string, description: The path of the file.}}
            permission: readonly
            command: {exec: [wc, -l, "{{args.path}}"]}
    """,
    good="""
        toolset: files
        kind: command
        tools:
          count_lines:
            description: Counts how long a text is.
            args: {path: {type: string, description: The path of the file.}}
            permission: readonly
            access: {read: path}
            command: {exec: [wc, -l, "{{args.path}}"]}
    """,
)
def path_without_access(tool: LintedTool) -> Iterator[Finding]:
    """A command has an arg that is a path or a URL, and `access` does not name it.

    Policies on paths and hosts then do not see what the call touches.
    """
    if tool.toolset.kind.value != "command":
        return
    access = tool.tool.access
    named = {name for kind in ("read", "search", "write", "exec", "cwd", "url") for name in getattr(access, kind)}
    for part in tool.parameters:
        kind = _PLACES.get(words(part.name)[-1].lower() if words(part.name) else "")
        if kind and part.is_a("string", "array") and part.name not in named:
            message = f"`access` of `{tool.tool.ident}` does not name `{part.name}`"
            yield Finding(part.field.of_key, message, f"write `access: {{{kind}: {part.name}}}`")


@tool_rule(
    "TL512",
    bad="""
        toolset: mcp.shop
        kind: mcp
        server: {http: "https://example.com/mcp"}
        tools:
          clear_cart:
            description: Puts all articles of a cart back.
            permission: readonly
            annotations: {readOnlyHint: false}
    """,
    good="""
        toolset: mcp.shop
        kind: mcp
        server: {http: "https://example.com/mcp"}
        tools:
          clear_cart:
            description: Puts all articles of a cart back.
            permission: write
            annotations: {readOnlyHint: false}
    """,
)
def permission_against_hint(tool: LintedTool) -> Iterator[Finding]:
    """A tool is `readonly`, and its server's hints say that it changes something (`readOnlyHint`)."""
    hints = tool.tool.annotations or {}
    if not tool.is_write and (hints.get("readOnlyHint") is False or hints.get("destructiveHint") is True):
        message = f"`{tool.tool.ident}` is readonly, and its server says that it changes something"
        yield Finding(tool.place / "permission", message, "write `permission: write`")
