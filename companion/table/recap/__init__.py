"""Recaps of finished games: turning points, bluffs, mistakes."""
