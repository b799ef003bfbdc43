"""User tools: the command tools in the files of a user."""
