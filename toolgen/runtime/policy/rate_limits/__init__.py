"""Rate limits per tool and user: counters in memory, or shared between processes."""
