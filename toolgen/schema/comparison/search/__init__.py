"""Counterexamples: values that one schema accepts and another rejects."""
