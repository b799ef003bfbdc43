"""What every room of the runtime stands on: errors, JSON text, generated packages, timeouts."""
