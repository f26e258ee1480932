"""What the simulated people of all games share."""
