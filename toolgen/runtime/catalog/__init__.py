"""The tools of a program: loaded from packages, registered, and assigned to executors."""
