"""Is a schema valid, does some value fit it, and do its defaults and examples?"""
