"""The package `drafts.tools`."""
