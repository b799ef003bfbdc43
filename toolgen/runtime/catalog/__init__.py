"""The tools of a program: loaded from packages, registered, and assigned to what runs them."""
