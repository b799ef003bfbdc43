"""Commands about calls: making one, and reading and replaying recorded ones."""
