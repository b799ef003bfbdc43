"""Types of `lab.research`."""
