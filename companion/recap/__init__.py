"""The recap of a finished game: turning points, bluffs, lies and mistakes."""
