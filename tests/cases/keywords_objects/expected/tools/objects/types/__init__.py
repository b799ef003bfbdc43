"""Types of `objects`."""
