"""Processes: run with bounds on their time and output, and ended with all that they started."""
