"""Types of `drafts.six`."""
