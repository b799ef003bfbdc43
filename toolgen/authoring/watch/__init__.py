"""Watching: the changes of a project's specs and configuration, in batches."""
