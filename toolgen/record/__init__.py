"""Stores: what happened in runs, and how their calls ended."""
