"""Benchmarks: toolgen compared with its peers and the floors, on the same work in the same run, as JSON on stdout."""
