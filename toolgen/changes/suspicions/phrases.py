"""Phrases: texts that instruct a model instead of describing a tool, hide something, or ask for what is not theirs.

The kinds follow public reports on tool poisoning, shadowing, line jumping and full-schema poisoning of MCP servers
(2025), and the OWASP list of risks for MCP. The patterns are matched against `characters.as_read`. A server writes the
texts, and each pattern takes time linear in their length: a run is matched whole (`++`) or bounded.
"""

from __future__ import annotations

import re
from typing import Final

_TOOLS: Final = r"(?:tools?|functions?|mcps?|servers?|actions?|commands?)"
_USE: Final = r"(?:us(?:e|es|ing)|call(?:s|ing)?|invok(?:e|es|ing)|run(?:s|ning)?|execut(?:e|es|ing))"
_TELL: Final = (
    r"(?:tell|inform|mention|notify|reveal|disclose|alert|explain|report|warn|expose|show|display|share|confirm|say)"
)
_PERSON: Final = r"(?:users?|humans?|persons?|people|customers?|operators?|anyone|anybody|them)"
_ABOUT_THIS: Final = r"(?:this|that|it|these|any of this|the above|what you did)"

INSTRUCTION: Final = re.compile(
    "|".join((
        # comes before other tools
        (rf"\b(?:before|prior to|instead of|rather than|after|whenever|when|every time|each time)\s+(?:you\s+)?"
        rf"{_USE}\s+(?:any|all|every|each|another)\s+(?:of\s+)?(?:the\s+)?(?:other\s+|available\s+)*{_TOOLS}"),
        rf"\b(?:before|prior to|instead of|over)\s+(?:any|all|every)\s+other\s+(?:\w+\s+)?{_TOOLS}",
        (r"\b(?:always|must)\s+(?:\w+\s+)?(?:call|use|invoke|run|execute)\s+this\s+(?:tool\s+|function\s+)?"
        r"(?:first|before|at the (?:start|beginning))"),
        (r"\bthis\s+(?:tool|function)\s+(?:must|has to|needs to|should always|is to)\s+(?:always\s+)?be\s+"
        r"(?:called|used|invoked|run|executed)\s+(?:first|before (?:any|all|every)|at the (?:start|beginning))"),
        r"\balways\s+(?:choose|prefer|select|pick)\s+this\s+(?:tool|function|server)\b",
        r"\b(?:takes?|has|have)\s+(?:precedence|priority)\s+over\s+(?:all|any|every|other|your|previous|the system)\b",
        # hides something from the user
        (rf"\b(?:do not|don't|never|must not|should not|avoid|without)\s+(?:ever\s+)?{_TELL}(?:ing|ling)?\s+"
        rf"(?:{_ABOUT_THIS}\s+)?(?:to\s+|from\s+)?(?:the\s+|any\s+)?{_PERSON}\b"),
        (rf"\b(?:do not|don't|never|must not|avoid)\s+(?:ever\s+)?mention(?:ing)?\s+"
        rf"(?:{_ABOUT_THIS}|the fact|that you)\b"),
        (rf"\b(?:hid(?:e|den)|conceal(?:ed)?|secret|keep (?:this|it) quiet)\s+(?:this\s+|it\s+)?from\s+"
        rf"(?:the\s+)?{_PERSON}\b"),
        (rf"\bthe\s+{_PERSON}\s+(?:must|should|may|can|will|need|does|do)\s*(?:not|n't|never)\s+"
        r"(?:(?:be\s+)?(?:know|aware|told|informed|notice|notified|learn|find out)|need to know|see this)\b"),
        rf"\bwithout\s+(?:the\s+)?{_PERSON}(?:'s)?\s+(?:knowledge|knowing|noticing|consent|awareness)\b",
        (r"\b(?:silently|secretly|covertly|quietly)\s+(?:\w+\s+)?(?:read|send|call|use|copy|upload|forward|add|include"
        r"|append|run|execute|post|collect|pass|do so)\b"),
        # replaces other instructions
        (r"\b(?:ignore|disregard|forget|override|bypass|discard)\s+(?:\w+\s+){0,3}?(?:instructions?|guidelines?|directives?"
        r"|system (?:prompt|message)|safety (?:rules?|checks?|polic(?:y|ies)))\b"),
        r"\b(?:you are|act as)\s+(?:now|no longer|from now on)\s",
        r"\bfrom now on,?\s+(?:you|always|every|all|never)\b",
        (r"\b(?:new|updated|real|hidden|additional)\s+(?:system\s+)?instructions?\s*"
        r"(?::|for (?:the )?(?:ai|assistant|model|llm|agent))"),
        (r"\b(?:note|message|instructions?|important|attention)\s*(?:to|for|,)\s*(?:the\s+|all\s+|any\s+)?"
        r"(?:ai|llms?|(?:language |ai )models?|(?:ai )?assistants?|(?:ai |coding )?agents?)\s*[:,]"),
        r"\b(?:dear|attention)\s+(?:ai|llm|assistant|model|agent)\b",
        # acts on the calls of other tools
        (r"\bwhen(?:ever)?\s+(?:\S+\s+){0,6}?(?:tool|function|server|`[\w.-]+`|(?=\w+?_\w)\w++)\s+(?:\S+\s+){0,4}?is\s+"
        r"(?:called|used|invoked|run|available|connected)\b"),
        (r"\b(?:change|replace|rewrite|redirect|modify|set|substitute)\s+(?:the\s+)?"
        r"(?:recipients?|receivers?|destination (?:address|account|number)|payee|beneficiary|phone number|to address)\b"
        r"[^.]{0,30}\b(?:to|with|by)\b"),
        # threatens
        (r"\b(?:otherwise|or else|or)\s*,?\s*(?:the|this|all)\s+(?:tools?|app(?:lication)?|system|server|request)s?\s+"
        r"(?:will|would|does|do|won't)\s*(?:not|n't)?\s*(?:work|crash|fail|break|be (?:blocked|rejected|terminated))"),
        # sends away what is not the tool's
        (r"\b(?:send|forward|upload|e-?mail|transmit|exfiltrate|append|include|pass|attach|provide|copy|put|insert|encode)"
        r"\b[^.]{0,60}\b(?:(?:chat|conversation|message) (?:history|log|transcript)|system prompt|system message"
        r"|(?:entire|full|whole|complete|all (?:of )?the|previous|prior|current) (?:conversation|chat|context)"
        r"|(?:ssh|private) keys?|environment variables|contents? of (?:(?:the|its|this) )?(?:file\b|~|/|\.|config))"),
    )),
    re.IGNORECASE,
)  # fmt: skip
"""Instructions to a model on other tools, the user, its instructions, or data that is not the tool's."""

