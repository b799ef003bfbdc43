"""Types of `drafts.nineteen`."""
