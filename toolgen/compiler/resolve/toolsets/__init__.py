"""Toolset files to toolsets: their tools, args and results, commands, tags, and bindings to methods."""
