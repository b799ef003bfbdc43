"""Types of `numbers`."""