MARKUP: Final = re.compile(
    r"<!--(?:.{0,200}?-->|.{0,80})"
    r"|</?\s*(?:important|system|secret|hidden|instructions?|critical|assistant|admin|priority|mandatory|urgent"
    r"|rules?|override|internal|developer|note to (?:ai|llm|model))\s*>"
    r"|<\|[a-z_]+\|>|\[/?INST\]|<<SYS>>|^\s*#{2,}\s*(?:system|instructions? (?:for|to))\b"
    r"|(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0|opacity\s*:\s*0(?![.\d]))",
    re.IGNORECASE,
)
"""Markup that is not shown, or that imitates the messages of a conversation."""

ENCODED: Final = re.compile(
    r"(?<![A-Za-z0-9+/=_-])(?:(?=[a-z0-9+/]*[A-Z])(?=[A-Z0-9+/]*[a-z])(?=[A-Za-z+/]*\d)[A-Za-z0-9+/]{48,}={0,2}"
    r"|(?:[0-9a-fA-F]{2}){40,}|(?:\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|%[0-9a-fA-F]{2}){8,})"
)
"""Base64 of 36 bytes and more, hexadecimal of 40 bytes and more, and runs of escaped characters."""

SENSITIVE_PLACE: Final = re.compile(
    r"(?:~|\$HOME|%USERPROFILE%|/root|/home/\w+|/Users/\w+)[/\\]\.(?:ssh|aws|gnupg|kube|docker|config|cursor|claude|vscode"
    r"|codeium|gemini|codex|npmrc|pypirc|netrc|git-credentials|bash_history|zsh_history|env)"
    r"|\bid_(?:rsa|ed25519|ecdsa|dsa)\b|/etc/(?:passwd|shadow|sudoers)\b|(?<![\w*])\.ssh/|\.aws/credentials"
    r"|(?<![\w/.])\.?mcp\.json\b|claude_desktop_config|\blogin\.keychain\b|\bwallet\.dat\b|(?<!\w)\.git-credentials\b",
    re.IGNORECASE,
)
"""Files with the keys and configuration of a person, or of their agents."""

