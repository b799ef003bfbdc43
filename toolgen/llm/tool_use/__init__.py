"""Tool use: how the tools of a run are shown to a model, and how its responses become calls.

`ToolUse` has the catalog and the configuration; a `Conversation` is the exchange with one model.
"""
