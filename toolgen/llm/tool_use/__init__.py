"""Tool use: how the tools of a run are shown to a model, and how its answers become calls.

`ToolUse` knows the catalog and the configuration; a `Conversation` is one model that talks.
"""
