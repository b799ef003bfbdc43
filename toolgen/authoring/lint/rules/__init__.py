"""The rules, by what they are about: a module has those whose ids start with the same digit, or half of them."""
