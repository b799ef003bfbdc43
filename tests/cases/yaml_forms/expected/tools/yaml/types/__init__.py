"""Types of `yaml`."""
