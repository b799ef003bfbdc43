"""What model providers expect: pure functions from definitions, used by both halves."""
