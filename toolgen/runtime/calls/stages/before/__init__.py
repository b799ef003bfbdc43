"""Stages between decoding and the handler, in the order of `calls/plan.py`."""
