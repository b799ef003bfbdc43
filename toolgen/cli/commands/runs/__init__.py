"""Commands about durable runs: executing, showing and steering them."""
