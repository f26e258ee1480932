"""Everything that is known about dnup."""
