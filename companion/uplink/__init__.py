"""The uplink: a process of its own that tells a broker what the table tells it, and keeps nothing of it."""
