"""What is measured: each module is run in a process of its own, by `python -m`, and prints one JSON object."""