ASKED: Final = re.compile(
    r"^(?:side_?notes?|(?:full_|entire_|whole_|complete_)?(?:conversation|chat)(?:_?(?:history|log|transcript|context))?"
    r"|(?:message|chat|dialog(?:ue)?)_?history|(?:previous|prior|all|past|recent)_(?:messages|prompts|tool_calls|tools)"
    r"|system_?(?:prompt|message|instructions?)|(?:chain_of_thought|reasoning_trace|hidden_context)"
    r"|(?:all_?|available_?)tools(?:_?list)?|tools?_list|env(?:ironment)?_?variables?_?dump"
    r"|(?:ssh|user)_?(?:private_?)?keys?_?(?:content)?|.*(?:id_rsa|ssh_key|dotenv|credentials_file|mcp_config).*)$",
    re.IGNORECASE,
)
"""Names of parameters by which tools collect what is not theirs: the conversation, the prompt, keys."""

ASKED_TEXT: Final = re.compile(
    r"\b(?:(?:full|entire|whole|complete|verbatim) (?:conversation|chat|dialog(?:ue)?|message history|system prompt)"
    r"|(?:chat|conversation) (?:history|transcript) (?:so far|up to|until)"
    r"|(?:your|the) system (?:prompt|message|instructions)"
    r"|contents? of (?:the )?(?:user's )?(?:\.env|~/|private key|ssh|config(?:uration)? file)"
    r"|(?:user's|their) (?:ssh keys?|private keys?|seed phrase))\b",
    re.IGNORECASE,
)
"""Descriptions of parameters that ask for the same."""

PROMPT: Final = re.compile(r"system_?(?:prompt|message|instructions?)", re.IGNORECASE)
"""The name of a parameter with the prompt of a model: the one that a tool runs, or the one that calls it."""

RUNS_MODEL: Final = re.compile(
    r"\b(?:(?:language |ai |generative )?models?|llms?|(?:ai |chat)?bots?|(?:ai |voice |sub)?-?agents?|assistants?"
    r"|(?:chat )?completions?|gpt|claude|gemini|llama|mistral)\b",
    re.IGNORECASE,
)
"""Descriptions of tools that run or make a model."""

OWN_PROMPT: Final = re.compile(
    r"\b(?:your|current|full|entire|whole|complete|original|active|verbatim|word for word|this conversation)\b",
    re.IGNORECASE,
)
"""Descriptions by which it is that of the model that calls the tool."""

ADDRESS: Final = re.compile(
    r"\b(?:https?|wss?|ftp)://(?:[^\s/?#@\"'<>()`]*@)?(?P<host>[^\s/?#:\"'<>()`,]+)"
    r"|(?<![\w.+-])[\w.+-]++@(?P<mail>[\w-]+(?:\.[\w-]+)+)|(?<![\d.])(?P<ip>\d{1,3}(?:\.\d{1,3}){3})(?!\.?\d)",
    re.IGNORECASE,
)
"""Links, mail addresses and IP addresses."""
