"""Paths of calls: their resolution, and the rules of policies for them."""
