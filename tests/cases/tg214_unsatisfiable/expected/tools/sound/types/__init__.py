"""Types of `sound`."""
