"""Adapters: the tools of a run, as tools of frameworks for agents. One module per framework, each with an extra."""
