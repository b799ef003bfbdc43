"""Stages after the handler that add to a result, or bound it, in the order of `calls/plan.py`."""
