"""Everything that is known about Kobayakawa."""
