"""Kobayakawa: one hidden card each, an open one for the lowest who fights; not registered as a game yet."""
