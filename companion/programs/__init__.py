"""Composition of the programs: what the commands run."""
