"""What is secret in a call, and how it is kept out of what is stored, logged and shown."""
