"""Processes that check and run the Python code of a model. Needs the extra `codeact`."""
