"""One file per model API: its requests and its responses."""
