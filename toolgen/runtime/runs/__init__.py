"""Runs, turns and the runs that calls start."""
