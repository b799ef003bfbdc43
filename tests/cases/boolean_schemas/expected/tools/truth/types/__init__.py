"""Types of `truth`."""
