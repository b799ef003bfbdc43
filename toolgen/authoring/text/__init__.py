"""Texts of specs: their comments, and edits of them."""
