"""Simulated players for whole games, demos, practice."""
