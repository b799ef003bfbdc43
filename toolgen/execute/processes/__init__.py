"""Processes: run with limits on time and output, and ended with all processes that they started."""
