"""Policies: effective sets, permission, paths and rate limits."""
