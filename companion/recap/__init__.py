"""A game that is over, looked back on: turning points, bluffs, lies, and cards that were tracked wrongly."""
