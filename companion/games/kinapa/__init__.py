"""Everything that is known about Kinapa."""
