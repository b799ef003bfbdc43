"""Types of `arrays`."""
