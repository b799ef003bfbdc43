"""Tools for models: how tools are shown, and how responses become calls. The modules below are private."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolgen.contract.actions import ActionRule as ActionRule
    from toolgen.contract.actions import ActionTables as ActionTables
    from toolgen.contract.actions import ArgsNotMapped as ArgsNotMapped
    from toolgen.contract.actions import ResolvedAction as ResolvedAction
    from toolgen.contract.actions import UnknownActionError as UnknownActionError
    from toolgen.llm.actions.hot_list import HotList as HotList
    from toolgen.llm.actions.listing import system_prompt as system_prompt
    from toolgen.llm.actions.view import Resource as Resource
    from toolgen.llm.actions.view import ResourceProvider as ResourceProvider
    from toolgen.llm.codeact.presentation import CodeAct as CodeAct
    from toolgen.llm.codeact.stubs import CompiledStubs as CompiledStubs
    from toolgen.llm.codeact.stubs import read_stubs as read_stubs
    from toolgen.llm.conversation import AskModel as AskModel
    from toolgen.llm.conversation import CallRequested as CallRequested
    from toolgen.llm.conversation import Conversation as Conversation
    from toolgen.llm.conversation import ConversationEvent as ConversationEvent
    from toolgen.llm.conversation import ConversationResult as ConversationResult
    from toolgen.llm.conversation import OnEvent as OnEvent
    from toolgen.llm.conversation import TextDelta as TextDelta
    from toolgen.llm.conversation import TurnEnded as TurnEnded
    from toolgen.llm.presentations.protocol import Candidates as Candidates
    from toolgen.llm.presentations.protocol import Presentation as Presentation
    from toolgen.llm.presentations.protocol import PresentationOps as PresentationOps
    from toolgen.llm.presentations.protocol import RequestedCall as RequestedCall
    from toolgen.llm.presentations.protocol import ToolListing as ToolListing
    from toolgen.llm.presentations.protocol import Turn as Turn
    from toolgen.llm.sandbox.pool import SandboxPool as SandboxPool
    from toolgen.llm.sandbox.process import CodeActLimits as CodeActLimits
    from toolgen.llm.sandbox.process import SandboxUnavailable as SandboxUnavailable
    from toolgen.llm.search.embedders import embedder_of as embedder_of
    from toolgen.llm.search.embedding import Embedder as Embedder
    from toolgen.llm.search.embedding import EmbeddingClass as EmbeddingClass
    from toolgen.llm.search.embedding import EmbeddingError as EmbeddingError
    from toolgen.llm.search.embedding import EndpointClass as EndpointClass
    from toolgen.llm.search.embedding import FunctionClass as FunctionClass
    from toolgen.llm.search.embedding import LocalClass as LocalClass
    from toolgen.llm.search.index import SearchHit as SearchHit
    from toolgen.llm.search.index import SearchIndex as SearchIndex
    from toolgen.llm.search.index import ToolSearch as ToolSearch
    from toolgen.llm.search.index import search_documents_of as search_documents_of
    from toolgen.llm.search.index import search_index_of as search_index_of
    from toolgen.llm.search.vectors import Vectors as Vectors
    from toolgen.llm.tags.definition import TagCost as TagCost
    from toolgen.llm.tags.definition import TagHandler as TagHandler
    from toolgen.llm.tags.definition import TagResult as TagResult
    from toolgen.llm.tags.definition import ToolContext as ToolContext
    from toolgen.llm.tags.definition import ToolDef as ToolDef
    from toolgen.llm.tags.definition import prompt_block as prompt_block
    from toolgen.llm.tags.definition import tool_defs as tool_defs
    from toolgen.llm.tags.registry import TagGate as TagGate
    from toolgen.llm.tags.registry import TagRegistry as TagRegistry
    from toolgen.llm.tags.reply import TagCall as TagCall
    from toolgen.llm.tags.reply import TagReply as TagReply
    from toolgen.llm.tags.reply import TagTurn as TagTurn
    from toolgen.llm.tags.reply import parse_response as parse_response
    from toolgen.llm.tags.reply import run_tags as run_tags
    from toolgen.llm.tool_use import ToolUse as ToolUse
    from toolgen.spec.tool_use import ToolUseConfig as ToolUseConfig
    from toolgen.spec.tool_use import ToolUseError as ToolUseError
    from toolgen.spec.tool_use import read_tool_use as read_tool_use
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "ToolUse": ".tool_use",
            "ToolUseConfig": "toolgen.spec.tool_use",
            "ToolUseError": "toolgen.spec.tool_use",
            "read_tool_use": "toolgen.spec.tool_use",
            "Conversation": ".conversation",
            "AskModel": ".conversation",
            "CallRequested": ".conversation",
            "ConversationEvent": ".conversation",
            "ConversationResult": ".conversation",
            "OnEvent": ".conversation",
            "TextDelta": ".conversation",
            "TurnEnded": ".conversation",
            "Candidates": ".presentations.protocol",
            "Presentation": ".presentations.protocol",
            "PresentationOps": ".presentations.protocol",
            "RequestedCall": ".presentations.protocol",
            "ToolListing": ".presentations.protocol",
            "Turn": ".presentations.protocol",
            "system_prompt": ".actions.listing",
            "HotList": ".actions.hot_list",
            "Resource": ".actions.view",
            "ResourceProvider": ".actions.view",
            "ActionRule": "toolgen.contract.actions",
            "ActionTables": "toolgen.contract.actions",
            "ArgsNotMapped": "toolgen.contract.actions",
            "ResolvedAction": "toolgen.contract.actions",
            "UnknownActionError": "toolgen.contract.actions",
            "CodeActLimits": ".sandbox.process",
            "CodeAct": ".codeact.presentation",
            "CompiledStubs": ".codeact.stubs",
            "read_stubs": ".codeact.stubs",
            "SandboxPool": ".sandbox.pool",
            "SandboxUnavailable": ".sandbox.process",
            "SearchHit": ".search.index",
            "SearchIndex": ".search.index",
            "search_documents_of": ".search.index",
            "search_index_of": ".search.index",
            "ToolSearch": ".search.index",
            "embedder_of": ".search.embedders",
            "Embedder": ".search.embedding",
            "EmbeddingClass": ".search.embedding",
            "EmbeddingError": ".search.embedding",
            "EndpointClass": ".search.embedding",
            "FunctionClass": ".search.embedding",
            "LocalClass": ".search.embedding",
            "Vectors": ".search.vectors",
            "TagGate": ".tags.registry",
            "TagRegistry": ".tags.registry",
            "TagCost": ".tags.definition",
            "TagHandler": ".tags.definition",
            "TagResult": ".tags.definition",
            "ToolContext": ".tags.definition",
            "ToolDef": ".tags.definition",
            "tool_defs": ".tags.definition",
            "prompt_block": ".tags.definition",
            "TagCall": ".tags.reply",
            "TagReply": ".tags.reply",
            "TagTurn": ".tags.reply",
            "parse_response": ".tags.reply",
            "run_tags": ".tags.reply",
        },
    )
