"""toolgen compiles tool specs into typed Python packages, and runs the calls."""

__version__ = "0.1.0"
