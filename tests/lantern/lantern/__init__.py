"""Everything that is known about Lantern."""
