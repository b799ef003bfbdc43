"""What runs the toolset `router`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from generated.shared_types import Hit
from generated.tools.router import Remembered, SandboxedExecResult, WebFetchResult
from specs.examples.router.handlers.commands import run_argv
from specs.examples.router.handlers.peers import ask
from specs.examples.router.handlers.skills import run_skill
from toolgen.execute import PathAccess, path_failures
from toolgen.runtime import blocking

if TYPE_CHECKING:
    from pydantic import JsonValue

    from generated.tools.router import (
        DelegateToAgentArgs,
        DeleteFileArgs,
        DropSourceArgs,
        ForgetArgs,
        InvokeSkillArgs,
        ReadMemoryBodyArgs,
        RecallArgs,
        RememberAgentArgs,
        RememberSharedArgs,
        SandboxedExecArgs,
        SourceListArgs,
        SourceReadArgs,
        WebFetchArgs,
        WebSearchArgs,
    )
    from specs.examples.router.handlers.corpora import Corpora
    from specs.examples.router.handlers.documents import Documents
    from specs.examples.router.handlers.memory import Memory
    from specs.examples.router.handlers.site import Site
    from toolgen.runtime import PathPolicy, ToolCallMeta


class RouterTools:
    """The tools of `router`, each on its own small data. What they refuse is a `CallFailed`."""

    def __init__(
        self, *, memory: Memory, corpora: Corpora, documents: Documents, site: Site, workspace: PathPolicy
    ) -> None:
        self._memory = memory
        self._corpora = corpora
        self._documents = documents
        self._site = site
        self._workspace = workspace

    def invoke_skill(self, args: InvokeSkillArgs, _meta: ToolCallMeta, /) -> JsonValue:
        """Run a workflow."""
        return run_skill(args.name, args.input)

    def delegate_to_agent(self, args: DelegateToAgentArgs, _meta: ToolCallMeta, /) -> JsonValue:
        """Ask a peer."""
        return {"peer": args.to, "answer": ask(args.to, args.request)}

    def read_memory_body(self, args: ReadMemoryBodyArgs, _meta: ToolCallMeta, /) -> str:
        """Read a record."""
        return self._memory.read(args.slug, args.layer)

    def remember_shared(self, args: RememberSharedArgs, _meta: ToolCallMeta, /) -> Remembered:
        """Keep a record for every agent."""
        created = self._memory.write(args.slug, "shared", args.body)
        return Remembered(slug=args.slug, layer="shared", created=created)

    def remember_agent(self, args: RememberAgentArgs, _meta: ToolCallMeta, /) -> Remembered:
        """Keep a record for this agent."""
        created = self._memory.write(args.slug, "agent", args.body)
        return Remembered(slug=args.slug, layer="agent", created=created)

    def forget(self, args: ForgetArgs, _meta: ToolCallMeta, /) -> None:
        """Delete a record."""
        self._memory.forget(args.slug, args.layer)

    def web_search(self, args: WebSearchArgs, _meta: ToolCallMeta, /) -> list[Hit]:
        """Search the pages of the site."""
        return [Hit(id=url, score=score, text=text) for url, score, text in self._site.search(args.query, args.limit)]

    @blocking
    def web_fetch(self, args: WebFetchArgs, _meta: ToolCallMeta, /) -> WebFetchResult:
        """Fetch a page of the site."""
        page = self._site.fetch(args.url)
        return WebFetchResult(text=page.text, content_type=page.content_type)

    def source_read(self, args: SourceReadArgs, _meta: ToolCallMeta, /) -> str:
        """Read a document."""
        return self._documents.read(args.path)

    def source_list(self, args: SourceListArgs, _meta: ToolCallMeta, /) -> list[str]:
        """List the documents."""
        return self._documents.paths(args.prefix or "")

    def recall(self, args: RecallArgs, _meta: ToolCallMeta, /) -> list[Hit]:
        """Search corpora."""
        found = self._corpora.recall(args.sources, args.query, args.top_k)
        return [Hit(id=key, score=score, text=text) for key, score, text in found]

    def drop_source(self, args: DropSourceArgs, _meta: ToolCallMeta, /) -> None:
        """Remove a corpus."""
        self._corpora.drop(args.source)

    @blocking
    def delete_file(self, args: DeleteFileArgs, meta: ToolCallMeta, /) -> None:
        """Delete a file of the workspace, where the toolset `code` may write it."""
        access = PathAccess(self._workspace, meta.granted)
        answer = access.check_write(args.path)
        with access.open_parent(answer) as (folder, name), path_failures(args.path):
            Path(folder.working_directory, name).unlink()

    async def sandboxed_exec(self, args: SandboxedExecArgs, _meta: ToolCallMeta, /) -> SandboxedExecResult:
        """Run a program."""
        finished = await run_argv(args.argv)
        stdout, stderr = (output.decode(errors="replace") for output in (finished.stdout, finished.stderr))
        return SandboxedExecResult(exit_code=finished.exit_code, stdout=stdout, stderr=stderr)
