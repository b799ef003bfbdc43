"""What is wrong with a value, in words that say how to fix it."""
