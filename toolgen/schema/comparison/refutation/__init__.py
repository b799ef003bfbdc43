"""Refutation: proofs that no value fits one schema and not another, and values that may."""
