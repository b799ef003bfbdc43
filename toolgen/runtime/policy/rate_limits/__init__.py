"""Counters of attempts per tool and user: in memory, or where many processes share them."""
