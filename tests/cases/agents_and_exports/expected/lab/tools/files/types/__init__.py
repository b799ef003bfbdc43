"""Types of `lab.files`."""
