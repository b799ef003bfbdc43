"""Paths of calls: what they lead to, what policies say of that, and opening it with no second lookup."""
