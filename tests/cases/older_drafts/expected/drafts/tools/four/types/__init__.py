"""Types of `drafts.four`."""
