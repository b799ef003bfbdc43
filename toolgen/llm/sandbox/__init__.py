"""Processes that check and run the Python of a model."""
