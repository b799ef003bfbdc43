"""The package `drafts`."""
